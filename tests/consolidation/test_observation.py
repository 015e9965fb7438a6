"""What a note observes."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from crewmem.consolidation.observation import bare, lessons, observations, too_long

NOTE = """\
---
mood: good
---
# Monday 11 May

- 09:12 — The staging database listens on port 5433
* **10:00** relay-2 drops its connection at night
  until the pump is restarted
1. [11:15] Deploys take eleven minutes

## Machines

A line without a mark, all the same
<!-- a remark
- 12:00 — that nobody reads
-->
```sh
- echo this is no observation
```
- ```
  neither is this one here
  ```
> quoted from somebody else
| a | table |
- [ ] a task that is carried over
***
### Deeper
2026-05-11T14:00:05Z: the key was rotated by hand
- short
"""


def test_lines_are_observations_without_mark_and_stamp():
    """Items and lines are observations; code, quotes, tables and tasks are none."""
    found = [*observations(NOTE)]

    assert found == [
        (6, 6, "", "The staging database listens on port 5433"),
        (7, 8, "", "relay-2 drops its connection at night until the pump is restarted"),
        (9, 9, "", "Deploys take eleven minutes"),
        (13, 13, "Machines", "A line without a mark, all the same"),
        (28, 28, "Deeper", "the key was rotated by hand"),
    ]


@pytest.mark.parametrize(
    "stamp",
    [
        "- 09:12 — ",
        "- 9:12 - ",
        "* [09:12] ",
        "- (09:12:33) ",
        "- **09:12** ",
        "- `09:12` \u2013 ",
        "09:12 ",
        "- 2026-05-11 09:12 — ",
        "- 2026-05-11T09:12:00.000Z — ",
        "- 09:12 UTC: ",
        "- 9:12 pm | ",
        "3. 09:12 — ",
    ],
)
def test_stamps_are_no_part_of_what_is_said(stamp):
    """When something was noted does not tell it from the same of another time."""
    assert (
        bare(f"{stamp}the crane stops at wind nine") == "the crane stops at wind nine"
    )


@pytest.mark.parametrize(
    "line", ["12 cranes stand at the pier", "3.14 is no time of day", "09:1 is no time"]
)
def test_numbers_that_are_no_stamps_stay(line):
    """A number at the beginning of a sentence is part of it."""
    assert bare(f"- {line}") == line


def test_a_note_of_one_long_line_says_nothing():
    """What is longer than anybody writes twice is counted, and not compared."""
    text = "word " * 20_000

    assert [*observations(text)] == []
    assert too_long(text) == 1


@given(st.text(st.sampled_from("-*#`~ \t\n<>|[]x1:0—a!"), max_size=200))
def test_any_note_is_read_in_order(text):
    """Whatever a note holds, what it observes stands in its lines, in order."""
    lines, last = text.split("\n"), 0
    for first, end, _, said in observations(text):
        assert last < first <= end <= len(lines)
        whole = " ".join(" ".join(lines[first - 1 : end]).split())
        assert " ".join(said.split()) in whole
        last = end


def test_lessons_are_read_as_markdown_and_as_yaml():
    """A lesson is what was learned, with its day, whichever way the list is kept."""
    text = """\
# Lessons
- [negative] 2026-03-12 — I named a cause before opening one request
- [positive] Writing it down made it shorter
- a remark
entries:
  - {id: "l_1", kind: "neutral", captured_at: "2026-04-01T00:00:00Z", rule: "ask first"}
  - id: l_2
    captured_at: 2026-04-02T10:00:00Z
    rule: count it yourself
"""
    assert [*lessons(text)] == [
        (2, "2026-03-12", "I named a cause before opening one request"),
        (3, "", "Writing it down made it shorter"),
        (6, "2026-04-01", "ask first"),
        (9, "2026-04-02", "count it yourself"),
    ]
