"""Listing episodes in the shape in which they were first published."""

from __future__ import annotations

from crewmem.episodes.spaces import space_of
from crewmem.records import NamedTuple

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Collection, Sequence
    from datetime import datetime

    from crewmem.episodes.spaces import Model
    from crewmem.episodes.store import Weight
    from crewmem.episodes.stores import Stores


class Listed(NamedTuple):
    """An episode.

    Attributes:
        entry_id: Its entry in the journal.
        summary: What happened.
        vector: Of its text, unit length; None if it has none, or none was asked for.
        dim: Numbers in its vector; None if it has none.
        model: What made its vector; None if it has none.
        indexed_at: When it first could be recalled.
        importance_score: As it was last computed, in [0, 1].
        reference_count: How often it was delivered into a prompt.
        last_referenced_at: When that was last; None for never.
    """

    entry_id: str
    summary: str
    vector: list[float] | None
    dim: int | None
    model: str | None
    indexed_at: datetime
    importance_score: float
    reference_count: int
    last_referenced_at: str | None


class Page(NamedTuple):
    """Some of the episodes, newest first.

    Attributes:
        next: From where to go on; None when these are the last.
    """

    episodes: list[Listed]
    next: int | None


def listed(
    stores: Stores,
    owners: Collection[int],
    *,
    workspace: str,
    model: Model | None,
    limit: int,
    after: int | None = None,
    with_vectors: bool = False,
) -> Page:
    """Return up to *limit* episodes of *owners*, newest first.

    Args:
        model: Whose vectors are told of.
        after: Go on behind this one.
        with_vectors: Whether to give the vectors; of a long text that of its beginning.
    """
    found = stores.episodes.page(owners, before=after, limit=limit + 1)
    shown = found[:limit]
    seqs = [each.seq for each in shown]
    entries = stores.journal.by_seq(seqs)
    vectors = _vectors(stores, workspace, model, seqs, wanted=with_vectors)
    episodes = [
        _listed(each, entries[each.seq].id, entries[each.seq].summary, model, vectors)
        for each in shown
        if each.seq in entries
    ]
    return Page(episodes, seqs[-1] if len(found) > limit else None)


def _vectors(
    stores: Stores,
    workspace: str,
    model: Model | None,
    seqs: Sequence[int],
    *,
    wanted: bool,
) -> dict[int, list[float] | None]:
    """Return the vectors of those of *seqs* that have one, or None in its place."""
    if model is None:
        return {}
    space = space_of(workspace, model.name, model.dim)
    if wanted:
        found = stores.vectors.vectors_of(space, seqs)
        return {seq: pieces[0].tolist() for seq, pieces in found.items()}
    return dict.fromkeys(stores.vectors.has(space, seqs))


def _listed(
    each: Weight,
    entry_id: str,
    summary: str,
    model: Model | None,
    vectors: dict[int, list[float] | None],
) -> Listed:
    from datetime import UTC, datetime

    its = model if each.seq in vectors else None
    return Listed(
        entry_id=entry_id,
        summary=summary,
        vector=vectors.get(each.seq),
        dim=its.dim if its else None,
        model=its.name if its else None,
        indexed_at=datetime.fromtimestamp(each.indexed_ms / 1000, UTC),
        importance_score=round(each.importance, 6),
        reference_count=each.references,
        last_referenced_at=each.last_referenced_at,
    )
