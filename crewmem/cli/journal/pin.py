"""``crewmem journal pin``."""

from __future__ import annotations

import click

from crewmem.cli.app import App, pass_app
from crewmem.cli.command import option, verb
from crewmem.cli.journal.filters import PRIORITIES
from crewmem.cli.typed import as_text, id_argument

TYPE_CHECKING = False
if TYPE_CHECKING:
    from crewmem.journal.entry import Entry


@verb
@id_argument
@option(
    "--priority", type=click.Choice(PRIORITIES), default="pin", help="Which.  [pin]"
)
@option(
    "--reason", metavar="TEXT", required=True, callback=as_text, help="Why; it is kept."
)
@pass_app
def pin_command(app: App, *, id: str, priority: str, reason: str) -> None:
    """Change the priority of an entry of the journal.

    Entries with pin and permanent are never compacted; high, pin and permanent weigh
    more in recall. Every change is kept with its reason and who made it. For operators,
    and for the lead in its crew.
    """
    from crewmem.errors.journal import EntryMissingError
    from crewmem.journal.pin import pin

    if not reason.strip():
        raise click.UsageError("--reason says nothing.")
    journal = app.journal_to_read
    if journal is None:
        raise EntryMissingError(id, app.workspace)
    _require_lead(app)
    entry = journal.find(id, app.reach(None))
    _require_own(app, entry)
    done = pin(
        app.journal, entry, priority, reason=reason, by=str(app.actor), now=app.now
    )
    said = (
        f"{done.from_priority} → {priority}" if done.changed else f"{priority} already"
    )
    app.out.record(done, [["Entry ", ("bold", entry.id), f": {said}."]])


RULE = "operators may, and the lead in its crew"


def _require_lead(app: App) -> None:
    from crewmem.errors.registry import OutOfScopeError
    from crewmem.scope import Role

    if app.actor.role is Role.AGENT:
        raise OutOfScopeError(str(app.actor), "change priorities", RULE)


def _require_own(app: App, entry: Entry) -> None:
    """Refuse a lead what is not of a crew that it leads."""
    from crewmem.errors.registry import OutOfScopeError
    from crewmem.registry.crews_store import led_by

    db = app.truth_to_read
    if app.actor.is_operator or db is None:
        return
    if entry.crew_id not in led_by(db, app.workspace, app.actor.name):
        raise OutOfScopeError(str(app.actor), f"change {entry.id}", RULE)
