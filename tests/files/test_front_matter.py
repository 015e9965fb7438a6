"""Front matter, and what only looks like it."""

from __future__ import annotations

import pytest

from crewmem.files.front_matter import front_matter_end, values


@pytest.mark.parametrize(
    ("matter", "rest"),
    [
        ("---\ntitle: x\n---", "\ntext"),
        ("---\ntitle: x\n---", ""),
        ("---  \ntitle: x\n...\t", "\n---\n"),
        ("---\n# why\n\ntitle: x\n---", "\n# A"),
        ('---\n"a b": c\n---', ""),
        ("---\n---", "\ntext"),
    ],
)
def test_front_matter_ends_with_its_last_line(matter, rest):
    """Dashes on the first line open it; dashes or dots close it."""
    assert front_matter_end(f"\n{matter}{rest}") == len(matter) + 1


@pytest.mark.parametrize(
    "markdown",
    [
        "",
        "---",
        "---\n",
        "---\ntitle: x\n",
        "---\n\ntext\n\n---\n",
        "---\nJust text.\n---\n",
        "----\ntitle: x\n---\n",
        " ---\ntitle: x\n---\n",
        "text\n---\ntitle: x\n---\n",
        "---\ntitle: x\n --- \n",
    ],
)
def test_a_rule_is_not_front_matter(markdown):
    """A rule across the page opens nothing, nor do fields that nobody closed."""
    assert front_matter_end("\n" + markdown) == 0


def test_values_are_told_without_their_names():
    """Names, marks, comments and dashes go; a line without a name is told whole."""
    fields = """---
title: "Deploy: keys"   # why
created-at: 2026-01-02
"last seen": now
tags:
  - ops
  - name: key:ring
text: |
  Never on Friday
  https://ops
# a comment
---"""
    assert values(fields) == (
        '"Deploy: keys" # why 2026-01-02 now - ops key:ring | Never on Friday https://ops'
    )
