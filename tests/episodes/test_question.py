"""How a question is read: whom it names, and what its words weigh in its scope."""

from datetime import date

import pytest
from episodes.conftest import NOW

from crewmem import times
from crewmem.episodes.store import Episodes
from crewmem.episodes.words_store import Words
from crewmem.hybrid.question import read
from crewmem.journal.tokenizer import tokenizer
from crewmem.scope import Reach


@pytest.fixture
def asked(db):
    """``asked("who broke it?", agent="mira")``: the question as it is asked."""

    def ask(text, *, agent=None, actors=(), asker=""):
        owners = Episodes(db).owners(Reach("default", agent))
        words = Words(db, owners, times.to_text(NOW))
        today = date(2026, 5, 1)
        tokenize = tokenizer(db)
        return read(text, words, tokenize, actors=actors, asker=asker, today=today)

    return ask


def test_names_are_taken_out(happened, asked):
    """Who is named is meant, and is no word of the question."""
    happened("the crane broke", actor_id="Caroline")
    found = asked("What did Caroline break in May 2025?", actors=["Caroline"])
    assert found.facts.actors == {"Caroline"}
    assert found.facts.known == 1
    assert "Caroline" not in found.rest
    assert "caroline" not in found.expression.lower()
    assert [each.month for each in found.facts.dates] == [5]


def test_i_am_who_asks(happened, asked):
    """An agent that says I means its own entries."""
    happened("x", actor_id="mira")
    found = asked("what did I break?", actors=["mira"], asker="mira")
    assert found.facts.actors == {"mira"}


def test_rare_words_weigh_more(happened, asked):
    """A word of one entry weighs more than a word of many, and one of none most."""
    for n in range(20):
        happened(f"crane {n}")
    happened("crane winch")
    found = asked("crane winch berth")
    weights = dict(zip([t.text for t in found.terms], found.facts.idfs, strict=True))
    assert weights["berth"] > weights["winch"] > weights["crane"]
    assert found.facts.entries == 21


def test_words_are_counted_in_scope(happened, asked):
    """What is rare among the entries that may be seen is rare, common elsewhere."""
    for n in range(30):
        happened(f"crane {n}", agent_id="otto")
    happened("the crane", agent_id="mira")
    happened("the winch", agent_id="mira")
    mine, every = asked("crane winch", agent="mira"), asked("crane winch")
    assert mine.facts.entries == 2
    assert mine.facts.idfs[0] == mine.facts.idfs[1]
    assert every.facts.idfs[0] < every.facts.idfs[1]


def test_no_words_are_no_expression(asked):
    """What holds no word asks for nothing."""
    assert asked(" ?! ").expression == ""
    assert asked(" ?! ").facts.idfs == ()
