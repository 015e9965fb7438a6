"""Chunks have every line with text once, with true numbers, and the fields of front matter."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from crewmem.documents import embedding_input
from crewmem.files.chunking import read_fields, split_chunks
from crewmem.files.decoding import normalize

PIECES = (
    *("# ", "## ", "- ", "* ", "1. ", "```", "\n", "\n\n", "\r\n", "a b. ", "word ", "日本。"),
    *("|a|", "---", "===", "    ", "> ", "<div>", "\t", "e\u0301", "👨\u200d👩", "<!--", "-->"),
)
PARTS = st.lists(st.sampled_from(PIECES), max_size=60).map("".join)


@given(PARTS, st.sampled_from([5, 20, 200]), st.booleans())
@settings(max_examples=200, deadline=None)
def test_every_line_with_text_is_in_exactly_one_chunk_with_its_number(text, limit, by_entry):
    text = normalize(text)
    seen = {}
    for chunk in split_chunks(text, limit=limit, by_entry=by_entry):
        shown = chunk.text.split("\n")
        assert len(chunk.text) <= limit
        assert chunk.last_line - chunk.first_line + 1 == len(shown)
        for number, line in enumerate(shown, chunk.first_line):
            seen.setdefault(number, []).append(line)
    for number, line in enumerate(text.split("\n"), 1):
        if line.strip():
            parts = seen[number]
            assert len(parts) == 1 or len(line) > limit
            if len(parts) == 1:
                assert parts[0].strip() == line.strip()


def test_sections_have_their_headings_as_breadcrumb():
    chunks = split_chunks(
        "intro\n\n# Deploys\n\n## Keys\n\nIn the vault.\n\n# Other\nx\n", limit=1000
    )

    assert [(c.first_line, c.last_line, c.heading) for c in chunks] == [
        (1, 1, ""),
        (3, 3, "Deploys"),
        (5, 7, "Deploys > Keys"),
        (9, 10, "Other"),
    ]
    assert chunks[1].words == ""  # the breadcrumb below repeats it


def test_lines_of_the_section_that_consolidation_owns_are_chunks_of_their_own():
    section = (
        "<!-- crewmem:consolidated -->\n## Learned\n\n- One\n- Two\n<!-- /crewmem:consolidated -->"
    )
    chunks = split_chunks(f"# Me\n- Mine\n- Mine, too\n\n{section}\nMy last word\n", limit=1000)

    assert [(c.first_line, c.last_line) for c in chunks] == [
        (1, 5),
        (6, 6),
        (8, 8),
        (9, 10),
        (11, 11),
    ]


def test_heading_in_a_code_fence_is_not_a_heading():
    assert len(split_chunks("# A\n\n```sh\n# not a heading\n```\n", limit=1000)) == 1


def test_line_numbers_are_true_with_crlf():
    chunks = split_chunks(normalize("# A\r\none\r\n\r\n# B\r\ntwo\r\n"), limit=1000)

    assert [(c.first_line, c.last_line, c.text) for c in chunks] == [
        (1, 2, "# A\none"),
        (4, 5, "# B\ntwo"),
    ]


def test_long_section_is_split_at_blank_lines_first():
    paragraphs = ["word " * 60 for _ in range(5)]
    chunks = split_chunks("\n\n".join(paragraphs), limit=700)

    assert [c.text.count("\n\n") for c in chunks] == [1, 1, 0]


def test_fenced_block_that_fits_stays_whole():
    code = "```\n" + "x = 1\n\n" * 30 + "```"
    chunks = split_chunks("prose " * 100 + "\n\n" + code + "\n\n" + "prose " * 100, limit=700)

    assert code in [c.text for c in chunks]


def test_long_line_is_split_between_characters():
    chunks = split_chunks("e\u0301" * 50, limit=11)

    assert all(not c.text.startswith("\u0301") for c in chunks)
    assert {(c.first_line, c.last_line) for c in chunks} == {(1, 1)}


def test_lessons_are_chunks_by_entry():
    chunks = split_chunks("# Lessons\n\n- one\n  more\n- two\n- three\n", by_entry=True, limit=1000)

    assert [c.text for c in chunks] == ["# Lessons", "- one\n  more", "- two", "- three"]


def test_front_matter_is_read_as_fields_and_indexed_by_value():
    text = (
        "---\ntitle: Deploy guide\naliases: [Ship it, Rollout]\ntags: Ops, '#CI'\n"
        "date: 2026-05-01\n---\nx"
    )
    fields = read_fields(text)

    assert fields.title == "Deploy guide"
    assert fields.aliases == ("Ship it", "Rollout")
    assert fields.tags == ("ops", "ci")
    assert fields.dated == "2026-05-01"
    assert "aliases" not in split_chunks(text, limit=1000)[0].words
    assert "Rollout" in split_chunks(text, limit=1000)[0].words


@pytest.mark.parametrize("text", ["---\n: [\n---\nx", "---\ntags: {a: 1}\n---\n", "--- not\nx"])
def test_odd_front_matter_gives_no_fields(text):
    assert read_fields(text).tags == ()


def test_embedding_input_begins_with_breadcrumb():
    assert embedding_input("deploys", "Keys", "In.") == "deploys > Keys\nIn."
