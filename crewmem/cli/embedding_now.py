"""Embedding entries as they come, where the model runs in process."""

from __future__ import annotations

from crewmem.errors import CrewmemError

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

    from crewmem.cli.app import App
    from crewmem.episodes.stores import Stores

IN_PROCESS = frozenset({"minilm"})
"""Embedders that ask nobody: to wait for a service is the sweep's."""


def embed_now(
    app: App, stores: Stores, seqs: Sequence[int], *, asked: bool = False
) -> int:
    """Embed the episodes *seqs*, if that is quick or was *asked* for.

    What cannot be embedded now is left to the next sweep, and that is said; nothing
    fails for it. Returns how many were embedded.
    """
    from crewmem.cli.embedding import choice
    from crewmem.episodes.embed import embed
    from crewmem.episodes.linking import link_similar
    from crewmem.episodes.retries import FIRST
    from crewmem.episodes.spaces import models, space_of
    from crewmem.vectors.space import Failure

    stored = models(stores.vectors.spaces())
    chosen = choice(app, stored_model=stored[0].name if stored else None)
    embedder = chosen.embedder
    if embedder and (asked or embedder.name in IN_PROCESS):
        try:
            space = space_of(app.workspace, embedder.model, embedder.dim)
            done = embed(stores, embedder, space, seqs, app.now)
            link_similar(stores, space, app.now, also=seqs)
            return len(done.vectors)
        except CrewmemError as error:
            app.out.warn(f"not embedded yet: {error}")
    elif asked:
        app.out.warn(f"not embedded: {chosen.why}")
    if stored:
        # The next sweep may have passed their places: it comes back for them.
        space = space_of(app.workspace, stored[0].name, stored[0].dim)
        lacking = {*seqs} - stores.vectors.has(space, seqs)
        stores.vectors.fail(space, [Failure(seq, 0, 0, FIRST) for seq in lacking])
    return 0
