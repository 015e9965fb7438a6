"""Giving episodes their vectors, and saying which could get none."""

from __future__ import annotations

from typing import NamedTuple

from crewmem.episodes.retries import failed
from crewmem.episodes.selection import text_of
from crewmem.errors import BackendError, RefusedError, UnreachableError

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence
    from datetime import datetime

    from crewmem.backends.embed import Embedder, Vectors
    from crewmem.episodes.stores import Stores
    from crewmem.journal.entry import Entry
    from crewmem.vectors.space import Space


class Embedded(NamedTuple):
    """What became of some entries.

    Attributes:
        vectors: By place in the journal, one of each piece.
        failures: Why the others have none.
    """

    vectors: dict[int, list[Vectors]]
    failures: dict[int, str]


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
    done = _embedded([entries[key] for key in keys if key in entries], embedder)
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


def _embedded(entries: Sequence[Entry], embedder: Embedder) -> Embedded:
    """Embed *entries* together; if that is refused, each alone, to see which is bad."""
    if not entries:
        return Embedded({}, {})
    pieces = {
        each.seq: embedder.pieces(text_of(each.summary, each.payload))
        for each in entries
    }
    try:
        rows = iter(embedder.embed([text for some in pieces.values() for text in some]))
    except UnreachableError:
        raise
    except (BackendError, RefusedError) as error:
        if len(entries) == 1:
            return Embedded({}, {entries[0].seq: str(error)})
        alone = [_embedded([each], embedder) for each in entries]
        return Embedded(
            {seq: rows for each in alone for seq, rows in each.vectors.items()},
            {seq: why for each in alone for seq, why in each.failures.items()},
        )
    return Embedded(
        {seq: [next(rows) for _ in some] for seq, some in pieces.items()}, {}
    )
