"""Where a passage that is too long is cut."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from crewmem.files.pieces import pieces


def cut(passage, limit, fences=()):
    """The pieces of a passage that begins a line."""
    text = "\n" + passage
    found = pieces(text, 1, len(text), limit, fences)
    return [text[begin:end].rstrip() for begin, end in found]


@pytest.mark.parametrize(
    ("passage", "limit", "expected"),
    [
        ("one two.\n\nthree\nfour", 16, ["one two.", "three\nfour"]),
        ("one two\n \t\nthree\nfour", 16, ["one two", "three\nfour"]),
        ("- one\n  two\n- three\n  four", 22, ["- one\n  two", "- three\n  four"]),
        ("1. one\n   two\n2. three", 16, ["1. one\n   two", "2. three"]),
        ("- One\n- two.\n  three\n  four", 22, ["- One", "- two.\n  three\n  four"]),
        ("One\ntwo.\nThree\nfour five", 16, ["One\ntwo.", "Three\nfour five"]),
        ("One\n(two!)\nThree\nfour", 16, ["One\n(two!)", "Three\nfour"]),
        ("one two\nthree four\nfive", 14, ["one two", "three four", "five"]),
        ("One two. Three four five", 16, ["One two.", "Three four five"]),
        ("One two.  Three four five", 16, ["One two.", "Three four five"]),
        ("一二三。四五、六七八九", 8, ["一二三。", "四五、六七八九"]),
        ("one two three four five", 16, ["one two three", "four five"]),
        ("one/two,three;four", 12, ["one/two,", "three;four"]),
        ("abcdefghijklmnop", 12, ["abcdefghijkl", "mnop"]),
        ("AB\n\n" + "d" * 12, 12, ["AB", "d" * 12]),
        ("AB\n\n" + "d" * 13, 12, ["AB\n\n" + "d" * 8, "d" * 5]),
        ("AB\n\n" + "d" * 12 + "\ne", 12, ["AB", "d" * 12, "e"]),
        ("a " + "d" * 14, 12, ["a " + "d" * 10, "dddd"]),
        ("one\ntwo\n\nthree", 7, ["one\ntwo", "three"]),
        ("- one\n- two\n- three", 11, ["- one\n- two", "- three"]),
        ("\n \n\none two", 7, ["one two"]),
        ("abc  \u0301de", 6, ["abc  \u0301", "de"]),
    ],
    ids=[
        "blank line",
        "blank line with spaces",
        "item",
        "numbered item",
        "item before sentence",
        "sentence that ends a line",
        "sentence in brackets that ends a line",
        "line",
        "sentence",
        "sentence before two spaces",
        "sentence without spaces",
        "word",
        "punctuation",
        "nothing",
        "a line that fits stays whole",
        "a line that does not fill what is before it",
        "a line that fits exactly stays whole",
        "a word that is too long",
        "a paragraph that fits exactly",
        "items that fit exactly",
        "blank lines before",
        "a space with an accent",
    ],
)
def test_a_passage_is_cut_where_it_hurts_least(passage, limit, expected):
    """Blank lines come before items and sentences, these before lines and words."""
    assert cut(passage, limit) == expected


def test_the_last_piece_of_a_line_is_not_a_crumb():
    """A line a little too long is not cut into nearly all and nearly nothing."""
    assert cut("ab " * 34, 100) == [("ab " * 25).rstrip(), ("ab " * 9).rstrip()]
    assert cut("x" * 101 + "\nab", 100) == ["x" * 76, "x" * 25 + "\nab"]


def test_a_cut_moves_out_of_a_fenced_block():
    """Blank lines in code are no places to cut."""
    code = "```\na\n\nb\n```"
    assert cut(f"one\n{code}\ntwo three\nfour", 16, [(5, 5 + len(code))]) == [
        f"one\n{code}",
        "two three\nfour",
    ]
    assert cut(f"one two\n{code}\nthree", 16, [(9, 9 + len(code))]) == [
        "one two",
        code,
        "three",
    ]


def test_a_fenced_block_that_is_too_long_is_cut_like_text():
    """Code over the limit is cut at blank lines and lines."""
    code = "```\naaaa\n\nbbbb\n```"
    assert cut(code, 12, [(1, 1 + len(code))]) == ["```\naaaa", "bbbb\n```"]


def test_indentation_is_kept_unless_it_is_a_quarter_of_a_piece():
    """The first line of a piece stands where it stood."""
    assert cut("  one\n\n   two\n\n    three", 12) == ["  one", "   two", "three"]


@settings(max_examples=100, deadline=None)
@given(
    sentences=st.lists(st.integers(1, 30).map(lambda n: "x" * n + "."), min_size=1),
    limit=st.integers(31, 120),
)
def test_no_piece_but_the_last_is_less_than_a_quarter_full(sentences, limit):
    """Text that can be cut anywhere is not cut into crumbs."""
    *filled, _ = cut(" ".join(sentences), limit)
    assert all(len(piece) >= limit // 4 for piece in filled)
