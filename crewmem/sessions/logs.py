"""Find logs, detect changes, and stream their lines.

Lines are read in binary chunks, so that memory does not grow with a log. Only complete lines are
read. A line that is longer than `LINE_LIMIT`, or not a JSON object, is skipped.
"""

from __future__ import annotations

import os
import stat
import tempfile
from collections.abc import Collection, Iterator, Mapping
from contextlib import ExitStack, suppress
from datetime import UTC, datetime
from hashlib import sha256
from itertools import islice
from pathlib import Path
from typing import Any, BinaryIO, NamedTuple

from crewmem.errors import CrewmemError, DamagedError, NotFoundError
from crewmem.sessions.formats import (
    FORMATS,
    Document,
    Format,
    find_format,
    get_format,
)
from crewmem.sessions.formats.base import parse_json, unpack
from crewmem.sessions.index import LogRow, make_log_id, make_session_id
from crewmem.sessions.programs import check_program
from crewmem.storage.filesystem import SkippedFile
from crewmem.storage.sqlite import Database
from crewmem.times import format_time

CHUNK_BYTES = 4 << 20
READ_BYTES = 64 << 10
LINE_LIMIT = 64 << 20
"""Maximum bytes of a line."""

DOCUMENT_LIMIT = 256 << 20
"""Maximum bytes of a document."""

NOT_A_LOG = "not a log of a known program"

HEAD_BYTES, TAIL_BYTES = 1024, 256
"""Bytes at the start of a log and before the cursor whose hash identifies it."""

DETECTION_LINES = 40
"""Number of lines that are examined to detect the format of a log."""

AUTO = "auto"
"""All programs."""

MAX_TIME = 253_402_300_000
"""Latest time that can be written, in seconds since 1970."""

COMPRESSED_SUFFIX = ".zst"


class FoundLog(NamedTuple):
    """A file that contains one or several sessions.

    Attributes:
        format: Format of its location; None if it must be detected from the content.
    """

    path: Path
    status: os.stat_result
    format: Format | None

    @property
    def name(self) -> str:
        """Its path in the index; a compressed log has the path of the plain one."""
        return str(self.path).removesuffix(COMPRESSED_SUFFIX)

    @property
    def changed_at(self) -> str:
        """Time of the last write."""
        return format_time(datetime.fromtimestamp(min(self.status.st_mtime, MAX_TIME), UTC))


class Chunk(NamedTuple):
    """Complete lines of a log.

    Attributes:
        lines: The lines with their ends; None for one that is too long.
        first: Number of the first line.
        end: Byte offset after them.
    """

    lines: list[bytes | None]
    first: int
    end: int

    @property
    def last(self) -> int:
        """Number of the last line."""
        return self.first + len(self.lines) - 1

    @property
    def data(self) -> bytes:
        """The lines together; one that is too long is empty."""
        return b"".join(b"\n" if line is None else line for line in self.lines)

    def parse(self) -> Iterator[tuple[int, dict[str, Any] | None, str]]:
        """Yield number, object and "" for each line; None and the reason if it has no object."""
        for number, line in enumerate(self.lines, start=self.first):
            if line is None:
                yield number, None, f"longer than {LINE_LIMIT >> 20} MiB"
            elif isinstance(record := parse_json(line), dict):
                yield number, record, ""
            elif line.strip():
                yield number, None, "not a JSON object"


Roots = list[tuple[Path, Format | None]]
"""Directories or logs with their format; None if it must be detected from the content."""


