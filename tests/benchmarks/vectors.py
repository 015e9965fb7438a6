"""Filling a store of vectors, and asking it: the same vectors everywhere.

Run as ``python vectors.py fill|nearest|neighbours HOME [COUNT]``. They are as those of
a model are: a few directions tell most, texts of one topic are near each other, and
some texts are there many times.
"""

from __future__ import annotations

import math
import sys
from pathlib import Path

from crewmem.vectors.space import Space
from crewmem.vectors.store import VectorStore

SEED = 20260501

SPACE = Space("entries", "default", "all-MiniLM-L6-v2", 384)

AT_ONCE = 10_000

PER_TOPIC = 50

AGAIN = 0.05
"""Share of texts that were there before."""


def fill(home: Path, count: int) -> None:
    """Fill the store of *home* with *count* vectors."""
    from crewmem.retrieval.numerics import np

    random = np.random.default_rng(SEED)
    spread = (np.arange(1, SPACE.dim + 1) ** -0.4).astype(np.float32)
    turn = np.linalg.qr(random.standard_normal((SPACE.dim, SPACE.dim)))[0]
    turned = (spread[:, None] * turn).astype(np.float32)
    topics = random.standard_normal((max(1, count // PER_TOPIC), SPACE.dim))
    home.mkdir(parents=True, exist_ok=True)
    store = VectorStore.open_to_write(home)
    for at in range(0, count, AT_ONCE):
        size = min(AT_ONCE, count - at)
        of = topics[random.integers(0, len(topics), size)]
        own = random.standard_normal((size, SPACE.dim))
        vectors = (of + random.uniform(0.3, 1.5, (size, 1)) * own) @ turned
        again = random.random(size) < AGAIN
        vectors[again] = vectors[random.integers(0, size, again.sum()) // PER_TOPIC]
        owners = random.integers(1, 30, size)
        store.add(SPACE, np.arange(at + 1, at + size + 1), owners, vectors)
    store.close()


def nearest(home: Path) -> None:
    """Find the ten nearest to a question, in a process of its own."""
    store = VectorStore.open_to_read(home)
    query = [math.sin(each * each) for each in range(SPACE.dim)]
    assert len(store.nearest(SPACE, query, 10).keys) == 10
    store.close()


def neighbours(home: Path) -> None:
    """Find what is near each vector, as if all were new."""
    store = VectorStore.open_to_read(home)
    assert len(store.neighbours(SPACE, store.keys(SPACE).tolist()).keys)
    store.close()


if __name__ == "__main__":
    verb, where, *rest = sys.argv[1:]
    verbs = {"fill": fill, "nearest": nearest, "neighbours": neighbours}
    verbs[verb](Path(where), *map(int, rest))
