"""Memories that, over others, would take their own place. Pure."""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

    from crewmem.memories.dump import Item


def circles(
    items: Iterable[Item], successor: Callable[[str], str | None]
) -> frozenset[str]:
    """Return the ids of *items* that stand in their own place.

    Args:
        items: Of which some say by what they were superseded.
        successor: Returns what took the place of what is here already.
    """
    named = {
        each.record["id"]: each.record["superseded_by"]
        for each in items
        if each.record
        and isinstance(each.record.get("id"), str)
        and isinstance(each.record.get("superseded_by"), str)
    }
    found: set[str] = set()
    settled: set[str] = set()
    for start in named:
        path: dict[str, None] = {}
        at: str | None = start
        while at is not None and at not in settled and at not in path:
            path[at] = None
            at = named.get(at) or successor(at)
        if at is not None and at in path:
            order = [*path]
            found.update(order[order.index(at) :])
        settled.update(path)
    return frozenset(found & named.keys())
