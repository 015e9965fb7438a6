"""What chunks promise of any text, and what they look like."""

from __future__ import annotations

import unicodedata

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from crewmem.files.chunks import CHUNK_CHARS, Chunk, chunks

CLUSTERS = [
    "e\u0301",
    "👨\u200d👩\u200d👧",
    "🇨🇿",
    "👍🏽",
    "❤\ufe0f",
    "\u1112\u1161\u11ab",
    "ก็",
]
MARKUP = [
    "# Deploys", "## Keys ##", "### ", "   #### In", "####### text", "=====", "---",
    "-", "```", "```python", "~~~", "````", "  ```", "- ```", "    ~~~", "- item",
    "  - nested", "12. item", "* * *", "> quote", "| a | b |", "key: value", "...",
    "entries:", "  - id: x", "<div>", "\\", "- " * 9, "# " + "long heading " * 12,
]  # fmt: skip
ENDS = ["\n", "\n", "\n\n", "\r\n", "\n \t\n", "\r\r\n"]

words = st.lists(
    st.sampled_from(["deploy", "key.", "on", "Friday?", "a-b", "„no“!", "x" * 30]),
    min_size=1,
    max_size=30,
).map(" ".join)
clustered = st.lists(
    st.sampled_from([*CLUSTERS, " ", "a", "。", "-"]), max_size=60
).map("".join) | st.builds(str.__mul__, st.sampled_from(CLUSTERS), st.integers(1, 30))
anything = st.text(max_size=40).map(lambda text: text.replace("\n", "\x0b"))
margins = st.integers(0, 60).map(lambda width: " " * width)
lines = (
    st.sampled_from(MARKUP)
    | words
    | clustered
    | anything
    | st.tuples(margins, words).map("".join)
    | words.map(lambda text: text.replace(" ", ""))
)
documents = st.builds(
    lambda start, pairs, last: start + "".join(map("".join, pairs)) + last,
    st.sampled_from(["", "", "\ufeff", "---\ntitle: x\n---\n"]),
    st.lists(st.tuples(lines, st.sampled_from(ENDS)), max_size=25),
    lines,
)
limits = st.integers(1, 12) | st.integers(13, 200) | st.just(CHUNK_CHARS)

any_document = given(markdown=documents, limit=limits, by_entry=st.booleans())


def lines_of(markdown):
    """The lines with text by their numbers, counted as an editor does."""
    text = markdown.removeprefix("\ufeff")
    if "\n" not in text:  # as old Macs ended lines
        text = text.replace("\r", "\n")
    split = text.split("\n")
    return {n: line for n, line in enumerate(split, start=1) if line.strip()}


@settings(max_examples=100, deadline=None)
@any_document
@example(markdown="\n\na\n# b\nc", limit=9, by_entry=False)
@example(markdown="a\u2028b\x0bc\x0cd\x85e\n\nf", limit=4, by_entry=False)
def test_every_line_is_in_exactly_one_chunk(markdown, limit, by_entry):
    """A line with text is in one chunk, at its own number, unless it is too long."""
    found = chunks(markdown, limit=limit, by_entry=by_entry)
    for number, line in lines_of(markdown).items():
        holding = [each for each in found if each.first <= number <= each.last]
        if len(line) <= limit:
            (chunk,) = holding
            shown = chunk.text.split("\n")[number - chunk.first]
            assert shown.strip() == line.strip()
        else:
            assert holding


@settings(max_examples=100, deadline=None)
@any_document
def test_nothing_visible_is_lost_or_told_twice(markdown, limit, by_entry):
    """All chunks, one after the other, say what the file says."""
    found = chunks(markdown, limit=limit, by_entry=by_entry)
    told = "".join("".join(chunk.text.split()) for chunk in found)
    assert told == "".join(markdown.removeprefix("\ufeff").split())


