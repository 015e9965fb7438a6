"""Our own memories, a line of JSON each."""

from __future__ import annotations

from crewmem.memories.reading import FIELDS

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence
    from typing import Any

    from crewmem.memories.dump import Item
    from crewmem.memories.foreign.aim import Aim

OWN = ("kind", "scope", "agent", "crew", "confidence", "importance", "title")
"""What lines of ours have beside their content, if it is not all that they have."""


def fits(record: dict[str, Any], table: str) -> bool:
    """Tell whether *record* is a line of ours."""
    if table not in {"", "memories"} or "content" not in record:
        return False
    return record.keys() <= FIELDS or any(name in record for name in OWN)


def mapped(items: Sequence[Item], aim: Aim) -> list[Item]:
    """Return *items* as they are, but for kinds that are called otherwise here."""
    if not aim.names:
        return [*items]
    return [
        each._replace(record={**each.record, "kind": aim.kind(each.record["kind"])})
        if each.record and isinstance(each.record.get("kind"), str)
        else each
        for each in items
    ]
