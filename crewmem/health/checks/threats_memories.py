"""Memories: do any hold hidden instructions, or secrets?"""

from __future__ import annotations

from crewmem.health.check import by_hand
from crewmem.health.finding import failed, passed, skipped, warned
from crewmem.health.inside import of_truth, truth_path
from crewmem.memories.said_store import count_live, live
from crewmem.threats.custom import MistakeError, configured
from crewmem.threats.rule import HIGH, SECRET

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

    import apsw

    from crewmem.health.finding import Finding
    from crewmem.health.scene import Scene
    from crewmem.memories.said_store import Spoken
    from crewmem.threats.rule import Finding as Found

NAME = "threats.memories"
CATEGORY = "threats"

MOST = 20
"""Memories that are named: where there are more, rules or an import went wrong."""

mend = by_hand


def look(scene: Scene) -> list[Finding]:
    """Scan what live memories say: rules came since, or they were written past us."""
    settings = scene.settings
    try:
        scan = configured(settings.threats_allow, settings.threats_rules)
    except MistakeError:
        return [skipped("the rules of the scanner cannot be used")]

    def scanned(db: apsw.Connection) -> list[Finding]:
        total = count_live(db, scene.workspace)
        found: list[Finding] = []
        more = 0
        with scene.progress("Scanning", "memories") as tell:
            for at, each in enumerate(live(db, scene.workspace), 1):
                if threats := scan(each.text):
                    if len(found) < MOST:
                        found.append(_finding(scene, each, threats))
                    else:
                        more += 1
                if tell:
                    tell(at, total)
        if more:
            found.append(failed(f"{more:,} more memories are so", expected="none"))
        return found or [passed("no memory holds hidden instructions or secrets")]

    return of_truth(scene, scanned)


def _finding(scene: Scene, memory: Spoken, threats: Sequence[Found]) -> Finding:
    say = failed if any(each.severity == HIGH for each in threats) else warned
    what = {
        "a secret" if each.category == SECRET else "what looks like hidden instructions"
        for each in threats
    }
    rules = ", ".join(dict.fromkeys(each.rule for each in threats))
    return say(
        f"{memory.id} holds {' and '.join(sorted(what))} ({rules})",
        expected="neither orders to whoever reads it nor secrets",
        repair=scene.command("forget", memory.id, "--workspace", memory.workspace),
        where=str(truth_path(scene.home)) if scene.home else "",
    )
