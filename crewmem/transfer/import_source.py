"""A source to import, and its files: a directory, a file, or an archive, which is unpacked."""

import codecs
import contextlib
import gzip
import io
import json
import os
import re
import stat
import tarfile
import tempfile
import zlib
from collections.abc import Iterator
from functools import cached_property
from pathlib import Path
from typing import Any, BinaryIO, NamedTuple

from crewmem.context import MEMORY_DIRECTORY
from crewmem.errors import CrewmemError, DamagedError, NotFoundError, RefusedError
from crewmem.files.decoding import decode
from crewmem.files.quarantine import FOLDER as QUARANTINE
from crewmem.storage.filesystem import (
    NOT_PLAIN,
    convert_os_error,
    escape_name,
    is_plain_name,
    read_file,
    write_file,
)
from crewmem.storage.json_lines import BadLineError, load_record, read_lines
from crewmem.transfer.records import Item, Record

MAX_FILES = 200_000
"""Maximum number of files in a source."""

MAX_FILE_BYTES = 256 * 1024 * 1024
"""Maximum size of one file."""

MAX_TOTAL_BYTES = 2 * 1024 * 1024 * 1024
"""Maximum unpacked size of an archive."""

MAX_DEPTH = 64
"""Maximum nesting of directories."""

JSON_LINES_SUFFIXES = (".jsonl", ".ndjson")
JSON_SUFFIXES = (".json", *JSON_LINES_SUFFIXES)

SKIPPED_FOLDERS = ("node_modules", "__pycache__")

GZIP_MAGIC = b"\x1f\x8b"

ARCHIVE_SUFFIXES = (".tar.gz", ".tgz", ".tar")

CLAUDE_FOLDER = ".claude"
CLAUDE_MEMORY = frozenset({"CLAUDE.md", "rules", "agent-memory", "agent-memory-local"})
"""The hidden directory of Claude Code, and what is read in it; its settings are not."""


class LeftOut(NamedTuple):
    """A part of a source that is not imported, or that is changed, with the reason.

    Attributes:
        source: The file, or record of a JSON file.
        line: Counted from 1; 0 for the whole file.
        is_imported: Whether the part is imported, but with a secret redacted.
    """

    source: str
    reason: str
    line: int = 0
    is_imported: bool = False


class Source:
    """The files to import: those of a directory, or a single one.

    Attributes:
        name: Name of the source as the user gave it.
        path: The directory or file.
        files: Sizes in bytes by path, sorted; the separator is ``/``.
        skipped: Files that are not read, or that are not valid UTF-8.
        bad_lines: Invalid lines and records of JSON files that were read.
    """

    def __init__(self, name: str, path: Path) -> None:
        self.name, self.path = name, path
        self.skipped: list[LeftOut] = []
        self.bad_lines: list[LeftOut] = []
        self._file: Path | None = None
        if path.is_file():
            self._file = path.resolve()
            self.files = {path.name: path.stat().st_size}
        else:
            self.files = self._list_files()

    @property
    def label(self) -> str:
        """Short name, to tell apart files that have the same name in several sources."""
        path = Path(self.name)
        if self._file or path.name.lstrip(".") == MEMORY_DIRECTORY.lstrip("."):
            path = path.parent
        return re.sub(rf"({'|'.join(map(re.escape, ARCHIVE_SUFFIXES))})$", "", path.name)

    def read(self, name: str) -> bytes:
        """Return the content of a file."""
        if self._file is not None:
            return read_file(self._file.parent, self._file.name, max_bytes=MAX_FILE_BYTES)
        return read_file(self.path, name, max_bytes=MAX_FILE_BYTES)

    def read_text(self, name: str) -> str:
        """Return a file as text; add a note to `skipped` if it is not UTF-8.

        A binary file, and a file of a directory that cannot be read, is "".
        """
        try:
            text, reason = decode(self.read(name))
        except CrewmemError as error:
            if self._file is not None:
                raise
            text, reason = "", error.message
        if reason and (note := LeftOut(name, reason)) not in self.skipped:
            self.skipped.append(note)
        return text

    def has(self, *names: str) -> bool:
        """Return whether there is a file with one of *names*, ignoring case."""
        wanted = {name.lower() for name in names}
        return any(name.lower() in wanted for name in self.files)

    def markdown(self) -> list[str]:
        """Return the markdown files."""
        return [name for name in self.files if name.lower().endswith((".md", ".markdown"))]

    def json_files(self) -> list[str]:
        """Return the files that contain records."""
        return [name for name in self.files if name.lower().endswith(JSON_SUFFIXES)]

    @cached_property
    def items(self) -> dict[str, list[Item]]:
        """Records by JSON file, which has JSON lines, a list, an object, or an object of lists.

        Invalid lines and records are added to `bad_lines`.
        """
        return {name: list(self.read_items(name)) for name in self.json_files()}

    def read_items(self, name: str) -> Iterator[Item]:
        """Yield the records of a JSON file; add invalid lines and records to `bad_lines`."""
        data = self.read(name).removeprefix(codecs.BOM_UTF8)
        if data.startswith((codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE)):
            data = decode(data)[0].encode()
        table = re.sub(r"\.\w+$", "", name.rpartition("/")[2])
        if name.lower().endswith(JSON_LINES_SUFFIXES) or _has_json_lines(data):
            yield from self._read_json_lines(name, table, data)
            return
        try:
            document = json.loads(data.decode("utf-8", "replace"))
        except json.JSONDecodeError as error:
            reason = f"it is not JSON: see character {error.colno}"
            self.bad_lines.append(LeftOut(name, reason, error.lineno))
            return
        except (ValueError, RecursionError):
            self.bad_lines.append(LeftOut(name, "it has a number or nesting that is too long"))
            return
        may_have_surrogates = b"\\ud" in data.lower()
        for place, place_table, value in _list_records(document, name, table):
            if not isinstance(value, dict):
                self.bad_lines.append(LeftOut(place, "it is not a JSON object"))
            elif may_have_surrogates and not _is_utf8(value):
                reason = "a string contains half of a surrogate pair"
                self.bad_lines.append(LeftOut(place, reason))
            else:
                yield Item(place, 0, place_table, Record(value))

    def _read_json_lines(self, name: str, table: str, data: bytes) -> Iterator[Item]:
        for number, line in read_lines(io.BytesIO(data)):
            try:
                yield Item(name, number, table, Record(load_record(line)))
            except BadLineError as error:
                self.bad_lines.append(LeftOut(name, str(error), number))

    def _list_files(self) -> dict[str, int]:
        """Return the sizes of the files below the directory; links are not followed."""
        sizes: dict[str, int] = {}
        pending = [("", 0)]
        while pending:
            directory, depth = pending.pop()
            try:
                entries = sorted(os.scandir(self.path / directory), key=lambda entry: entry.name)
            except OSError as error:
                self.skipped.append(LeftOut(directory or ".", (error.strerror or "").lower()))
                continue
            for entry in entries:
                relative = directory + entry.name
                if _is_ignored(entry.name, directory):
                    reason = "it is hidden; import it separately" if _has_notes(entry) else ""
                else:
                    reason = _find_obstacle(entry, depth)
                    if not reason and entry.is_dir():
                        pending.append((relative + "/", depth + 1))
                    elif not reason:
                        sizes[relative] = entry.stat().st_size
                if reason:
                    self.skipped.append(LeftOut(escape_name(relative), reason))
            if len(sizes) > MAX_FILES:
                raise _too_large_error(self.name, f"more than {MAX_FILES:,} files")
        return dict(sorted(sizes.items()))


