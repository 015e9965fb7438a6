"""Making episodes of entries that were not selected by themselves."""

from __future__ import annotations

from crewmem.errors.journal import EntryArchivedError
from crewmem.records import NamedTuple

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence
    from datetime import datetime

    from crewmem.episodes.stores import Stores
    from crewmem.journal.entry import Entry


class Added(NamedTuple):
    """An entry that is an episode now.

    Attributes:
        entry_id: The entry.
        is_new: Whether it was none before.
    """

    entry_id: str
    is_new: bool


def add(stores: Stores, entries: Sequence[Entry], now: datetime) -> list[Added]:
    """Make episodes of *entries*, all of them or none.

    Raises:
        EntryArchivedError: If compaction has archived one of them.
    """
    for each in entries:
        if each.archived_at:
            raise EntryArchivedError(each.id)
    with stores.episodes.transaction():
        return [
            Added(each.id, bool(stores.episodes.add([each], now))) for each in entries
        ]
