"""Merging ranked lists by their scores."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from crewmem.retrieval.fusion import Ranking, fused

scores = st.dictionaries(st.sampled_from("abcdef"), st.floats(-10, 10), max_size=6)
lists = st.lists(st.tuples(st.floats(0.1, 5), scores), min_size=1, max_size=3).map(
    lambda some: [Ranking(f"list{at}", w, s) for at, (w, s) in enumerate(some)]
)


@given(scores)
def test_a_single_list_is_as_it_was(one):
    """Its scores and its order stay, and ranks count from 1."""
    found = fused([Ranking("words", 0.7, one)])
    assert {each.key: each.score for each in found} == pytest.approx(one)
    assert [each.score for each in found] == sorted(one.values(), reverse=True)
    assert [each.ranks["words"] for each in found] == list(range(1, len(one) + 1))


@given(lists)
def test_the_order_of_the_lists_does_not_matter(rankings):
    """Every key has one score, whichever list comes first."""
    forth = {each.key: each.score for each in fused(rankings)}
    back = {each.key: each.score for each in fused(rankings[::-1])}
    assert forth == pytest.approx(back)
    assert forth.keys() == {key for each in rankings for key in each.scores}


@given(lists.filter(lambda some: len(some) > 1))
def test_several_lists_score_within_the_unit(rankings):
    """And what leads all of them leads the whole."""
    found = fused(rankings)
    assert all(-1e-9 <= each.score <= 1 + 1e-9 for each in found)
    first = {
        next(iter(sorted(r.scores, key=lambda k: -r.scores[k])), None) for r in rankings
    }
    if len(first) == 1 and None not in first:
        top = found[0].score
        (leader,) = first
        assert next(e.score for e in found if e.key == leader) == pytest.approx(top)


def test_a_strong_list_is_not_drowned_by_a_weak_one():
    """A clear lead in one list outweighs small differences in another."""
    words = Ranking("words", 0.5, {"a": 9.0, "b": 1.0, "c": 0.9})
    other = Ranking("vectors", 0.5, {"b": 0.52, "a": 0.51, "c": 0.10})
    assert [each.key for each in fused([words, other])] == ["a", "b", "c"]
