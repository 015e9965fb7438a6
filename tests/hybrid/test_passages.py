"""Where phrases stand in a text."""

import apsw
import pytest
from hypothesis import given
from hypothesis import strategies as st

from crewmem.hybrid.passages import PASSAGE, passages, places
from crewmem.retrieval.terms import Term

words = st.sampled_from(["ant", "bee", "beetle", "cow"])
texts = st.lists(words, max_size=12)
terms = st.lists(
    st.builds(
        lambda stems, prefix: Term(
            text=" ".join(stems),
            stems=tuple(stems),
            phrase=f'"{" ".join(stems)}"{"*" if prefix else ""}',
            prefix=prefix,
        ),
        st.lists(words, min_size=1, max_size=3),
        st.booleans(),
    ),
    min_size=1,
    max_size=3,
)


@pytest.fixture(scope="module")
def table():
    db = apsw.Connection(":memory:")
    db.execute("create virtual table t using fts5(text, tokenize='unicode61')")
    db.register_fts5_function("counts", counts)
    return db


def counts(api, *_):
    found = (api.phrase_locations(phrase)[0] for phrase in range(api.phrase_count))
    return " ".join(str(len(each)) for each in found)


@given(texts, terms)
def test_phrases_are_counted_as_the_index_counts_them(table, text, terms):
    """Rows of stems, and beginnings of the last one."""
    table.execute("delete from t")
    table.execute("insert into t values (?)", [" ".join(text)])
    asked = " OR ".join(term.phrase for term in terms)
    sql = "select counts(t) from t where t match ?"
    rows = table.execute(sql, [asked]).fetchall()
    ours = [len(each) for each in places(text, terms)]
    assert ours == (list(map(int, rows[0][0].split())) if rows else [0] * len(terms))


def test_what_only_excludes_is_not_looked_for():
    """A term without weight stands nowhere."""
    term = Term(text="bee", stems=("bee",), phrase='"bee"', weight=0.0)
    assert places(["bee"], [term]) == ((),)


def test_a_short_text_is_one_passage():
    """Up to a fifth more than a passage."""
    assert passages(((0, 5), ()), words=120) == [[2.0, 0.0]]


def test_passages_overlap_by_half():
    """What stands in the middle is in two of them, what ends a text in the last."""
    found = passages(((0,), (75,), (249,)), words=250)
    assert found == [[1, 1, 0], [0, 1, 0], [0, 0, 0], [0, 0, 1]]


@given(st.lists(st.integers(0, 999), max_size=9), st.integers(0, 1000))
def test_nothing_is_in_no_passage(starts, words):
    """However long the text, each place is in one passage, or in two that overlap."""
    inside = [start for start in starts if start < words]
    found = passages((tuple(inside),), words)
    assert len(inside) <= sum(each[0] for each in found) <= 2 * len(inside)
    assert all(each[0] <= PASSAGE * 1.2 for each in found)
