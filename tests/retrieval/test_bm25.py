"""The score of words, held to SQLite's own."""

import apsw
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from crewmem.retrieval import bm25

WEIGHTS = (2.0, 1.0)

words = st.lists(st.sampled_from("abcde"), max_size=12).map(" ".join)
rows = st.lists(st.tuples(words, words), min_size=1, max_size=12)


@settings(deadline=None)
@given(rows=rows, query=st.lists(st.sampled_from("abcdef"), min_size=1, unique=True))
def test_it_is_what_fts5_computes(rows, query):
    """Over one index the formula gives SQLite's figures, whatever the rows."""
    db = apsw.Connection(":memory:")
    db.execute("create virtual table t using fts5(heading, body)")
    db.executemany("insert into t values (?, ?)", rows)
    lengths = [len(h.split()) + len(b.split()) for h, b in rows]
    mean = sum(lengths) / len(rows)
    idfs = [
        bm25.idf(sum(w in f"{h} {b}".split() for h, b in rows), len(rows))
        for w in query
    ]
    expression = " OR ".join(f'"{word}"' for word in query)
    found = db.execute(
        "select rowid, -bm25(t, 2.0, 1.0) from t where t match ?", (expression,)
    ).fetchall()
    for rowid, expected in found:
        columns = [column.split() for column in rows[rowid - 1]]
        often = [
            sum(w * c.count(word) for w, c in zip(WEIGHTS, columns, strict=True))
            for word in query
        ]
        score = bm25.score(often, idfs, lengths[rowid - 1], mean)
        assert score == pytest.approx(expected)
