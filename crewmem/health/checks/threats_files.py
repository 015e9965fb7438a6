"""Files: do any hold hidden instructions, or secrets?"""

from __future__ import annotations

from itertools import count, groupby

from crewmem.errors import CrewmemError
from crewmem.files.scan import once, scan
from crewmem.health.advice import counted
from crewmem.health.check import by_hand
from crewmem.health.finding import failed, passed, skipped, warned
from crewmem.health.inside import NO_TREES
from crewmem.threats.custom import MistakeError, configured
from crewmem.threats.rule import HIGH, SECRET

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from crewmem.files.scan import Flagged
    from crewmem.health.finding import Finding
    from crewmem.health.scene import Scene, Tell, Tree
    from crewmem.threats.rule import Scan

NAME = "threats.files"
CATEGORY = "threats"

mend = by_hand


def look(scene: Scene) -> list[Finding]:
    """Name files that are kept out of prompts, or give something away."""
    if not scene.trees:
        return [skipped(NO_TREES)]
    settings = scene.settings
    try:
        find = once(configured(settings.threats_allow, settings.threats_rules))
    except MistakeError:
        return [skipped("the rules of the scanner cannot be used")]
    total = sum(len(tree.entries) for tree in scene.trees)
    with scene.progress("Scanning", "files") as tell:
        tick = _ticking(tell, total) if tell else None
        found = [
            each for tree in scene.open_trees for each in _in(scene, tree, find, tick)
        ]
    return found or [passed("no file holds hidden instructions or secrets")]


def _ticking(tell: Tell, total: int) -> Callable[[], None]:
    """Return what tells, each time, that one more of a *total* of files is scanned."""
    done = count(1)
    return lambda: tell(min(next(done), total), total)


def _in(
    scene: Scene, tree: Tree, find: Scan, tick: Callable[[], None] | None
) -> Iterator[Finding]:
    limit = scene.settings.max_file_bytes
    try:
        found = scan(tree.place, find, limit=limit, hidden=tree.hidden, tick=tick)
    except CrewmemError:
        return  # what cannot be listed is told by other checks
    for _, flagged in groupby(found.flagged, key=lambda each: each.path):
        yield _about(scene, tree, [*flagged])


def _about(scene: Scene, tree: Tree, flagged: list[Flagged]) -> Finding:
    first = flagged[0]
    grave = [each for each in flagged if each.severity == HIGH]
    secrets = sum(each.category == SECRET for each in flagged)
    told = [
        counted(secrets, "secret") if secrets else "",
        counted(
            len(flagged) - secrets,
            "place like hidden instructions",
            "places like hidden instructions",
        )
        if len(flagged) > secrets
        else "",
    ]
    line = first.first_line
    where = f"the first in line {line}" if line else "the first in its name"
    path = () if tree.place.kept else ("--path", tree.path)
    say = failed if grave else warned
    return say(
        f"{' and '.join(filter(None, told))}, {where}",
        expected="neither orders to whoever reads it nor secrets",
        look=scene.command("memory", "scan", first.path, *path),
        where=str(first.path),
    )
