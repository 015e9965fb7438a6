"""Sessions that OpenClaw keeps in a database of its own. It is read, and no more.

What it is like is OpenClaw's to change: what of it cannot be found is no failure, and
what is read is read as it lies, without a file or a lock beside it.
"""

from __future__ import annotations

from pathlib import Path

from crewmem.db.connect import fetch
from crewmem.db.examine import examine
from crewmem.errors.transcripts import LogDamagedError, PackedError
from crewmem.records import NamedTuple
from crewmem.transcripts.cursor import digest
from crewmem.transcripts.feed import Mark
from crewmem.transcripts.lines import LINE_MOST, Line

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    import apsw

    from crewmem.transcripts.cursor import Cursor

    Unpacked = Callable[[bytes, int], bytes]
    """Returns what is compressed, of so many bytes at most."""

ROWS_MOST = 500
"""Rows that are looked at together: what is read must not change meanwhile."""

TABLE = "transcript_events"


class Session(NamedTuple):
    """A session in a database.

    Attributes:
        name: Its id.
        newest: The place of its newest row.
        tail: By what that is known again.
    """

    name: str
    newest: int
    tail: str


def sessions(path: str) -> list[Session]:
    """Return the sessions in the database at *path*; none, if it keeps none.

    Raises:
        CrewmemError: If it cannot be read.
    """

    def look(db: apsw.Connection) -> list[Session]:
        columns = _columns(db)
        if not columns >= {"session_id", "seq", "event_json"}:
            return []
        packed = "event_zstd" if "event_zstd" in columns else "null"
        # What stands beside a maximum is of the row that has it.
        sql = f"""
            select session_id, max(seq), event_json, {packed} from {TABLE}
             group by session_id order by session_id
        """
        return [
            Session(name, newest, _mark(text, raw))
            for name, newest, text, raw in fetch(db, sql)
            if isinstance(name, str) and isinstance(newest, int)
        ]

    return examine(Path(path), look)


def _mark(text: object, raw: object) -> str:
    """Return by what a row is known again, as it is kept."""
    kept = text if isinstance(text, str) else raw
    if isinstance(kept, str):
        kept = kept.encode("utf-8", "replace")
    return digest(kept if isinstance(kept, bytes) else b"")


def _columns(db: apsw.Connection) -> set[str]:
    sql = "select name from pragma_table_info(?)"
    return {name for (name,) in fetch(db, sql, (TABLE,))}


class Rows:
    """A session in a database, from where it was left if it is the same still.

    Attributes:
        is_fresh: Whether it is read from its beginning.
    """

    def __init__(self, path: str, session: str, unpacked: Unpacked | None) -> None:
        self._path, self._session, self._unpacked = path, session, unpacked
        self.offset, self.line = 0, 0
        self.is_fresh = True
        self._last = ""

    def resume(self, cursor: Cursor) -> bool:
        """Go to where *cursor* is; False if what was read there is another by now."""
        found = self._rows(cursor.line, cursor.offset)
        if not found or found[0][2] != cursor.tail:
            return False
        self.go(cursor.offset, cursor.line)
        self._last = cursor.tail
        return True

    def go(self, offset: int, line: int) -> None:
        """Go to the row *offset*, behind the row *line*."""
        self.offset, self.line, self.is_fresh = offset, line, False

    def close(self) -> None:
        """Do nothing: it is opened for each look alone."""

    def mark(self, offset: int) -> Mark:  # noqa: ARG002 - as of a file
        """Return by what it is known again: the row that was read last."""
        return Mark(0, "", self._last)

    def lines(self) -> Iterator[Line]:
        """Yield its rows as lines, from where it was left."""
        at = self.offset
        while rows := self._rows(at, None):
            for seq, content, mark in rows:
                self._last = mark
                yield Line(seq, seq, seq + 1, content)
            at = rows[-1][0] + 1

    def _rows(
        self, first: int, before: int | None
    ) -> list[tuple[int, bytes | None, str]]:
        """Return rows from *first* on, and by what each is known again.

        A row that is too long is None.
        """

        def look(db: apsw.Connection) -> list[tuple[int, str | None, bytes | None]]:
            packed = "event_zstd" if "event_zstd" in _columns(db) else "null"
            sql = f"""
                select seq, event_json, {packed} from {TABLE}
                 where session_id = ? and seq >= ? and seq < ?
                 order by seq limit ?
            """
            last = (1 << 62) if before is None else before
            return fetch(db, sql, (self._session, first, last, ROWS_MOST))

        found = examine(Path(self._path), look)
        return [
            (seq, self._content(text, packed), _mark(text, packed))
            for seq, text, packed in found
        ]

    def _content(self, text: str | None, packed: bytes | None) -> bytes | None:
        if text is not None:
            content = str(text).encode("utf-8", "replace")
            return content if len(content) <= LINE_MOST else None
        if packed is None:
            return b""
        if self._unpacked is None:
            raise PackedError(self._path)
        try:
            return self._unpacked(packed, LINE_MOST)
        except LogDamagedError:
            return b"?"  # a line that nobody can read, and counted as one
