"""Reading logs: finding them, noticing what changed, and streaming their lines.

Lines are read in binary, chunk by chunk: memory does not grow with a log. Only complete lines
count. A line that is longer than `LINE_LIMIT` or is no JSON object costs only itself.
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
    check_program,
    get_format,
    recognise,
)
from crewmem.sessions.formats.base import parse_json, unpack
from crewmem.sessions.index import LogRow, make_log_id, make_session_id
from crewmem.storage.filesystem import SkippedFile
from crewmem.storage.sqlite import Database
from crewmem.times import format_time

CHUNK_BYTES = 4 << 20
LINE_LIMIT = 64 << 20
"""Bytes of the longest line that is read; a longer one is skipped."""

DOCUMENT_LIMIT = 256 << 20
"""Bytes of the largest document that is read."""

NO_LOG = "not a log of a known program"

HEAD_BYTES, TAIL_BYTES = 1024, 256
"""By which a log is known again: its beginning, and what stands before the cursor."""

SNIFFED_LINES = 40
"""Lines in which the format of a log is looked for."""

AUTO = "auto"
"""Stands for all programs."""

PACKED = ".zst"
LOG_SUFFIXES = (".jsonl", ".json", ".jsonl.zst")
DATABASES = ("openclaw-agent.sqlite", "opencode.db")


class FoundLog(NamedTuple):
    """A file that holds a session, or several.

    Attributes:
        format: By where it lies; None when only its content tells.
    """

    path: Path
    status: os.stat_result
    format: Format | None

    @property
    def name(self) -> str:
        """The path by which the index knows it: that of the plain log of a compressed one."""
        return str(self.path).removesuffix(PACKED)


class Chunk(NamedTuple):
    """Complete lines of a log.

    Attributes:
        data: The lines as they are; one that is too long is empty.
        first: Number of the first line.
        end: Byte offset after them.
        is_cut: Whether the first line was too long.
    """

    data: bytes
    first: int
    end: int
    is_cut: bool = False

    @property
    def last(self) -> int:
        """Number of the last line."""
        return self.first + self.data.count(b"\n") - 1

    def parse(self) -> Iterator[tuple[int, dict[str, Any] | None, str]]:
        """Yield the number and the object of each line; None and the reason for one without."""
        if self.is_cut:
            yield self.first, None, f"longer than {LINE_LIMIT >> 20} MiB"
        for number, line in enumerate(self.data.split(b"\n"), start=self.first):
            record = parse_line(line)
            if record is not None:
                yield number, record, ""
            elif line.strip():
                yield number, None, "not a JSON object"


Roots = list[tuple[Path, Format | None]]
"""Directories or logs, with the program that has them; None when only their content tells."""


def find_logs(roots: Roots) -> Iterator[FoundLog | SkippedFile]:
    """Find the logs below *roots*, by name and in order; a root may be a file itself.

    Links are followed inside their root only. Hidden files are left out.
    """
    seen: set[tuple[int, int]] = set()
    for root, format_ in roots:
        if root.is_file():
            yield FoundLog(root, root.stat(), format_)
            continue
        inside = os.path.realpath(root) + os.sep
        failed: list[OSError] = []
        for directory, folders, names in os.walk(root, onerror=failed.append):
            folders[:] = sorted(each for each in folders if not each.startswith("."))
            for name in sorted(names):
                path = Path(directory, name)
                if name.startswith(".") or not is_log_name(name):
                    continue
                if name.endswith(PACKED) and name.removesuffix(PACKED) in names:
                    continue
                if format_ is not None and not format_.is_log(str(path.relative_to(root))):
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


def is_log_name(name: str) -> bool:
    """Tell whether a file of that name may be a log.

    >>> is_log_name("4a5f.jsonl.reset.2026-05-01"), is_log_name("notes.md")
    (True, False)
    """
    return name.endswith(LOG_SUFFIXES) or name in DATABASES or ".jsonl." in name


def open_log(path: Path) -> BinaryIO:
    """Open a log for reading: a regular file only, which is unpacked when it is compressed.

    Raises:
        CrewmemError: If it cannot be read.
    """
    try:
        descriptor = os.open(path, os.O_RDONLY | os.O_CLOEXEC | os.O_NONBLOCK | os.O_NOCTTY)
    except OSError as error:
        reason = (error.strerror or str(error)).lower()
        raise DamagedError(f"cannot read {path}: {reason}", code="log-unreadable") from error
    if not stat.S_ISREG(os.fstat(descriptor).st_mode):
        os.close(descriptor)
        raise DamagedError(f"{path} is not a regular file", code="log-unreadable")
    file = os.fdopen(descriptor, "rb", buffering=0)
    if path.suffix != PACKED:
        return file
    with file:
        return _unpack_log(file)


def _unpack_log(packed: BinaryIO) -> BinaryIO:
    """Return a temporary file with the lines of a compressed log, which may not fit in memory."""
    with ExitStack() as opened:
        lines: BinaryIO = opened.enter_context(tempfile.TemporaryFile())
        unpack(packed, lines)
        # The last line may lack its end; a further one would make it another log than the plain
        # one.
        if lines.tell():
            lines.seek(-1, os.SEEK_CUR)
            if lines.read(1) != b"\n":
                lines.write(b"\n")
        lines.seek(0)
        opened.pop_all()
        return lines


def mark_place(file: BinaryIO, offset: int) -> str:
    """Return a hash of a log's beginning and of what stands before *offset*, by which it is known.

    Only what was read counts: the line that follows may not be whole yet.
    """
    start = max(offset - TAIL_BYTES, 0)
    file.seek(0)
    head = file.read(min(HEAD_BYTES, offset))
    file.seek(start)
    return sha256(head + file.read(offset - start)).hexdigest()


def is_same(log: LogRow, file: BinaryIO) -> bool:
    """Tell whether a file still begins with what was read of a log."""
    return not log.offset or mark_place(file, log.offset) == log.mark


def sniff_format(file: BinaryIO, fallback: Format | None) -> Format | None:
    """Return the format of a log of lines, by the first that are known.

    They are read as the log is, so that one that is too long hides no other.
    """
    file.seek(0)
    lines = (line for chunk in read_chunks(file) for line in chunk.parse())
    records = (record for _, record, _ in islice(lines, SNIFFED_LINES) if record is not None)
    found = next(filter(None, map(recognise, records)), fallback)
    file.seek(0)
    return found


def parse_line(line: bytes) -> dict[str, Any] | None:
    """Return the object of a line; None when it is no JSON object."""
    record = parse_json(line)
    return record if isinstance(record, dict) else None


def read_chunks(
    file: BinaryIO, offset: int = 0, line: int = 0, *, size: int = CHUNK_BYTES
) -> Iterator[Chunk]:
    """Yield the complete lines of a log from a byte offset on.

    Args:
        file: The log.
        offset: Where to begin: the beginning of a line.
        line: How many lines stand before.
        size: Bytes that are read at a time.
    """
    if offset:
        file.seek(offset)
    rest: list[bytes] = []
    held = 0
    while data := file.read(size):
        cut = data.rfind(b"\n") + 1
        if not cut:
            held += len(data)
            rest = [] if held > LINE_LIMIT else [*rest, data]
            continue
        is_cut = held > LINE_LIMIT
        if is_cut:
            end_of_line = data.index(b"\n")
            offset += held + end_of_line
            whole = data[end_of_line:cut]
        else:
            whole = b"".join([*rest, data[:cut]])
        offset += len(whole)
        chunk = Chunk(whole, line + 1, offset, is_cut)
        yield chunk
        line = chunk.last
        rest = [data[cut:]] if cut < len(data) else []
        held = len(data) - cut


def load_document(found: FoundLog) -> tuple[Format, Document]:
    """Read a log that is one JSON object, or a list of messages.

    Raises:
        CrewmemError: If it cannot be read, or is no log.
    """
    with open_log(found.path) as file:
        if os.fstat(file.fileno()).st_size > DOCUMENT_LIMIT:
            size = DOCUMENT_LIMIT >> 20
            raise DamagedError(f"{found.path} is larger than {size} MiB", code="log-too-large")
        record = parse_json(file.read())
    if isinstance(record, list):
        record = {"messages": record}
    if isinstance(record, dict):
        for format_ in (found.format, recognise(record) or get_format("plain")):
            if format_ is not None and (document := format_.split_document(record)):
                return format_, document
    raise DamagedError(NO_LOG, code="log-unreadable")


def list_roots(
    home: Path, variables: Mapping[str, str], program: str = AUTO, root: Path | None = None
) -> Roots:
    """Return where logs are looked for, without links: a log is known again by its path.

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
        (place.resolve(), format_)
        for format_ in FORMATS
        if program in (AUTO, format_.name)
        for place in format_.find_roots(home, variables)
        if place.exists()
    ]