@settings(max_examples=100, deadline=None)
@any_document
@example(markdown="abcd\n\n# a\nabcde", limit=4, by_entry=False)
@example(markdown="abcde", limit=4, by_entry=False)
@example(markdown="abcde", limit=4, by_entry=True)
@example(markdown="\r00", limit=1, by_entry=False)
def test_chunks_are_in_order_and_within_the_limit(markdown, limit, by_entry):
    """No chunk is empty or too long, and two share but a line that is too long."""
    long = {n for n, line in lines_of(markdown).items() if len(line) > limit}
    last = 0
    for chunk in chunks(markdown, limit=limit, by_entry=by_entry):
        assert chunk.text == chunk.text.rstrip()
        assert chunk.text.split("\n")[0].strip()
        assert len(chunk.text) <= limit
        assert chunk.last - chunk.first == chunk.text.count("\n")
        assert chunk.first > last or (chunk.first == last and last in long)
        last = chunk.last


@settings(max_examples=100, deadline=None)
@given(texts=st.lists(clustered, max_size=8), limit=st.integers(11, 40))
def test_no_character_is_cut(texts, limit):
    """A letter keeps its marks, a family its members and a flag both its halves."""
    for chunk in chunks("\n".join(texts), limit=limit):
        assert unicodedata.category(chunk.text[0])[0] != "M"
        assert not chunk.text.startswith(
            ("\u200d", "👩", "👧", "🏽", "\u1161", "\u11ab")
        )
        assert not chunk.text.startswith("🇿")


@settings(max_examples=100, deadline=None)
@given(
    blocks=st.lists(
        st.lists(st.sampled_from(["x = 1", "", "# no", "- a", "=", "Ok."]), max_size=12)
        .map("\n".join)
        .map(lambda code: f"```\n{code}\n```")
        | words
        | st.sampled_from(["# A", "## B"]),
        max_size=12,
    ),
    limit=st.integers(20, 120),
)
def test_a_fenced_block_that_fits_is_whole(blocks, limit):
    """A block of code is not cut for being near the end of a chunk."""
    found = chunks("\n\n".join(blocks), limit=limit)
    for block in blocks:
        if block[0] == "`" and len(block) <= limit:
            assert any(block in chunk.text for chunk in found)


@settings(max_examples=60, deadline=None)
@given(markdown=documents, by_entry=st.booleans())
def test_line_ends_and_a_mark_of_order_change_nothing(markdown, by_entry):
    """A file with CRLF and a byte order mark has the same chunks."""
    plain = markdown.removeprefix("\ufeff").replace("\r", "")
    other = "\ufeff" + plain.replace("\n", "\r\n")
    assert chunks(other, by_entry=by_entry) == chunks(plain, by_entry=by_entry)


def test_a_section_is_a_chunk_with_the_way_to_it():
    """A chunk knows the headings above it; a deeper heading closes none."""
    found = chunks(
        "Before.\n\n# Crew\nAll.\n## Deploys\n\nNever.\n\n### Keys\nVault.\n# End\n"
    )
    assert [(c.first, c.last, c.heading, c.text) for c in found] == [
        (1, 1, "", "Before."),
        (3, 4, "Crew", "# Crew\nAll."),
        (5, 7, "Crew > Deploys", "## Deploys\n\nNever."),
        (9, 10, "Crew > Deploys > Keys", "### Keys\nVault."),
        (11, 11, "End", "# End"),
    ]
    assert all(chunk.words == chunk.text for chunk in found)


def test_front_matter_is_a_chunk_whose_words_are_its_values():
    """The names of fields are shown, and not searched."""
    assert chunks("---\r\ntitle: Deploy keys\r\ntags: [ops]\r\n---\r\n# A\r\n") == [
        Chunk(
            1,
            4,
            "",
            "---\ntitle: Deploy keys\ntags: [ops]\n---",
            "Deploy keys [ops]",
        ),
        Chunk(5, 5, "A", "# A", "# A"),
    ]


def test_a_heading_alone_leaves_its_words_to_what_is_below():
    """A title above deeper sections is not itself found, they are."""
    crew, deploys = chunks("# Crew\n\n## Deploys\nNever.")
    assert (crew.text, crew.words) == ("# Crew", "")
    assert deploys.heading == "Crew > Deploys"


