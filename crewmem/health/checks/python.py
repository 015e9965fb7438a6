"""Python: is it one that crewmem runs on?"""

from __future__ import annotations

from crewmem.health.check import by_hand
from crewmem.health.finding import failed, passed

TYPE_CHECKING = False
if TYPE_CHECKING:
    from crewmem.health.finding import Finding
    from crewmem.health.scene import Scene

NAME = "runtime.python"
CATEGORY = "runtime"

LEAST = (3, 11)
"""As in pyproject.toml; a test compares."""

mend = by_hand


def look(scene: Scene) -> list[Finding]:
    """Compare the version with the least that is supported."""
    version = _spelled(scene.host.python)
    if scene.host.python < LEAST:
        return [
            failed(f"Python {version}", expected=f"Python {_spelled(LEAST)} or later")
        ]
    return [passed(f"Python {version}")]


def _spelled(version: tuple[int, ...]) -> str:
    return ".".join(map(str, version))
