"""Embedding what is new: one pass, of as much as was asked for."""

from __future__ import annotations

from typing import NamedTuple

from crewmem.episodes.embed import embed
from crewmem.episodes.linking import link_similar
from crewmem.episodes.retries import chosen
from crewmem.episodes.spaces import space_of
from crewmem.scope import Reach

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Sequence
    from datetime import datetime

    from crewmem.backends.embed import Embedder
    from crewmem.episodes.stores import Stores
    from crewmem.vectors.space import Failure, Space

USUAL = 64
"""Episodes of one pass of a timer that comes every 30 seconds; and of one commit."""


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
    tick: Callable[[int, int], None] | None = None,
) -> Swept:
    """Embed and link up to *limit* episodes of *workspace*, the oldest first.

    With None it is all that wait, and all that were passed over, for whatever reason.
    What is embedded is kept with how far the sweep came, at once; interrupted, it goes
    on from there. An entry that fails is kept for later and holds up none.

    Raises:
        UnreachableError: If the embedder does not answer; nothing is counted against
            the entries then.
    """
    space = space_of(workspace, embedder.model, embedder.dim)
    fresh, keys = _keys(stores, workspace, space, now, limit)
    done = lost = 0
    for at in range(0, len(keys), USUAL):
        some = keys[at : at + USUAL]
        mark = max((key for key in some if key in fresh), default=None)
        found = embed(stores, embedder, space, some, now, mark=mark)
        done, lost = done + len(found.vectors), lost + len(found.failures)
        if tick:
            tick(at + len(some), len(keys))
    return Swept(done, lost, link_similar(stores, space, now, also=keys))


def _keys(
    stores: Stores, workspace: str, space: Space, now: datetime, limit: int | None
) -> tuple[set[int], list[int]]:
    """Return what is new, and all that is to be embedded now, in order."""
    owners = stores.episodes.owners(Reach(workspace))
    failures = {each.key: each for each in stores.vectors.failures(space)}
    if limit is None:
        fresh = _lacking(stores, space, stores.episodes.seqs(owners), failures)
        limit = len(fresh) + len(failures)
    else:
        mark = stores.vectors.mark(space)
        fresh = stores.episodes.after(mark, owners, limit)
        if not (fresh := _lacking(stores, space, fresh, failures)):
            fresh = _further(stores, space, owners, failures, limit)
    now_ms = int(now.timestamp() * 1000)
    return {*fresh}, chosen([*failures.values()], fresh, now_ms, limit)


def _further(
    stores: Stores,
    space: Space,
    owners: Collection[int],
    failures: dict[int, Failure],
    limit: int,
) -> list[int]:
    """Go behind what was embedded at once as it came, until something waits."""
    at = stores.vectors.mark(space)
    while page := stores.episodes.after(at, owners, limit):
        if lacking := _lacking(stores, space, page, failures):
            return lacking
        at = page[-1]
        stores.vectors.set_mark(space, at)
    return []


def _lacking(
    stores: Stores,
    space: Space,
    seqs: Sequence[int],
    failures: dict[int, Failure],
) -> list[int]:
    """Return those of *seqs* that have no vector, and did not fail."""
    there = stores.vectors.has(space, seqs)
    return [seq for seq in seqs if seq not in there and seq not in failures]
