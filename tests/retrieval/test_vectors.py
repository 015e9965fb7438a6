"""Codes bound cosines, and the best are picked."""

from hypothesis import given, settings
from hypothesis import strategies as st

from crewmem.retrieval.numerics import np
from crewmem.retrieval.vectors import (
    best_places,
    cosines,
    quantised,
    ranked,
    rounding,
    unit,
)

seeds = st.integers(0, 2**32 - 1)


def some(seed, count, dim):
    """Return vectors whose numbers differ in size, some of them very much."""
    random = np.random.default_rng(seed)
    sizes = 10.0 ** random.uniform(-6, 0, (count, dim)) ** random.integers(0, 3)
    return unit(random.standard_normal((count, dim)) * sizes, dim)


@settings(deadline=None)
@given(seed=seeds, dim=st.integers(1, 1600))
def test_codes_are_off_by_their_slack_at_most(seed, dim):
    """A cosine by codes, summed in float32, is within the slack of the cosine."""
    vectors = some(seed, 30, dim)
    codes, scales, slack = quantised(vectors)
    for query in (some(seed + 1, 1, dim)[0], vectors[0]):
        by_codes = (codes.astype(np.float32) @ query) * scales
        assert np.abs(by_codes - cosines(vectors, query)).max() <= slack
    assert slack < 0.05 + rounding(dim)


@settings(deadline=None)
@given(seed=seeds, dim=st.integers(1, 400))
def test_a_cosine_is_one_number(seed, dim):
    """It does not matter beside what else a cosine is computed."""
    vectors = some(seed, 70, dim)
    together = cosines(vectors, vectors[3])
    assert together[5] == cosines(vectors[5:6], vectors[3])[0]
    assert (together == cosines(vectors[::-1], vectors[3])[::-1]).all()
    assert (together == cosines(vectors, np.tile(vectors[3], (70, 1)))).all()
    assert abs(together[3] - 1) < 1e-6


@settings(deadline=None)
@given(
    seed=seeds,
    size=st.integers(0, 5000),
    count=st.integers(1, 40),
    levels=st.integers(1, 10**6),
)
def test_none_of_the_best_is_left_out(seed, size, count, levels):
    """All that are as high as the last of the best are among what is returned."""
    random = np.random.default_rng(seed)
    scores = (random.integers(0, levels, size) / levels).astype(np.float32)
    places = best_places(scores, count)
    assert len(np.unique(places)) == len(places) >= min(count, size)
    if 0 < len(places) < size:
        rest = np.delete(scores, places)
        assert scores[places].min() > rest.max()


@given(st.lists(st.tuples(st.integers(0, 9), st.integers(0, 9))))
def test_a_key_is_ranked_by_its_best(found):
    """Each key is there once, by its best score: best first, ties by key."""
    best = {}
    for key, score in found:
        best[key] = max(score, best.get(key, score))
    keys = np.array([key for key, _ in found], np.int64)
    scores = np.array([score for _, score in found], np.float32)
    got = [each.tolist() for each in ranked(keys, scores)]
    expected = sorted(best.items(), key=lambda pair: (-pair[1], pair[0]))
    assert list(zip(*got, strict=True)) == expected
