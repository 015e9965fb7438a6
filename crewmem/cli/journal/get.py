"""``crewmem journal get``."""

from __future__ import annotations

from crewmem.cli.app import App, pass_app
from crewmem.cli.command import option, verb
from crewmem.cli.scope_choice import ScopeChoice
from crewmem.cli.typed import id_argument


@verb
@id_argument
@option(
    "-S",
    "--scope",
    type=ScopeChoice(),
    help="How far to look; an agent's default is agent, a lead's crew.",
)
@pass_app
def get_command(app: App, *, id: str, scope: str | None) -> None:
    """Show an entry of the journal, whole.

    Six characters of its id are enough where no other begins so. An entry that
    compaction has archived is shown as it was written.
    """
    from crewmem.cli.journal.shown import entry_lines
    from crewmem.errors.journal import EntryMissingError

    journal = app.journal_to_read
    if journal is None:
        raise EntryMissingError(id, app.workspace)
    entry = journal.find(id, app.reach(scope))
    app.out.record(entry, entry_lines(entry))
