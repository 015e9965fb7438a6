"""Commands that wait until the shared store can be reached, and their delivery.

A queued command is stored with its words, input, actor and time. The first transaction that it
commits also deletes it from the outbox, so it takes effect once. It starts without an open
transaction, because every command must lock files before the store.
"""

import contextlib
import io
import shlex
from collections.abc import Sequence

import click

from crewmem.access import Actor
from crewmem.cli.command import Invocation
from crewmem.cli.main import find_command, make_root
from crewmem.context import Context
from crewmem.errors import CrewmemError, LockedError, ServiceError
from crewmem.hosts.outbox import QueuedCommand, add_command, list_commands, remove_command
from crewmem.hosts.store import PostgresStore, get_store
from crewmem.registry.membership import find_access
from crewmem.review.store import ReviewStore
from crewmem.storage.locks import try_lock
from crewmem.storage.sqlite import transaction
from crewmem.times import parse_time

ALWAYS = (("note",), ("journal", "add"))
"""Commands that are queued even without ``--queue``."""


def queue_command(invocation: Invocation, arguments: Sequence[str], error: CrewmemError) -> str:
    """Queue a command that failed because the store is unreachable; return its id.

    Returns "" if it may not be queued: without ``--queue``, only `ALWAYS` are.
    """
    app = invocation.app
    called = find_command(arguments)
    if not app.option("queue") and (called is None or called.names not in ALWAYS):
        return ""
    context: Context = app.home.context
    given = app.input.encode("utf-8", "surrogateescape").decode("utf-8", "replace")
    # If the change was committed after all, it also deletes the command from the outbox.
    item = str(error.details.get("change") or "")
    return add_command(
        context, str(context.access.actor), arguments, given, context.now_text, id_=item
    )


def deliver_commands(invocation: Invocation, context: Context) -> int:
    """Run the queued commands in order; return how many took effect.

    A command that fails goes to review with its error. If the store is unreachable again, the rest
    stays queued.
    """
    store = get_store(context)
    if store is None:
        return 0
    with try_lock(context.lock_path("outbox")) as is_held:
        return _deliver(invocation, context, store) if is_held else 0


def _deliver(invocation: Invocation, context: Context, store: PostgresStore) -> int:
    delivered = 0
    for queued in list_commands(context.db):
        store.delivering = queued.id
        try:
            _run(invocation, context, queued)
            with transaction(context.db, local=True):  # in case it changed nothing
                remove_command(context.db, queued.id)
            delivered += 1
        except (ServiceError, LockedError) as error:
            context.warn("outbox-waiting", f"queued commands still wait: {error.message}")
            return delivered
        except (CrewmemError, click.ClickException) as error:
            payload = {
                "actor": queued.actor,
                "arguments": queued.arguments,
                "input": queued.input,
                "queued_at": queued.queued_at,
                "error": error.message,
                "code": getattr(error, "code", ""),
            }
            own = context.derive(workspace=queued.workspace)
            with transaction(own.db):
                called = find_command(queued.arguments)
                words = [*called.names, *called.rest] if called else queued.arguments
                title = f"queued command failed: {shlex.join(words)}"
                ReviewStore(own).add("outbox", title, payload=payload, key=queued.id)
                remove_command(own.db, queued.id)
            hint = context.command("review list")
            context.warn("outbox-failed", f"a queued command failed: {error.message}", hint)
        finally:
            store.delivering = ""
    return delivered


def _run(invocation: Invocation, context: Context, queued: QueuedCommand) -> None:
    """Run a queued command as its user typed it."""
    from crewmem.home import Home

    moment = parse_time(queued.queued_at)
    own = context.derive(workspace=queued.workspace, clock=lambda: moment, warnings=[])
    own.access = find_access(own, Actor.parse(queued.actor))
    inner = Invocation(invocation.environ)
    inner.app.home = Home(own)
    inner.app.clock = own.clock
    inner.app.input = queued.input
    with contextlib.redirect_stdout(io.StringIO()):
        make_root().main(
            list(queued.arguments), prog_name="crewmem", standalone_mode=False, obj=inner
        )
