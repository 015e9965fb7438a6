"""What becomes of a file's bytes."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from crewmem.errors.files import NotTextError
from crewmem.files.change import (
    appended,
    exact,
    holds,
    joined,
    noted,
    replaced,
    whole_items,
)

law = settings(deadline=None)

LINES = st.lists(
    st.text(
        st.characters(
            codec="utf-8",
            blacklist_characters="\0\r\n\x0b\x0c\x1c\x1d\x1e\x85\u2028\u2029",
        ),
        min_size=1,
    ),
    min_size=1,
).map("\n".join)


@pytest.mark.parametrize(
    ("before", "text", "after"),
    [
        (b"", "a", b"a\n"),
        (b"", "a\n\n", b"a\n"),
        (b"x", "a", b"x\na\n"),
        (b"x\n", "a", b"x\na\n"),
        (b"x\n\n\n", "\n\na", b"x\na\n"),
        (b"x\r\n", "a\nb", b"x\r\na\r\nb\r\n"),
        (b"x\r\ny\n", "a", b"x\r\ny\na\n"),
        (b"x\ry", "a", b"x\ry\ra\r"),
        (b"", "a\r\nb", b"a\r\nb\r\n"),
        (b"\xef\xbb\xbf", "a", b"\xef\xbb\xbfa\n"),
        (b"caf\xe9\n", "é", b"caf\xe9\n\xc3\xa9\n"),
        (b"\n\n", "a", b"a\n"),
        (b"  x  \n", "  a  ", b"  x  \n  a  \n"),
    ],
)
def test_what_is_appended_stands_in_lines_of_its_own(before, text, after):
    """Exactly one line's end is between it and what was there, of the file's kind."""
    assert appended(text)(before) == after


@law
@given(st.binary(), LINES)
def test_nothing_that_was_there_is_lost(before, text):
    """Every byte but the ends of the last lines stays, whatever the encoding."""
    try:
        after = appended(text)(before)
    except NotTextError:
        assert b"\0" in before or before[:2] in {b"\xff\xfe", b"\xfe\xff"}
        return
    assert after.startswith(before.rstrip(b"\r\n"))
    assert after.endswith((b"\n", b"\r"))


@law
@given(st.lists(LINES.filter(lambda text: text.strip("\n").strip()), max_size=5))
def test_additions_follow_each_other(texts):
    """Whatever is added in turn is there, whole and in order."""
    content = b""
    for text in texts:
        content = appended(text)(content)
    place = 0
    for text in texts:
        last = text.strip("\n").splitlines()[-1].encode()
        assert (place := content.find(last, place)) >= 0
    assert b"\n\n\n" not in content or any("\n\n\n" in text for text in texts)


def test_a_text_of_two_bytes_a_character_is_not_added_to():
    """UTF-8 behind UTF-16 would damage both."""
    for before in ("x".encode("utf-16"), b"a\0b\n"):
        with pytest.raises(NotTextError):
            appended("a")(before)
        assert replaced("a")(before) == b"a\n"


@pytest.mark.parametrize(
    ("before", "text", "after"),
    [
        (b"", "a", b"a\n"),
        (b"x\r\ny\r\n", "a\nb", b"a\r\nb\r\n"),
        (b"x\ny\n", "a\r\nb\r\n", b"a\nb\n"),
        (b"", "a\r\nb", b"a\r\nb\r\n"),
        (b"x", "a\n\n", b"a\n"),
        (b"x", "", b""),
    ],
)
def test_what_is_replaced_keeps_its_line_ends(before, text, after):
    """A file of Windows stays one."""
    assert replaced(text)(before) == after


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("a\nb", "a\nb"),
        ("- a\nb", "- a\n  b"),
        ("1. a\nb\n\nc", "1. a\n   b\n\nc"),
        ("- a\n  b\n- c\nd", "- a\n  b\n- c\n  d"),
        ("- a\n# b\nc", "- a\n# b\nc"),
        ("- a\n```\n\nx\n```\nb", "- a\n  ```\n\n  x\n  ```\n  b"),
        ("```\n- a\nb\n```\nc", "```\n- a\nb\n```\nc"),
        ("- a\n\tb", "- a\n\tb"),
    ],
)
def test_an_item_keeps_its_lines(text, expected):
    """What follows it without a blank line is indented below it."""
    assert whole_items(text) == expected
    assert whole_items(expected) == expected


@pytest.mark.parametrize(
    ("text", "line"),
    [
        ("a", "- 09:30 — a\n"),
        ("- a", "- 09:30 — a\n"),
        ("a\n\nb\n```\nc\n```", "- 09:30 — a\n\n  b\n  ```\n  c\n  ```\n"),
        ("\n a\n- b\n  - c", "- 09:30 — a\n  - b\n    - c\n"),
    ],
)
def test_a_note_is_one_item(text, line):
    """However many lines it has."""
    assert noted(text, "09:30")(b"") == line.encode()
    assert noted(text, "09:30")(b"x\n") == b"x\n" + line.encode()


@law
@given(LINES, LINES, st.sampled_from(["\n", "\r\n"]))
def test_what_was_added_is_held(before, text, ending):
    """However lines end; and what is a part of a line is not."""
    content = f"{before}\n".replace("\n", ending).encode()
    assert holds(joined(content, text), text.encode())
    assert not holds(b"a longer line\r\n", b"longer\n")
    assert holds(content, b"\n")


def test_exact_is_exact():
    """Byte for byte."""
    assert exact(b"\r\n\0")(b"x") == b"\r\n\0"
