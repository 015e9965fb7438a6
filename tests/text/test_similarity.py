"""Similarity by words, and the join that finds all similar pairs."""

import time
from itertools import combinations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from crewmem.text.opposites import are_distinct
from crewmem.text.repetition import SimilarTexts
from crewmem.text.similarity import (
    SAME_STATEMENT,
    find_similar_pairs,
    jaccard,
    rarest_tokens,
    token_set,
)

TOKENS = st.sampled_from("abcdefghijklmnop")
SETS = st.lists(st.frozensets(TOKENS, max_size=12), max_size=25)
THRESHOLDS = st.sampled_from([0.2, 0.5, 0.6, 0.8, 0.85, 1.0])


def test_forms_of_a_word_are_one_token():
    assert token_set("Deploys are done") == token_set("deploy are done")


def test_similarity_is_the_share_of_common_tokens():
    assert jaccard({"a", "b", "c"}, {"b", "c", "d"}) == 0.5
    assert jaccard(set(), set()) == 0.0


@settings(deadline=None, max_examples=200)
@given(SETS, THRESHOLDS)
def test_join_finds_what_comparing_all_with_all_finds(sets, threshold):
    expected = [
        (i, j, jaccard(sets[i], sets[j]))
        for i, j in combinations(range(len(sets)), 2)
        if jaccard(sets[i], sets[j]) >= threshold
    ]
    assert sorted(find_similar_pairs(sets, threshold)) == expected


def test_join_finds_pairs_of_long_texts():
    words = [f"w{number}" for number in range(500)]
    sets = [frozenset(words[start : start + 260]) for start in (0, 20, 240)]
    sets.append(frozenset(words[:190]))
    assert sorted((i, j) for i, j, _ in find_similar_pairs(sets, 0.7)) == [(0, 1), (0, 3)]


def test_join_pairs_a_set_with_few_of_very_many_copies():
    sets = [frozenset("abc")] * 200
    pairs = list(find_similar_pairs(sets, 0.9, partners=10))
    assert len(pairs) < 200 * 10
    assert {j for _, j, _ in pairs} == set(range(1, 200))


def test_join_of_texts_that_differ_by_a_number_takes_linear_time():
    sets = [token_set(f"check pump {number} before the night run") for number in range(30_000)]

    start = time.process_time()
    pairs = list(find_similar_pairs(sets, 0.6, partners=10))

    assert time.process_time() - start < 5  # 35 if every text is compared
    assert len(pairs) > 29_000


@given(st.frozensets(TOKENS, min_size=1), st.frozensets(TOKENS, min_size=1), THRESHOLDS)
def test_similar_set_has_one_of_the_rarest_tokens(a, b, threshold):
    counts = {token: ord(token) for token in a | b}
    if jaccard(a, b) >= threshold:
        assert set(rarest_tokens(a, counts, threshold)) & b


WORDS = st.lists(st.sampled_from(["crane", "pier", "winch", "gate", "berth", "tide"]), min_size=1)


@settings(deadline=None, max_examples=200)
@given(st.lists(WORDS, max_size=12))
def test_a_text_is_added_unless_one_before_it_is_similar(texts):
    kept, seen = [], SimilarTexts()
    for text in map(" ".join, texts):
        is_new = text not in kept and all(
            jaccard(token_set(text), token_set(other)) < SAME_STATEMENT or are_distinct(text, other)
            for other in kept
        )
        assert seen.add(text) == is_new
        kept += [text] if is_new else []


@pytest.mark.parametrize("other", ["the crane limit is 45 tons", "the winch limit is 40 tons"])
def test_a_text_with_another_value_or_name_is_added(other):
    seen = SimilarTexts()
    assert seen.add("the crane limit is 40 tons")
    assert seen.add(other)
    assert not seen.add(f"so {other}")
