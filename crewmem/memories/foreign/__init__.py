"""Memories of other programs as ours: each program a module. Pure.

A map is given the objects of a dump and returns objects as our own lines have them;
what cannot be mapped is bad, what is not for whom the import is is left out.
"""

from __future__ import annotations

from crewmem.memories.foreign.aim import aimed

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence
    from typing import Any, Protocol

    from crewmem.memories.dump import Item
    from crewmem.memories.foreign.aim import Aim

    class Map(Protocol):
        """What a module of this folder has."""

        def fits(self, record: dict[str, Any], table: str) -> bool:
            """Tell whether *record*, an object of *table*, is of such a dump."""

        def mapped(self, items: Sequence[Item], aim: Aim) -> list[Item]:
            """Return *items* as ours, one or several for each, or none."""


FORMS = ("ottercamp", "engram", "beads", "ours")
"""By name, in the order in which they are tried."""

TRIED = 50
"""Objects of a dump that are looked at to tell whose it is."""


def form_of(items: Iterable[Item]) -> str | None:
    """Return the name of the program that *items* are of; None: nobody can tell."""
    records = [each for each in items if each.record][:TRIED]
    for each in records:
        for name in FORMS:
            if _map(name).fits(each.record or {}, each.table):
                return name
    return None


def as_ours(form: str, items: Sequence[Item], aim: Aim) -> list[Item]:
    """Return *items* of a dump of *form* as our own lines have them, for *aim*."""
    return aimed(_map(form).mapped(items, aim), aim)


def _map(name: str) -> Map:
    from importlib import import_module

    found: Map = import_module(f"{__name__}.{name}")
    return found
