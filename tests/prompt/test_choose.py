"""Sections in the order of what they have to do with a question."""

import pytest
from hypothesis import given
from hypothesis import strategies as st
from prompt.test_fill import made

from crewmem.db.connect import connect_memory
from crewmem.journal.tokenizer import tokenizer
from crewmem.prompt.block import Block
from crewmem.prompt.choose import choose
from crewmem.prompt.cut import cut
from crewmem.prompt.relevance import relevances
from crewmem.prompt.room import Room

TOKENIZE = tokenizer(connect_memory())

TOPICS = {
    "deploys": "The deploy key is in the vault. Deploys run on Tuesday.",
    "postgres": "The database has 200 connections; the key of a table is its id.",
    "lunch": "Soup on Thursdays.",
}


def topics(**texts):
    return [
        made(text, f"topics/{name}.md (crew topic)", is_listed=True)
        for name, text in texts.items()
    ]


def chosen(query, sections):
    return [
        each.label
        for each in choose({Block.CREW: sections}, query, TOKENIZE)[Block.CREW]
    ]


@pytest.mark.parametrize(
    ("query", "first"),
    [
        ("where is the deploy key?", "deploys"),
        ("deploying", "deploys"),
        ("database connections", "postgres"),
        ("SOUP", "lunch"),
        ("postgres", "postgres"),
    ],
)
def test_what_answers_best_comes_first(query, first):
    """The topic that holds more of the words, and rarer ones, is the first."""
    found = chosen(query, topics(**TOPICS))
    assert found[0] == f"topics/{first}.md (crew topic)"


@pytest.mark.parametrize("query", ["xyzzy", "???", "the of and", '"', "", "a AND"])
def test_a_question_of_nothing_changes_nothing(query):
    """Where no section has to do with a question, the order stays."""
    sections = topics(one="first", two="second")
    assert chosen(query, sections) == [each.label for each in sections]


def test_pages_keep_their_place():
    """What is no part of a list stands where it always does."""
    page = made("soup soup soup", "CREW.md")
    found = chosen("deploy key", [page, *topics(**TOPICS)])
    assert found[0] == "CREW.md"


def test_todays_notes_are_never_cut_first():
    """Older notes that answer a question leave today's their place before them."""
    today = made("nothing", "Daily log: today", is_note=True)
    older = made("the deploy key", "Daily log: older", is_note=True)
    found = choose({Block.AGENT: [today, older]}, "deploy key", TOKENIZE)
    first, second = found[Block.AGENT]
    assert (first.label, first.relevance) == ("Daily log: today", second.relevance)


def test_a_long_topic_begins_with_what_answers():
    """A listed section that has to be cut begins with the passage that answers best."""
    filler = "\n\n".join(f"## Part {at}\n\nOf something else." for at in range(60))
    text = (
        f"# Deploys\n\n{filler}\n\n## Keys\n\nThe vault has the deploy key.\n\n{filler}"
    )
    (found,) = choose({Block.CREW: topics(deploys=text)}, "deploy key", TOKENIZE)[
        Block.CREW
    ]
    lines = cut(found, Room(chars=600)).text.splitlines()
    assert lines[1].startswith("…(truncated; ")
    assert lines[2:5] == ["## Keys", "", "The vault has the deploy key."]
    assert lines[-1].startswith("…(truncated; ")


@given(st.lists(st.text(max_size=50), max_size=6), st.text(max_size=60))
def test_relevance_is_a_number_for_each(texts, query):
    """Whatever is asked of whatever text, each has a relevance."""
    found = relevances([made(text) for text in texts], query, TOKENIZE)
    assert len(found) == len(texts)
    for each, text in zip(found, texts, strict=True):
        assert each.score >= 0
        assert 0 <= each.start <= made(text).text.count("\n")
