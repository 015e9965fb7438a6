"""``crewmem proposals show``."""

from __future__ import annotations

from crewmem.cli.app import App, pass_app
from crewmem.cli.command import argument, verb
from crewmem.cli.typed import as_text


@verb
@argument("id", metavar="ID", callback=as_text, help="Its id, or how that begins.")
@pass_app
def show_command(app: App, *, id: str) -> None:
    """Show a proposal: what would be done, and what it rests on."""
    from crewmem.cli.held import memories_to_read, view
    from crewmem.cli.proposals.shown import proposal_lines
    from crewmem.errors import ProposalMissingError
    from crewmem.proposals.proposal import is_visible
    from crewmem.proposals.store import Proposals, the_one

    memories = memories_to_read(app)
    if memories is None:
        raise ProposalMissingError(id, app.workspace)
    told = view(app)
    found = Proposals(memories.db).begun(app.workspace, id)
    seen = [each for each in found if is_visible(each, told, app.actor)]
    proposal = the_one(seen, id, app.workspace)
    app.out.record(proposal, proposal_lines(proposal, app.now))
    if proposal.status == "open":
        app.out.note(f"Decide: crewmem proposals approve|reject {proposal.id}")
