"""Projections bound what they stand for."""

from hypothesis import given, settings
from hypothesis import strategies as st

from crewmem.retrieval.numerics import np
from crewmem.retrieval.vectors import cosines, unit
from crewmem.vectors import projection


@settings(deadline=None, max_examples=60)
@given(seed=st.integers(0, 2**32 - 1), dim=st.integers(3, 40), data=st.data())
def test_bounds_are_never_below_the_cosine(seed, dim, data):
    """By whatever directions, the product of two projections bounds the cosine."""
    random = np.random.default_rng(seed)
    spread = 10.0 ** random.uniform(-3, 0, dim)
    vectors = unit(random.standard_normal((40, dim)) * spread, dim)
    count = data.draw(st.integers(1, dim))
    basis = np.linalg.qr(random.standard_normal((dim, count)))[0].astype(np.float32)
    by = projection._projection(basis)
    projected = by.of(vectors)
    for at in range(len(vectors)):
        exact = cosines(vectors, vectors[at])
        assert (projected @ projected[at] + by.slack >= exact).all()


def test_the_directions_are_those_that_tell_most():
    """Of vectors that differ in few directions few are compared, and of others all."""
    random = np.random.default_rng(1)
    few = random.standard_normal((600, 256)) * (np.arange(1, 257) ** -0.5)
    assert projection.chosen(unit(few, 256), 0.8, 10_000).basis.shape[1] < 100
    near = 1 + random.standard_normal((600, 256)) / 10
    assert projection.chosen(unit(near, 256), 0.8, 100).basis is None
