"""Long texts in pieces: nothing is lost, nothing is too long, neighbours overlap."""

import string
from itertools import pairwise

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from crewmem.backends.embed.pieces import cut, estimate, pieces, spoken

law = settings(max_examples=60, deadline=None)

texts = st.text(st.sampled_from("ab é中한\U0001f680\n"), max_size=400)


def test_the_published_example():
    """26 letters in pieces of 10 that share 2 are a to j, i to r and q to z."""
    letters = string.ascii_lowercase
    found = [letters[start:end] for start, end in cut([1] * 26, 10, 2)]
    assert found == ["abcdefghij", "ijklmnopqr", "qrstuvwxyz"]


@pytest.mark.parametrize(("tokens", "count"), [(7_999, 1), (8_000, 10), (10_000, 13)])
def test_the_published_counts(tokens, count):
    """A text of 8,000 tokens is ten pieces of a thousand that overlap by a fifth."""
    assert len(pieces("word" * tokens)) == count
    assert len(pieces("中" * tokens)) == count


@pytest.mark.parametrize(
    ("text", "tokens"),
    [
        ("", 0),
        ("a", 1),
        ("four", 1),
        ("fives", 2),
        ("中文", 2),
        ("中a", 2),
        ("한국어", 3),
    ],
)
def test_tokens_are_estimated(text, tokens):
    """Four letters are a token, and each character of Chinese or Korean is one."""
    assert estimate(text) == tokens


@law
@given(texts)
def test_pieces_cover_the_text(text):
    """Pieces follow one another with an overlap, and together are the text."""
    found = pieces(text, read=20, piece=10)
    at, covered = 0, 0
    for piece in found:
        at = text.index(piece, at)
        assert at <= covered
        covered = max(covered, at + len(piece))
    assert covered == len(text)


@law
@given(texts)
def test_no_piece_is_too_long(text):
    """A piece is as long as was asked at most, unless the text was short enough."""
    found = pieces(text, read=20, piece=10)
    assert found == [text] or all(0 < estimate(piece) <= 10 for piece in found)
    assert (len(found) == 1) == (estimate(text) < 20)


@law
@given(
    st.lists(st.integers(1, 20), min_size=1, max_size=60),
    st.integers(1, 15),
    st.integers(0, 20),
)
def test_cutting_goes_on(weights, most, overlap):
    """Pieces end, none is empty or overlaps by more than was asked, all is in one."""
    found = list(cut(weights, most, overlap))
    assert found[0][0] == 0
    assert found[-1][1] == len(weights)
    assert all(
        sum(weights[start:end]) <= most or end == start + 1 for start, end in found
    )
    for (first, end), (start, later) in pairwise(found):
        assert first < start <= end < later
        assert sum(weights[start:end]) <= overlap


def test_half_a_pair_can_be_said():
    """Half of a surrogate pair, which no encoding has, becomes a replacement mark."""
    assert spoken("a\ud800b") == "a�b"
    assert spoken("\ud83d\ude80") == "🚀"
    assert spoken("plain é") == "plain é"
