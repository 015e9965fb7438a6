"""``crewmem proposals reject``."""

from __future__ import annotations

from crewmem.cli.app import App, pass_app
from crewmem.cli.command import verb
from crewmem.cli.typed import id_argument, reason_option


@verb
@id_argument
@reason_option
@pass_app
def reject_command(app: App, *, id: str, reason: str | None) -> None:
    """Do nothing of what was proposed; it is kept, with why.

    What a plan of consolidate run would have kept is never proposed again.
    """
    from crewmem.cli.held import desk, memories_to_read
    from crewmem.cli.proposals.planned import is_plan, reject_plan
    from crewmem.cli.reasons import reason_of
    from crewmem.errors.proposals import ProposalMissingError
    from crewmem.proposals.review import find, reject

    if memories_to_read(app) is None:
        raise ProposalMissingError(id, app.workspace)
    opened, why = desk(app), reason_of(app, reason)
    wanted = find(opened, id)
    if is_plan(wanted):
        done = reject_plan(app, wanted, why)
    else:
        done = reject(opened, wanted.id, reason=why)
    name = ("bold", done.proposal.id)
    app.out.record(done, [[name, f" is rejected: {done.proposal.title}"]])
