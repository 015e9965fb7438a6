"""The journal: does its full text say what its entries say?"""

from __future__ import annotations

from crewmem.health.full_text import compared, remade
from crewmem.journal.text_store import TEXT

TYPE_CHECKING = False
if TYPE_CHECKING:
    from crewmem.health.finding import Finding
    from crewmem.health.scene import Scene

NAME = "journal.text"
CATEGORY = "journal"


def look(scene: Scene) -> list[Finding]:
    """Compare the full text with the entries, as far as that is done by reading."""
    return compared(scene, TEXT, name=NAME, told="what the journal says")


def mend(scene: Scene, finding: Finding) -> None:  # noqa: ARG001 - there is one
    """Make the full text anew from the entries."""
    remade(scene, TEXT)
