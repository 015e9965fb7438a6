"""What of one agent's is promoted to others by itself. Pure."""

from __future__ import annotations

from crewmem.records import NamedTuple

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

    from crewmem.memories.memory import Memory

ALIKE = 0.85
"""Part of all words of two memories that both hold, from which on they say the same."""

SUPERSEDES = 0.92
"""The same, from which on the better of two shared ones takes the other's place."""

KINDS = frozenset({"decision", "lesson", "preference", "fact"})
"""What one agent's word is enough for."""

IMPORTANT, CONFIDENT = 4, 0.7
"""How much it has to matter for that, and how sure the agent has to be."""

LEAST_IMPORTANT, LEAST_CONFIDENT = 3, 0.6
"""Below this nothing is promoted, however many say it."""

PRIVATE = "private"
"""A tag that keeps a memory where it is."""


def barred(memory: Memory, confidence: float) -> str:
    """Return why *memory* is never promoted by itself; "" if it may be.

    Args:
        memory: An agent's.
        confidence: Votes counted.
    """
    if memory.sensitivity == "restricted" or PRIVATE in memory.tags:
        return "it is private"
    if memory.kind == "context":
        return "it is context"
    if memory.importance < LEAST_IMPORTANT:
        return "it hardly matters"
    if confidence < LEAST_CONFIDENT:
        return "it is not trusted"
    return ""


def is_enough(memory: Memory, confidence: float) -> bool:
    """Tell whether one agent's word is enough."""
    return (
        memory.kind in KINDS
        and memory.importance >= IMPORTANT
        and confidence >= CONFIDENT
    )


class Group(NamedTuple):
    """A memory and the others, of other agents, that say the same."""

    memory: Memory
    others: Sequence[Memory]

    @property
    def agents(self) -> list[str]:
        """The agents that hold it, by name."""
        return sorted({str(each.agent) for each in (self.memory, *self.others)})
