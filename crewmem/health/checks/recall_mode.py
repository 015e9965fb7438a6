"""Recall: by words alone, or by meaning as well?"""

from __future__ import annotations

from typing import TYPE_CHECKING

from crewmem.health.check import by_hand
from crewmem.health.finding import passed

if TYPE_CHECKING:
    from crewmem.health.finding import Finding
    from crewmem.health.scene import Scene

NAME = "recall.mode"
CATEGORY = "recall"

mend = by_hand


def look(scene: Scene) -> list[Finding]:  # noqa: ARG001 - until there are embedders
    """Tell how a search finds."""
    return [passed("searches find by words")]
