"""The tables of vectors: spaces, pages, parts and failures. The only SQL on them.

Nothing here needs numpy: what is packed comes and goes as bytes.
"""

from __future__ import annotations

from contextlib import closing, contextmanager

import apsw

from crewmem.db.connect import explained, fetch, filename, transaction
from crewmem.errors.database import (
    DatabaseDamagedError,
    DerivedDamagedError,
    NotADatabaseError,
)
from crewmem.records import NamedTuple
from crewmem.vectors.space import Failure, Kept, Space

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from crewmem.db.connect import Row, Values

BROKEN = (apsw.CorruptError, apsw.IOError, apsw.SQLError, ValueError)
"""What SQLite says of a blob that is damaged, cannot be read or is not there."""

PARTS = 64
"""Rows set aside for the parts of a page: a part's row is found by arithmetic."""


class Directory(NamedTuple):
    """What is known of a page without reading it.

    Attributes:
        slots: How many vectors it has, removed ones included.
        first_key: The smallest of its keys.
        last_key: The greatest.
        slack: How far its codes are from its vectors, at most.
    """

    id: int
    slots: int
    removed: int
    first_key: int
    last_key: int
    slack: float


class Pages:
    """The tables of vectors in a database.

    Attributes:
        damaged: Why each page that was met and could not be read could not.
    """

    def __init__(self, db: apsw.Connection, *, again: str = "") -> None:
        self._db, self._again = db, again
        self.damaged: dict[int, str] = {}

    def close(self) -> None:
        """Close the database."""
        self._db.close()

    @contextmanager
    def changing(self) -> Iterator[None]:
        """Commit what happens inside, with what a change around it does, if any."""
        if self._db.in_transaction:
            yield
            return
        with self._explained(), transaction(self._db):
            yield

    @contextmanager
    def reading(self) -> Iterator[None]:
        """See one state inside, whatever others write meanwhile."""
        if self._db.in_transaction:
            yield
            return
        with self._explained():
            self._db.execute("begin")
            try:
                yield
            finally:
                if self._db.in_transaction:
                    self._db.execute("rollback")

    @contextmanager
    def _explained(self) -> Iterator[None]:
        """Say of errors what they mean, and of damage how to be rid of it."""
        try:
            with explained(self._db):
                yield
        except (DatabaseDamagedError, NotADatabaseError) as error:
            if not self._again:
                raise
            path = filename(self._db)
            raise DerivedDamagedError(path, str(error), self._again) from error

    def _rows(self, sql: str, values: Values = ()) -> list[Row]:
        with self._explained():
            return fetch(self._db, sql, values)

    # Spaces

    def id_of(self, space: Space) -> int:
        """Return the id of *space*; 0 if it has never been written to."""
        rows = self._rows(
            """
            select id
              from vector_spaces
             where kind = ? and workspace_id = ? and model = ? and dim = ?
            """,
            space,
        )
        return int(rows[0][0]) if rows else 0

    def make(self, space: Space) -> int:
        """Return the id of *space*, which is made if it is new."""
        if found := self.id_of(space):
            return found
        self._db.execute(
            """
            insert into vector_spaces (kind, workspace_id, model, dim)
            values (?, ?, ?, ?)
            """,
            space,
        )
        return self._db.last_insert_rowid()

    def spaces(self) -> list[Kept]:
        """Return the spaces, by kind, workspace, model and dimension."""
        rows = self._rows(
            """
            select kind, workspace_id, model, dim, mark, sum(slots - removed)
              from vector_spaces
              left join vector_pages on space = vector_spaces.id
             group by vector_spaces.id
             order by kind, workspace_id, model, dim
            """,
        )
        return [Kept(Space(*row[:4]), row[5] or 0, row[4]) for row in rows]

    def mark(self, space: int) -> int:
        """Return the mark of *space*."""
        rows = self._rows("select mark from vector_spaces where id = ?", (space,))
        return int(rows[0][0]) if rows else 0

    def set_mark(self, space: int, mark: int) -> None:
        """Keep *mark*."""
        self._db.execute(
            "update vector_spaces set mark = ? where id = ?", (mark, space)
        )

    def drop(self, space: int) -> None:
        """Remove *space* with all that is in it."""
        for each in self.directory(space):
            self.remove(each.id)
        self._db.execute("delete from vector_failures where space = ?", (space,))
        self._db.execute("delete from vector_spaces where id = ?", (space,))

    # Pages

    def count(self, space: int) -> int:
        """Return how many vectors *space* has."""
        ((found,),) = self._rows(
            "select sum(slots - removed) from vector_pages where space = ?",
            (space,),
        )
        return int(found or 0)

    def directory(self, space: int) -> list[Directory]:
        """Return the pages of *space*, in the order in which they were added."""
        rows = self._rows(
            """
            select id, slots, removed, first_key, last_key, slack
              from vector_pages
             where space = ?
             order by id
            """,
            (space,),
        )
        return [Directory(*row) for row in rows]

    def last(self, space: int) -> Directory | None:
        """Return the page of *space* that was added last."""
        rows = self._rows(
            """
            select id, slots, removed, first_key, last_key, slack
              from vector_pages
             where space = ?
             order by id desc
             limit 1
            """,
            (space,),
        )
        return Directory(*rows[0]) if rows else None

    def lower_mark(self, space: int, key: int) -> None:
        """Keep no mark that is not before *key*."""
        self._db.execute(
            "update vector_spaces set mark = min(mark, ? - 1) where id = ?",
            (key, space),
        )

    def add(self, space: int) -> int:
        """Return the id of a new page of *space*, to be written."""
        self._db.execute(
            "insert into vector_pages values (null, ?, 0, 0, 0, 0, 0)", (space,)
        )
        return self._db.last_insert_rowid()

    def write(self, page: Directory, packed: bytes) -> None:
        """Write *page*, all but its parts."""
        self._db.execute(
            """
            update vector_pages
               set slots = ?, removed = ?, first_key = ?, last_key = ?, slack = ?
             where id = ?
            """,
            (*page[1:], page.id),
        )
        self._db.execute(
            "insert or replace into vector_codes values (?, ?)", (page.id, packed)
        )

    def write_parts(self, page: int, parts: Iterable[tuple[int, bytes]]) -> None:
        """Write parts, as (number, vectors), of *page*."""
        self._db.executemany(
            "insert or replace into vector_parts values (?, ?)",
            ((page * PARTS + number, vectors) for number, vectors in parts),
        )

    def write_within(self, page: Directory, offset: int, packed: bytes) -> None:
        """Write a piece of the packed half of *page* at *offset*, and its row."""
        self._db.execute(
            "update vector_pages set removed = ? where id = ?", (page.removed, page.id)
        )
        with self._db.blob_open(
            "main", "vector_codes", "packed", page.id, True
        ) as blob:
            blob.seek(offset)
            blob.write(packed)

    def remove(self, page: int) -> None:
        """Remove *page* with all that is in it."""
        parts = page * PARTS, (page + 1) * PARTS
        self._db.execute("delete from vector_parts where id >= ? and id < ?", parts)
        self._db.execute("delete from vector_codes where page = ?", (page,))
        self._db.execute("delete from vector_pages where id = ?", (page,))

    # What is packed

    def packed(
        self, pages: Iterable[tuple[int, int, int]]
    ) -> Iterator[memoryview | None]:
        """Yield what is packed of each of *pages*; None for one that is damaged.

        What is yielded is good until the next is asked for.

        Args:
            pages: As (id, bytes that it should have, bytes of it that are wanted).
        """
        table = "vector_codes", "packed"
        with closing(_Blobs(self._db, *table, self.damaged)) as blobs:
            for page, size, wanted in pages:
                yield blobs.read(page, size, wanted)

    def parts(
        self, parts: Iterable[tuple[int, int, int]]
    ) -> Iterator[memoryview | None]:
        """Yield each of *parts*, given as (page, number, bytes), in the same way."""
        table = "vector_parts", "vectors"
        with closing(_Blobs(self._db, *table, self.damaged)) as blobs:
            for page, number, size in parts:
                yield blobs.read(page * PARTS + number, size, size)

    # Failures

    def failures(self, space: int) -> list[Failure]:
        """Return what could not be embedded, by key."""
        rows = self._rows(
            """
            select key, tries, due_ms, error
              from vector_failures
             where space = ?
             order by key
            """,
            (space,),
        )
        return [Failure(*row) for row in rows]

    def fail(self, space: int, failures: Iterable[Failure]) -> None:
        """Keep *failures*, in the place of earlier ones of the same keys."""
        self._db.executemany(
            "insert or replace into vector_failures values (?, ?, ?, ?, ?)",
            ((space, *each) for each in failures),
        )

    def forget(self, space: int, keys: Iterable[int]) -> None:
        """Drop the failures of *keys*."""
        self._db.executemany(
            "delete from vector_failures where space = ? and key = ?",
            ((space, key) for key in keys),
        )


