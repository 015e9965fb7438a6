"""The nearest texts of many texts."""

import numpy as np
import pytest
from embeddings.conftest import unit_rows

from crewmem.embeddings import neighbours

JOURNAL = ("default", "journal")


def make_rows(count, dim=32):
    """Return vectors in themes, so that some are near each other."""
    generator = np.random.default_rng(5)
    themes = generator.standard_normal((count // 5, dim), np.float32)
    rows = themes[generator.integers(0, len(themes), count)]
    rows = rows + 0.35 * generator.standard_normal((count, dim), np.float32)
    return (rows / np.linalg.norm(rows, axis=1, keepdims=True)).astype(np.float32)


def find_plainly(rows, keys, order, threshold, limit):
    """Return what `Vectors.neighbours` must, from all products."""
    cosines = rows @ rows.T
    found = []
    for key in keys:
        near = [
            (-float(cosines[key - 1, other - 1]), other)
            for other in range(1, len(rows) + 1)
            if other != key
            and cosines[key - 1, other - 1] >= threshold
            and order[other] < order[key]
        ]
        found += [(key, other) for _, other in sorted(near)[:limit]]
    return found


@pytest.fixture
def bounded(monkeypatch):
    """Use bounds and several blocks also for few texts."""
    monkeypatch.setattr(neighbours, "MIN_TEXTS_FOR_BOUND", 10)
    monkeypatch.setattr(neighbours, "ROWS", 70)
    monkeypatch.setattr(neighbours, "COLUMNS", 50)
    monkeypatch.setattr(neighbours, "DIRECTIONS", 12)


@pytest.mark.parametrize("fitted", [False, True])
def test_finds_what_comparing_everything_finds(vectors, fitted, request):
    if fitted:
        request.getfixturevalue("bounded")
    rows = make_rows(300)
    for first in range(0, 300, 100):
        keys = list(range(first + 1, first + 101))
        vectors.put(JOURNAL, "m", keys, rows[first : first + 100])
    generator = np.random.default_rng(8)
    order = {key: int(place) for key, place in enumerate(generator.permutation(300), start=1)}
    found = vectors.neighbours(JOURNAL, range(1, 301), threshold=0.8, limit=3, order=order)
    expected = find_plainly(rows, range(1, 301), order, 0.8, 3)
    assert len(expected) > 200
    assert sorted((key, other) for key, other, _ in found) == sorted(expected)
    assert all(cosine == pytest.approx(rows[k - 1] @ rows[o - 1]) for k, o, cosine in found)


def test_texts_without_a_place_or_a_vector_are_left_out(vectors):
    rows = unit_rows(1).repeat(4, axis=0)
    vectors.put(JOURNAL, "m", [1, 2, 3, 4], rows)
    found = vectors.neighbours(JOURNAL, [1, 2, 9], threshold=0.8, limit=3, order={1: 5, 2: 7})
    assert [(key, other) for key, other, _ in found] == [(2, 1)]


def test_nearest_piece_counts_and_a_neighbour_is_named_once(vectors):
    rows = unit_rows(3)
    vectors.put(JOURNAL, "m", [1, 1, 2, 2], rows[[0, 1, 1, 1]])
    found = vectors.neighbours(JOURNAL, [1, 2], threshold=0.8, limit=3, order={1: 1, 2: 2})
    assert [(key, other) for key, other, _ in found] == [(2, 1)]


def test_crowd_of_equal_texts_keeps_the_limit_and_the_lowest_keys(vectors, bounded):
    rows = unit_rows(1).repeat(200, axis=0)
    vectors.put(JOURNAL, "m", list(range(1, 201)), rows)
    order = {key: key for key in range(1, 201)}
    found = vectors.neighbours(JOURNAL, range(1, 201), threshold=0.8, limit=2, order=order)
    assert len(found) == 397
    assert [other for key, other, _ in found if key == 150] == [1, 2]
