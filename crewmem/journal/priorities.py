"""How the priority of an entry has changed. Pure."""

from __future__ import annotations

from itertools import pairwise

from crewmem.journal import chain
from crewmem.records import NamedTuple

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence


class Change(NamedTuple):
    """A change of the priority of an entry.

    Attributes:
        change: Counted from 1, for each entry.
    """

    workspace_id: str
    entry_id: str
    change: int
    from_priority: str
    to_priority: str
    reason: str
    set_by: str
    set_at: str
    mac: str

    def is_signed(self, key: bytes | None) -> bool:
        """Tell whether it is as it was signed."""
        return chain.is_signed(self.mac, chain.priority_text(self[:8]), key)


def at_writing(live: str, changes: Sequence[Change]) -> str:
    """Return the priority that an entry was written with; it is *live* now."""
    return changes[0].from_priority if changes else live


def explain(live: str, changes: Sequence[Change], key: bytes | None) -> bool:
    """Tell whether *changes*, in order, lead to the priority that is *live* now."""
    if not changes:
        return True  # the hash of the entry covers it
    return (
        [each.change for each in changes] == list(range(1, len(changes) + 1))
        and all(one.to_priority == two.from_priority for one, two in pairwise(changes))
        and changes[-1].to_priority == live
        and all(each.is_signed(key) for each in changes)
    )
