"""Fences of code in what is shown of a file."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from crewmem.prompt.cut import cut, whole
from crewmem.prompt.fences import MOST, open_fence, room_of_fences
from crewmem.prompt.room import Room, size
from crewmem.prompt.section import section

LINES = st.lists(
    st.sampled_from(
        ["```", "```sh", "~~~", "````", " ~~~~ x", "a `code` b", "words " * 12]
    ),
    min_size=1,
    max_size=30,
)


@pytest.mark.parametrize(
    ("text", "fence"),
    [
        ("a\nb", ""),
        ("```\na", "```"),
        ("```sh\na\n```", ""),
        ("````\n```\na", "````"),
        ("~~~\n```\na", "~~~"),
        ("```\n```sh", "```"),
        ("```a`b", ""),
        ("  ```\n\t```` ", ""),
        ("`" * (MOST + 1), ""),
    ],
)
def test_fences_are_read_as_markdown_has_them(text, fence):
    """A fence ends with one of its sign, as long or longer, and nothing behind it."""
    assert open_fence(text.split("\n")) == fence


@given(LINES, st.integers(0, 900), st.booleans(), st.integers(0, 30))
def test_code_that_is_cut_is_closed(lines, most, keeps_end, start):
    """Whatever is shown of a file, what follows is not in its code, nor is the start.

    A line of it that was in code is in code still.
    """
    text = "\n".join(lines)
    start = min(start, len(lines) - 1)
    made = section("A.md", text, read="crewmem", keeps_end=keeps_end)._replace(
        start=start
    )
    for piece in (whole(made), cut(made, Room(chars=most))):
        if piece is None:
            continue
        shown = piece.text.split("\n")
        assert open_fence(shown) == ""
        if "truncated" in piece.text:
            assert size(piece.text).chars <= most
            inside = {open_fence(lines[:at]) for at in range(len(lines) + 1)}
            assert all(open_fence(shown[:at]) in inside for at in range(len(shown)))


@given(LINES)
def test_room_is_kept_for_fences(lines):
    """Closing takes no more than was thought."""
    text = "\n".join(lines)
    assert 2 * (len(open_fence(lines)) + 1) <= max(len(room_of_fences(text)), 2)
