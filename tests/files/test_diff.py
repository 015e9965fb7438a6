"""Differences of texts, whatever is in them."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from crewmem.files.diff import KEPT, PUT, TAKEN, UNFINISHED, diff

lines = st.sampled_from([b"a", b"b", b"c", b"", b"- a", b"+ b", b"\xff", b"x\r", b"@@"])
texts = st.builds(
    lambda some, end: b"\n".join(some) + end,
    st.lists(lines, max_size=12),
    st.sampled_from([b"", b"\n"]),
)


def patched(a, hunks):
    """Return what *hunks* make of *a*, as ``patch`` does it."""
    left, made, at = a.splitlines(keepends=True) if b"\r" not in a else cut(a), [], 0
    for hunk in hunks:
        start = hunk.first_a - bool(hunk.lines_a)
        made += left[at:start]
        assert len(made) == hunk.first_b - bool(hunk.lines_b)
        before, after = side(hunk, TAKEN), side(hunk, PUT)
        assert before == left[start : start + hunk.lines_a]
        assert len(after) == hunk.lines_b
        made += after
        at = start + hunk.lines_a
    return b"".join(made + left[at:])


def cut(text):
    return [line + b"\n" for line in text.split(b"\n")[:-1]] + (
        [text.split(b"\n")[-1]] if not text.endswith(b"\n") and text else []
    )


def side(hunk, sign):
    """Return the lines of one side of a hunk, as bytes."""
    found = []
    for line, behind in zip(hunk.lines, [*hunk.lines[1:], ""], strict=True):
        if line[0] in {KEPT, sign}:
            end = b"" if behind == UNFINISHED else b"\n"
            found.append(line[1:].encode().replace(rb"\xff", b"\xff") + end)
    return found


@settings(max_examples=300, deadline=None)
@given(a=texts, b=texts, context=st.integers(0, 4))
def test_a_difference_makes_the_one_text_of_the_other(a, b, context):
    """Byte for byte, and back again; there is none between equals."""
    assert patched(a, diff(a, b, context=context)) == b
    assert bool(diff(a, b)) == (a != b)


@settings(max_examples=100, deadline=None)
@given(a=st.lists(lines, max_size=8), b=st.lists(lines, max_size=8))
def test_no_script_is_shorter(a, b):
    """As many lines are taken out and put in as have to be, and no more."""
    one, other = (b"".join(each + b"\n" for each in some) for some in (a, b))
    signs = [line[0] for hunk in diff(one, other) for line in hunk.lines]
    longest = [[0] * (len(b) + 1) for _ in range(len(a) + 1)]
    for x in range(len(a)):
        for y in range(len(b)):
            both = longest[x][y] + 1 if a[x] == b[y] else 0
            longest[x + 1][y + 1] = max(both, longest[x][y + 1], longest[x + 1][y])
    needed = len(a) + len(b) - 2 * longest[-1][-1]
    assert signs.count(PUT) + signs.count(TAKEN) == needed


def test_a_difference_reads_as_everywhere():
    """Hunks have three lines around them, and a header that says where they are."""
    a = b"".join(b"%d\n" % number for number in range(1, 31))
    b = a.replace(b"5\n", b"five\n", 1).replace(b"30\n", b"30")
    first, second = diff(a, b)
    assert first.header == "@@ -2,7 +2,7 @@"
    assert first.lines == (" 2", " 3", " 4", "-5", "+five", " 6", " 7", " 8")
    assert second.header == "@@ -27,4 +27,4 @@"
    assert second.lines == (" 27", " 28", " 29", "-30", "+30", UNFINISHED)


@pytest.mark.parametrize(
    ("a", "b", "header"),
    [
        (b"", b"a\nb\n", "@@ -0,0 +1,2 @@"),
        (b"a\n", b"", "@@ -1 +0,0 @@"),
        (b"a\n", b"b\n", "@@ -1 +1 @@"),
    ],
)
def test_where_one_side_has_no_lines_it_is_said_behind_which(a, b, header):
    """As a unified diff has it."""
    (hunk,) = diff(a, b)
    assert hunk.header == header


def test_texts_that_have_nothing_in_common_are_told_as_one_change():
    """No matter how long they are: the search for what they share has an end."""
    a = b"".join(b"a %d\n" % number for number in range(20_000))
    b = b"".join(b"b %d\n" % number for number in range(20_000))
    (hunk,) = diff(b"head\n" + a + b"tail\n", b"head\n" + b + b"tail\n")
    assert (hunk.lines_a, hunk.lines_b) == (20_002, 20_002)
    assert patched(b"head\n" + a + b"tail\n", [hunk]) == b"head\n" + b + b"tail\n"


def test_few_changes_of_a_long_text_are_found_alone():
    """However far apart they are."""
    a = [b"%d\n" % number for number in range(50_000)]
    b = [*a]
    for at in range(100, 50_000, 1_000):
        b[at] = b"new\n"
    assert len(diff(b"".join(a), b"".join(b))) == 50
