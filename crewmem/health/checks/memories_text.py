"""Memories: does their full text say what they say?"""

from __future__ import annotations

from crewmem.health.full_text import compared, remade
from crewmem.memories.text_store import TEXT

TYPE_CHECKING = False
if TYPE_CHECKING:
    from crewmem.health.finding import Finding
    from crewmem.health.scene import Scene

NAME = "memories.text"
CATEGORY = "memories"


def look(scene: Scene) -> list[Finding]:
    """Compare the full text with the memories, as far as that is done by reading."""
    return compared(scene, TEXT, name=NAME, told="what memories say")


def mend(scene: Scene, finding: Finding) -> None:  # noqa: ARG001 - there is one
    """Make the full text anew from the memories."""
    remade(scene, TEXT)
