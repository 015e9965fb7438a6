"""The entries of a list."""

from __future__ import annotations

import pytest

from crewmem.files.entries import entries, is_yaml


def of(markdown, fences=()):
    """The entries, and what is between them, without blank lines around."""
    text = "\n" + markdown
    found = entries(text, 1, len(text), fences)
    return [text[begin:end].strip("\n") for begin, end in found]


@pytest.mark.parametrize(
    ("markdown", "expected"),
    [
        ("- a\n- b", ["- a", "- b"]),
        ("* a\n\n+ b\n1. c\n2) d", ["* a", "+ b", "1. c", "2) d"]),
        ("-\n-", ["-", "-"]),
        ("Why:\n- a", ["Why:", "- a"]),
        ("- a\n  - b\n    - c\n- d", ["- a\n  - b\n    - c", "- d"]),
        ("- a\nlazy\n\n  more\n- b", ["- a\nlazy\n\n  more", "- b"]),
        (
            "- a\n\nText\n\nmore\n\n  - b\n  - c",
            ["- a", "Text\n\nmore", "  - b", "  - c"],
        ),
        ("  - a\n- b\n  - c", ["  - a", "- b\n  - c"]),
        ("-a\n--\n-1", ["-a\n--\n-1"]),
        ("Text\n\nmore", ["Text\n\nmore"]),
    ],
)
def test_an_entry_is_an_item_with_all_below_it(markdown, expected):
    """Nested items, indented text and lazy lines belong to the entry above."""
    assert of(markdown) == expected


def test_code_begins_no_entry():
    """A dash in a fenced block is code."""
    code = "```\n- x\n```"
    assert of(f"- a\n{code}\n- b", [(5, 5 + len(code))]) == [f"- a\n{code}", "- b"]


def test_an_entry_may_begin_with_code():
    """A fence on the line of an item is the entry's own."""
    assert of("- a\n- ```\n  x\n  ```", [(5, 19)]) == ["- a", "- ```\n  x\n  ```"]


@pytest.mark.parametrize(
    ("markdown", "expected"),
    [
        ("entries:\n- a", True),
        ("# Lessons\n\nentries:  \n  - id: a", True),
        ("entries: none\n- a", False),
        ("- entries:\n  - a", False),
        ("entries:\n\nText", False),
    ],
)
def test_yaml_is_told_by_its_list(markdown, expected):
    """A list named entries at the top is YAML."""
    assert is_yaml("\n" + markdown, 0) is expected