def _is_ignored(name: str, directory: str) -> bool:
    """Return whether a name in *directory* is hidden, or one that tools use for their files."""
    if f"/{directory}".endswith(f"/{CLAUDE_FOLDER}/"):
        return name not in CLAUDE_MEMORY
    if name in (MEMORY_DIRECTORY, CLAUDE_FOLDER):
        return False
    return name.startswith(".") or name in SKIPPED_FOLDERS


def _find_obstacle(entry: os.DirEntry[str], depth: int) -> str:
    """Return why a file or directory is not read; "" if it is."""
    if not is_plain_name(entry.name):
        return NOT_PLAIN
    if entry.is_symlink():
        return "it is a link"
    if entry.is_dir():
        return "" if depth < MAX_DEPTH else "it is nested too deeply"
    if not entry.is_file():
        return "it is not a regular file"
    if entry.stat().st_size > MAX_FILE_BYTES:
        return f"it has more than {MAX_FILE_BYTES:,} bytes"
    return ""


def _has_json_lines(data: bytes) -> bool:
    """Return whether the first line that is not blank is a JSON object, and others follow."""
    first, _, rest = data.lstrip().partition(b"\n")
    if not (first.startswith(b"{") and rest.strip()):
        return False
    try:
        return isinstance(json.loads(first), dict)
    except (ValueError, RecursionError):
        return False


def _list_records(document: Any, name: str, table: str) -> Iterator[tuple[str, str, Any]]:
    """Yield (place, table, value) for the records of a JSON document.

    It is a list, an object of lists, such an object within an answer of a server, or one object.
    """
    if isinstance(document, list):
        for number, value in enumerate(document, start=1):
            yield f"{name}, record {number}", table, value
        return
    lists = _find_lists(document)
    if not lists and isinstance(document, dict) and "id" not in document:
        for value in document.values():
            lists |= _find_lists(value)
    if not lists:
        yield name, table, document
    for key, values in lists.items():
        for number, value in enumerate(values, start=1):
            yield f"{name}, {key} {number}", key, value


def _find_lists(document: Any) -> dict[str, list[Any]]:
    """Return the lists of an object that contain objects, by name."""
    if not isinstance(document, dict):
        return {}
    return {
        key: values
        for key, values in document.items()
        if isinstance(values, list) and any(isinstance(each, dict) for each in values)
    }


