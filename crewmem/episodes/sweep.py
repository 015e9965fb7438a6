"""Embedding what is new: one pass, of as much as was asked for."""

from __future__ import annotations

from crewmem.episodes.anchor import drop_foreign, is_foreign, keep_anchor
from crewmem.episodes.backlog import failures_of
from crewmem.episodes.embed import embed, move_mark
from crewmem.episodes.linking import link_similar
from crewmem.episodes.spaces import ENTRIES, space_of
from crewmem.records import NamedTuple
from crewmem.scope import Reach
from crewmem.vectors.retries import chosen

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Sequence
    from datetime import datetime

    from crewmem.backends.embed import Embedder
    from crewmem.episodes.spaces import Model
    from crewmem.episodes.stores import Stores
    from crewmem.vectors.space import Space

USUAL = 64
"""Episodes of one pass of a timer that comes every 30 seconds; and of one commit."""

LOOKED_AT = 5_000
"""Episodes that are looked at together where most have been embedded already."""

WHENEVER = 1 << 62
"""A time, in milliseconds, at which all that failed is due."""


class Swept(NamedTuple):
    """What a sweep did in one workspace.

    Attributes:
        embedded: Episodes that have a vector now and had none.
        failed: Episodes that could not be embedded; they are tried again later.
        linked: Relations ``similar`` that were found.
    """

    embedded: int
    failed: int
    linked: int


def sweep(
    stores: Stores,
    embedder: Embedder,
    workspace: str,
    *,
    now: datetime,
    limit: int | None = USUAL,
    without: Collection[str] = (),
    tick: Callable[[int, int], None] | None = None,
) -> Swept:
    """Embed and link up to *limit* episodes of *workspace*, the oldest first.

    With None it is all that wait: those that failed before they are due, those that
    were passed over, for whatever reason, and those whose vectors are damaged.
    What is embedded is kept with how far the sweep came, at once; interrupted, it goes
    on from there. An entry that fails is kept for later and holds up none. Vectors of
    another journal than that which is there are dropped first.

    Args:
        without: Agents whose episodes are passed over.

    Raises:
        UnreachableError: If the embedder does not answer; nothing is counted against
            the entries then.
    """
    space = space_of(workspace, embedder.model, embedder.dim)
    if is_foreign(stores.episodes, stores.vectors.spaces(), workspace):
        drop_foreign(stores.vectors, workspace)
    if limit is None:
        stores.vectors.check(space)
        stores.vectors.mend(space)
    owners = stores.episodes.owners(Reach(workspace), without=without)
    fresh, keys = _keys(stores, space, owners, now, limit)
    done = lost = 0
    for at in range(0, len(keys), USUAL):
        some = keys[at : at + USUAL]
        mark = max((key for key in some if key in fresh), default=None)
        found = embed(stores, embedder, space, some, now, mark=mark)
        done, lost = done + len(found.vectors), lost + len(found.failures)
        if tick:
            tick(at + len(some), len(keys))
    while move_mark(stores, space, without=without, most=LOOKED_AT):
        pass  # by what was embedded at once, so that nobody says it waits
    linked = link_similar(stores, space, now, also=keys)
    keep_anchor(stores.episodes, stores.vectors, space)
    return Swept(done, lost, linked)


def count_due(
    stores: Stores,
    model: Model | None,
    workspace: str,
    *,
    now: datetime,
    limit: int | None,
    without: Collection[str] = (),
) -> int:
    """Return how many episodes `sweep` would embed by *model*; nothing is written.

    Args:
        model: What embeds, as its vectors have it; None if there are none.
    """
    owners = stores.episodes.owners(Reach(workspace), without=without)
    if model is None or is_foreign(stores.episodes, stores.vectors.spaces(), workspace):
        count = stores.episodes.count(owners)
        return count if limit is None else min(count, limit)
    space = space_of(workspace, model.name, model.dim)
    _, keys = _keys(stores, space, owners, now, limit, moves=False)
    return len(keys)


def look_again(stores: Stores, workspace: str, agent: str) -> None:
    """Let the next sweep come by the episodes of *agent*, which it has passed over."""
    owners = stores.episodes.owners(Reach(workspace), agent=agent)
    first = stores.episodes.first(owners)
    for kept in stores.vectors.spaces():
        is_meant = (kept.space.kind, kept.space.workspace) == (ENTRIES, workspace)
        if is_meant and first is not None and first <= kept.mark:
            stores.vectors.set_mark(kept.space, first - 1)


def _keys(
    stores: Stores,
    space: Space,
    owners: Collection[int],
    now: datetime,
    limit: int | None,
    *,
    moves: bool = True,
) -> tuple[set[int], list[int]]:
    """Return what is new, and all that is to be embedded now, in order.

    *moves* tells whether the mark goes behind what has its vectors already.
    """
    failures = failures_of(stores.episodes, stores.vectors, space, owners)
    known = {each.key for each in failures}
    if limit is None:
        fresh = _lacking(stores, space, stores.episodes.seqs(owners), known)
        return {*fresh}, chosen(failures, fresh, WHENEVER, len(fresh) + len(known))
    mark = stores.vectors.mark(space)
    fresh = _lacking(stores, space, stores.episodes.after(mark, owners, limit), known)
    fresh = fresh or _further(stores, space, owners, known, moves=moves)[:limit]
    return {*fresh}, chosen(failures, fresh, int(now.timestamp() * 1000), limit)


def _further(
    stores: Stores,
    space: Space,
    owners: Collection[int],
    failures: set[int],
    *,
    moves: bool,
) -> list[int]:
    """Go behind what has its vectors already, until something waits."""
    at = stores.vectors.mark(space)
    while page := stores.episodes.after(at, owners, LOOKED_AT):
        if lacking := _lacking(stores, space, page, failures):
            return lacking
        at = page[-1]
        if moves:
            stores.vectors.set_mark(space, at)
    return []


def _lacking(
    stores: Stores, space: Space, seqs: Sequence[int], failures: set[int]
) -> list[int]:
    """Return those of *seqs* that have no vector, and did not fail."""
    there = stores.vectors.has(space, seqs)
    return [seq for seq in seqs if seq not in there and seq not in failures]
