import datetime as dt
import time

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from crewmem.text.markdown import (
    heading_title,
    parse_blocks,
    passages,
    split_front_matter,
)


def outline(text):
    return [(block.kind, block.first_line, block.last_line) for block in parse_blocks(text)]


def test_blocks_have_exact_line_numbers():
    text = (
        "# One\n\nfirst line\nsecond line\n\n- a\n  goes on\n  - nested\n1. x\n2. y\n\n"
        "```sh\n# no heading\n\nrm x\n```\n> quoted\nlazily\n\n| a | b |\n|---|---|\n| 1 | 2 |\n"
        "\n***\nend"
    )
    assert outline(text) == [
        ("heading", 1, 1),
        ("paragraph", 3, 4),
        ("list_item", 6, 7),
        ("list_item", 8, 8),
        ("list_item", 9, 9),
        ("list_item", 10, 10),
        ("code", 12, 16),
        ("quote", 17, 18),
        ("table", 20, 22),
        ("rule", 24, 24),
        ("paragraph", 25, 25),
    ]
    assert [block.level for block in parse_blocks(text) if block.kind == "list_item"] == [
        1,
        2,
        1,
        1,
    ]


def test_headings_nest_and_ignore_code():
    text = (
        "Title\n=====\n\n## Deploys ##\nx\n\n### Keys\ny\n\n~~~\n# code\n~~~\n\nRun\n---\nz\n#tag\n"
    )
    blocks = parse_blocks(text)
    assert [(block.level, block.heading) for block in blocks if block.kind == "heading"] == [
        (1, ("Title",)),
        (2, ("Title", "Deploys")),
        (3, ("Title", "Deploys", "Keys")),
        (2, ("Title", "Run")),
    ]
    assert blocks[-1].text == "z\n#tag"
    assert blocks[-1].heading == ("Title", "Run")


def test_long_paragraph_above_dashes_is_not_a_heading():
    assert outline("a\nb\nc\nd\n---\ne")[0] == ("paragraph", 1, 4)


@pytest.mark.parametrize(
    ("line", "title"),
    [
        ("# C#", "C#"),
        ("## a ## ", "a"),
        ("#", ""),
        ("### ###", ""),
        ("Two\nlines\n---", "Two lines"),
    ],
)
def test_heading_title(line, title):
    assert heading_title(line) == title


def test_comment_is_a_block_with_its_blank_lines():
    text = "note\n<!-- one\n\n# two -->\nafter"
    assert outline(text) == [("paragraph", 1, 1), ("html", 2, 4), ("paragraph", 5, 5)]
    assert outline("<!-- open\n\n# A")[-1] == ("heading", 3, 3)


def test_unclosed_fence_runs_to_the_end():
    assert outline("```\na\n\n# b\n") == [("code", 1, 4)]


def test_fence_in_list_item_is_code():
    assert outline("- a\n\n    ```\n    # x\n    ```\n- b") == [
        ("list_item", 1, 1),
        ("code", 3, 5),
        ("list_item", 6, 6),
    ]


def test_crlf_gives_the_same_blocks():
    text = "---\na: 1\n---\n# T\n\ntext\nmore\n\n- i\n\n```\ncode\n```\n\nS\n===\n"
    ends = [block.text.replace("\r\n", "\n") for block in parse_blocks(text.replace("\n", "\r\n"))]
    assert ends == [block.text for block in parse_blocks(text)]
    assert outline(text.replace("\n", "\r\n")) == outline(text)
    assert parse_blocks(text.replace("\n", "\r\n"))[1].heading == ("T",)


def test_front_matter_is_read():
    text = "---\ntags: [a, b]\ndate: 2026-05-01\n---\nbody"
    assert split_front_matter(text) == ({"tags": ["a", "b"], "date": dt.date(2026, 5, 1)}, 5)
    assert outline(text) == [("front_matter", 1, 4), ("paragraph", 5, 5)]
    assert split_front_matter("no\n---\n") == ({}, 1)


