"""Stores of vectors, with pages so small that a few vectors fill some."""

import math
from contextlib import closing

import pytest

from crewmem.db.derived import in_memory
from crewmem.retrieval.numerics import np
from crewmem.vectors import nearest, page
from crewmem.vectors.space import Space
from crewmem.vectors.store import VECTORS, VectorStore

DIM = 6

SPACE = Space("entries", "default", "model", DIM)

SMALL = {"PART_BYTES": 4 * DIM * 3, "PAGE_BYTES": 4 * 3 * (DIM + page.HEAD)}
"""Parts of three vectors and pages of four parts."""


@pytest.fixture
def home(tmp_path):
    """A home that is there, and empty."""
    path = tmp_path / "home"
    path.mkdir()
    return path


@pytest.fixture(scope="module")
def _small_pages():
    """Let every page have twelve slots, and a search look twice at few vectors."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(nearest, "FIRST_LOOK", 1)
        for name, value in SMALL.items():
            patch.setattr(page, name, value)
        yield


def in_this_process():
    """Return a store that is gone when it is closed."""
    return closing(VectorStore(in_memory(VECTORS)))


class Model:
    """What a store should do, done the long way: a list of (key, owner, vector)."""

    def __init__(self):
        self.rows = []

    def add(self, keys, owners, vectors):
        for key, owner, vector in zip(keys, owners, vectors, strict=True):
            self.rows.append((key, owner, unit(vector)))

    def remove(self, keys):
        kept = [row for row in self.rows if row[0] not in keys]
        removed = len(self.rows) - len(kept)
        self.rows = kept
        return removed

    def reown(self, owners):
        self.rows = [(key, owners.get(key, old), each) for key, old, each in self.rows]

    def cosines(self, query, owners=None):
        """Return how near each key is."""
        best = {}
        for key, owner, vector in self.rows:
            if owners is None or owner in owners:
                near = cosine(vector, unit(query))
                best[key] = max(near, best.get(key, near))
        return best

    def nearest(self, query, count, owners=None):
        best = self.cosines(query, owners).items()
        return sorted(best, key=lambda found: (-found[1], found[0]))[:count]

    def neighbours(self, new, least, top):
        edges = []
        for key in sorted(new):
            best = {}
            for mine in (row for row in self.rows if row[0] == key):
                for other, _, vector in self.rows:
                    near = cosine(vector, mine[2])
                    if other < key and near >= np.float32(least):
                        best[other] = max(near, best.get(other, near))
            ranked = sorted(best.items(), key=lambda found: (-found[1], found[0]))
            edges += [(key, other, near) for other, near in ranked[:top]]
        return edges


def unit(vector):
    """Return *vector* at length one, as it is kept."""
    length = math.sqrt(math.fsum(float(each) ** 2 for each in vector))
    return [float(np.float32(float(each) / length)) for each in vector]


def cosine(one, other):
    """Return the cosine of two vectors as it is told: a float32."""
    products = (a * b for a, b in zip(one, other, strict=True))
    return float(np.float32(math.fsum(products)))


def pairs(found):
    """Return what was found as a list of (key, cosine)."""
    return list(zip(found.keys.tolist(), found.cosines.tolist(), strict=True))


def edges(found):
    """Return neighbours as a list of (key, other, cosine)."""
    return list(zip(*(each.tolist() for each in found), strict=True))
