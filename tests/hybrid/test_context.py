"""What stands around an entry."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from crewmem.hybrid.context import (
    AFTER,
    BEFORE,
    around,
    offered,
    shortness,
    window,
    window_words,
)
from crewmem.hybrid.features import Entry

WORDS = st.integers(0, 2000)


def session(*words, often=(1.0,)):
    """Return entries of one session, of so many *words* each."""
    seqs = range(len(words))
    return {
        seq: Entry(
            seq=seq,
            words=count,
            frequencies=often,
            before=[near for near in reversed(seqs) if near < seq],
            after=[near for near in seqs if near > seq],
        )
        for seq, count in enumerate(words)
    }


@given(WORDS, WORDS)
def test_the_longer_the_less_context(one, other):
    """Smoothly from 1 to 0, half at 80 words."""
    less, more = sorted((one, other))
    assert 0.0 < shortness(more) <= shortness(less) <= 1.0
    assert shortness(0) == 1.0
    assert shortness(80) == 0.5


def test_a_short_entry_is_read_with_those_around_it():
    """Two on either side, the nearer the more, and those before the most."""
    entries = session(5, 5, 5, 5, 5)
    often, length = window(entries[2], entries, 1)
    assert often[0] == pytest.approx(1 + sum(BEFORE + AFTER), rel=1e-3)
    assert length == pytest.approx(5 * often[0], rel=1e-3)
    own = {
        seq: entry._replace(frequencies=[float(seq == each) for each in range(5)])
        for seq, entry in entries.items()
    }
    shares, _ = window(own[2], own, 5)
    assert shares == pytest.approx([BEFORE[1], BEFORE[0], 1, *AFTER], rel=1e-3)


def test_a_long_entry_stands_alone():
    """And is nobody's context."""
    entries = session(20, 400, 20)
    assert window(entries[1], entries, 1)[0][0] == pytest.approx(1.0, abs=0.01)
    entries = session(400, 20, 400)
    assert window(entries[1], entries, 1)[0][0] == pytest.approx(1.0, abs=0.01)


def test_neighbours_that_are_not_there_change_nothing():
    """Out of sight, at the end of a session, or without a session."""
    alone = Entry(seq=1, words=9, frequencies=(2.0,), before=(0,), after=(2,))
    assert window(alone, {1: alone}, 1) == ([2.0], 9.0)
    assert around(alone, {1: 0.3}, {1: alone}) == pytest.approx(0.3)
    assert offered([1], {1: alone}) == [1]


def test_an_entry_without_the_words_may_stand_beside_them():
    """It has those of its neighbours."""
    entries = session(9, 9)
    entries[0] = entries[0]._replace(frequencies=())
    often, _ = window(entries[0], entries, 1)
    assert often[0] == pytest.approx(AFTER[0], rel=1e-2)


@given(st.floats(-1, 1), st.floats(-1, 1), WORDS)
def test_the_cosine_around_is_between_own_and_others(own, other, words):
    """Of a long entry it is its own."""
    entries = session(words, words, words)
    found = around(entries[1], {0: other, 1: own, 2: other}, entries)
    assert min(own, other) - 1e-9 <= found <= max(own, other) + 1e-9
    if words > 800:
        assert found == pytest.approx(own, abs=1e-3)


def test_neighbours_of_what_was_found_are_offered():
    """The next one on either side, if both are short."""
    entries = session(9, 9, 9, 9)
    assert offered([3, 1], entries) == [0, 1, 2, 3]
    assert offered([0], entries) == [0, 1]
    assert offered([0], session(300, 9)) == [0]


@given(st.floats(0, 2000))
def test_a_mean_window_is_no_shorter_than_a_mean_entry(mean):
    """And less than three times as long."""
    assert mean <= window_words(mean) <= 2.8 * mean + 1e-9
