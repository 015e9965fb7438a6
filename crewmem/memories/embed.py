"""Giving memories their vectors: at once, or in a sweep."""

from __future__ import annotations

from crewmem.memories.embedding_store import Embeddable, milliseconds
from crewmem.memories.spaces import (
    changes_of,
    key_of,
    link_changes_of,
    links_of,
    number_of,
    seq_of,
    space_of,
)
from crewmem.memories.spaces import stored as stored_in
from crewmem.records import NamedTuple
from crewmem.vectors.embedding import embedded
from crewmem.vectors.retries import chosen, failed

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Sequence
    from datetime import datetime

    from crewmem.backends.embed import Embedder
    from crewmem.memories.embedding_store import Said
    from crewmem.vectors.embedding import Embedded
    from crewmem.vectors.space import Space
    from crewmem.vectors.store import VectorStore

BATCH = 64
"""Memories that are kept in one change."""

LOOKED_AT = 1_000
"""Memories that are looked at together where most have been embedded already."""

WHENEVER = 1 << 62
"""A time, in milliseconds, at which all that failed is due."""

ALL = -1
"""As many as there are, for SQLite."""


class Swept(NamedTuple):
    """What a sweep did in one workspace.

    Attributes:
        embedded: Memories that have a vector now and had none.
        failed: Memories that could not be embedded; they are tried again later.
        linked: Relations ``similar`` that were found.
    """

    embedded: int
    failed: int
    linked: int = 0


def embed(
    vectors: VectorStore,
    embedder: Embedder,
    space: Space,
    said: Sequence[Said],
    now: datetime,
) -> Embedded:
    """Embed what is *said*, and keep vectors and failures in one change.

    Raises:
        UnreachableError: If the embedder does not answer. Nothing is kept then.
    """
    by_key = {key_of(each.seq, each.digest): each for each in said}
    done = embedded({key: each.text for key, each in by_key.items()}, embedder)
    before = {each.key: each for each in vectors.failures(space)}
    now_ms = milliseconds(now)
    rows = [(key, row) for key, some in done.vectors.items() for row in some]
    with vectors.changing():
        if rows:
            keys = [key for key, _ in rows]
            owners = [number_of(by_key[key].owner) for key in keys]
            # Embedded again, as after a kill: once is enough.
            vectors.remove(space, keys)
            vectors.add(space, keys, owners, [row for _, row in rows])
        vectors.forget(space, [key for key in by_key if key not in done.failures])
        vectors.fail(
            space,
            [
                failed(key, reason, now_ms, before.get(key))
                for key, reason in done.failures.items()
            ],
        )
    return done


def is_due(
    embeddable: Embeddable,
    vectors: VectorStore,
    workspace: str,
    model: str | None,
    now: datetime,
) -> bool:
    """Tell whether a sweep has something to do, by reading a few numbers.

    Args:
        embeddable: The memories of *workspace*.
        vectors: The store.
        workspace: Which.
        model: That of the entries' vectors; None if there are none.
        now: The time.
    """
    kept = stored_in(vectors.spaces(), workspace)
    mine = [each for each in kept if model in {None, each.space.model}]
    if not mine:
        return embeddable.is_any_after(0)
    space = mine[0].space
    return (
        embeddable.is_any_after(vectors.mark(space))
        or embeddable.is_changed(vectors.mark(changes_of(space)))
        or any(each.is_due(milliseconds(now)) for each in vectors.failures(space))
        or vectors.mark(links_of(space)) < vectors.mark(space)
        or embeddable.is_changed(vectors.mark(link_changes_of(space)))
    )


def sweep(
    embeddable: Embeddable,
    vectors: VectorStore,
    embedder: Embedder,
    workspace: str,
    *,
    now: datetime,
    limit: int | None = BATCH,
    tick: Callable[[int, int], None] | None = None,
) -> Swept:
    """Embed up to *limit* memories of *workspace* that have no vector.

    With None it is all of them, whatever marks say, and vectors go that are of what no
    memory says any more. An entry that fails is kept for later and holds up none.

    Raises:
        UnreachableError: If the embedder does not answer.
    """
    space = space_of(workspace, embedder.model, embedder.dim)
    if not vectors.mark(changes_of(space)):
        vectors.set_mark(changes_of(space), milliseconds(now) - 1)
    if limit is None:
        vectors.check(space)
        vectors.mend(space)
        _drop_others(embeddable, vectors, space)
    fresh, changed, new, keys = _due(embeddable, vectors, space, now, limit)
    done = Swept(0, 0)
    for at in range(0, len(keys), BATCH):
        some = keys[at : at + BATCH]
        found = _embedded(embeddable, vectors, embedder, space, some, now)
        done = Swept(done.embedded + found.embedded, done.failed + found.failed)
        if tick:
            tick(at + len(some), len(keys))
    seqs = [each.seq for each in fresh if key_of(each.seq, each.digest) in keys]
    with vectors.changing():
        if seqs and seqs[-1] > vectors.mark(space):
            vectors.set_mark(space, seqs[-1])
        if changed and new <= len(keys):
            last = min(changed[-1].updated_ms, milliseconds(now) - 1)
            if last > vectors.mark(changes_of(space)):
                vectors.set_mark(changes_of(space), last)
    from crewmem.memories.linking import link_similar
    from crewmem.memories.passing import move_mark

    while move_mark(embeddable, vectors, space, now, most=LOOKED_AT):
        pass  # by what was embedded at once, so that nobody says it waits
    linked = link_similar(embeddable, vectors, space, now, also=keys)
    return done._replace(linked=linked)


