"""What the upkeep of shared knowledge does, one by one. Pure."""

from __future__ import annotations

from crewmem.records import NamedTuple

TYPE_CHECKING = False
if TYPE_CHECKING:
    from crewmem.memories.likeness import Like


class Step(NamedTuple):
    """Something that the upkeep does.

    Attributes:
        action: promoted, confirmed, stale, archived or superseded.
        id: The id of the memory that it is about.
        title: What that says; "restricted" of what is for its owner alone.
        rule: Why.
        to: crew:NAME or workspace, of what is promoted; null for the rest.
        other: The id of what confirms it, was made of it, or took its place; null
            for none, and for what a plan would make.
        similarity: How near another is for which it is done, in [0, 1]; null for none.
        by: How that was told: cosine, or words where one of them has no vector; null
            for none.
    """

    action: str
    id: str
    title: str
    rule: str
    to: str | None = None
    other: str | None = None
    similarity: float | None = None
    by: str | None = None

    def told_by(self, like: Like | None) -> Step:
        """Return it with how near the other is for which it is done, if any is."""
        if like is None:
            return self
        return self._replace(similarity=round(like.similarity, 6), by=like.by)
