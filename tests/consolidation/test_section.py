"""The part of a memory file that crewmem owns."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from crewmem.consolidation.section import LEARNED, PINNED, added, section, without
from crewmem.errors.consolidation import SectionDamagedError
from crewmem.files.sections import OWN

OPENING, CLOSING = LEARNED.marks

ENDS = st.sampled_from([b"\n", b"\r\n", b"\r"])

WORDS = st.sampled_from(
    [
        b"",
        b"# A",
        b"- a line (seen 2026-04-01; j_000000000001)",
        b"```",
        b"<!-- a comment",
        b"<!-- crewmem:other -->",
        b"\xef\xbb\xbf# bom",
        b"\xff\xfe not utf-8"[2:],
        b"  indented  ",
        "Ternøy".encode(),
        b"\xc3\x28",
    ]
)


@st.composite
def files(draw):
    """Draw a file that a person wrote, of any line ends, whole or not."""
    said = draw(st.lists(st.tuples(WORDS, ENDS), max_size=8))
    content = b"".join(line + end for line, end in said)
    return content + draw(WORDS)


def line(number):
    return f"- thing {number} (seen 2026-04-01; j_{number:012})"


@settings(max_examples=150, deadline=None)
@given(content=files(), numbers=st.lists(st.integers(1, 5), min_size=1, max_size=4))
def test_what_somebody_wrote_stays_byte_for_byte(content, numbers):
    """A section is put below all there is; what was there is not changed by a byte."""
    after = added(content, LEARNED, [line(each) for each in numbers])
    assert after.startswith(content)
    cut = section(after, LEARNED)
    assert cut.ids == {f"j_{each:012}" for each in numbers}
    assert cut.head + cut.body + cut.tail == after


@settings(max_examples=150, deadline=None)
@given(
    head=files(),
    inside=files(),
    tail=files(),
    end=ENDS,
    numbers=st.lists(st.integers(1, 5), max_size=4),
)
def test_only_lines_of_ours_come_and_go(head, inside, tail, end, numbers):
    """In a section that is there lines are added and taken out, and no other byte."""
    apart = b"" if not head or head.endswith((b"\n", b"\r")) else end
    close = b"" if not inside or inside.endswith((b"\n", b"\r")) else end
    parts = (head, apart, OPENING, end, inside, close, CLOSING, end, tail)
    content = b"".join(parts)
    before = section(content, LEARNED)
    new = [each for each in {*numbers} if f"j_{each:012}" not in before.ids]
    after = added(content, LEARNED, [line(each) for each in new])
    cut = section(after, LEARNED)
    assert (cut.head, cut.tail) == (before.head, before.tail)
    assert cut.body.startswith(before.body)
    gone = {f"j_{each:012}" for each in new}
    assert without(after, LEARNED, gone) == content


def test_what_is_there_is_not_added_again():
    """A line whose entry has one already is left out, whatever it says by now."""
    content = added(b"# A\n", LEARNED, [line(1)])
    assert added(content, LEARNED, [line(1)]) == content
    edited = content.replace(b"thing 1", b"a better word")
    assert added(edited, LEARNED, [line(1)]) == edited


def test_lines_end_as_they_do_in_the_file():
    """A file of Windows stays one."""
    content = added(b"# A\r\n\r\ntext\r\n", LEARNED, [line(1)])
    assert content.count(b"\n") == content.count(b"\r\n")
    again = added(content, LEARNED, [line(2)])
    assert again.count(b"\n") == again.count(b"\r\n")


def test_sections_do_not_meet():
    """The section of pins and that of what was learned are each their own."""
    content = added(b"# A\n", LEARNED, [line(1)])
    both = added(content, PINNED, [line(2)])
    assert section(both, LEARNED).ids == {"j_000000000001"}
    assert section(both, PINNED).ids == {"j_000000000002"}


MARK, END = OPENING.decode(), CLOSING.decode()


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        (f"{MARK}\nx\n", "line 1 is never closed"),
        (f"x\n{END}\n", "line 2 closes nothing"),
        (f"{END}\n{MARK}\n", "line 1 closes what line 2 opens"),
        (f"{MARK}\n{END}\n{MARK}\n{END}\n", "stands in lines 1, 3"),
        (f"{MARK}\n{END}\n{END}\n", "stands in lines 2, 3"),
        ("\0", "no text in UTF-8"),
        ("\ufeff\0", "no text"),
    ],
)
def test_a_damaged_section_is_left_alone(text, reason):
    """Where nobody can tell what is whose, nothing is changed, and it is said why."""
    content = text.encode()
    for change in (
        lambda: added(content, LEARNED, [line(1)]),
        lambda: without(content, LEARNED, {"j_000000000001"}),
        lambda: section(content, LEARNED),
    ):
        with pytest.raises(SectionDamagedError) as caught:
            change()
        assert reason in str(caught.value)


def test_text_in_utf_16_is_no_text():
    """Bytes are never added to what is in another encoding."""
    with pytest.raises(SectionDamagedError):
        added("# A".encode("utf-16"), LEARNED, [line(1)])


def test_a_search_does_not_show_marks():
    """What a search leaves out of its snippets are the marks of all sections."""
    marks = [mark.decode() for kind in (LEARNED, PINNED) for mark in kind.marks]
    assert [*OWN] == marks


def test_a_mark_may_stand_beside_blanks():
    """An editor that indents or trims does not damage a section."""
    content = f"  {MARK}  \n{line(1)}\n\t{END}\n".encode()
    assert section(content, LEARNED).ids == {"j_000000000001"}