class _Blobs:
    """One column of blobs, each read into the same memory."""

    def __init__(
        self, db: apsw.Connection, table: str, column: str, damaged: dict[int, str]
    ) -> None:
        self._db, self._where, self._damaged = db, ("main", table, column), damaged
        self._pages = table == "vector_codes"
        self._blob: apsw.Blob | None = None
        self._buffer = bytearray()

    def close(self) -> None:
        """Let go of what is open."""
        if self._blob:
            self._blob.close(True)
            self._blob = None

    def read(self, row: int, size: int, wanted: int) -> memoryview | None:
        """Return the first *wanted* bytes of a blob, None if it has not *size*."""
        if len(self._buffer) < wanted:
            self._buffer = bytearray(wanted)
        try:
            blob = self._opened(row)
            if blob.length() == size:
                blob.read_into(self._buffer, 0, wanted)
                return memoryview(self._buffer)[:wanted]
            reason = f"it has {blob.length():,} bytes, not {size:,}"
        except BROKEN as error:
            self.close()
            reason = str(error)
        self._damaged[row if self._pages else row // PARTS] = reason
        return None

    def _opened(self, row: int) -> apsw.Blob:
        if self._blob:
            self._blob.reopen(row)
        else:
            self._blob = self._db.blob_open(*self._where, row, False)
        return self._blob
