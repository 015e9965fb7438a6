"""The index of one memory directory. The only SQL on its tables."""

from __future__ import annotations

from contextlib import contextmanager

import apsw

from crewmem.db.connect import (
    BUSY_TIMEOUT,
    Mode,
    connect,
    connect_memory,
    explained,
    fetch,
    fetch_one,
    transaction,
)
from crewmem.db.migrate import APPLICATION_ID, steps
from crewmem.errors.database import DatabaseDamagedError
from crewmem.files.about_store import about, flaw, has_vectors, keep_rows, tell
from crewmem.files.directories_store import Directories
from crewmem.files.header import connect_own
from crewmem.files.indexed import File, Policy

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
    from pathlib import Path
    from typing import Any, Self

    from crewmem.db.connect import Bound, Row
    from crewmem.files.chunks import Chunk
    from crewmem.files.signs import Known
    from crewmem.files.vectors_store import ChunkVectors
    from crewmem.files.words_store import Words

INDEX_NAME = "index.sqlite"

SIDECARS = ("-journal", "-wal", "-shm")
"""What may lie beside a database that was left in the middle of a change."""

TABLES = ("about", "directories", "files", "chunks", "words", "vocabulary")
"""What an index cannot be without."""

SCHEMA_VERSION = 4
"""Of ``schema/index``. An index of another version is dropped and rebuilt."""

FILE = (
    "id, directory, name, tier, size, mtime_ns, content_hash, first_chunk, chunks, "
    "lossy, skipped"
)

INSERT_ROWS = 40
"""Rows of one insert, which share its cost."""


