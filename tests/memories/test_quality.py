"""How good shared knowledge is."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from crewmem.memories.quality import quality, start


@pytest.mark.parametrize(
    ("base", "up", "down", "idle", "age", "expected"),
    [
        (0.6, 0, 0, 0, 0, 0.60),
        (0.6, 2, 0, 10, 30, 0.69),
        (0.6, 0, 2, 0, 0, 0.30),
        (0.6, 0, 0, 30, 30, 0.39),
        (0.6, 0, 0, 43, 43, 0.299),
        (0.6, 1, 3, 20, 60, 0.03),
    ],
)
def test_quality_is_the_published_formula(base, up, down, idle, age, expected):
    """The worked values of the formula come out."""
    assert quality(base, up, down, idle_days=idle, age_days=age) == pytest.approx(
        expected
    )


@given(
    st.floats(0, 1),
    st.integers(0, 99),
    st.integers(0, 99),
    st.floats(0, 1e4),
    st.floats(0, 1e4),
)
def test_quality_is_within_its_range(base, up, down, idle, age):
    """It stays in [0, 1], and a vote for never lowers it."""
    told = quality(base, up, down, idle_days=idle, age_days=age)
    assert 0 <= told <= quality(base, up + 1, down, idle_days=idle, age_days=age) <= 1


def test_each_further_agent_adds_a_tenth():
    """What one holds begins with .6, what many hold with .9 at most."""
    assert [start(n) for n in (1, 2, 4, 9)] == [0.6, 0.7, 0.9, 0.9]