class WaitingLog(NamedTuple):
    """A log with something to read.

    Attributes:
        program: That wrote it; "" when only its content tells.
        bytes: That are not indexed.
        changed_at: When it was last written to.
    """

    path: Path
    program: str
    bytes: int
    changed_at: str


def list_waiting(
    db: Database | None, forgotten: Collection[str], home: Path, variables: Mapping[str, str]
) -> list[WaitingLog]:
    """Return the logs that grew, or are new, since they were indexed; no turn is read of them.

    Args:
        db: The index of sessions; None when nothing was ever indexed.
        forgotten: Ids of sessions that were forgotten, and of their logs.
        home: The person's home directory.
        variables: The environment, by which programs may be told where their logs are.
    """
    known = {}
    if db is not None:
        known = {
            path: (size, mtime_ns)
            for path, size, mtime_ns in db.execute(
                "select path, max(size), max(mtime_ns) from logs group by path"
            )
        }
    waiting = []
    for found in find_logs(list_roots(home, variables)):
        if not isinstance(found, FoundLog) or not found.status.st_size:
            continue
        if found.format is not None and found.format.is_digest(found.path):
            continue
        size, mtime_ns = known.get(found.name, (0, 0))
        if (size, mtime_ns) == (found.status.st_size, found.status.st_mtime_ns):
            continue
        if _is_forgotten(found, forgotten):
            continue
        changed = datetime.fromtimestamp(min(found.status.st_mtime, 253_402_300_000), UTC)
        waiting.append(
            WaitingLog(
                found.path,
                found.format.name if found.format is not None else "",
                max(found.status.st_size - size, 0),
                format_time(changed),
            )
        )
    return waiting


def _is_forgotten(found: FoundLog, forgotten: Collection[str]) -> bool:
    """Tell whether a log, or each session in a file of several, was forgotten."""
    if found.format is not None:
        with suppress(CrewmemError):
            sessions = found.format.list_sessions(found.path)
            if sessions is not None:
                program = found.format.name
                return all(make_session_id(program, inner) in forgotten for inner in sessions)
    return make_log_id(found.name, "", 0) in forgotten
