"""The baseline: full text as anybody would use it, on whole records."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

import apsw

from crewmem.retrieval.stopwords import STOP_WORDS

if TYPE_CHECKING:
    from collections.abc import Mapping

WORD = re.compile(r"\w+")


class BareWords:
    """Records in an FTS5 table: stems of Porter, any word, stop words left out."""

    def __init__(self, records: Mapping[str, str]) -> None:
        self._db = apsw.Connection(":memory:")
        self._db.execute(
            "create virtual table records using fts5("
            "id unindexed, text, tokenize = 'porter unicode61')"
        )
        with self._db:
            self._db.executemany("insert into records values (?, ?)", records.items())

    def ranking(self, question: str, *, limit: int) -> list[str]:
        """Return the ids of up to *limit* records, best first."""
        words = dict.fromkeys(WORD.findall(question.lower()))
        telling = [word for word in words if word not in STOP_WORDS] or list(words)
        if not telling:
            return []
        rows = self._db.execute(
            "select id from records where records match ? order by rank limit ?",
            (" OR ".join(f'"{word}"' for word in telling), limit),
        )
        return [record for (record,) in rows]
