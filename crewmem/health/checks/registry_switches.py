"""The registry: does each directory know whether its agent's memory is off?"""

from __future__ import annotations

from crewmem import disk
from crewmem.files.place import Place
from crewmem.files.switch import BELOW, off, switch
from crewmem.health.finding import Finding, Status, passed, skipped
from crewmem.registry import layout
from crewmem.scope import Scope

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from crewmem.health.scene import Scene
    from crewmem.registry.member import Agent

NAME = "registry.switches"
CATEGORY = "registry"


def look(scene: Scene) -> list[Finding]:
    """Name the directories that say of a memory that it is off, and it is not.

    And those that do not say it. In the home the registry decides; a container that
    has the directory and no home goes by what it finds there.
    """
    if scene.home is None or scene.roster is None or not scene.is_operator:
        return [skipped("there is no registry to look at")]
    wrong = [
        _finding(scene, place, agent)
        for agent, place in _places(scene, scene.home)
        if bool(off(place)) == agent.memory and place.path.is_dir()
    ]
    return wrong or [passed("every directory knows whether its agent's memory is off")]


def _places(scene: Scene, home: Path) -> Iterator[tuple[Agent, Place]]:
    for agent in scene.roster.agents if scene.roster else ():
        path = home / layout.memory(agent)
        yield agent, Place(path, Scope.AGENT, agent.crew, agent.slug, below=BELOW)


def _finding(scene: Scene, place: Place, agent: Agent) -> Finding:
    state = "on" if agent.memory else "off"
    says = "says that it is off" if agent.memory else "does not say so"
    writable = disk.is_writable(place.path)
    return Finding(
        status=Status.WARN,
        observed=f"the memory of {agent.slug} is {state}, and its directory {says}",
        expected="the same in both: where there is no home the directory decides",
        repair=scene.command("agent", "set", agent.slug, "--memory", state),
        fix=f"let it say {state}" if writable else "",
        where=str(place.path),
    )


def mend(scene: Scene, finding: Finding) -> None:
    """Let the directory say what the registry does."""
    if scene.home is None:
        return
    for agent, place in _places(scene, scene.home):
        if str(place.path) == finding.where:
            switch(place, on=agent.memory)
