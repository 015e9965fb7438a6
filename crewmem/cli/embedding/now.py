"""Embedding what is new at once, where the model runs in process."""

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
    try:
        return _embedded(app, stores, seqs, asked=asked)
    except CrewmemError as error:
        app.out.warn(f"not embedded yet: {error}")
    try:
        _leave(app, stores, seqs)
    except CrewmemError as error:
        app.out.warn(f"crewmem episodes sweep --all will embed it: {error}")
    return 0


def _embedded(app: App, stores: Stores, seqs: Sequence[int], *, asked: bool) -> int:
    from crewmem.cli.embedding import choice
    from crewmem.episodes.embed import embed, move_mark
    from crewmem.episodes.linking import link_similar
    from crewmem.episodes.spaces import models, space_of
    from crewmem.registry.crews_store import without_memory

    stored = models(stores.vectors.spaces())
    chosen = choice(app, stored_model=stored[0].name if stored else None)
    embedder = chosen.embedder
    if embedder is None or not (asked or embedder.name in IN_PROCESS):
        if asked:
            app.out.warn(f"not embedded: {chosen.why}")
        _leave(app, stores, seqs)
        return 0
    space = space_of(app.workspace, embedder.model, embedder.dim)
    done = embed(stores, embedder, space, seqs, app.now)
    off = without_memory(stores.journal.db, app.workspace)
    move_mark(stores, space, without=off)
    link_similar(stores, space, app.now, also=seqs)
    for reason in done.failures.values():
        app.out.warn(f"not embedded yet: {reason}")
    return len(done.vectors)


def _leave(app: App, stores: Stores, seqs: Sequence[int]) -> None:
    """Leave *seqs* to the next sweep, which may have passed their places."""
    from crewmem.episodes.spaces import models, space_of
    from crewmem.vectors.retries import FIRST
    from crewmem.vectors.space import Failure

    if stored := models(stores.vectors.spaces()):
        space = space_of(app.workspace, stored[0].name, stored[0].dim)
        passed = {seq for seq in seqs if seq <= stores.vectors.mark(space)}
        lacking = passed - stores.vectors.has(space, passed) if passed else passed
        stores.vectors.fail(space, [Failure(seq, 0, 0, FIRST) for seq in lacking])


def embed_memory_now(app: App, seq: int) -> None:
    """Embed the memory at *seq*, if that is quick; the next sweep does it otherwise.

    Nothing fails for it.
    """
    from crewmem.cli.embedding import is_none

    if is_none(app):
        return
    try:
        _embed_memory(app, seq)
    except CrewmemError as error:
        app.out.warn(f"not embedded yet: {error}")


def _embed_memory(app: App, seq: int) -> None:
    from crewmem.cli.embedding import choice
    from crewmem.cli.remembered import stores, stores_to_read
    from crewmem.episodes.spaces import models
    from crewmem.memories.embed import embed
    from crewmem.memories.embedding_store import Embeddable
    from crewmem.memories.passing import move_mark
    from crewmem.memories.spaces import space_of, stored
    from crewmem.registry.crews_store import without_memory

    seen = stores_to_read(app)
    kept = seen.vectors.spaces() if seen else []
    names = [each.name for each in models(kept)]
    names += [each.space.model for each in stored(kept)]
    embedder = choice(app, stored_model=names[0] if names else None).embedder
    if embedder is None or embedder.name not in IN_PROCESS:
        return
    opened = stores(app)
    db = opened.journal.db
    embeddable = Embeddable(db, app.workspace, without_memory(db, app.workspace))
    if said := embeddable.at([seq]):
        space = space_of(app.workspace, embedder.model, embedder.dim)
        done = embed(opened.vectors, embedder, space, said, app.now)
        move_mark(embeddable, opened.vectors, space, app.now)
        for reason in done.failures.values():
            app.out.warn(f"not embedded yet: {reason}")
