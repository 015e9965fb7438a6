"""Transcripts: is there any that is newer than what was learned of them?"""

from __future__ import annotations

from crewmem.errors import CrewmemError
from crewmem.health.advice import counted
from crewmem.health.check import by_hand
from crewmem.health.finding import passed, skipped, warned
from crewmem.health.inside import NO_HOME, NOT_YOURS

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

    from crewmem.health.finding import Finding
    from crewmem.health.scene import Scene
    from crewmem.transcripts.standing import Stand

NAME = "transcripts.read"
CATEGORY = "transcripts"

mend = by_hand


def look(scene: Scene) -> list[Finding]:
    """Compare when session logs were changed with how far they were read.

    Where none was ever read, nobody wants to: that there are some is told.
    """
    if scene.home is None:
        return [skipped(NO_HOME)]
    if not scene.is_operator:
        return [skipped(NOT_YOURS)]
    try:
        stands = scene.transcripts()
    except CrewmemError as error:
        return [skipped(f"they cannot be looked at: {error}")]
    if not stands:
        return [passed("no transcript is there")]
    if not any(each.agent for each in stands):
        files = counted(sum(each.files for each in stands), "transcript")
        plan = scene.command("transcripts", "extract", "--dry-run")
        return [passed(f"{files}, of which none was ever read: {plan}")]
    wanted = {OPENCLAW, *(each.harness for each in stands if each.agent)}
    return [
        _behind(scene, each)
        for each in stands
        if each.harness in wanted and _is_behind(scene, each)
    ] or [passed(_all(stands))]


OPENCLAW = "openclaw"
"""Its logs name the agent: that nobody is called so is a mistake. Of other programs
somebody has to say whose they are, and may not want to."""


def _is_behind(scene: Scene, stand: Stand) -> bool:
    """Tell whether what was said waits for longer than timers let it wait."""
    from crewmem.transcripts.standing import GAP

    if not stand.waiting or stand.newest_at is None:
        return False
    return stand.is_behind or scene.now - stand.newest_at > GAP


def _behind(scene: Scene, stand: Stand) -> Finding:
    what = counted(stand.waiting, "transcript")
    name = f"{what} of {stand.harness or 'a program'}"
    if stand.agent is None:
        return warned(
            f"{name} {'is' if stand.waiting == 1 else 'are'} nobody's, and not read",
            expected="an agent that learns of them: the setting transcripts.agents",
            look=scene.command("transcripts", "status"),
        )
    gap = counted(int((stand.gap_seconds or 0) // 3600), "hour")
    return warned(
        f"{name} of {stand.agent} {'holds' if stand.waiting == 1 else 'hold'} what was"
        f" not read, the newest {gap} after the last that was",
        expected="logs that are read as they grow",
        repair=scene.command("transcripts", "extract"),
    )


def _all(stands: Sequence[Stand]) -> str:
    files = counted(sum(each.files for each in stands), "transcript")
    return f"{files}, read as far as they go, or just being written"