@pytest.mark.parametrize("by_entry", [False, True])
@pytest.mark.parametrize(
    "markdown",
    ["# Crew\n# Deploys\nNever.", "# Crew", "# " + "crew " * 30 + "\n## Deploys\nNo."],
    ids=["nothing below", "nothing after", "clipped in the breadcrumb"],
)
def test_a_heading_alone_is_found_where_no_other_chunk_tells_it(markdown, by_entry):
    """A title is searched for itself unless all of it is told by another chunk."""
    first = chunks(markdown, by_entry=by_entry)[0]
    assert first.words == first.text


def test_the_heading_stays_with_the_first_piece():
    """A long section does not leave its heading alone."""
    first, *others = chunks("# Keys\n\n" + "Kept in the vault. " * 200)
    assert first.text.startswith("# Keys\n\nKept in")
    assert {(each.first, each.heading) for each in others} == {(3, "Keys")}


def test_a_list_is_cut_by_entry():
    """An entry keeps what is nested in it, and what follows a list is apart."""
    found = chunks(
        "# Lessons\n\n- one\n  - why\n\n  more\n- two\nlazy\n\nAfter.\n\n  1. x\n",
        by_entry=True,
    )
    assert [(c.first, c.text, c.words) for c in found] == [
        (1, "# Lessons", ""),
        (3, "- one\n  - why\n\n  more", "- one\n  - why\n\n  more"),
        (7, "- two\nlazy", "- two\nlazy"),
        (10, "After.", "After."),
        (12, "  1. x", "  1. x"),
    ]


def test_a_list_in_yaml_is_cut_by_entry():
    """Of lessons in YAML the values are searched, and comments are no headings."""
    found = chunks(
        "# Kept by a program\n\nentries:\n  - id: a\n    rule: Wait.\n  - id: b\n",
        by_entry=True,
    )
    assert [(c.first, c.last, c.heading, c.words) for c in found] == [
        (1, 3, "", ""),
        (4, 5, "", "a Wait."),
        (6, 6, "", "b"),
    ]


def test_code_in_an_entry_is_not_an_entry():
    """A dash in a fenced block begins nothing."""
    found = chunks("- one\n```\n- x\n```\n- two", by_entry=True)
    assert [chunk.first for chunk in found] == [1, 5]


@pytest.mark.parametrize("markdown", ["", "\n", "\ufeff", " \t\r\n\n\x0c\n"])
def test_nothing_has_no_chunks(markdown):
    """A file without text has no chunk."""
    assert chunks(markdown) == []


SIZE = 1 << 18

LARGE = {
    "short lines": "a b\n" * (SIZE // 4),
    "one line of words": "word " * (SIZE // 5),
    "one word": "x" * SIZE,
    "one line of hashes": "#" * SIZE,
    "headings": "".join(f"{'#' * (n % 6 + 1)} h{n}\n\nx\n" for n in range(10_000)),
    "ever more hashes": "".join("#" * n + " x\n" for n in range(1000)),
    "dashes": "- " * (SIZE // 2),
    "nested items": "".join(" " * n + "- x\n" for n in range(1000)),
    "rules": "---\n" * (SIZE // 4),
    "underlines": "> a\nb\n===\n" * (SIZE // 10),
    "a long paragraph underlined": "word\n" * (SIZE // 5) + "---\n",
    "fences": "```x\n~~~\n" * (SIZE // 9),
    "ever longer fences": "".join("`" * n + "\n" for n in range(3, 1000)),
    "fences in lists": "- ```\n  x\n" * (SIZE // 10),
    "spaces": " " * SIZE + "x",
    "blank lines": "\n" * SIZE,
    "marks": "e" + "\u0301" * (SIZE // 4),
    "flags": "🇨" * (SIZE // 4),
    "open front matter": "---\na: b\n" + "c: d\n" * (SIZE // 5),
    "nothing but nul": "\0" * SIZE,
}


@pytest.mark.parametrize("name", LARGE)
def test_large_files_are_cut(name):
    """A file that was made to take long is cut like any other."""
    markdown = LARGE[name]
    found = chunks(markdown, by_entry=True)
    assert sum(len("".join(c.text.split())) for c in found) == len(
        "".join(markdown.split())
    )
    assert all(len(chunk.text) <= CHUNK_CHARS for chunk in found)
