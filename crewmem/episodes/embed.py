"""Giving episodes their vectors, and saying which could get none."""

from __future__ import annotations

from crewmem.episodes.selection import text_of
from crewmem.episodes.spaces import links_of
from crewmem.scope import Reach
from crewmem.vectors.embedding import embedded
from crewmem.vectors.retries import failed
from crewmem.vectors.space import Failure

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Collection, Sequence
    from datetime import datetime

    from crewmem.backends.embed import Embedder
    from crewmem.episodes.stores import Stores
    from crewmem.vectors.embedding import Embedded
    from crewmem.vectors.space import Space

UNLINKED = "it is not linked yet"
"""Kept of what was embedded behind what has its relations."""

NEXT = 64
"""Episodes behind the mark that are looked at when one was embedded at once."""


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

    What is embedded behind the mark of its links is kept as a failure until it is
    linked: who is killed in between embeds it once more, and links it.

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
    linked = vectors.mark(links_of(space))
    unlinked = [Failure(seq, 0, 0, UNLINKED) for seq in owner_of if seq <= linked]
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
            ]
            + unlinked,
        )
        if mark is not None:
            vectors.set_mark(space, max(vectors.mark(space), mark))
    return done


def move_mark(
    stores: Stores, space: Space, *, without: Collection[str] = (), most: int = NEXT
) -> bool:
    """Let sweeps go on behind what was embedded at once, if that is what comes next.

    What they have not come by is counted as waiting.

    Args:
        without: Agents whose episodes wait for no vector.
        most: Episodes that are looked at.

    Returns:
        Whether all of them have their vectors, and there may be more such.
    """
    owners = stores.episodes.owners(Reach(space.workspace), without=without)
    vectors = stores.vectors
    with vectors.changing():
        mark = vectors.mark(space)
        nearest = stores.episodes.after(mark, owners, most)
        done = vectors.has(space, nearest) if nearest else set()
        done |= {each.key for each in vectors.failures(space)}
        for seq in nearest:
            if seq not in done:
                break
            mark = seq
        if nearest and mark >= nearest[0]:
            vectors.set_mark(space, mark)
    return len(nearest) == most and mark == nearest[-1]
