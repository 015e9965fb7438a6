"""What summaries of memories are made of. Pure."""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from crewmem.memories.memory import Memory

SECTIONS = (
    ("Decisions", ("decision",)),
    ("Open", ("action_item",)),
    ("Done", ("action_item",)),
    ("Lessons", ("lesson", "correction", "feedback")),
    ("Errors", ("error",)),
    ("Facts", ("fact", "preference", "workflow", "pattern")),
    ("Met", ("meeting",)),
    ("Also", ("context", "summary")),
)
"""The parts of a summary in their order, and the kinds of memories in each."""

ENDS = ".!?;: "
"""What a title leaves out of a clause."""


def material(memories: Sequence[Memory]) -> dict[str, list[str]]:
    """Return what *memories* say by part, in each first what matters most.

    The first line of a text is its title. The same memories, in whatever order, are
    the same material.
    """
    found = {
        name: _texts(each for each in memories if _is_of(each, name, kinds))
        for name, kinds in SECTIONS
    }
    return {name: texts for name, texts in found.items() if texts}


def _is_of(memory: Memory, name: str, kinds: Sequence[str]) -> bool:
    if memory.kind not in kinds:
        return False
    if memory.kind != "action_item":
        return True
    return (name == "Open") == (memory.state in {None, "open"})


def _texts(memories: Iterable[Memory]) -> list[str]:
    order = sorted(
        memories, key=lambda each: (-each.importance, each.created_at, each.id)
    )
    return [_text(each) for each in order]


def _text(memory: Memory) -> str:
    """Return the title, and what is said if that is more."""
    content = memory.content.strip()
    is_all = content.rstrip(ENDS) == memory.title.rstrip(ENDS)
    return memory.title if is_all else f"{memory.title}\n{content}"
