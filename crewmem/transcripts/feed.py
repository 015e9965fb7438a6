"""Opening a log where it was left, whatever it lies in."""

from __future__ import annotations

import os

from crewmem import disk
from crewmem.disk.failures import failure
from crewmem.errors.transcripts import PackedError
from crewmem.records import NamedTuple
from crewmem.transcripts.cursor import HEAD_MOST, TAIL_MOST, digest, is_same
from crewmem.transcripts.lines import PIECE, lines

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from crewmem.transcripts.cursor import Cursor
    from crewmem.transcripts.lines import Line, Read
    from crewmem.transcripts.source import Source

    Unpack = Callable[[int, str], Read]
    """Returns what reads what is compressed in an open file, from its beginning; of a
    path, for what it says where that is damaged."""


class Mark(NamedTuple):
    """By what a log is known again where it was left.

    Attributes:
        head_bytes: Of how many bytes the next is.
        head: Of its beginning.
        tail: Of what is before where it was left; "" where nobody can look.
    """

    head_bytes: int
    head: str
    tail: str


class Feed:
    """A log that is open, from where it was left if it is the same still.

    Attributes:
        is_fresh: Whether it is read from its beginning: it is new, or another by now.
    """

    def __init__(self, file: disk.File, read: Read, *, packed: bool) -> None:
        self._file, self._packed = file, packed
        self._source = read
        self.offset, self.line = 0, 0
        self.is_fresh = True
        self._head = self._ahead = b""
        self._begun = not packed

    def close(self) -> None:
        """Let go of the file."""
        self._file.close()

    def lines(self) -> Iterator[Line]:
        """Yield its whole lines, from where it was left."""
        return lines(self._read, at=self.offset, number=self.line)

    def mark(self, offset: int) -> Mark:
        """Return by what it is known again if it is left at *offset*."""
        size = min(HEAD_MOST, offset)
        if self._packed:
            size = min(size, len(self._head))
            return Mark(size, digest(self._head[:size]), "")
        tail = min(TAIL_MOST, offset)
        return Mark(
            size,
            digest(_at(self._file, size, 0)),
            digest(_at(self._file, tail, offset - tail)),
        )

    def resume(self, cursor: Cursor) -> bool:
        """Go to where *cursor* is; False, and go nowhere, if that is another log."""
        size = None if self._packed else self._file.stat.st_size
        if not is_same(cursor, self._beginning(), size):
            return False
        before = min(TAIL_MOST, cursor.offset)
        tail = self._skip(cursor.offset - before, before)
        if len(tail) < before or (cursor.tail and digest(tail) != cursor.tail):
            return False
        self.offset, self.line = cursor.offset, cursor.line
        self.is_fresh = False
        return True

    def _beginning(self) -> bytes:
        if not self._packed:
            return _at(self._file, HEAD_MOST, 0)
        if not self._begun:
            self._begun = True
            while piece := self._source(HEAD_MOST - len(self._head)):
                self._head += piece
            self._ahead = self._head
        return self._head

    def _read(self, size: int) -> bytes:
        """Return the next bytes, those first that were read to look at them."""
        if not self._begun:
            self._beginning()
        if self._ahead:
            piece, self._ahead = self._ahead[:size], self._ahead[size:]
            return piece
        return self._source(size)

    def go(self, offset: int, line: int) -> None:
        """Go to *offset*, before which *line* lines are, whatever is there."""
        self._skip(offset, 0)
        self.offset, self.line, self.is_fresh = offset, line, False

    def _skip(self, size: int, then: int) -> bytes:
        """Pass *size* bytes, and return the *then* that follow, passed as well."""
        if not self._packed:
            os.lseek(self._file, size, os.SEEK_SET)
            tail = b""
            while len(tail) < then and (piece := self._source(then - len(tail))):
                tail += piece
            return tail
        left, tail = size, b""
        while left > 0 and (piece := self._read(min(PIECE, left))):
            left -= len(piece)
        while len(tail) < then and (piece := self._read(then - len(tail))):
            tail += piece
        return b"" if left else tail


def _at(file: disk.File, size: int, offset: int) -> bytes:
    """Return *size* bytes of *file* at *offset*, or as many as there are."""
    parts: list[bytes] = []
    while size > 0 and (piece := os.pread(file, size, offset)):
        parts.append(piece)
        size, offset = size - len(piece), offset + len(piece)
    return b"".join(parts)


def opened(source: Source, cursor: Cursor | None, unpack: Unpack | None) -> Feed:
    """Open *source* where *cursor* left it, or at its beginning.

    Raises:
        UnsafePathError: If there is no regular file any more.
        PackedError: If it is compressed, and nothing here can read that.
    """
    if cursor is not None:
        feed = _open(source, unpack)
        try:
            if feed.resume(cursor):
                return feed
        except BaseException:
            feed.close()
            raise
        feed.close()
    return _open(source, unpack)


def _open(source: Source, unpack: Unpack | None) -> Feed:
    if source.is_packed and unpack is None:
        raise PackedError(source.file)
    with disk.open_root(source.root) as root:
        file = disk.open_file(root, source.path)
    if unpack is not None and source.is_packed:
        try:
            return Feed(file, unpack(file, source.file), packed=True)
        except BaseException:
            file.close()
            raise

    def read(size: int) -> bytes:
        try:
            return os.read(file, size)
        except OSError as error:
            raise failure(error, file.path, "read") from error

    return Feed(file, read, packed=False)
