"""Kept copies of session logs. Programs delete their logs, Claude Code after 30 days.

A copy is a file of gzip members below ``<home>/sessions/``. It has the lines of the log with
secrets redacted, so that a turn has the same line number in both. A JSON file beside it describes
the log. `Copies.read_texts` reads from the log or from its copy.
"""

from __future__ import annotations

import gzip
import io
import json
import os
import zlib
from collections.abc import Collection, Container, Iterable, Mapping
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING, Any, BinaryIO, NamedTuple

from crewmem.errors import CrewmemError, DamagedError, NotFoundError
from crewmem.security.secrets import find_secrets, redact, replace_secrets
from crewmem.sessions.formats import get_format
from crewmem.sessions.formats.base import parse_object
from crewmem.sessions.index import LogRow, SessionIndex
from crewmem.sessions.logs import is_same_log, open_log, read_chunks
from crewmem.sessions.turns import Record, State
from crewmem.storage.filesystem import append_file, read_file, remove_file, write_file
from crewmem.storage.sqlite import Database
from crewmem.text.records import map_texts

if TYPE_CHECKING:
    from _typeshed import WriteableBuffer

DIRECTORY = "sessions"
LEVEL = 4
"""Compression level: half the time of level 6, and copies 6 percent larger."""

GZIP = 31
"""``wbits`` of zlib for a gzip member."""


WHITE_SPACE = ("\\n", "\\r", "\\t")
"""White space as escaped in JSON. The scanner would take the letter as part of the next word."""


class CopyInfo(NamedTuple):
    """The description of a copy.

    Attributes:
        id: Id of the log; for the others see `LogRow` and `SessionOwner`.
        state: State of the format from the head of a document; empty for a log of lines.
    """

    id: str
    path: str
    inner: str
    generation: int
    program: str
    workspace: str
    agent: str | None
    crew: str | None
    state: dict[str, Any]


