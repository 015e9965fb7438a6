"""What is shown of a memory file whose text is poison, or holds a secret."""

import re
from datetime import UTC, datetime
from pathlib import Path

from hypothesis import given
from hypothesis import strategies as st

from crewmem.files.read import Document
from crewmem.files.shield import shielded
from crewmem.scope import Scope
from crewmem.threats.rule import Finding

WORD = re.compile("POI\n?SON|SEC\n?RET|odd")


def scan(text):
    """Find poison, secrets and what is only odd, also over the end of a line."""
    kinds = {"P": ("injection", "high"), "S": ("secret", "high"), "o": ("x", "medium")}
    return [
        Finding(kinds[each[0][0]][0], each[0][0], kinds[each[0][0]][1], *each.span())
        for each in WORD.finditer(text)
    ]


def document(text, first=1):
    return Document(
        ref="agent:harbor/mira/AGENT.md",
        scope=Scope.AGENT,
        owner="harbor/mira",
        path=Path("AGENT.md"),
        file="AGENT.md",
        tier="agent",
        bytes=len(text),
        updated_at=datetime(2026, 5, 1, tzinfo=UTC),
        first_line=first,
        text=text,
    )


def test_clean_text_is_shown_as_it_is():
    """What is clean, or only odd, is the same document."""
    clean = document("one\nodd\n")
    assert shielded(clean, clean.text, scan) is clean


def test_poison_takes_all_of_the_text_and_secrets_only_themselves():
    """Of poison the notice is left; of a secret the text around it."""
    text = "one\nSECRET\nthree\n"
    shown = shielded(document(text), text, scan)
    assert (shown.text, shown.withheld) == ("one\n[REDACTED:S]\nthree\n", ("S",))
    text = f"{text}POISON\n"
    shown = shielded(document(text), text, scan)
    assert shown.text.startswith("[BLOCKED: possible prompt injection in agent:harbor")
    assert shown.withheld == ("P",)


LINES = st.lists(
    st.sampled_from(["one", "POISON", "SECRET", "POI", "SON", "SEC", "RET", "odd", ""]),
    min_size=1,
    max_size=8,
)


@given(LINES, st.data())
def test_no_lines_show_what_the_whole_does_not(lines, data):
    """Whichever lines are asked for, nothing is shown of poison that reaches there."""
    first = data.draw(st.integers(1, len(lines)))
    last = data.draw(st.integers(first, len(lines)))
    whole = "".join(f"{line}\n" for line in lines)
    part = "".join(f"{line}\n" for line in lines[first - 1 : last])
    start = sum(len(line) + 1 for line in lines[: first - 1])
    inside = [
        each
        for each in scan(whole)
        if each.severity == "high"
        and each.start < start + len(part)
        and each.end > start
    ]
    shown = shielded(document(part, first), whole, scan)
    if any(each.category == "injection" for each in inside):
        assert shown.text.startswith("[BLOCKED: ")
        assert shown.text.count("\n") == 1
    elif inside:
        assert shown.text.count("[REDACTED:S]") == len(inside)
    else:
        assert shown.text == part
