"""Giving episodes their vectors, and saying which could get none."""

from __future__ import annotations

from crewmem.episodes.selection import text_of
from crewmem.vectors.embedding import embedded
from crewmem.vectors.retries import failed

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence
    from datetime import datetime

    from crewmem.backends.embed import Embedder
    from crewmem.episodes.stores import Stores
    from crewmem.vectors.embedding import Embedded
    from crewmem.vectors.space import Space


def embed(
    stores: Stores,
    embedder: Embedder,
    space: Space,
    keys: Sequence[int],
    now: datetime,
    *,
    mark: int | None = None,
) -> Embedded:
    """Embed the episodes *keys*, and keep their vectors and failures in one change.

    Args:
        mark: How far a sweep has come with them; None if it is no sweep.

    Raises:
        UnreachableError: If the embedder does not answer. Nothing is kept then.
    """
    entries = stores.journal.by_seq(keys)
    texts = {seq: text_of(each.summary, each.payload) for seq, each in entries.items()}
    done = embedded(texts, embedder)
    vectors = stores.vectors
    owner_of = stores.episodes.owner_of(done.vectors)
    flat = [
        (seq, owner_of[seq], row)
        for seq, rows in done.vectors.items()
        for row in rows
        if seq in owner_of
    ]
    now_ms = int(now.timestamp() * 1000)
    before = {each.key: each for each in vectors.failures(space)}
    with vectors.changing():
        if flat:
            seqs, owners, rows = zip(*flat, strict=True)
            # Embedded again, as after a kill before the mark was kept: once is enough.
            vectors.remove(space, seqs)
            vectors.add(space, seqs, owners, rows)
        vectors.forget(space, [key for key in keys if key not in done.failures])
        vectors.fail(
            space,
            [
                failed(seq, reason, now_ms, before.get(seq))
                for seq, reason in done.failures.items()
            ],
        )
        if mark is not None:
            vectors.set_mark(space, max(vectors.mark(space), mark))
    return done