class Copies:
    """The kept copies of a home."""

    def __init__(self, home: Path) -> None:
        self.root = home / DIRECTORY

    def append(self, log_id: str, data: bytes, *, size: int) -> int:
        """Add lines to a copy after its first *size* bytes; return its new size.

        Bytes after those are from a run that was killed, and are overwritten.
        """
        member = zlib.compress(_redact_lines(data), level=LEVEL, wbits=GZIP)
        append_file(self.root, f"{log_id}.gz", member, size=size)
        return size + len(member)

    def replace(self, log_id: str, records: Iterable[Record], *, skipped: int) -> int:
        """Write the copy of a document, a record per line after *skipped* empty lines."""
        lines = "".join(json.dumps(each, ensure_ascii=False) + "\n" for each in records)
        data = b"\n" * skipped + lines.encode("utf-8", "replace")
        member = zlib.compress(_redact_lines(data), level=LEVEL, wbits=GZIP)
        write_file(self.root, f"{log_id}.gz", member)
        return len(member)

    def describe(self, info: CopyInfo) -> None:
        """Write the description of a copy."""
        data = json.dumps(info._asdict(), ensure_ascii=False).encode("utf-8", "replace")
        write_file(self.root, f"{info.id}.json", _redact_lines(data))

    def list(self, *, without: Container[str] = ()) -> list[CopyInfo]:
        """Return the copies that have a readable description.

        Args:
            without: Ids of logs to leave out.
        """
        if not self.root.is_dir():
            return []
        names = sorted(name for name in os.listdir(self.root) if name.endswith(".json"))
        ids = [name.removesuffix(".json") for name in names]
        found = [self.load_info(log_id) for log_id in ids if log_id not in without]
        return [info for info in found if info is not None]

    def load_info(self, log_id: str) -> CopyInfo | None:
        """Return the description of a copy; None without a readable one."""
        fields = State().dump()
        try:
            record = json.loads(read_file(self.root, f"{log_id}.json"))
            state = {
                field: value
                for field, value in record["state"].items()
                if field in fields and isinstance(value, type(fields[field]))
            }
            return CopyInfo(**{**record, "state": state})
        except (CrewmemError, ValueError, TypeError, LookupError, AttributeError):
            return None

    def open(self, log_id: str) -> BinaryIO:
        """Open a copy for reading, as a stream of its lines.

        Raises:
            NotFoundError: If there is none.
        """
        path = self.root / f"{log_id}.gz"
        if path.is_symlink() or not path.is_file():
            raise NotFoundError(f"there is no kept copy {path}", code="copy-not-found")
        return io.BufferedReader(_CopyReader(path))

    def size(self, log_id: str) -> int:
        """Return the size of a copy in bytes; 0 if there is none."""
        try:
            return (self.root / f"{log_id}.gz").stat().st_size
        except OSError:
            return 0

    def remove(self, log_id: str) -> None:
        """Remove a copy."""
        for name in (f"{log_id}.gz", f"{log_id}.json"):
            if (self.root / name).exists():
                remove_file(self.root, name)

    def read_texts(
        self, db: Database, lines: Mapping[int, Collection[int]]
    ) -> dict[tuple[int, int, int], str]:
        """Return full texts of turns by key of the log, line and part; the index shortens them.

        Turns whose log and copy do not exist are left out.

        Args:
            db: The index.
            lines: Lines of the turns, by key of their log.
        """
        found: dict[tuple[int, int, int], str] = {}
        for log in SessionIndex(db).list_logs():
            if log.key in lines:
                found |= self._read_texts(log, lines[log.key])
        return found

    def _read_texts(self, log: LogRow, lines: Collection[int]) -> dict[tuple[int, int, int], str]:
        found: dict[tuple[int, int, int], str] = {}
        try:
            file = self._open_log_or_copy(log)
        except CrewmemError:
            return found
        format_, state = get_format(log.program), State(**json.loads(log.state or "{}"))
        with file:
            for chunk in read_chunks(file):
                for number, record, _ in chunk.parse():
                    line = number - log.is_document  # the messages of a document count from 0
                    if record is not None and line in lines:
                        for turn in format_.read_turns(record, line, state):
                            found[log.key, line, turn.part] = redact(turn.text)
                if chunk.last > max(lines):
                    break
        return found

    def _open_log_or_copy(self, log: LogRow) -> BinaryIO:
        """Open a log; its copy if it is a document, or was deleted or replaced."""
        if not log.is_document:
            with suppress(CrewmemError):
                file = open_log(Path(log.path))
                if is_same_log(log, file):
                    file.seek(0)
                    return file
                file.close()
        return self.open(log.id)


class _CopyReader(io.RawIOBase):
    """Decompresses a copy. A truncated member, left by a run that was killed, ends the stream.

    Reading raises DamagedError if the copy cannot be decompressed.
    """

    def __init__(self, path: Path) -> None:
        self._file = gzip.GzipFile(path)

    def readable(self) -> bool:
        return True

    def readinto(self, buffer: WriteableBuffer) -> int:
        try:
            return self._file.readinto1(buffer)
        except EOFError:
            return 0
        except (OSError, zlib.error) as error:
            raise DamagedError(
                f"{self._file.name} is damaged: {error}", code="copy-damaged"
            ) from error

    def close(self) -> None:
        self._file.close()
        super().close()


def _redact_lines(data: bytes) -> bytes:
    """Redact secrets in lines of JSON. The lines stay valid JSON, and keep their numbers."""
    text = searched = data.decode("utf-8", "surrogateescape")
    for escape in WHITE_SPACE:
        searched = searched.replace(escape, "  ")
    found = find_secrets(searched, decode=False)
    if not found:
        return data
    redacted = replace_secrets(text, found).encode("utf-8", "surrogateescape")
    before, after = data.split(b"\n"), redacted.split(b"\n")
    if len(before) != len(after):  # a secret contained a line break; no present rule does that
        after = [_redact_lines(line) for line in before]
    lines = []
    for old, new in zip(before, after, strict=True):
        if new != old and not parse_object(new):
            record = parse_object(old)
            new = json.dumps(map_texts(record, redact)).encode() if record else b""
        lines.append(new)
    return b"\n".join(lines)
