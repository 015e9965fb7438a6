"""Linking memories of one owner and kind that mean nearly the same, by their vectors.

A sweep does it, for to compare with a million takes a while; by words it is done at
once, when something is remembered. Both texts stay as they are.
"""

from __future__ import annotations

from crewmem import times
from crewmem.memories import edges_store
from crewmem.memories.embedding_store import milliseconds
from crewmem.memories.similar import LINKED
from crewmem.memories.spaces import (
    digits_of,
    key_of,
    link_changes_of,
    links_of,
    number_of,
    seq_of,
)

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Collection, Iterable, Sequence
    from datetime import datetime

    import apsw

    from crewmem.memories.embedding_store import Embeddable, Said
    from crewmem.memories.memory import Owner
    from crewmem.vectors.space import Space
    from crewmem.vectors.store import VectorStore

    Pairs = Iterable[tuple[int, int, float]]
    """Keys of two memories, and their cosine."""

LEAST = 0.92
"""Cosine from which on two memories are linked. Opposites may be as near ("always push
to main" and "never" have .96): from a link alone nothing is concluded."""

LOOKED_AT = 4 * LINKED
"""Nearest that are looked at: those of another kind are no links."""

AT_ONCE = 5_000
"""Memories that are compared together, between two commits."""

BY = "system"


def link_similar(
    embeddable: Embeddable,
    vectors: VectorStore,
    space: Space,
    now: datetime,
    also: Collection[int] = (),
) -> int:
    """Link what was embedded, or says something else, since the last time.

    Return how many links are new. They are looked for behind marks of their own, which
    move when they are kept: interrupted in between they are found once more.

    Args:
        embeddable: The memories of a workspace.
        vectors: The store.
        space: Theirs.
        now: The time.
        also: Keys that were embedded just now, on whichever side of the mark.
    """
    links, changes = links_of(space), link_changes_of(space)
    linked, end = vectors.mark(links), vectors.mark(space)
    if not vectors.mark(changes):
        vectors.set_mark(changes, milliseconds(now) - 1)
    changed = embeddable.changed(vectors.mark(changes))
    said_anew = {key_of(each.seq, each.digest) for each in changed} | {*also}
    beside = sorted(key for key in said_anew if seq_of(key) <= linked)
    total = 0
    for at in range(0, len(beside), AT_ONCE):
        some = embeddable.at([seq_of(key) for key in beside[at : at + AT_ONCE]])
        total += _linked(embeddable.db, _around(vectors, space, some), now)
    while linked < end:
        new = [each for each in embeddable.after(linked, AT_ONCE) if each.seq <= end]
        total += _linked(embeddable.db, _before(vectors, space, new), now)
        linked = new[-1].seq if len(new) == AT_ONCE else end
        vectors.set_mark(links, linked)
    if changed:
        last = min(changed[-1].updated_ms, milliseconds(now) - 1)
        vectors.set_mark(changes, max(last, vectors.mark(changes)))
    return total


def _around(vectors: VectorStore, space: Space, said: Sequence[Said]) -> Pairs:
    """Yield what is near each of what is *said*, earlier and later."""
    for owner, mine in _by_owner(said).items():
        rows = vectors.vectors_of(space, mine)
        keys = [key for key, pieces in rows.items() for _ in pieces]
        if not keys:
            continue
        asked = [piece for pieces in rows.values() for piece in pieces]
        near = vectors.nearest_many(space, asked, LOOKED_AT + 1, [number_of(owner)])
        for key, each in zip(keys, near, strict=True):
            for other, cosine in zip(
                each.keys.tolist(), each.cosines.tolist(), strict=True
            ):
                if other != key and cosine >= LEAST:
                    yield max(key, other), min(key, other), cosine


def _before(vectors: VectorStore, space: Space, new: Sequence[Said]) -> Pairs:
    """Yield what is near each of the *new*, of those before it."""
    for owner, mine in _by_owner(new).items():
        near = vectors.neighbours(
            space, mine, least=LEAST, top=LOOKED_AT, owner=number_of(owner)
        )
        yield from zip(
            near.keys.tolist(), near.others.tolist(), near.cosines.tolist(), strict=True
        )


def _by_owner(said: Iterable[Said]) -> dict[Owner, list[int]]:
    found: dict[Owner, list[int]] = {}
    for each in said:
        found.setdefault(each.owner, []).append(key_of(each.seq, each.digest))
    return found


def _linked(db: apsw.Connection, pairs: Pairs, now: datetime) -> int:
    """Keep the nearest links of each that hold still; return how many are new."""
    near: dict[int, dict[int, float]] = {}
    for one, other, cosine in pairs:
        some = near.setdefault(one, {})
        some[other] = max(cosine, some.get(other, -1.0))
    keys = {*near, *(other for some in near.values() for other in some)}
    if not keys:
        return 0
    rows = edges_store.linkable(db, [seq_of(key) for key in keys])
    kinds = {key: rows[seq_of(key)] for key in keys if _is_said(key, rows)}
    links = []
    for one, some in near.items():
        if one in kinds:
            mine = [o for o in some if kinds.get(o, ("",))[1:] == kinds[one][1:]]
            best = sorted(mine, key=lambda other: (-some[other], other))[:LINKED]
            links += [(seq_of(one), seq_of(o), round(some[o], 6)) for o in best]
    return edges_store.add_similar(db, links, by=BY, at=times.to_text(now))


def _is_said(key: int, rows: dict[int, tuple[str, ...]]) -> bool:
    """Tell whether what *key* is of is live, and says the same still."""
    row = rows.get(seq_of(key))
    return row is not None and digits_of(key) == row[0]