def test_star_in_front_matter_is_text():
    assert split_front_matter("---\na: 2 * 3\nb: '*x'\n---\n") == ({"a": "2 * 3", "b": "*x"}, 5)


@pytest.mark.parametrize(
    "yaml",
    ["a: [", "a: {{now}}", "b: *x", "a: &x 1\nb: *x", "a: " + "[" * 5000 + "]" * 5000],
    ids=["unclosed", "template", "no anchor", "alias", "deep"],
)
def test_body_after_bad_front_matter_is_read(yaml):
    text = f"---\n{yaml}\n---\n# Body\n"
    fields, first_line = split_front_matter(text)
    assert "b" not in fields
    assert first_line == yaml.count("\n") + 4
    assert parse_blocks(text)[-1].heading == ("Body",)


def test_bad_field_of_front_matter_costs_only_itself():
    text = (
        "---\ntitle: Deploys: how we do it\ntags:\n- a\n- b\ndate: 2026-99-99\nday: {{date}}\n"
        "other: [a, b\nlong: first\n  second: third\naliases: [Trains]\n---\n"
    )
    assert split_front_matter(text) == (
        {
            "title": "Deploys: how we do it",
            "tags": ["a", "b"],
            "date": "2026-99-99",
            "aliases": ["Trains"],
        },
        13,
    )


def test_rule_at_the_top_is_not_front_matter():
    assert outline("---\n\ntext\n\n---\n")[0] == ("rule", 1, 1)


def test_passages_split_tables_and_front_matter():
    text = "---\na: 1\nb:\n  - x\n---\n\n| h | i |\n|---|---|\n| 1 | 2 |\n"
    assert [(block.kind, block.first_line, block.text) for block in passages(text)] == [
        ("field", 2, "a: 1"),
        ("field", 3, "b:\n  - x"),
        ("table_row", 7, "| h | i |"),
        ("table_row", 9, "| 1 | 2 |"),
    ]


PIECES = [
    "# h",
    "text",
    "  - x",
    "- ",
    "1. y",
    "> q",
    "```",
    "~~~",
    "|a|b|",
    "|-|-|",
    "---",
    "===",
    "",
    "<!-- c",
    "-->",
    "<div>",
    "    code",
    "***",
    "\t- z",
    "5. n",
    "a: b",
    "\u3000",
    "\x0b",
]


@given(st.lists(st.sampled_from(PIECES), max_size=25), st.sampled_from(["\n", "\r\n"]))
@settings(max_examples=300, deadline=None)
def test_every_line_with_text_is_in_exactly_one_block(lines, end):
    text = end.join(lines)
    covered = []
    previous = 0
    for block in parse_blocks(text):
        covered += range(block.first_line, block.last_line + 1)
        assert text[block.start : block.end] == block.text
        assert text.count("\n", 0, block.start) + 1 == block.first_line
        assert text.count("\n", 0, block.end) + 1 == block.last_line
        assert previous <= block.start
        previous = block.end
    assert len(covered) == len(set(covered))
    with_text = {n for n, line in enumerate(text.split("\n"), 1) if line.strip()}
    assert with_text <= set(covered)


@pytest.mark.parametrize(
    "text",
    [
        "#" * 200_000,
        "-" * 200_000,
        "- " * 100_000,
        "> " * 100_000,
        "`" * 200_000,
        "|" * 200_000,
        "```\n`\n" * 30_000,
        "<!--\n" * 40_000,
        "- a\n" * 50_000,
        "|a\n" * 60_000,
        "a|b\n" * 50_000,
        "~~~ x\n" * 20_000,
        " " * 200_000 + "x",
        "1. \n" * 50_000,
        "---\n" * 50_000,
        "x\n\n" * 60_000,
    ],
    ids=lambda text: repr(text[:6]),
)
def test_scanner_is_linear(text):
    start = time.process_time()
    parse_blocks(text)
    assert time.process_time() - start < 2.5
