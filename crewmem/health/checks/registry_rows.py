"""The registry: is everybody in it who has a directory?"""

from __future__ import annotations

from crewmem.errors.disk import NotReadableError
from crewmem.health.check import by_hand
from crewmem.health.finding import passed, skipped, warned
from crewmem.ids import is_slug
from crewmem.registry import layout
from crewmem.registry.folders import opened
from crewmem.registry.member import Agent, Crew, Workspace

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from crewmem.health.finding import Finding
    from crewmem.health.scene import Roster, Scene
    from crewmem.registry.folders import Folders

NAME = "registry.rows"
CATEGORY = "registry"

mend = by_hand


def look(scene: Scene) -> list[Finding]:
    """Name directories of those that are not registered, and what registers them."""
    home, roster = scene.home, scene.roster
    if home is None or roster is None or not scene.is_operator:
        return [skipped("there is no registry to look at")]
    try:
        with opened(home) as folders:
            found = list(_found(folders, scene.workspace))
    except NotReadableError as error:
        return [skipped(str(error))]
    known = {layout.memory(each) for each in roster.members()}
    strangers = [
        _finding(scene, home, roster, each)
        for each in found
        if layout.memory(each) not in known
    ]
    return strangers or [passed("everybody who has a directory is registered")]


def _found(folders: Folders, only: str | None) -> Iterator[Workspace | Crew | Agent]:
    for workspace in folders.workspaces():
        if only not in {None, workspace}:
            continue
        yield Workspace(name=workspace)
        for crew in folders.crews(workspace):
            yield Crew(workspace=workspace, name=crew)
            for slug in folders.agents(workspace, crew):
                yield Agent(workspace=workspace, slug=slug, crew=crew, crews=(crew,))


def _finding(
    scene: Scene, home: Path, roster: Roster, found: Workspace | Crew | Agent
) -> Finding:
    where = str(home / layout.memory(found))
    if isinstance(found, Agent):
        return _of_agent(scene, roster, found, where)
    kind = "crew" if isinstance(found, Crew) else "workspace"
    words = [kind, "add", found.name]
    if isinstance(found, Crew):
        words += ["--workspace", found.workspace]
    return warned(
        f"{kind} {found.name} has a directory and is not registered",
        expected=_expected(found.name),
        repair=scene.command(*words) if is_slug(found.name) else "",
        where=where,
    )


def _of_agent(scene: Scene, roster: Roster, found: Agent, where: str) -> Finding:
    observed = f"agent {found.slug} of crew {found.crew} has a directory"
    for other in roster.agents:
        if (other.workspace, other.slug) == (found.workspace, found.slug):
            return warned(
                f"{observed}, and is registered with crew {other.crew}",
                expected="one directory: move what it holds",
                where=where,
            )
    words = ["agent", "add", found.slug, "--crew", found.crew]
    words += ["--workspace", found.workspace]
    return warned(
        f"{observed} and is not registered",
        expected=_expected(found.slug),
        repair=scene.command(*words) if is_slug(found.slug) else "",
        where=where,
    )


def _expected(name: str) -> str:
    if is_slug(name):
        return "a row in the registry, or no directory"
    return "a name of lower-case letters, digits and hyphens, at most 64"
