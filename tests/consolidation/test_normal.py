"""What texts say, apart from how they are worded."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from crewmem.consolidation.normal import (
    DIFFERENT,
    OPPOSITE,
    SAME,
    Reader,
    compared,
    jaccard,
    normal,
    says_something,
)
from crewmem.db.connect import connect_memory
from crewmem.journal.tokenizer import stemmer

READER = Reader(stemmer(connect_memory()))


@pytest.mark.parametrize(
    ("one", "other", "relation"),
    [
        ("Deploy on Fridays", "We never deploy on Fridays", OPPOSITE),
        ("Deploy on Fridays.", "always deploy on a Friday", SAME),
        ("Deploy on Fridays", "Deploy on Mondays", OPPOSITE),
        ("the database is on port 5432", "The database is on port 5433", OPPOSITE),
        ("the queue holds 1,904 jobs", "the queue holds 1904 jobs!", SAME),
        ("db-1 is the primary", "db-2 is the primary", DIFFERENT),
        ("caching is enabled for reads", "caching is disabled for reads", OPPOSITE),
        ("do not disable caching for reads", "enable caching for reads", SAME),
        ("never deploy without a review", "deploy without a review", OPPOSITE),
        ("never deploy without a review", "deploy with a review", SAME),
        ("don't restart at night", "don\u2019t restart at NIGHT", SAME),
        ("restart the pump before the relay", "restart pump after relay", OPPOSITE),
        (
            "a typo in the last mail to Brandt",
            "a typo in the last mail to Lind",
            DIFFERENT,
        ),
        ("invoices as PDF to Brandt", "Invoices as pdf to BRANDT", SAME),
        ("At the Harbour nobody pays", "at the harbour nobody pays", SAME),
        ("not on port 5432", "on port 5433", DIFFERENT),
        ("the train takes 31 minutes", "the train takes minutes", SAME),
        ("the port of the board is 5433 of db-1", "board port is 5433, 12 May", SAME),
        ("the port is 5433 since 12 May", "the port is 5434 since 12 May", OPPOSITE),
    ],
)
def test_texts_say_the_same_or_the_opposite(one, other, relation):
    """Polarity and numbers tell the same from the opposite; names tell things apart."""
    forms = READER.form(one), READER.form(other)

    assert jaccard(forms[0].subject, forms[1].subject) >= 0.6
    assert compared(*forms) == compared(*forms[::-1]) == relation


@pytest.mark.parametrize("text", ["train in.", "all is well", "14:00", "31 min", "!"])
def test_trivial_texts_say_nothing(text):
    """A word or two, or numbers alone, are not worth comparing."""
    assert not says_something(READER.form(text))


@given(st.text(max_size=80))
def test_any_text_is_read_the_same_twice(text):
    """What a text says depends on the text alone, and is the same in capitals."""
    form = READER.form(text)

    assert form == READER.form(text) == Reader(stemmer(connect_memory())).form(text)
    assert compared(form, form) == SAME
    assert normal(normal(text)) == normal(text)
