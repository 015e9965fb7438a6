"""Consolidation: does anything wait for a person before it can go on?"""

from __future__ import annotations

from crewmem.consolidation.proposed import plan_in
from crewmem.consolidation.section import LEARNED, PINNED, section
from crewmem.errors import CrewmemError
from crewmem.errors.consolidation import SectionDamagedError
from crewmem.health.advice import counted
from crewmem.health.check import by_hand
from crewmem.health.finding import failed, passed, warned
from crewmem.health.inside import of_truth, truth_path
from crewmem.proposals.proposal import OPEN
from crewmem.proposals.store import Proposals

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

    import apsw

    from crewmem.health.finding import Finding
    from crewmem.health.scene import Scene
    from crewmem.proposals.proposal import Proposal

NAME = "consolidation.waiting"
CATEGORY = "consolidation"

KIND = "consolidation"
"""Of proposals, as consolidation makes them."""

SECTIONS = (LEARNED, PINNED)
"""What consolidation owns in files."""

mend = by_hand


def look(scene: Scene) -> list[Finding]:
    """Name contradictions that nobody settled, and sections that cannot be read.

    What is noted of what contradicts something is not learned until then, nor anything
    that would go into a section that nobody can tell from the rest.
    """

    def compared(db: apsw.Connection) -> list[Finding]:
        return [*_contradictions(scene, db)]

    found = of_truth(scene, compared)
    told = [each for each in found if each.is_problem]
    damaged = [*_damaged(scene)]
    if told or damaged:
        return [*told, *damaged]
    return found or [passed("no contradiction waits, and every section is whole")]


def _contradictions(scene: Scene, db: apsw.Connection) -> Iterator[Finding]:
    known = scene.roster.workspaces if scene.roster else ()
    for workspace in (each.name for each in known):
        rows = Proposals(db).of(workspace, status=OPEN, kind=KIND)
        found = [each for each in rows if _is_contest(each)]
        if not found:
            continue
        oldest = min(found, key=lambda each: each.created_at)
        waits = counted(len(found), "contradiction waits", "contradictions wait")
        yield warned(
            f"{waits} for a person, the first since {oldest.created_at:%Y-%m-%d}",
            expected="one side or the other: until then neither is learned",
            look=scene.command("--workspace", workspace, "proposals", "list"),
            where=str(truth_path(scene.home)) if scene.home else "",
        )


def _is_contest(proposal: Proposal) -> bool:
    try:
        return plan_in(proposal).is_contest
    except CrewmemError:
        return False  # proposals show says that it is damaged


def _damaged(scene: Scene) -> Iterator[Finding]:
    for tree in scene.open_trees:
        # Nothing is written to notes.
        others = (e for e in tree.entries if not e.file.startswith("daily/"))
        for entry, text in scene.texts(tree, others):
            if "crewmem:" in text and (reason := _trouble(text.encode())):
                yield failed(
                    f"consolidation cannot tell its section from the rest: {reason}",
                    expected="both marks, each once and in a line of its own, or none: "
                    "edit the file",
                    look=scene.reading(tree, entry.path),
                    where=str(entry.path),
                )


def _trouble(content: bytes) -> str:
    for kind in SECTIONS:
        try:
            section(content, kind)
        except SectionDamagedError as error:
            return error.reason
    return ""
