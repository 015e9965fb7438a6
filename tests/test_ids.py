"""Ids and slugs."""

import os
import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from crewmem.errors.values import PrefixTooShortError
from crewmem.ids import DIGITS, ID_DIGITS, NAMED, is_slug, made_of, meant, new, shortest

ids = st.builds(
    "{}_{}".format,
    st.sampled_from("jm"),
    # Few digits, so that ids meet, and begin others.
    st.text("01", min_size=1, max_size=ID_DIGITS) | st.text("0", max_size=ID_DIGITS),
)


@given(st.binary(min_size=8, max_size=8))
def test_an_id_is_its_kind_and_twelve_digits(some):
    """An id is its kind, a line and twelve digits of base 32."""
    assert re.fullmatch(rf"m_[{DIGITS}]{{12}}", new("m", lambda _: some))


@given(st.integers(0, 2**60 - 1), st.integers(0, 59))
def test_every_bit_shows(number, bit):
    """Each of the 60 random bits of an id makes it another id."""
    other = number ^ 1 << bit
    assert new("j", lambda _: number.to_bytes(8)) != new(
        "j", lambda _: other.to_bytes(8)
    )


def test_randomness_is_asked_for_bytes():
    """As many bytes are asked for as twelve digits take; the system's will do."""
    assert new("m", lambda size: b"\xff" * size) == "m_zzzzzzzzzzzz"
    assert new("m", os.urandom) != new("m", os.urandom)


@given(st.binary(), st.binary())
def test_what_is_made_of_the_same_is_the_same(one, other):
    """An id that is made of a content is another one for another content."""
    assert (made_of("m", one) == made_of("m", other)) == (one == other)
    assert made_of("m", one).startswith("m_")


@given(st.sets(ids), st.sets(ids))
def test_what_is_listed_means_one_id(listed, others):
    """A listed prefix begins one id only, unless it is a whole id itself."""
    short = shortest(listed, among=others)
    assert set(short) == listed
    for each, prefix in short.items():
        assert each.startswith(prefix)
        meant = [other for other in listed | others if other.startswith(prefix)]
        assert meant == [each] or prefix == each


@given(st.sets(ids), st.sets(ids))
def test_what_is_listed_is_no_longer_than_it_has_to_be(listed, others):
    """A listed prefix is six digits, or one less would mean another id too."""
    for each, prefix in shortest(listed, among=others).items():
        less = prefix[:-1]
        meant = [other for other in listed | others if other.startswith(less)]
        assert len(prefix) <= len("m_") + 6 or len(meant) > 1 or prefix == each


@given(st.sets(ids, min_size=1))
def test_neighbours_are_enough_to_shorten_by(everything):
    """An id's neighbours in the store shorten it as the whole store does."""
    ordered = sorted(everything)
    for place, each in enumerate(ordered):
        near = ordered[max(place - 1, 0) : place + 2]
        assert shortest([each], among=near)[each] == shortest(everything)[each]


def test_a_short_id_is_six_digits():
    """Among few, six digits are shown."""
    assert shortest(["m_01jx7q4w9zkd", "m_01jx2a4w9zkd"]) == {
        "m_01jx7q4w9zkd": "m_01jx7q",
        "m_01jx2a4w9zkd": "m_01jx2a",
    }


@given(
    st.text()
    | st.text("az09-", max_size=66)
    | st.from_regex(r"[a-z0-9-]{63,65}", fullmatch=True)
)
def test_a_slug_is_what_its_pattern_says(text):
    """A slug is a letter or digit, then up to 63 of them and hyphens."""
    pattern = r"[a-z0-9][a-z0-9-]{0,63}"
    assert is_slug(text) == bool(re.fullmatch(pattern, text))


def test_the_longest_slug():
    """A slug has at most 64 characters."""
    assert is_slug("a" * 64)
    assert not is_slug("a" * 65)


@pytest.mark.parametrize("text", ["", "-a", "A", "a_b", "a b", "a/b", ".", "é", "a\n"])
def test_no_slug(text):
    """Nothing else is a slug."""
    assert not is_slug(text)


@given(st.sets(ids), ids | st.text("jm_01", max_size=8))
def test_a_name_means_an_id_or_says_why_not(every, name):
    """Itself, or the only one that it begins; else it is short, missing or several."""
    begun = [each for each in every if each.startswith(name)]

    class Missing(Exception):  # noqa: N818 - what a store would raise
        """There is none."""

    class Several(Exception):  # noqa: N818 - the same
        """There are several."""

    try:
        found = meant(name, begun, missing=Missing, several=Several)
    except PrefixTooShortError:
        assert len(name) < 6
    except Missing:
        assert not begun
    except Several as error:
        (some,) = error.args
        assert some == sorted(begun)[:NAMED]
        assert len(begun) > 1
    else:
        assert found == name or begun == [found]
