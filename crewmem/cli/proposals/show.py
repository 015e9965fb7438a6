"""``crewmem proposals show``."""

from __future__ import annotations

from crewmem.cli.app import App, pass_app
from crewmem.cli.command import verb
from crewmem.cli.typed import id_argument


@verb
@id_argument
@pass_app
def show_command(app: App, *, id: str) -> None:
    """Show a proposal: what would be done, and what it rests on."""
    from crewmem.cli.proposals.planned import is_plan, next_step, plan_lines
    from crewmem.cli.proposals.shown import named, proposal_lines

    _, _, proposal = named(app, id)
    if is_plan(proposal):
        app.out.record(proposal, plan_lines(app, proposal))
    else:
        app.out.record(proposal, proposal_lines(proposal, app.now))
    if proposal.status == "open":
        app.out.note(next_step(proposal))
