"""Saying by hand how two entries are related."""

from __future__ import annotations

from crewmem import times
from crewmem.episodes.relation import Edge
from crewmem.errors.journal import EntryArchivedError, SameEntryError
from crewmem.errors.registry import OutOfScopeError
from crewmem.records import NamedTuple
from crewmem.scope import Role

TYPE_CHECKING = False
if TYPE_CHECKING:
    from datetime import datetime

    from crewmem.episodes.stores import Stores
    from crewmem.journal.entry import Entry
    from crewmem.scope import Actor


class Made(NamedTuple):
    """A relation that holds now.

    Attributes:
        src_entry_id: The entry that it leads from.
        dst_entry_id: The entry that it leads to.
        relation: ``supports`` or ``contradicts``.
        weight: In [0, 1].
        is_new: Whether it was not there before.
    """

    src_entry_id: str
    dst_entry_id: str
    relation: str
    weight: float
    is_new: bool


def relate(
    stores: Stores,
    src: Entry,
    dst: Entry,
    relation: str,
    weight: float,
    actor: Actor,
    now: datetime,
) -> Made:
    """Keep that *src* has *relation* to *dst*.

    Raises:
        OutOfScopeError: If *actor* is an agent: of others' entries it says nothing.
        SameEntryError: If both are one.
        EntryArchivedError: If compaction has archived one of them.
    """
    if actor.role is Role.AGENT:
        what = f"say that an entry {relation} another"
        raise OutOfScopeError(str(actor), what, "operators and leads may")
    if src.id == dst.id:
        raise SameEntryError(src.id)
    for each in (src, dst):
        if each.archived_at:
            raise EntryArchivedError(each.id)
    edge = Edge(src.seq, dst.seq, relation, weight)
    is_new = bool(stores.relations.add([edge], times.to_text(now)))
    return Made(src.id, dst.id, relation, weight, is_new)
