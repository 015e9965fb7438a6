"""Giving all episodes vectors of one model, and dropping those of others."""

from __future__ import annotations

from crewmem.episodes.spaces import ENTRIES, LINKS, links_of, space_of
from crewmem.episodes.sweep import sweep
from crewmem.records import NamedTuple

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Collection
    from datetime import datetime

    from crewmem.backends.embed import Embedder
    from crewmem.episodes.stores import Stores
    from crewmem.vectors.space import Space


class Reembedded(NamedTuple):
    """What was renewed in one workspace.

    Attributes:
        workspace: Which.
        model: What made the vectors that there are now.
        embedded: Episodes that have a vector now and had none of this model.
        failed: Episodes that could not be embedded; sweeps try again.
        linked: Relations ``similar`` that were found.
        dropped: Vectors of other models that are gone.
    """

    workspace: str
    model: str
    embedded: int
    failed: int
    linked: int
    dropped: int


def others(stores: Stores, workspace: str, space: Space) -> list[Space]:
    """Return the spaces of *workspace* that vectors of other models are in."""
    return [
        kept.space
        for kept in stores.vectors.spaces()
        if kept.space.workspace == workspace
        and kept.space.kind in {ENTRIES, LINKS}
        and (kept.space.model, kept.space.dim) != (space.model, space.dim)
    ]


def reembed(
    stores: Stores,
    embedder: Embedder,
    workspace: str,
    *,
    now: datetime,
    without: Collection[str] = (),
    tick: Callable[[int, int], None] | None = None,
) -> Reembedded:
    """Embed every episode of *workspace* that has no vector of *embedder*'s model.

    Vectors of other models go when all is done, and with them what they said of which
    episodes are alike. Interrupted, it goes on where it was.

    Args:
        without: Agents whose episodes are passed over.

    Raises:
        UnreachableError: If the embedder does not answer; the old vectors stay.
    """
    space = space_of(workspace, embedder.model, embedder.dim)
    old = others(stores, workspace, space)
    if old:
        # Whoever sweeps next, by whichever model, looks for its edges again.
        for links in (links_of(space), *(each for each in old if each.kind == LINKS)):
            stores.vectors.set_mark(links, 0)
        stores.relations.forget_similar(workspace)
    done = sweep(
        stores, embedder, workspace, now=now, limit=None, without=without, tick=tick
    )
    dropped = 0
    with stores.vectors.changing():
        for each in old:
            dropped += stores.vectors.count(each)
            stores.vectors.drop(each)
    return Reembedded(
        workspace, embedder.model, done.embedded, done.failed, done.linked, dropped
    )
