"""SQLite's own tokenizer, and its own full text."""

import apsw
import pytest


def _phrases(api):
    return repr(api.phrases)


@pytest.fixture(name="db", scope="package")
def _db():
    db = apsw.Connection("")
    db.register_fts5_function("phrases", _phrases)
    yield db
    db.close()


@pytest.fixture(scope="package")
def tokenize(db):
    """The index's tokenizer, as the store hands it on: it counts in bytes."""
    tokenizer = db.fts5_tokenizer("porter", ["unicode61", "remove_diacritics", "2"])

    def stems(text):
        utf8 = text.encode("utf-8", "replace")
        flags = apsw.FTS5_TOKENIZE_QUERY
        return tokenizer(utf8, flags, None, include_colocated=False)

    return stems


class Table:
    """Texts, as the index holds chunks: numbered from 1."""

    def __init__(self, db):
        self._db = db
        self._held = None

    def fill(self, *texts):
        """Hold *texts* and nothing else."""
        if texts == self._held:
            return self
        self._held = texts
        self._db.execute("drop table if exists words")
        self._db.execute(
            """
            create virtual table words using fts5(
                heading, body, content = '', contentless_delete = 1,
                tokenize = 'porter unicode61 remove_diacritics 2'
            )
            """
        )
        rows = list(enumerate(texts, start=1))
        insert = "insert into words(rowid, heading, body) values (?, '', ?)"
        self._db.executemany(insert, rows)
        return self

    def match(self, expression):
        """Return which texts match, in order."""
        sql = "select rowid from words where words match ? order by rowid"
        return [row for (row,) in self._db.execute(sql, (expression,))]

    def phrases(self, expression):
        """Return the stems of the phrases that FTS5 sees, in its order."""
        sql = "select phrases(words) from words where words match ?"
        asked = f'({expression}) OR "sentinel"'
        rows = self._db.execute(sql, (asked,)).fetchall()
        *phrases, _ = eval(rows[0][0])  # noqa: S307, it is our own repr
        return phrases


@pytest.fixture(scope="package")
def table(db):
    """A table of texts, with one text to begin with."""
    return Table(db).fill("the sentinel")
