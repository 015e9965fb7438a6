"""Commands that wait until the shared store can be reached, and their delivery.

A queued command is its words, its input, who typed it and when. It leaves the outbox in the first
transaction that it commits, so it takes effect once. No transaction is open before it runs: it
takes the locks of files before that of the store, as every command does.
"""

import contextlib
import io
import json
from collections.abc import Sequence

import click

from crewmem.access import Actor
from crewmem.cli.command import Invocation
from crewmem.cli.main import make_root
from crewmem.context import Context
from crewmem.errors import CrewmemError, LockedError, ServiceError
from crewmem.hosts.store import PostgresStore, get_store
from crewmem.ids import new_id
from crewmem.registry.membership import find_access
from crewmem.review.store import ReviewStore
from crewmem.storage.locks import try_lock
from crewmem.storage.sqlite import transaction
from crewmem.times import parse_time

ALWAYS = (("note",), ("journal", "add"))
"""Commands that are queued without being asked."""


FIELDS = "id, workspace_id, actor, arguments, input, queued_at"


def queue_command(invocation: Invocation, arguments: Sequence[str], error: CrewmemError) -> str:
    """Queue a command that failed because the store is away; return its id, or "".

    It is queued with ``--queue``, and if it is one of `ALWAYS`.
    """
    app = invocation.app
    words = _command_words(arguments)
    if not app.option("queue") and not any(words[: len(each)] == each for each in ALWAYS):
        return ""
    context: Context = app.home.context
    given = app.input.encode("utf-8", "surrogateescape").decode("utf-8", "replace")
    # A change that may have been committed after all takes it out of the outbox again.
    item = str(error.details.get("change") or new_id("o", context.random))
    with transaction(context.db, local=True):
        context.db.execute(
            f"insert into outbox ({FIELDS}) values (?, ?, ?, ?, ?, ?)",
            (
                item, context.workspace, str(context.access.actor),
                json.dumps(list(arguments), ensure_ascii=False), given, context.now_text,
            ),
        )  # fmt: skip
    return item


def deliver_commands(invocation: Invocation, context: Context) -> int:
    """Run the queued commands in order; return how many took effect.

    One that fails goes to review, with the error. When the store is away again they wait on.
    """
    store = get_store(context)
    if store is None:
        return 0
    with try_lock(context.lock_path("outbox")) as is_held:
        return _deliver(invocation, context, store) if is_held else 0


def _deliver(invocation: Invocation, context: Context, store: PostgresStore) -> int:
    delivered = 0
    for row in context.db.all(f"select {FIELDS} from outbox order by rowid"):
        item, workspace, actor, arguments, given, at = row
        words = json.loads(arguments)
        store.delivering = item
        try:
            _run(invocation, context, row)
            with transaction(context.db, local=True):  # where it had nothing to change
                context.db.execute("delete from outbox where id = ?", (item,))
            delivered += 1
        except (ServiceError, LockedError) as error:
            context.warn("outbox-waiting", f"queued commands still wait: {error.message}")
            return delivered
        except (CrewmemError, click.ClickException) as error:
            payload = {"actor": actor, "arguments": words, "input": given, "queued_at": at}
            payload["error"] = error.message
            own = context.derive(workspace=workspace)
            with transaction(own.db):
                title = f"queued command failed: {' '.join(words)}"
                ReviewStore(own).add("outbox", title, payload=payload, key=item)
                own.db.execute("delete from outbox where id = ?", (item,))
            hint = context.command("review list")
            context.warn("outbox-failed", f"a queued command failed: {error.message}", hint)
        finally:
            store.delivering = ""
    return delivered


def _run(invocation: Invocation, context: Context, row: Sequence[str]) -> None:
    """Run a command as it was typed."""
    from crewmem.home import Home

    _, workspace, actor, arguments, given, at = row
    moment = parse_time(at)
    own = context.derive(workspace=workspace, clock=lambda: moment, warnings=[])
    own.access = find_access(own, Actor.parse(actor))
    inner = Invocation(invocation.environ)
    inner.app.home = Home(own)
    inner.app.clock = own.clock
    inner.app.input = given
    with contextlib.redirect_stdout(io.StringIO()):
        make_root().main(
            json.loads(arguments), prog_name="crewmem", standalone_mode=False, obj=inner
        )


def _command_words(arguments: Sequence[str]) -> tuple[str, ...]:
    """Return the words of a command line without options before the command."""
    words = list(arguments)
    with_value = ("--home", "-w", "--workspace", "--as", "-F", "--format", "--now")
    while words and words[0].startswith("-"):
        del words[: 2 if words[0] in with_value else 1]
    return tuple(words)
