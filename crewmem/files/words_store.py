"""The full text of one memory directory. The only SQL that matches words."""

from __future__ import annotations

import apsw

from crewmem.db.connect import fetch, fetch_one
from crewmem.errors.database import DatabaseDamagedError
from crewmem.files.about_store import word_rows
from crewmem.files.indexed import Passage
from crewmem.records import NamedTuple
from crewmem.retrieval.words import dividing

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Collection, Sequence
    from typing import Any

    from crewmem.db.connect import Row
    from crewmem.retrieval.words import Tokenize

TOKENIZER = ("porter", ["unicode61", "remove_diacritics", "2"])
"""As in the schema: endings and accents do not matter."""


MOST_SIBLINGS = 200
"""Chunks of one file that are looked at to see what the file is about."""


class Totals(NamedTuple):
    """The counts of a whole index.

    Attributes:
        chunks: How many there are.
        stems: How many they hold together, headings included.
        files: How many are indexed.
        bytes: Their sizes together.
    """

    chunks: int
    stems: int
    files: int
    bytes: int


class Candidate(NamedTuple):
    """A chunk that matched, with the counts from which its score is computed.

    Attributes:
        chunk: Its id.
        file: The id of its file.
        length: Its stems, heading included.
        frequencies: For each phrase of the expression, in its order, how often it
            stands in the heading and in the body.
    """

    chunk: int
    file: int
    length: int
    frequencies: tuple[tuple[int, int], ...]


class Candidates(NamedTuple):
    """What one index offers to a ranking.

    Attributes:
        best: The best chunks.
        others: Further chunks of the same files that match.
        sizes: Bytes of those files that have more than one chunk, by id; of as much
            as was looked at.
    """

    best: list[Candidate]
    others: list[Candidate]
    sizes: dict[int, float]


class Filter(NamedTuple):
    """Which chunks are asked for.

    Attributes:
        tiers: Only files of these; None for all.
        hidden: No files of these.
        since_ns: Only files that were changed then or later.
        until_ns: Only files that were changed before then.
    """

    tiers: Collection[str] | None = None
    hidden: Collection[str] = ()
    since_ns: int | None = None
    until_ns: int | None = None

    @property
    def conditions(self) -> tuple[str, tuple[object, ...]]:
        """SQL on the alias ``f`` of files, and what it binds; "" for all chunks."""
        conditions: list[str] = []
        values: list[object] = []
        if self.tiers is not None:
            conditions.append(f"f.tier in ({marks(self.tiers)})")
            values += self.tiers
        if self.hidden:
            conditions.append(f"f.tier not in ({marks(self.hidden)})")
            values += self.hidden
        if self.since_ns is not None:
            conditions.append("f.mtime_ns >= ?")
            values.append(self.since_ns)
        if self.until_ns is not None:
            conditions.append("f.mtime_ns < ?")
            values.append(self.until_ns)
        return " and ".join(conditions), tuple(values)


