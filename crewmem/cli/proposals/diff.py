"""``crewmem proposals diff``."""

from __future__ import annotations

from crewmem.cli.app import App, pass_app
from crewmem.cli.command import verb
from crewmem.cli.typed import id_argument


@verb
@id_argument
@pass_app
def diff_command(app: App, *, id: str) -> None:
    """Show what approving a proposal would change.

    What is held on its topic is compared with what would be; where nothing is, all of
    it is new. Of a plan for files each file is, as it is now.
    """
    from crewmem.cli.proposals.planned import change_lines, change_of, is_plan, stale
    from crewmem.cli.proposals.shown import named
    from crewmem.proposals.explain import change

    memories, _, proposal = named(app, id)
    if is_plan(proposal):
        planned = change_of(app, proposal)
        for file in stale(planned):
            app.out.warn(
                f"{file} has changed since: crewmem consolidate run --crew "
                f"{proposal.crew} makes the plan anew"
            )
        app.out.record(planned, change_lines(planned))
        if planned.action == "unchanged":
            app.out.note(f"Nothing would change: {proposal.id} is {proposal.status}.")
        return
    found = change(memories, proposal)
    style = {"+": "good", "-": "bad"}
    app.out.record(found, ([(style.get(one[:1], ""), one)] for one in found.lines))
    if found.action == "unchanged":
        app.out.note(f"{found.memory} says the same already.")
