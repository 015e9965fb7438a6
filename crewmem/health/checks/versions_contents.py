"""Versions: is everything that they kept there, as it was kept?"""

from __future__ import annotations

from pathlib import Path

from crewmem import disk
from crewmem.digests import sha256
from crewmem.errors import CrewmemError
from crewmem.errors.versions import ContentMissingError
from crewmem.files.kept import Kept
from crewmem.files.version import without_secrets
from crewmem.files.version_store import every_kept
from crewmem.health.advice import counted
from crewmem.health.finding import failed, passed
from crewmem.health.inside import of_truth
from crewmem.health.versions import content_of

TYPE_CHECKING = False
if TYPE_CHECKING:
    import apsw

    from crewmem.health.finding import Finding
    from crewmem.health.scene import Scene

NAME = "versions.contents"
CATEGORY = "versions"

MOST = 20
"""Contents that are named: where more are gone, all of ``versions/`` is to be restored
from a backup."""


def look(scene: Scene) -> list[Finding]:
    """Read every content, and name those that are not what was kept."""

    def read(db: apsw.Connection) -> list[Finding]:
        kept = every_kept(db)
        contents = Kept(_home(scene))
        found: list[Finding] = []
        with scene.progress("Reading", "versions") as tell:
            for at, (name, versions) in enumerate(kept.items(), 1):
                if trouble := _trouble(contents, name):
                    found.append(_finding(scene, name, trouble, versions))
                if tell:
                    tell(at, len(kept))
        if len(found) > MOST:
            found[MOST:] = [_others(scene, found)]
        said = counted(len(kept), "content", "contents")
        return found or [passed(f"{said} of versions are as they were kept")]

    return of_truth(scene, read)


def _others(scene: Scene, found: list[Finding]) -> Finding:
    """Return what is said of those that are not named; all are tried if one mends."""
    fix = next((each for each in found if each.fix), None)
    return failed(
        f"{len(found) - MOST:,} more are missing or damaged",
        expected="what was kept of them; restore versions/ from a backup",
        repair=fix.repair if fix else "",
        fix="keep those again that files still hold" if fix else "",
        where=str(_folder(scene)),
    )


def _home(scene: Scene) -> Path:
    return scene.home or Path()


def _folder(scene: Scene) -> Path:
    """Return where all contents are, each in a folder that its name begins like."""
    return Kept(_home(scene)).path("any").parents[1]


def _trouble(contents: Kept, name: str) -> str:
    """Return what is wrong with the content *name*, else ""."""
    try:
        contents.get(name)
    except ContentMissingError:
        return "is missing"
    except CrewmemError as error:
        return str(getattr(error, "reason", "is damaged"))
    return ""


def _finding(
    scene: Scene, name: str, trouble: str, versions: list[tuple[str, str, str]]
) -> Finding:
    _, ref, version_id = versions[0]
    of = f"{version_id} of {ref}"
    if more := len(versions) - 1:
        of = f"{of}, and of {counted(more, 'other', 'others')},"
    mends = (
        disk.is_writable(_home(scene)) and _source(scene, name, versions) is not None
    )
    fix = scene.command("doctor", "--fix", "--only", NAME)
    return failed(
        f"the content of version {of} {trouble}",
        expected="what was kept of it; restore versions/ from a backup",
        repair=fix if mends else "",
        fix="keep it again: the file holds the same" if mends else "",
        where=str(Kept(_home(scene)).path(name)),
    )


def _source(
    scene: Scene, name: str, versions: list[tuple[str, str, str]]
) -> bytes | None:
    """Return the content *name* as a file still holds it; None if none does."""
    for workspace, ref in {(workspace, ref): None for workspace, ref, _ in versions}:
        content = content_of(scene, workspace, ref)
        if content is None:
            continue
        if sha256(content) == name:
            return content
        from crewmem.threats.scan import scan

        whole, _ = without_secrets(content, scan)
        if sha256(whole) == name:
            return whole
    return None


def mend(scene: Scene, finding: Finding) -> None:
    """Keep again what the file holds, if it is still the same."""
    contents = Kept(_home(scene))
    is_any = finding.where == str(_folder(scene))
    name = Path(finding.where).name

    def keep(db: apsw.Connection) -> list[Finding]:
        kept = every_kept(db)
        for each in kept if is_any else [name]:
            if is_any and not _trouble(contents, each):
                continue
            content = _source(scene, each, kept.get(each, []))
            if content is not None:
                contents.put(content)
        return []

    of_truth(scene, keep)