class Words:
    """The words of one memory directory, by chunk."""

    def __init__(self, db: apsw.Connection) -> None:
        self._db = db

    def totals(self) -> Totals:
        """Return the counts of the whole index."""
        about: dict[str, Any] = dict(fetch(self._db, "select key, value from about"))
        files, size = int(about.get("files", 0)), int(about.get("bytes", 0))
        return Totals(*word_rows(self._db), files, size)

    def holding(self, stems: Collection[str]) -> dict[str, int]:
        """Return how many chunks hold each of *stems*; those in none are left out."""
        sql = f"select term, doc from vocabulary where term in ({marks(stems)})"
        return dict(fetch(self._db, sql, tuple(stems)))

    def matching(self, expression: str) -> int:
        """Return how many chunks match *expression*."""
        sql = "select count(*) from words where words match ?"
        return int(fetch_one(self._db, sql, (expression,))[0])

    def candidates(
        self, expression: str, wanted: Filter, *, weights: Sequence[float], limit: int
    ) -> Candidates:
        """Return up to *limit* chunks that match *expression*, best first.

        Best is by this index's own bm25, with *weights* of heading and body.
        """
        self._db.register_fts5_function("counts", _counts)
        best = self._best(expression, wanted, weights, limit)
        file_of, sizes = self._siblings(best)
        ids = ",".join(map(str, file_of))
        rows = fetch(
            self._db,
            f"""
            select rowid, counts(words)
              from words
             where words match ?
               and +rowid in ({ids})
            """,
            (expression,),
        )
        found = {chunk: _candidate(chunk, file_of[chunk], n) for chunk, n in rows}
        return Candidates(
            [found.pop(chunk) for chunk in best], [*found.values()], sizes
        )

    def _siblings(
        self, chunks: Sequence[int]
    ) -> tuple[dict[int, int], dict[int, float]]:
        """Return the chunks of the files of *chunks* with their file, and its size."""
        rows = fetch(
            self._db,
            f"""
            select c.id, f.id, f.first_chunk, f.chunks, f.size
              from chunks c
              join files f on f.id = c.file_id
             where c.id in ({marks(chunks)})
            """,
            tuple(chunks),
        )
        if len(rows) < len(chunks):
            raise DatabaseDamagedError(self._db.filename, "it lacks chunks")
        file_of: dict[int, int] = {}
        sizes: dict[int, float] = {}
        for chunk, file, first, count, size in rows:
            seen = min(count, MOST_SIBLINGS)
            for sibling in range(first, first + seen):
                file_of[sibling] = file
            file_of[chunk] = file
            if count > 1:
                sizes[file] = size * seen / count
        return file_of, sizes

    def _best(
        self, expression: str, wanted: Filter, weights: Sequence[float], limit: int
    ) -> list[int]:
        # Only ids are ordered: counts that Python takes are for the best alone.
        conditions, values = wanted.conditions
        joined = (
            f"""
              join chunks c on c.id = w.rowid
              join files f on f.id = c.file_id
             where words match ? and {conditions}
            """
            if conditions
            else "where words match ?"
        )
        rows = fetch(
            self._db,
            f"""
            select w.rowid
              from words w
              {joined}
             order by bm25(words, ?, ?), w.rowid
             limit ?
            """,
            (expression, *values, *weights, limit),
        )
        return [chunk for (chunk,) in rows]

    def passages(self, ids: Collection[int]) -> dict[int, Passage]:
        """Return the chunks *ids*, by id."""
        rows = fetch(
            self._db,
            f"""
            select c.id, f.directory, f.name, f.tier, f.mtime_ns,
                   c.first_line, c.last_line, c.heading, c.body
              from chunks c
              join files f on f.id = c.file_id
             where c.id in ({marks(ids)})
            """,
            tuple(ids),
        )
        if len(rows) < len(set(ids)):
            raise DatabaseDamagedError(self._db.filename, "it lacks chunks")
        return {passage.id: passage for passage in map(_passage, rows)}

    def tokenizer(self) -> Tokenize:
        """Return SQLite's own tokenizer, as this index uses it."""
        tokenize: Any = self._db.fts5_tokenizer(*TOKENIZER)

        def located(text: str) -> list[tuple[int, int, str]]:
            found: list[tuple[int, int, str]] = tokenize(
                text.encode("utf-8", "replace"),
                apsw.FTS5_TOKENIZE_DOCUMENT,
                None,
                include_colocated=False,
            )
            return found

        return dividing(located)


def _passage(row: Row) -> Passage:
    chunk_id, directory, name, tier, mtime_ns, first, last, heading, body = row
    return Passage(
        id=chunk_id,
        file=f"{directory}/{name}" if directory else name,
        tier=tier,
        mtime_ns=mtime_ns,
        first=first,
        last=last,
        heading=heading,
        body=body,
    )


def marks(values: Collection[object]) -> str:
    """Return as many question marks, joined by commas, as there are *values*."""
    return ",".join("?" * len(values))


def _counts(api: apsw.FTS5ExtensionApi, *_: object) -> str:
    length = sum(api.column_size(column) for column in range(api.column_count))
    found = (
        f"{len(heading)} {len(body)}"
        for heading, body in map(api.phrase_locations, range(api.phrase_count))
    )
    return " ".join((str(length), *found))


def _candidate(chunk: int, file: int, counts: str) -> Candidate:
    length, *found = map(int, counts.split())
    pairs = zip(found[::2], found[1::2], strict=True)
    return Candidate(chunk, file, length, tuple(pairs))
