"""Recall: by words and vectors, by fewer of these than it could, or by words alone?"""

from __future__ import annotations

from crewmem.db.examine import examine
from crewmem.errors import CrewmemError
from crewmem.health.check import by_hand
from crewmem.health.finding import passed, warned
from crewmem.health.inside import truth_path
from crewmem.health.recall import DEGRADED, recall
from crewmem.health.remembered import Remembered, remembered, vectors_of

TYPE_CHECKING = False
if TYPE_CHECKING:
    from crewmem.health.finding import Finding
    from crewmem.health.scene import Scene

NAME = "recall.mode"
CATEGORY = "recall"

mend = by_hand


def look(scene: Scene) -> list[Finding]:
    """Tell how recall finds, what keeps it from more, and what enables that.

    Words alone are as good a way as any where nobody has asked for more.
    """
    found = recall(_kept(scene), scene.embedding)
    observed = f"{found.state}: {found.why}" if found.why else found.state
    if found.state == DEGRADED:
        return [
            warned(
                observed,
                expected="recall by words and vectors, of all there is",
                repair=_command(scene, found.hint),
            )
        ]
    hint = f"; {found.hint} enables vectors" if found.hint else ""
    return [passed(f"{observed}{hint}")]


def _command(scene: Scene, hint: str) -> str:
    """Spell *hint* so that it works on the same home, if it is a command of ours."""
    program, *words = hint.split() or [""]
    return scene.command(*words) if program == "crewmem" else hint


def _kept(scene: Scene) -> Remembered:
    """Return what is kept in the workspace that is worked in, as far as is known."""
    if scene.home is None:
        return Remembered()
    workspace = scene.workspace or scene.settings.workspace
    timeout = scene.settings.busy_timeout
    vectors = vectors_of(scene.home, workspace, busy_timeout=timeout)
    reach = scene.reach(workspace)
    try:
        return examine(
            truth_path(scene.home),
            lambda db: remembered(db, reach, vectors),
            busy_timeout=timeout,
        )
    except CrewmemError:
        return Remembered(vectors=vectors)
