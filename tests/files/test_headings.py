"""Headings as CommonMark finds them, and the breadcrumbs made of them."""

from __future__ import annotations

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st
from markdown_it import MarkdownIt

from crewmem.files.headings import HEADING_CHARS, clipped, headings, trail

COMMONMARK = MarkdownIt("commonmark")

# Without what differs on purpose: headings in list items and HTML are headings here,
# and a row of equals signs that underlines nothing is not the text of one.
LINES = [
    "", "", "# A", "## B ##", "###### c", "####### no", "#no", "#", "##  ", "# a#",
    "# a \\#", "# tab\t#", "#\tx", "   # ind", "    # code", "\t# code", "Foo",
    "bar baz", "   Foo", "Foo\n===", "  Foo\n  =", "Foo\n-", "---", "----  ", " ---",
    "    ---", "***", "* * *", "- - -", "___", "> quote\n", "> quote\nFoo\n---",
    "> quote\nFoo\n===\n", "```", "```py", "~~~", "````", "~~~~ ", "``` a`b",
    "~~~ `x", "``` no",
]  # fmt: skip


def of(markdown):
    """Line, level and title of each heading."""
    text = "\n" + markdown
    return [
        (text.count("\n", 0, start), level, " ".join(title.split()))
        for start, _, level, title in headings(text, 0, [])
    ]


def of_commonmark(markdown):
    """The same as a parser of CommonMark sees it."""
    tokens = COMMONMARK.parse(markdown)
    return [
        (token.map[0] + 1, int(token.tag[1]), " ".join(tokens[n + 1].content.split()))
        for n, token in enumerate(tokens)
        if token.type == "heading_open" and token.level == 0
    ]


@settings(max_examples=250, deadline=None)
@given(lines=st.lists(st.sampled_from(LINES), max_size=8))
@example(lines=["* * *", "  Foo\n  ="])
def test_headings_are_those_of_commonmark(lines):
    """What is a heading to a markdown parser is one here, and nothing else."""
    markdown = "\n".join(lines)
    assert of(markdown) == of_commonmark(markdown)


@pytest.mark.parametrize(
    "markdown",
    [
        "- item\n---",
        "- item\n  goes on\n---",
        "- item\n\n  goes on\n---",
        "| a | b |\n---",
        "| a | b |\n|---|---|\n| c | d |\n---",
        "<details>\n---",
        "---\n\n---",
        "---",
    ],
)
def test_a_rule_is_not_an_underline(markdown):
    """Dashes below an item, a table, markup or nothing make no heading."""
    assert of(markdown) == []


@pytest.mark.parametrize(
    "markdown",
    [
        "- ```\n  # no\n  ```\n# Yes",
        "1. Do:\n\n   ```sh\n   # no\n# no\n   ```\n# Yes",
        "- * ~~~\n# Yes",
        "- item\n      ```\n      # no\n# Yes",
        "- ```\n# Yes",
        "```\n# no\n`````\n# Yes",
        "````\n```\n# no\n````\n# Yes",
        "```\n- ```\n# no\n```\n# Yes",
        "```\n```sh\n# no\n```\n# Yes",
        "```\n    ```\n# no\n```\n# Yes",
        "```sh `x`\n# Yes",
    ],
)
def test_a_fence_hides_headings_until_it_or_its_item_ends(markdown):
    """Comments in code are no headings, in a list either; what follows is."""
    assert [title for _, _, title in of(markdown)] == ["Yes"]


def test_an_open_fence_runs_to_the_end():
    """A fence that nobody closed hides all that follows."""
    fences = []
    text = "\n# A\n~~~\n# no\n```\n# no"
    assert [title for *_, title in headings(text, 0, fences)] == ["A"]
    assert fences == [(text.index("~~~"), len(text))]


def test_a_heading_closes_those_of_its_level_and_deeper():
    """The way to a heading leads over the last heading of every lesser level."""
    levels = [(2, "b"), (4, "d"), (3, "c"), (3, ""), (4, "e"), (1, "a"), (6, "f")]
    found = trail([(0, 0, level, title) for level, title in levels])
    assert [crumb for *_, crumb in found] == [
        "b", "b > d", "b > c", "b", "b > e", "a", "a > f",
    ]  # fmt: skip


@settings(max_examples=50, deadline=None)
@given(st.text(alphabet="ab e\u0301", min_size=100, max_size=140))
def test_a_long_heading_is_clipped(title):
    """A breadcrumb stays short, and says where it does not tell all."""
    if len(title) <= HEADING_CHARS:
        assert clipped(title) == title
    else:
        assert len(clipped(title)) <= HEADING_CHARS
        assert title.startswith(clipped(title)[:-1])
        assert clipped(title)[-1] == "…"
