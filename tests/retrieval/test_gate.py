"""Whether a store answers a question at all."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from crewmem.retrieval.gate import (
    BACKGROUND,
    BOTH,
    NEARNESS,
    OPERATING,
    VECTORS,
    WORDS,
    nearness,
    of_store,
    relevance,
    weight_of_names,
    with_names,
)

shares = st.floats(0, 1)
maybe = st.none() | shares


def test_the_operating_point_is_one_number():
    """With words and vectors, with either alone: 0.70 is where their thresholds are."""
    assert OPERATING == 0.70
    both = relevance(0.5, (BOTH - 0.5) / NEARNESS)
    for number in (both, relevance(WORDS, None), relevance(None, VECTORS)):
        assert number == pytest.approx(OPERATING)


@given(maybe, maybe)
def test_it_is_a_share(coverage, near):
    """Within [0, 1], whatever is known."""
    assert 0.0 <= relevance(coverage, near) <= 1.0


@given(shares, shares, maybe)
def test_it_grows_with_what_is_found(one, other, near):
    """More of the question held, or a nearer vector: never less relevant."""
    less, more = sorted((one, other))
    assert relevance(less, near) <= relevance(more, near)
    assert relevance(near, less) <= relevance(near, more)


def test_nothing_answers_nothing():
    """An empty store, and a question of no words and no vector, have no relevance."""
    assert of_store([], None, has_words=True) == 0.0
    assert of_store([0.0], None, has_words=False) == 0.0
    assert relevance(0.0, 0.0) < 0.01
    assert relevance(0.0, None) < 0.01


def test_the_best_of_each_counts():
    """One entry may hold the words and another be near."""
    several = of_store([0.9, 0.1], [0.1, 0.6], has_words=True)
    assert several == relevance(0.9, 0.6)


@given(st.floats(-1, 1))
def test_what_is_no_nearer_than_anything_is_not_near(cosine):
    """Nearness is counted from the background of the model, and within [0, 1]."""
    assert 0.0 <= nearness(cosine) <= 1.0 + 1e-9
    assert (nearness(cosine) > 0) == (cosine > BACKGROUND)
    assert nearness(min(cosine, 0.5), background=0.5) == 0.0


@given(shares, st.floats(0.1, 50), st.integers(0, 3), st.integers(0, 10**6))
def test_a_known_name_is_held(coverage, whole, known, entries):
    """It never lowers coverage; without names nothing is added."""
    found = with_names(coverage, whole, weight_of_names(known, entries))
    assert coverage - 1e-9 <= found <= 1.0 + 1e-9
    assert with_names(coverage, whole, weight_of_names(0, entries)) == pytest.approx(
        coverage
    )


def test_a_question_of_a_name_alone_is_answered():
    """And one of nothing is not."""
    assert with_names(0.0, 0.0, weight_of_names(1, 100)) == 1.0
    assert with_names(0.0, 0.0, weight_of_names(0, 100)) == 0.0
