"""How texts of the journal are cut."""

import apsw
import pytest
from hypothesis import given
from hypothesis import strategies as st

from crewmem.db.connect import connect_memory
from crewmem.journal.tokenizer import DOCUMENT, TOKENIZER, stemmer, tokenizer


@pytest.fixture(scope="module")
def db():
    db = connect_memory()
    yield db
    db.close()


def test_a_document_is_cut_as_one():
    """The number is SQLite's."""
    assert DOCUMENT == apsw.FTS5_TOKENIZE_DOCUMENT


def test_it_is_the_tokenizer_of_the_schema():
    """What is cut here is cut as the full text is."""
    from crewmem.db.migrate import TRUTH, steps

    told = f"tokenize = '{TOKENIZER[0]} {' '.join(TOKENIZER[1])}'"
    assert any(told in sql for _, sql in steps(TRUTH))


@given(st.text())
def test_stems_are_those_of_the_tokens(db, text):
    """Whatever the text, both cut it into the same stems."""
    assert [*stemmer(db)(text)] == [stem for _, _, stem in tokenizer(db)(text)]
