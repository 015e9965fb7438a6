"""What a reader takes for one character."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from crewmem.retrieval.clusters import boundary, is_within

ONE = {
    "accent": "e\u0301",
    "accents": "e\u0323\u0301",
    "emoji style": "❤\ufe0f",
    "keycap": "1\ufe0f\u20e3",
    "skin tone": "👍🏽",
    "family": "👨\u200d👩\u200d👧",
    "flag": "🇨🇿",
    "flag of a region": "🏴\U000e0067\U000e0062\U000e007f",
    "syllable in jamo": "\u1112\u1161\u11ab",
    "syllable and jamo": "\uac00\u11a8",
    "initials": "\u1100\u1100\u1161",
    "initial and syllable": "\u1100\uac00",
    "thai vowel": "ก\u0e33",
    "conjunct": "\u0915\u094d\u0937",
    "half width": "\uff76\uff9e",
    "space with an accent": " \u0301",
}


@pytest.mark.parametrize("name", ONE)
def test_a_character_is_one_however_many_make_it(name):
    """Nothing that is read as one character may be cut."""
    text = f"a{ONE[name]}b"
    inside = [at for at in range(len(text) + 1) if is_within(text, at)]
    assert inside == list(range(2, len(text) - 1))


@given(st.lists(st.sampled_from([*ONE.values(), "a", "."]), min_size=1, max_size=5))
def test_a_boundary_is_the_nearest_before(characters):
    """Of all cuts between characters the last one that is not too far is taken."""
    text = "|" + "|".join(characters)
    for at in range(1, len(text)):
        cut = boundary(text, at, 0)
        assert not is_within(text, cut)
        assert all(is_within(text, between) for between in range(cut + 1, at + 1))


def test_flags_are_paired_from_the_start():
    """Of four halves of flags the cut is between the second and the third."""
    assert [at for at in range(5) if is_within("🇨🇿🇸🇰", at)] == [1, 3]
    assert boundary("🇨🇿🇸🇰", 3, 0) == 2


def test_marks_after_a_line_end_join_nothing():
    """A mark that begins a line is cut from the line before."""
    assert not is_within("a\n\u0301", 2)


def test_a_character_longer_than_the_room_is_cut():
    """Where one character fills all, it is cut where the room ends."""
    assert boundary("e" + "\u0301" * 9, 5, 0) == 5
