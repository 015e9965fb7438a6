"""What memories have to be to be listed, or found."""

from __future__ import annotations

from crewmem import times
from crewmem.db.where import Where
from crewmem.memories.lifecycle import LIVE
from crewmem.memories.trust import DOUBTED as LOW
from crewmem.memories.trust import DOUBTERS, DOWN, UP
from crewmem.records import NamedTuple

TYPE_CHECKING = False
if TYPE_CHECKING:
    from datetime import datetime

    from crewmem.memories.view import View


REVIEWED = ("quarantined", "archived")

DOUBTED = f"""
    status = 'archived'
    and exists (select 1 from memory_votes v
                 where v.memory = memories.seq
                 group by v.memory
                having sum(not is_up) >= {DOUBTERS}
                   and confidence + {UP} * sum(is_up) - {DOWN} * sum(not is_up) < {LOW}
                   and (verified_at is null or verified_at < max(v.at)))
"""
"""Whether a memory was archived for the votes against it, and nobody has looked since;
a column and a number that are spelled here are no one's input."""


class Filter(NamedTuple):
    """What memories have to be to be listed; all of it, where it is said.

    Attributes:
        statuses: Of which one has to be; () for what is live.
        words: An expression for MATCH; None: whatever the words; "": none can match.
        expired: Whether those that have stopped to be true count.
        is_shared: Whether what agents hold for themselves is left out.
        is_for_review: Whether only those that wait for a person count: quarantined, or
            archived for the votes against them.
        without: Agents whose memories are left out.
        since: Changed then or later.
        until: Changed before then.
    """

    view: View
    now: datetime
    kinds: tuple[str, ...] = ()
    tags: tuple[str, ...] = ()
    statuses: tuple[str, ...] = ()
    scope: str | None = None
    agent: str | None = None
    crew: str | None = None
    sensitivity: str | None = None
    topic_key: str | None = None
    project: str | None = None
    min_importance: int | None = None
    since: datetime | None = None
    until: datetime | None = None
    words: str | None = None
    expired: bool = False
    is_shared: bool = False
    is_for_review: bool = False
    without: tuple[str, ...] = ()

    def bound(self) -> Where:
        """Return conditions that more memories fulfil, for an index to count them."""
        where = Where()
        self.view.limit_owner(where)
        where.holds("status = 'active'")  # a literal: a partial index needs one
        where.equal("agent_id", self.agent)
        where.equal("crew_id", self.crew)
        return where

    def where(self) -> Where:
        """Return the conditions on the table of memories."""
        where = Where()
        self.view.limit(where)
        where.any_of("kind", self.kinds or None)
        usual = REVIEWED if self.is_for_review else LIVE
        where.any_of("status", self.statuses or usual)
        if self.is_for_review:
            where.holds(f"(status = 'quarantined' or ({DOUBTED}))")
        where.equal("scope", self.scope)
        where.equal("agent_id", self.agent)
        where.equal("crew_id", self.crew)
        where.equal("sensitivity", self.sensitivity)
        where.equal("topic_key", self.topic_key)
        where.at_least("importance", self.min_importance)
        where.equal("source_project", self.project)
        where.at_least("updated_at", times.to_text(self.since) if self.since else None)
        where.below("updated_at", times.to_text(self.until) if self.until else None)
        for tag in self.tags:
            where.holds("exists (select 1 from json_each(tags) where value = ?)", tag)
        for slug in self.without:
            where.holds("agent_id <> ?", slug)
        if self.is_shared:
            where.holds("scope <> 'agent'")
        if not self.expired:
            at = times.to_text(self.now)
            where.holds("(expires_at is null or expires_at > ?)", at)
        if self.words is not None:
            # FTS5 refuses an empty expression, which is what matches nothing.
            where.holds(MATCHES, self.words or '""')
        return where


MATCHES = """
    seq in (select rowid from memories_fts where memories_fts match ?)
"""