class MemoryIndex:
    """The words of one memory directory."""

    def __init__(self, db: apsw.Connection) -> None:
        self._db = db
        self._delta = [0, 0, 0]
        self._directories = Directories(db)

    @classmethod
    def open(
        cls, root: int, path: Path, mode: Mode, *, busy_timeout: float = BUSY_TIMEOUT
    ) -> Self:
        """Open the index at *path*, in *root*; `is_current` tells if it can be used.

        Until it is changed it answers as it was at one moment: what was compared
        with the files is what is searched. And one lock is cheaper than thirty.

        Raises:
            UnsafePathError: If it is no regular file.
            PathMissingError: If there is none.
            NotADatabaseError: If the file is something else.
            ForeignDatabaseError: If it is a database as ours never is.
        """
        db = connect_own(root, path, mode, busy_timeout=busy_timeout)
        db.execute("begin")
        return cls(db)

    @classmethod
    def create(cls, path: Path | None, policy: Policy) -> Self:
        """Make an empty index at *path*, which must not exist, or in memory.

        A new file gets its name only when it is whole, so it needs no journal.
        """
        index = cls(connect(path, Mode.CREATE) if path else connect_memory())
        with explained(index._db):
            index._db.execute("pragma journal_mode = off; pragma synchronous = off")
            index._db.execute("pragma cache_size = -256")  # 2 MB more is no faster
            with transaction(index._db):
                for _, sql in steps("index"):
                    index._db.execute(sql)
                index._db.execute(f"pragma application_id = {APPLICATION_ID}")
                index._db.execute(f"pragma user_version = {SCHEMA_VERSION}")
                index.tell(policy.about)
        return index

    def copied_to_memory(self) -> Self:
        """Return a copy of this index that can be changed without a trace."""
        db = connect_memory()
        with explained(self._db), db.backup("main", self._db, "main") as running:
            running.step()
        self._let_go()
        return type(self)(db)

    def _let_go(self) -> None:
        """End the view of one moment, which a writer would have to wait for."""
        if self._db.in_transaction:
            self._db.execute("rollback")

    def close(self) -> None:
        """Close the database."""
        self._db.close()

    @contextmanager
    def changing(self) -> Iterator[None]:
        """Bring the index up to date inside; one that contradicts itself is damaged."""
        self._let_go()
        try:
            with transaction(self._db):
                yield
        except apsw.ConstraintError as error:
            raise DatabaseDamagedError(self._db.filename, str(error)) from error

    @contextmanager
    def locked(self) -> Iterator[None]:
        """Keep all others from changing the index inside, where it is replaced."""
        self._let_go()
        with explained(self._db):
            self._db.execute("begin immediate")
        try:
            yield
        finally:
            self._let_go()

    def is_current(self) -> bool:
        """Tell whether the index is of this version's schema, and crewmem's at all."""
        signs = ("application_id", APPLICATION_ID), ("user_version", SCHEMA_VERSION)
        if any(fetch_one(self._db, f"pragma {mark}") != (is_,) for mark, is_ in signs):
            return False
        there = fetch(self._db, "select name from sqlite_schema where type = 'table'")
        return {*TABLES} <= {name for (name,) in there}

    def trouble(self) -> str:
        """Return what SQLite's own check of the index finds wrong; "" for nothing."""
        (answer,) = fetch_one(self._db, "pragma quick_check(1)")
        if answer == "ok":
            fetch(self._db, "select count(*) from vocabulary")
        return "" if answer == "ok" else str(answer)

    def about(self) -> dict[str, object]:
        """Return how and when the index was made."""
        return about(self._db)

    def tell(self, facts: Mapping[str, Bound]) -> None:
        """Keep *facts* of how it was made beside what is kept already."""
        tell(self._db, facts)

    def flaw(self) -> str:
        """Return why a current index cannot be trusted all the same; "" if it can."""
        return flaw(self._db)

    def known(self) -> Known:
        """Return what is known of the directories: their packed listings, and signs."""
        return self._directories.known()

    def file(self, directory: str, name: str) -> File | None:
        """Return one file, or None if the index does not know it."""
        sql = f"select {FILE} from files where directory = ? and name = ?"
        rows = fetch(self._db, sql, (directory, name))
        return _file(rows[0]) if rows else None

    def counts(self, hidden: Collection[str] = ()) -> tuple[int, int, int]:
        """Return how many files are indexed, their chunks, and their bytes.

        Files of the *hidden* tiers are not counted.
        """
        if hidden:
            from crewmem.files.words_store import marks

            sql = f"""
            select count(*), coalesce(sum(chunks), 0), coalesce(sum(size), 0)
              from files
             where skipped is null
               and tier not in ({marks(hidden)})
            """
            files, chunks, size = fetch_one(self._db, sql, tuple(hidden))
            return files, chunks, size
        said: dict[str, Any] = self.about()
        return said.get("files", 0), said.get("chunks", 0), said.get("bytes", 0)

    def keep_counts(self) -> None:
        """Keep what `counts` returns, by what was added and forgotten since."""
        pairs = zip(self.counts(), self._delta, strict=True)
        now = (count + change for count, change in pairs)
        self.tell(dict(zip(("files", "chunks", "bytes"), now, strict=True)))
        self._delta = [0, 0, 0]
        keep_rows(self._db)

    def _count(self, file: File, sign: int) -> None:
        if not file.skipped:
            for at, count in enumerate((1, file.chunks, file.size)):
                self._delta[at] += sign * count

    def skipped(self) -> list[File]:
        """Return the files that could not be indexed, or only with loss, by path."""
        rows = fetch(
            self._db,
            f"""
            select {FILE}
              from files
             where skipped is not null or lossy
             order by directory, name
            """,
        )
        return [_file(row) for row in rows]

    # Changing it, inside `changing`

    def remember_directory(self, directory: str, listing: bytes, sign: bytes) -> None:
        """Keep what *directory* looked like."""
        self._directories.remember(directory, listing, sign)

    def forget_directory(self, directory: str) -> int:
        """Drop *directory* and its files; return how many files there were."""
        sql = f"select {FILE} from files where directory = ?"
        gone = [_file(row) for row in fetch(self._db, sql, (directory,))]
        for file in gone:
            self.forget(file)
        self._directories.forget(directory)
        return len(gone)

    def forget(self, file: File) -> None:
        """Drop *file* and its chunks."""
        self._count(file, -1)
        if file.first_chunk is not None:
            span = (file.first_chunk, file.first_chunk + file.chunks - 1)
            self._db.execute("delete from words where rowid between ? and ?", span)
            self._db.execute("delete from chunks where id between ? and ?", span)
        self._db.execute("delete from files where id = ?", (file.id,))

    def restamp(self, file: File, *, mtime_ns: int) -> None:
        """Keep that *file* was touched, and nothing in it changed."""
        self._db.execute(
            "update files set mtime_ns = ? where id = ?", (mtime_ns, file.id)
        )

    def next_ids(self) -> tuple[int, int]:
        """Return the first free id of files, and of chunks."""
        file_id, chunk_id = fetch_one(
            self._db,
            """
            select (select coalesce(max(id), 0) + 1 from files),
                   (select coalesce(max(id), 0) + 1 from chunks)
            """,
        )
        return int(file_id), int(chunk_id)

    def add_files(self, files: Sequence[File]) -> None:
        """Keep *files*, whose chunks are added by `add_chunks`."""
        for file in files:
            self._count(file, 1)
        self._db.executemany(
            f"insert into files ({FILE}) values (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)",
            ((*file[:-1], file.skipped or None) for file in files),
        )

    def add_chunks(self, rows: Iterable[tuple[int, int, str, Chunk]]) -> None:
        """Keep chunks and their words.

        Args:
            rows: The chunk's id, its file's id, the words of the file's name, and
                the chunk.
        """
        from crewmem.db.batches import batched
        from crewmem.retrieval.words import apart

        for some in batched(rows, INSERT_ROWS):
            self._db.execute(
                f"insert into chunks values {_rows('(?,?,?,?,?,?)', len(some))}",
                [
                    value
                    for chunk_id, file_id, _, chunk in some
                    for value in (chunk_id, file_id, *chunk[:4])
                ],
            )
            # A bare heading, whose words stand above a later chunk, is not found.
            found = [row for row in some if row[3].words]
            if found:
                self._db.execute(
                    "insert into words (rowid, heading, body) values "
                    + _rows("(?,?,?)", len(found)),
                    [
                        value
                        for chunk_id, _, named, chunk in found
                        for value in (
                            chunk_id,
                            apart(f"{named} {chunk.heading}"),
                            apart(chunk.words),
                        )
                    ],
                )

    def compact(self) -> None:
        """Merge the word lists into one, and give back the pages they leave.

        It halves the time of a query and a quarter of the file, for a twentieth of
        the time that building takes.
        """
        with explained(self._db):
            self._db.execute("insert into words (words) values ('optimize')")
            self._db.execute("pragma cache_size = -512")  # a pass needs no more
            self._db.execute("vacuum")

    # Asking it

    @property
    def words(self) -> Words:
        """The full text."""
        from crewmem.files.words_store import Words

        return Words(self._db)

    @property
    def has_vectors(self) -> bool:
        """Tell whether any chunk was embedded."""
        return has_vectors(self._db)

    @property
    def vectors(self) -> ChunkVectors:
        """The vectors of the chunks."""
        from crewmem.files.vectors_store import ChunkVectors

        return ChunkVectors(self._db)


def _file(row: Row) -> File:
    values = dict(zip(FILE.split(", "), row, strict=True))
    values["skipped"] = values["skipped"] or ""
    values["lossy"] = bool(values["lossy"])
    return File(**values)


def _rows(row: str, count: int) -> str:
    return ",".join([row] * count)