def find_logs(roots: Roots) -> Iterator[FoundLog | SkippedFile]:
    """Find the logs below *roots* in sorted order. A root may be a file.

    A root without a format has the logs of any format, by their names alone. If it has none, it is
    reported as skipped.

    Links are followed only within their root. Hidden files are left out.
    """
    seen: set[tuple[int, int]] = set()
    for root, format_ in roots:
        if root.is_file():
            yield FoundLog(root, root.stat(), format_)
            continue
        inside = os.path.realpath(root) + os.sep
        failed: list[OSError] = []
        is_empty = format_ is None  # somebody named this root
        for directory, folders, names in os.walk(root, onerror=failed.append):
            folders[:] = sorted(each for each in folders if not each.startswith("."))
            for name in sorted(names):
                path = Path(directory, name)
                plain = name.removesuffix(COMPRESSED_SUFFIX)
                if name.startswith(".") or (plain != name and plain in names):
                    continue
                if format_ is not None:
                    is_log = format_.is_log(str(path.relative_to(root)))
                else:
                    is_log = any(each.is_log(name) for each in FORMATS)
                if not is_log:
                    continue
                is_empty = False
                if any(each.is_snapshot(path) for each in FORMATS):
                    continue
                try:
                    if path.is_symlink() and not os.path.realpath(path).startswith(inside):
                        yield SkippedFile(str(path), "a link that leaves the root")
                        continue
                    status = path.stat()
                except OSError as error:
                    yield SkippedFile(str(path), (error.strerror or str(error)).lower())
                    continue
                if not stat.S_ISREG(status.st_mode):
                    yield SkippedFile(str(path), "not a regular file")
                elif (status.st_dev, status.st_ino) not in seen:
                    seen.add((status.st_dev, status.st_ino))
                    yield FoundLog(path, status, format_)
        for each in failed:
            if not isinstance(each, FileNotFoundError):
                yield SkippedFile(str(each.filename), (each.strerror or str(each)).lower())
        if is_empty:
            yield SkippedFile(str(root), "no log of a known program is below it")


def open_log(path: Path) -> BinaryIO:
    """Open a log for reading; a compressed one is decompressed.

    Raises:
        CrewmemError: If it cannot be read, or is not a regular file.
    """
    try:
        descriptor = os.open(path, os.O_RDONLY | os.O_CLOEXEC | os.O_NONBLOCK | os.O_NOCTTY)
    except OSError as error:
        reason = (error.strerror or str(error)).lower()
        raise DamagedError(f"cannot read {path}: {reason}", code="log-unreadable") from error
    if not stat.S_ISREG(os.fstat(descriptor).st_mode):
        os.close(descriptor)
        raise DamagedError(f"{path} is not a regular file", code="log-unreadable")
    file = os.fdopen(descriptor, "rb", buffering=READ_BYTES)
    if path.suffix != COMPRESSED_SUFFIX:
        return file
    with file:
        return _unpack_log(file)


def _unpack_log(packed: BinaryIO) -> BinaryIO:
    """Decompress a log into a temporary file: it may not fit in memory."""
    with ExitStack() as opened:
        lines: BinaryIO = opened.enter_context(tempfile.TemporaryFile())
        unpack(packed, lines)
        # Add the line end that the last line may lack, but no empty line: the hash of the content
        # must stay that of the plain log.
        if lines.tell():
            lines.seek(-1, os.SEEK_CUR)
            if lines.read(1) != b"\n":
                lines.write(b"\n")
        lines.seek(0)
        opened.pop_all()
        return lines


def compute_mark(file: BinaryIO, offset: int) -> str:
    """Return a hash of the start of a log and the bytes before *offset*, which identifies it.

    Bytes after *offset* do not count: the next line may be incomplete.
    """
    start = max(offset - TAIL_BYTES, 0)
    file.seek(0)
    head = file.read(min(HEAD_BYTES, offset))
    file.seek(start)
    return sha256(head + file.read(offset - start)).hexdigest()


def is_same_log(log: LogRow, file: BinaryIO) -> bool:
    """Return whether a file still begins with the part of a log that was read."""
    return not log.offset or compute_mark(file, log.offset) == log.mark


def detect_format(file: BinaryIO, fallback: Format | None) -> Format | None:
    """Return the format of the first line that a format recognises; *fallback* for none."""
    file.seek(0)
    lines = (line for chunk in read_chunks(file, size=READ_BYTES) for line in chunk.parse())
    records = (record for _, record, _ in islice(lines, DETECTION_LINES) if record is not None)
    detected = next(filter(None, map(find_format, records)), fallback)
    file.seek(0)
    return detected


