"""How good a ranking is, as a number."""

from math import log2

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from crewmem.evaluation.scores import (
    gains,
    is_meant,
    ndcg,
    percentile,
    precision,
    r_precision,
    recall,
    reciprocal_rank,
)

law = settings(deadline=None, max_examples=200)

REFS = [f"m_{each}" for each in "abcdefgh"]

rankings = st.lists(st.sampled_from(REFS), unique=True, max_size=8)
wanted = st.lists(st.sampled_from(REFS), unique=True, min_size=1, max_size=5)


@pytest.mark.parametrize(
    ("found", "relevant", "told"),
    [
        # precision@5, R-precision, recall@5, MRR, nDCG@10, by hand
        ("abcde", "a", (0.2, 1.0, 1.0, 1.0, 1.0)),
        ("bacde", "a", (0.2, 0.0, 1.0, 0.5, 1 / log2(3))),
        ("abc", "ac", (0.4, 0.5, 1.0, 1.0, (1 + 0.5) / (1 + 1 / log2(3)))),
        ("", "a", (0.0, 0.0, 0.0, 0.0, 0.0)),
        ("bcdefa", "a", (0.0, 0.0, 0.0, 1 / 6, 1 / log2(7))),
        ("ab", "abcd", (0.4, 0.5, 0.5, 1.0, 0.6366824387328317)),
    ],
)
def test_known_rankings_have_known_scores(found, relevant, told):
    """Each score is what a person computes by hand."""
    each = gains([f"m_{c}" for c in found], [f"m_{c}" for c in relevant])
    many = len(relevant)
    scores = (
        precision(each, 5),
        r_precision(each, many),
        recall(each, many, 5),
        reciprocal_rank(each),
        ndcg(each, many),
    )
    assert scores == pytest.approx(told)


@law
@given(rankings, wanted, st.integers(1, 10))
def test_scores_are_within_0_and_1(found, relevant, k):
    """No score leaves its range, whatever is found."""
    each, many = gains(found, relevant), len(relevant)
    scores = [precision(each, k), recall(each, many, k), r_precision(each, many)]
    scores += [reciprocal_rank(each), ndcg(each, many)]
    assert all(0 <= score <= 1 + 1e-12 for score in scores)


@law
@given(rankings, wanted)
def test_what_answers_first_is_never_worse(found, relevant):
    """Who moves what is relevant to the front lowers no score."""
    best = sorted(found, key=lambda ref: ref not in relevant)
    was, now, many = gains(found, relevant), gains(best, relevant), len(relevant)
    assert ndcg(now, many) >= ndcg(was, many) - 1e-12
    assert reciprocal_rank(now) >= reciprocal_rank(was)
    assert recall(now, many, 3) >= recall(was, many, 3)
    if {*relevant} <= {*found}:
        assert ndcg(now, many) == pytest.approx(1)


@law
@given(rankings, wanted, st.integers(1, 8))
def test_more_places_never_find_less(found, relevant, k):
    """Recall grows with the places that are looked at."""
    each, many = gains(found, relevant), len(relevant)
    assert recall(each, many, k) <= recall(each, many, k + 1)


@pytest.mark.parametrize(
    ("relevant", "ref", "is_it"),
    [
        ("crew:harbor/topics/a.md", "crew:harbor/topics/a.md:3-9", True),
        ("crew:harbor/topics/a.md:4", "crew:harbor/topics/a.md:3-9", True),
        ("crew:harbor/topics/a.md:1-2", "crew:harbor/topics/a.md:3-9", False),
        ("crew:harbor/topics/a.md:3-9", "crew:harbor/topics/a.md:3-9", True),
        ("crew:harbor/topics/b.md", "crew:harbor/topics/a.md:3-9", False),
        ("j_abc", "j_abc", True),
        ("j_ab", "j_abc", False),
    ],
)
def test_a_file_is_any_passage_of_it(relevant, ref, is_it):
    """A file is named whole, or by lines that overlap; an id is named whole."""
    assert is_meant(relevant, ref) is is_it


def test_a_file_counts_once_as_found():
    """Two passages of one file are one thing found, in two places that are right."""
    each = gains(["x.md:1-2", "x.md:5-6", "m_a"], ["x.md", "m_a"])
    assert each == [0, 0, 1]
    assert recall(each, 2, 2) == 0.5
    assert precision(each, 2) == 1.0
    assert ndcg(each, 2) < 1


@law
@given(st.lists(st.floats(0, 1e6), min_size=1, max_size=50), st.floats(0.01, 1))
def test_a_percentile_is_one_of_the_values(values, share):
    """It is a value, and that part of them is not above it."""
    told = percentile(values, share)
    assert told in values
    assert sum(each <= told for each in values) >= share * len(values) - 1e-6


def test_the_95th_of_twenty_is_the_19th():
    """As published: the index is the part, rounded up, less one."""
    assert percentile([*range(1, 21)], 0.95) == 19
    assert percentile([7.0], 0.95) == 7
