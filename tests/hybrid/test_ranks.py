"""Reciprocal rank fusion."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from crewmem.hybrid.ranks import reciprocal_ranks

ranking = st.lists(st.integers(0, 9), unique=True, max_size=8)


def test_a_key_scores_by_its_ranks():
    """The sum of 1 / (60 + rank) over the lists that hold it."""
    found = reciprocal_ranks([["a", "b"], ["b", "c"]])
    assert [key for key, _ in found] == ["b", "a", "c"]
    assert dict(found) == pytest.approx(
        {"a": 1 / 61, "b": 1 / 62 + 1 / 61, "c": 1 / 62}
    )


@given(ranking)
def test_one_list_keeps_its_order(one):
    """It has nobody to disagree with."""
    assert [key for key, _ in reciprocal_ranks([one])] == one


@given(ranking, ranking)
def test_scores_fall_from_first_to_last(one, other):
    """All keys of all lists are there, once."""
    found = reciprocal_ranks([one, other])
    assert {key for key, _ in found} == {*one, *other}
    assert [score for _, score in found] == sorted(dict(found).values(), reverse=True)