def read_chunks(
    file: BinaryIO, offset: int = 0, line: int = 0, *, size: int = CHUNK_BYTES
) -> Iterator[Chunk]:
    """Yield the complete lines of a log from a byte offset on.

    Args:
        file: The log.
        offset: Offset of the start of a line.
        line: Number of lines before *offset*.
        size: Bytes of a chunk; it ends with the line in which they end.
    """
    if offset:
        file.seek(offset)
    lines: list[bytes | None] = []
    parts: list[bytes] = []  # of the line that is being read
    length = 0  # of that line
    start = end = offset
    while part := file.readline(READ_BYTES):
        length += len(part)
        parts.append(part)
        if length > LINE_LIMIT:
            parts.clear()
        if not part.endswith(b"\n"):
            continue
        lines.append(b"".join(parts) if parts else None)
        end += length
        parts.clear()
        length = 0
        if end - start >= size:
            yield Chunk(lines, line + 1, end)
            line += len(lines)
            lines, start = [], end
    if lines:
        yield Chunk(lines, line + 1, end)


def load_document(found: FoundLog) -> tuple[Format, Document]:
    """Read a log that is one JSON object, or a list of messages.

    Raises:
        CrewmemError: If it cannot be read, or is not a log.
    """
    with open_log(found.path) as file:
        if os.fstat(file.fileno()).st_size > DOCUMENT_LIMIT:
            size = DOCUMENT_LIMIT >> 20
            raise DamagedError(f"{found.path} is larger than {size} MiB", code="log-too-large")
        record = parse_json(file.read())
    if isinstance(record, list):
        record = {"messages": record}
    if isinstance(record, dict):
        for format_ in (found.format, find_format(record) or get_format("plain")):
            if format_ is not None and (document := format_.split_document(record)):
                return format_, document
    raise DamagedError(NOT_A_LOG, code="log-unreadable")


def list_roots(
    home: Path, variables: Mapping[str, str], program: str = AUTO, root: Path | None = None
) -> Roots:
    """Return the locations of logs, with links resolved because the path identifies a log.

    Raises:
        CrewmemError: If *root* does not exist, or the program is unknown.
    """
    if program != AUTO:
        check_program(program)
    if root is not None:
        if not root.exists():
            raise NotFoundError(f"there is no {root}", code="root-not-found")
        return [(root.resolve(), None)]
    return [
        (path.resolve(), format_)
        for format_ in FORMATS
        if program in (AUTO, format_.name)
        for path in format_.find_roots(home, variables)
        if path.exists()
    ]


def list_unindexed(
    db: Database | None, forgotten: Collection[str], home: Path, variables: Mapping[str, str]
) -> list[FoundLog]:
    """Return the logs that are new or have changed since they were indexed, without reading turns.

    Args:
        db: The index of sessions; None if nothing was indexed yet.
        forgotten: Ids of forgotten sessions and their logs.
        home: The person's home directory.
        variables: The environment, which may set the location of logs.
    """
    known: set[tuple[str, int, int]] = set()
    if db is not None:
        known = set(db.all("select path, max(size), max(mtime_ns) from logs group by path"))
    return [
        found
        for found in find_logs(list_roots(home, variables))
        if isinstance(found, FoundLog)
        and found.status.st_size
        and (found.name, found.status.st_size, found.status.st_mtime_ns) not in known
        and not (found.format is not None and found.format.is_partial(found.path))
        and not _is_forgotten(found, forgotten)
    ]


def _is_forgotten(found: FoundLog, forgotten: Collection[str]) -> bool:
    """Return whether a log was forgotten; for a file with several sessions, whether all were."""
    if found.format is not None:
        with suppress(CrewmemError):
            sessions = found.format.list_sessions(found.path)
            if sessions is not None:
                program = found.format.name
                return all(make_session_id(program, each.id) in forgotten for each in sessions)
    return make_log_id(found.name, "", 0) in forgotten
