"""``crewmem proposals reject``."""

from __future__ import annotations

from crewmem.cli.app import App, pass_app
from crewmem.cli.command import argument, option, verb
from crewmem.cli.typed import as_text


@verb
@argument("id", metavar="ID", callback=as_text, help="Its id, or how that begins.")
@option("--reason", metavar="TEXT", callback=as_text, help="Why; it is kept.")
@pass_app
def reject_command(app: App, *, id: str, reason: str | None) -> None:
    """Do nothing of what was proposed; it is kept, with why."""
    from crewmem.cli.held import desk, memories_to_read
    from crewmem.errors.proposals import ProposalMissingError
    from crewmem.proposals.review import reject

    if memories_to_read(app) is None:
        raise ProposalMissingError(id, app.workspace)
    done = reject(desk(app), id, reason=reason or "")
    name = ("bold", done.proposal.id)
    app.out.record(done, [[name, f" is rejected: {done.proposal.title}"]])
