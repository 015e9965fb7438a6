"""The registry: is every lead somebody of the crew?"""

from __future__ import annotations

from crewmem.health.check import by_hand
from crewmem.health.finding import passed, skipped, warned

TYPE_CHECKING = False
if TYPE_CHECKING:
    from crewmem.health.finding import Finding
    from crewmem.health.scene import Roster, Scene
    from crewmem.registry.member import Crew

NAME = "registry.leads"
CATEGORY = "registry"

mend = by_hand


def look(scene: Scene) -> list[Finding]:
    """Name crews whose lead is no agent, or none of theirs."""
    roster = scene.roster
    if roster is None or not scene.is_operator:
        return [skipped("there is no registry to look at")]
    return [
        _finding(scene, roster, crew)
        for crew in roster.crews
        if crew.lead and crew.lead not in {*crew.agents, *crew.members}
    ] or [passed("every lead is an agent of its crew")]


def _finding(scene: Scene, roster: Roster, crew: Crew) -> Finding:
    lead, of_crew = str(crew.lead), ("--workspace", crew.workspace)
    agents = {each.slug for each in roster.agents if each.workspace == crew.workspace}
    if lead in agents:
        return warned(
            f"crew {crew.name} names {lead} as its lead, who does not belong to it",
            expected="a lead that belongs to the crew",
            repair=scene.command("crew", "set", crew.name, "--lead", lead, *of_crew),
        )
    return warned(
        f"crew {crew.name} names {lead} as its lead, and there is no such agent",
        expected="a lead that is registered",
        repair=scene.command("agent", "add", lead, "--crew", crew.name, *of_crew),
    )
