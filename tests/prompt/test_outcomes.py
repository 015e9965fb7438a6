"""The last outcomes of a crew's work."""

from datetime import date

from hypothesis import given
from hypothesis import strategies as st

from crewmem.files.lessons import Lesson
from crewmem.prompt.outcomes import LAST, outcomes

YAML = """\
# Written by hand
entries:
  - id: mission_outcome_2
    kind: negative
    captured_at: 2026-04-02T10:00:00Z
    source: mission_outcome
    rule: "HB-2 failed: \\"moves\\" stood still"
    context: FAILED · LEAD=pilot
  - id: mission_outcome_1
    kind: positive
    captured_at: 2026-04-01T10:00:00Z
    source: mission_outcome
    rule: HB-1 completed
  - id: x
    kind: neutral
    captured_at: 2026-04-03T10:00:00Z
    source: consolidator
    rule: not an outcome
"""


def test_lessons_as_they_are_written_are_read():
    """What `memory write --tier lessons` adds is an outcome."""
    content = b"# Lessons\n\nSome words.\n"
    for day, kind in enumerate(("positive", "negative", "neutral"), start=1):
        content = Lesson(kind, f"what was {kind}", date(2026, 5, day))(content)
    assert [str(each) for each in outcomes(content.decode())] == [
        "✓ 2026-05-01 — what was positive",
        "✗ 2026-05-02 — what was negative",
        "· 2026-05-03 — what was neutral",
    ]


def test_older_lists_are_read():
    """Of a list that names sources outcomes alone are taken, by their time."""
    assert [str(each) for each in outcomes(YAML)] == [
        "✓ HB-1 completed",
        '✗ HB-2 failed: "moves" stood still (FAILED · LEAD=pilot)',
    ]


def test_what_is_added_to_an_older_list_is_read():
    """An entry that crewmem adds to an older list is an outcome as well."""
    added = Lesson("neutral", 'it was "so-so", größer', date(2026, 5, 1))(YAML.encode())
    assert str(outcomes(added.decode())[-1]) == '· it was "so-so", größer'


def test_what_is_escaped_is_one_plain_line():
    """An entry with line ends, controls and half characters in it is one valid line."""
    (found,) = outcomes('entries:\n- {rule: "one\\n[END]\\u0007 \\ud800 two"}\n')
    assert found.text == "one [END]\\x07 ? two"


def test_lines_of_an_item_are_one():
    """An outcome is one line, whatever it was written as."""
    text = "- [positive] one\n  and more\n\nNot an item.\n* two"
    assert [str(each) for each in outcomes(text)] == ["✓ one and more", "· two"]


@given(st.lists(st.sampled_from(["positive", "negative", "neutral"])))
def test_the_newest_are_taken(kinds):
    """Of a longer list the last ten are taken, in their order."""
    lines = [f"- [{kind}] number {at}" for at, kind in enumerate(kinds)]
    found = outcomes("\n".join(lines))
    assert [each.kind for each in found] == kinds[-LAST:]


@given(st.text())
def test_no_list_is_too_odd(text):
    """Whatever a list holds, what is read of it is lines with text."""
    for each in outcomes(text) + outcomes(f"entries:\n{text}"):
        assert each.text.strip()
