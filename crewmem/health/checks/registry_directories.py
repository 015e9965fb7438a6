"""The registry: has everybody in it a directory?"""

from __future__ import annotations

from contextlib import closing

from crewmem import disk
from crewmem.db import truth
from crewmem.errors.database import DatabaseDamagedError
from crewmem.files.begin import begin_all
from crewmem.files.history import History
from crewmem.health.finding import Finding, Status, failed, passed, skipped
from crewmem.journal.store import Journal
from crewmem.registry import layout
from crewmem.registry.add import make
from crewmem.registry.member import Agent, Crew

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping
    from pathlib import Path

    from crewmem.health.scene import Scene
    from crewmem.registry.member import Workspace

NAME = "registry.directories"
CATEGORY = "registry"


def look(scene: Scene) -> list[Finding]:
    """Name those that are registered and have no memory directory."""
    if isinstance(trouble := scene.roster_trouble, DatabaseDamagedError):
        expected = "rows that can be read: restore it from a backup"
        return [failed(str(trouble), expected=expected)]
    if scene.home is None or scene.roster is None or not scene.is_operator:
        return [skipped("there is no registry to look at")]
    lost = [
        _finding(scene, scene.home, member)
        for member in scene.roster.members()
        if _is_lost(scene.home / layout.memory(member))
    ]
    return lost or [passed("everybody who is registered has a directory")]


def _is_lost(path: Path) -> bool:
    try:
        return not path.is_dir()
    except OSError:
        return False  # files.listed says so


def _finding(scene: Scene, home: Path, member: Workspace | Crew | Agent) -> Finding:
    writable = disk.is_writable(home)
    return Finding(
        status=Status.FAIL,
        observed=f"{_named(member)} is registered and has no memory directory",
        expected="its directory: restore it from a backup, or begin anew",
        repair=scene.command("doctor", "--fix", "--only", NAME) if writable else "",
        fix="make an empty one" if writable else "",
        where=str(home / layout.memory(member)),
    )


def _named(member: Workspace | Crew | Agent) -> str:
    if isinstance(member, Agent):
        return f"agent {member.slug} of crew {member.crew}"
    kind = "crew" if isinstance(member, Crew) else "workspace"
    return f"{kind} {member.name}"


def mend(scene: Scene, finding: Finding) -> None:
    """Make the directories and pages that a new member is given, and record these."""
    if scene.home is None or scene.roster is None:
        return
    for member in scene.roster.members():
        if str(scene.home / layout.memory(member)) == finding.where:
            made = make(scene.home, member)
            files = layout.files(member)
            _record(scene, scene.home, {name: files[name].encode() for name in made})


def _record(scene: Scene, home: Path, pages: Mapping[str, bytes]) -> None:
    """Record *pages* as versions, by whom had them made."""
    if not pages:
        return
    timeout = scene.settings.busy_timeout
    with closing(truth.open_to_write(home, busy_timeout=timeout)) as db:
        journal = Journal(db, chain_key=scene.chain_key)
        begin_all(
            home,
            pages,
            lambda workspace: History(db, journal, home, workspace),
            by=str(scene.sight.actor),
            now=scene.now,
            again=True,
        )