def count_due(
    embeddable: Embeddable,
    vectors: VectorStore,
    model: str,
    *,
    now: datetime,
    limit: int | None,
) -> int:
    """Return how many memories `sweep` would embed by *model*; nothing is written."""
    kept = stored_in(vectors.spaces(), embeddable.workspace)
    space = next((each.space for each in kept if each.space.model == model), None)
    if space is None:
        return len(embeddable.after(0, ALL if limit is None else limit))
    *_, keys = _due(embeddable, vectors, space, now, limit, moves=False)
    said = embeddable.at([seq_of(key) for key in keys])
    return len({key_of(each.seq, each.digest) for each in said} & {*keys})


class _Due(NamedTuple):
    """What is to be embedded now.

    Attributes:
        fresh: What is behind the mark.
        changed: What was changed since the last sweep.
        new: How many of both have no vector.
        keys: All that is to be embedded, what failed before among it.
    """

    fresh: Sequence[Said]
    changed: Sequence[Said]
    new: int
    keys: Sequence[int]


def _due(
    embeddable: Embeddable,
    vectors: VectorStore,
    space: Space,
    now: datetime,
    limit: int | None,
    *,
    moves: bool = True,
) -> _Due:
    """Return what is to be embedded now; *moves*: the mark may be moved for that."""
    if limit is None:
        fresh = _lacking(vectors, space, embeddable.after(0, ALL))
        most, due = len(fresh) + len(vectors.failures(space)), WHENEVER
    else:
        fresh = _new(embeddable, vectors, space, moves=moves)[:limit]
        most, due = limit, milliseconds(now)
    since = vectors.mark(changes_of(space)) or milliseconds(now) - 1
    changed = embeddable.changed(since)
    new = {key_of(each.seq, each.digest): each for each in fresh}
    for each in _lacking(vectors, space, changed):
        new.setdefault(key_of(each.seq, each.digest), each)
    keys = chosen(vectors.failures(space), [*new], due, most)
    return _Due(fresh, changed, len(new), keys)


def _new(
    embeddable: Embeddable, vectors: VectorStore, space: Space, *, moves: bool
) -> list[Said]:
    """Return what is behind the mark; go on behind what has its vectors already."""
    mark = vectors.mark(space)
    while page := embeddable.after(mark, LOOKED_AT):
        if lacking := _lacking(vectors, space, page):
            return lacking
        mark = page[-1].seq
        if moves:
            vectors.set_mark(space, mark)
    return []


def _embedded(
    embeddable: Embeddable,
    vectors: VectorStore,
    embedder: Embedder,
    space: Space,
    keys: Sequence[int],
    now: datetime,
) -> Swept:
    said = embeddable.at([seq_of(key) for key in keys])
    there = {key_of(each.seq, each.digest) for each in said}
    vectors.forget(space, [key for key in keys if key not in there])
    found = embed(vectors, embedder, space, said, now)
    return Swept(len(found.vectors), len(found.failures))


def _lacking(vectors: VectorStore, space: Space, said: Sequence[Said]) -> list[Said]:
    """Return those of *said* that have no vector, and did not fail."""
    keys = {key_of(each.seq, each.digest) for each in said}
    done = vectors.has(space, keys) if keys else set()
    done |= {each.key for each in vectors.failures(space)}
    return [each for each in said if key_of(each.seq, each.digest) not in done]


def _drop_others(embeddable: Embeddable, vectors: VectorStore, space: Space) -> None:
    """Drop vectors of what no memory says any more, and those of other models."""
    keys = {key_of(*each) for each in embeddable.digests()}
    gone = [key for key in vectors.keys(space).tolist() if key not in keys]
    if gone:
        vectors.remove(space, gone)
    for kept in stored_in(vectors.spaces(), space.workspace):
        if (kept.space.model, kept.space.dim) != (space.model, space.dim):
            vectors.drop(kept.space)
            for beside in (changes_of, links_of, link_changes_of):
                vectors.drop(beside(kept.space))


def drop(vectors: VectorStore, workspace: str, seq: int) -> None:
    """Drop every vector of the memory at *seq*, also of what it said before."""
    for kept in stored_in(vectors.spaces(), workspace):
        keys = vectors.keys(kept.space).tolist()
        mine = [key for key in keys if seq_of(key) == seq]
        if mine:
            vectors.remove(kept.space, mine)


def look_again(embeddable: Embeddable, vectors: VectorStore, agent: str) -> None:
    """Let the next sweep come by the memories of *agent*, which it has passed over."""
    first = embeddable.first_of(agent)
    for kept in stored_in(vectors.spaces(), embeddable.workspace):
        if first is not None and first <= kept.mark:
            vectors.set_mark(kept.space, first - 1)