def _is_utf8(record: dict[str, Any]) -> bool:
    """Return whether a record can be encoded as UTF-8, without lone surrogates."""
    try:
        json.dumps(record, ensure_ascii=False).encode()
    except UnicodeEncodeError:
        return False
    return True


@contextlib.contextmanager
def open_source(path: Path) -> Iterator[Source]:
    """Open a directory, a file, or an archive, which is unpacked for the duration of the block.

    Raises:
        NotFoundError: If *path* does not exist.
        RefusedError: If an archive contains links, devices or paths that lead outside, or is
            too large.
        DamagedError: If an archive is damaged.
    """
    try:
        mode = path.stat().st_mode
    except OSError as error:
        raise NotFoundError(f"{path} does not exist", code="source-not-found") from error
    name, lower = str(path), path.name.lower()
    if stat.S_ISDIR(mode):
        yield Source(name, path)
    elif not stat.S_ISREG(mode):
        raise RefusedError(f"{path} is not a regular file", code="not-a-file")
    elif lower.endswith(ARCHIVE_SUFFIXES):
        with tempfile.TemporaryDirectory(prefix="crewmem-import-") as folder:
            unpack_tar(path, Path(folder))
            yield Source(name, _find_root(Path(folder)))
    else:
        yield Source(name, path)


@contextlib.contextmanager
def open_stdin(data: bytes) -> Iterator[Source]:
    """Open the content of standard input: a gzip-compressed archive, or else JSON lines."""
    suffix = ".tar.gz" if data.startswith(GZIP_MAGIC) else ".jsonl"
    with tempfile.TemporaryDirectory(prefix="crewmem-import-") as folder:
        write_file(Path(folder), f"stdin{suffix}", data)
        with open_source(Path(folder, f"stdin{suffix}")) as source:
            source.name = "-"
            yield source


def _find_root(folder: Path) -> Path:
    """Return the single top-level directory of an unpacked archive, else *folder*."""
    entries = list(folder.iterdir())
    if len(entries) == 1 and entries[0].is_dir() and not entries[0].name.startswith("."):
        return entries[0]
    return folder


def unpack_tar(path: Path, folder: Path) -> None:
    """Unpack a tar archive into an empty directory; see `open_source` for errors."""
    total = count = 0
    try:
        with (
            path.open("rb") as file,
            # As a stream: nothing is read twice, and a decompression bomb stops at the limit.
            _LimitedStream(file, path) as stream,
            tarfile.open(fileobj=stream, mode="r|") as archive,
        ):
            for member in archive:
                count += 1
                total += member.size
                if count > MAX_FILES:
                    raise _too_large_error(str(path), f"more than {MAX_FILES:,} members")
                if member.size > MAX_FILE_BYTES or total > MAX_TOTAL_BYTES:
                    raise _too_large_error(
                        str(path), f"more than {MAX_TOTAL_BYTES:,} bytes unpacked"
                    )
                if not (member.isreg() or member.isdir()):
                    raise RefusedError(
                        f"{path}: {member.name!r} is a link or a device, which no bundle contains",
                        code="unsafe-archive",
                    )
                archive.extract(member, folder, filter="data")
            # tarfile stops silently at a damaged header. Reading on verifies gzip's checksum.
            while stream.read(1 << 20):
                pass
    except tarfile.FilterError as error:
        raise RefusedError(f"{path}: {error}", code="unsafe-archive") from error
    except (tarfile.TarError, EOFError, gzip.BadGzipFile, zlib.error) as error:
        raise DamagedError(f"{path} is a damaged archive: {error}", code="bad-archive") from error
    except OSError as error:
        raise convert_os_error(error, error.filename or folder, "unpack") from error


class _LimitedStream(io.RawIOBase):
    """The unpacked bytes of a file; RefusedError if they are more than an archive may contain."""

    def __init__(self, file: BinaryIO, path: Path) -> None:
        is_packed = file.read(2) == GZIP_MAGIC
        file.seek(0)
        self._stream: BinaryIO | gzip.GzipFile = gzip.GzipFile(fileobj=file) if is_packed else file
        self._path = path
        self._remaining = MAX_TOTAL_BYTES + MAX_FILES * 1024

    def read(self, size: int = -1) -> bytes:
        """Read at most *size* bytes; all if it is negative."""
        data = self._stream.read(size if size >= 0 else self._remaining + 1)
        self._remaining -= len(data)
        if self._remaining < 0:
            raise _too_large_error(str(self._path), f"more than {MAX_TOTAL_BYTES:,} bytes unpacked")
        return data


def _too_large_error(name: str, size: str) -> RefusedError:
    return RefusedError(f"{name} has {size}", code="source-too-large")


def _has_notes(entry: os.DirEntry[str]) -> bool:
    """Return whether an ignored entry is hidden markdown, or a hidden directory with some.

    The quarantine is none, nor is ``._name.md``, in which macOS keeps attributes.
    """
    if not entry.name.startswith(".") or entry.name.startswith("._") or entry.name == QUARANTINE:
        return False
    if entry.is_file():
        return entry.name.lower().endswith(".md")
    return entry.is_dir() and any(Path(entry.path).glob("*.md"))
