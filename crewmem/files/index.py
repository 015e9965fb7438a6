"""The index: full text of all memory files of a workspace, or of a tree, in one database.

It is derived, changed in one transaction, and compared with the files before it is used.
"""

from __future__ import annotations

import itertools
import json
import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime, tzinfo
from functools import cache
from hashlib import sha256
from pathlib import Path
from typing import Any

from crewmem import __version__
from crewmem.errors import CrewmemError, DamagedError, LockedError, NotFoundError
from crewmem.files.chunking import Chunk, Fields, normalize, read_fields, split_chunks, vector_key
from crewmem.files.freshness import (
    RACY_NS,
    Fingerprint,
    Folder,
    FolderChange,
    Signatures,
    compare,
    fingerprint_of,
    walk,
)
from crewmem.files.locations import MemoryDirectory
from crewmem.files.tiers import PRIVATE_TIERS, day_of
from crewmem.storage.filesystem import MAX_FILE_BYTES, open_parent, read_at
from crewmem.storage.sqlite import (
    INDEX_SCHEMA,
    Database,
    discard_database,
    explain_error,
    open_database,
    open_derived,
    open_in_memory,
    transaction,
)
from crewmem.text.tokens import search_text
from crewmem.times import EARLIEST, LATEST, day_start, format_time

CHUNKING = 2
"""Counts changes of how files are split: an index that was made in another way is built anew."""

INSERT_ROWS = 40
"""Rows of one insert, which share its cost."""

OPTIMIZE_CHUNKS = 2_000
"""Chunks added from which the word lists are merged into one, which makes queries faster."""


SCANNER_DATA = Path(__file__).parent.parent / "security" / "data"
"""The scanner's rules and weights. The scanner itself is not imported: most searches need none."""


@dataclass(frozen=True, slots=True)
class RefreshReport:
    """What a refresh found.

    Attributes:
        skipped: Files that cannot be indexed, or only with loss.
        rebuilt: Why the index was built anew; "" when it was not.
    """

    files: int = 0
    chunks: int = 0
    added: int = 0
    changed: int = 0
    removed: int = 0
    skipped: int = 0
    seconds: float = 0.0
    rebuilt: str = ""

    @property
    def has_changes(self) -> bool:
        """Tell whether any file was added, changed or removed."""
        return bool(self.added or self.changed or self.removed)


@dataclass(frozen=True, slots=True)
class Policy:
    """How files are indexed; with another policy the index is built anew.

    Attributes:
        zone: Of the days that files are named by.
        zone_name: Its name.
    """

    max_chunk: int
    zone: tzinfo
    zone_name: str = ""

    def __str__(self) -> str:
        return f"{CHUNKING} {self.max_chunk} {self.zone_name}"


class Index:
    """An open index.

    Attributes:
        db: Its database; in memory where it cannot be stored.
        directories: The memory directories that it is of, by their row.
    """

    def __init__(self, db: Database, directories: Sequence[MemoryDirectory]) -> None:
        self.db = db
        self._wanted = list(directories)
        self.directories: dict[int, MemoryDirectory] = {}
        self._compared: Signatures = {}
        self._load_directories()

    def close(self) -> None:
        """Close the database."""
        self.db.close()

    def _load_directories(self) -> None:
        by_path = {str(each.path): each for each in self._wanted}
        rows = self.db.execute("select id, path from directories")
        self._rows = {path: row for row, path in rows}
        self.directories = {
            row: by_path[path] for path, row in self._rows.items() if path in by_path
        }

    def _known(self) -> Signatures:
        """Return the signatures, by number of the directory in the walk; -1 for gone ones."""
        numbers = {
            self._rows[str(each.path)]: number
            for number, each in enumerate(self._wanted)
            if str(each.path) in self._rows
        }
        rows = self.db.all("select directory_id, path, signature from folders")
        return {
            (numbers.get(directory, -directory), path): signature
            for directory, path, signature in rows
        }

    # Bringing it up to date

    def find_changes(self, policy: Policy) -> list[Folder] | None:
        """Walk the directories; return their folders when anything differs, else None."""
        known = self._known() if self._policy() == str(policy) else {}
        self._compared = known
        folders = list(walk(self._wanted, known))
        is_same = len(folders) == len(known) and all(
            known.get((folder.directory, folder.path)) == folder.signature for folder in folders
        )
        return None if is_same and (folders or known or self.indexed_at) else folders

    def _policy(self) -> str:
        return str(self.db.value("select value from meta where key = 'policy'"))

    def refresh(self, folders: Sequence[Folder], policy: Policy, *, now: str) -> RefreshReport:
        """Index what differs, in one transaction.

        Args:
            folders: As `find_changes` returned them.
            policy: How.
            now: The present moment, which is kept as the time of indexing.
        """
        with transaction(self.db):
            self._load_directories()
            if self._policy() != str(policy):
                self._clear(policy)
            known = self._known()
            if known != self._compared:  # another process was faster
                folders = list(walk(self._wanted, known))
            update = _Update(self, policy)
            update.run(folders, known)
            self.db.execute("insert or replace into meta values ('indexed_at', ?)", (now,))
        self._load_directories()
        return update.report()

    def _clear(self, policy: Policy) -> None:
        """Empty the index. Verdicts stay: they are of contents."""
        for table in ("directories", "folders", "files", "labels", "chunks", "chunk_texts"):
            self.db.execute(f"delete from {table}")
        self.db.execute("insert into fulltext (fulltext) values ('delete-all')")
        self.db.execute("insert or replace into meta values ('policy', ?)", (str(policy),))
        self._rows = {}

    def count_stale(self, policy: Policy) -> dict[int, int]:
        """Return how many files of each directory changed since they were indexed.

        Directories that are not indexed at all are counted under -1.
        """
        folders = self.find_changes(policy)
        if folders is None:
            return {}
        known = self._known()
        rows = {
            (directory, path): row
            for directory, path, row in self.db.execute(
                "select directory_id, path, id from folders"
            )
        }
        stored = {}
        for folder in folders:
            directory = self._rows.get(str(self._wanted[folder.directory].path), -1)
            row = rows.get((directory, folder.path))
            if row is not None and known.get((folder.directory, folder.path)) != folder.signature:
                files = _stored_files(self.db, row)
                stored[folder.directory, folder.path] = {n: f[1] for n, f in files.items()}
        counts: dict[int, int] = {}
        for change in compare(folders, known, stored):
            directory = self._rows.get(str(self._wanted[change.folder.directory].path), -1)
            number = len(change.suspects) + len(change.gone)
            if number:
                counts[directory] = counts.get(directory, 0) + number
        return counts

    # What it says

    @property
    def indexed_at(self) -> str:
        """When it was last changed; "" when it never was."""
        return self.db.value("select value from meta where key = 'indexed_at'") or ""

    def get_state(self) -> str:
        """Return a text that changes whenever a chunk is added, changed or removed."""
        newest = self.db.value("select coalesce(max(id), 0) from chunks")
        return f"{self.indexed_at} {newest}"

    def report(self) -> RefreshReport:
        """Return its counts, as the last refresh kept them."""
        counts = self.db.value("select value from meta where key = 'counts'")
        files, chunks, skipped = map(int, counts.split()) if counts else (0, 0, 0)
        return RefreshReport(files=files, chunks=chunks, skipped=skipped)

    def keep_counts(self) -> None:
        """Keep what `report` returns: counting the rows takes as long as a walk."""
        counts = self.db.one(
            "select count(*), coalesce(sum(chunks), 0), coalesce(sum(skipped != ''), 0) from files"
        )
        text = " ".join(map(str, counts or (0, 0, 0)))
        self.db.execute("insert or replace into meta values ('counts', ?)", (text,))

    # Verdicts of the scanner

    def load_verdict(self, digest: bytes, *, own_tier: bool, rules: str) -> list[Any] | None:
        """Return what the scanner found in a content; None when it was not scanned yet."""
        row = self.db.one(
            "select findings from verdicts where sha256 = ? and own_tier = ? and rules = ?",
            (digest, int(own_tier), rules),
        )
        return None if row is None else json.loads(row[0])

    def load_verdicts(self, rules: str) -> dict[tuple[bytes, bool], str]:
        """Return all findings by content and kind of tier, as JSON."""
        rows = self.db.execute(
            "select sha256, own_tier, findings from verdicts where rules = ?", (rules,)
        )
        return {(digest, bool(own)): findings for digest, own, findings in rows}

    def save_verdicts(self, rules: str, verdicts: Mapping[tuple[bytes, bool], str]) -> None:
        """Remember findings; those of contents that are gone are forgotten."""
        if self.db.read_only or not verdicts:
            return
        with transaction(self.db):
            self.db.execute("delete from verdicts where rules != ?", (rules,))
            self.db.executemany(
                "insert or replace into verdicts (sha256, own_tier, rules, findings)"
                " values (?, ?, ?, ?)",
                [(digest, int(own), rules, found) for (digest, own), found in verdicts.items()],
            )


class _Update:
    """The changes of one transaction."""

    def __init__(self, index: Index, policy: Policy) -> None:
        self.index, self.db, self.policy = index, index.db, policy
        self.added = self.changed = self.removed = self.new_chunks = 0
        self.next_file = 1 + (self.db.value("select max(id) from files") or 0)
        self.next_chunk = 1 + (self.db.value("select max(id) from chunks") or 0)
        self.files: list[tuple[Any, ...]] = []
        self.chunks: list[tuple[int, int, int, int, int]] = []
        self.texts: list[tuple[int, str, str]] = []
        self.words: list[tuple[int, str, str]] = []

    def run(self, folders: Sequence[Folder], known: Signatures) -> None:
        wanted = self.index._wanted
        met = {(folder.directory, folder.path) for folder in folders}
        for number, path in known.keys() - met:
            directory = self.index._rows[str(wanted[number].path)] if number >= 0 else -number
            self._remove_folder(directory, path)
        for row in set(self.index._rows.values()) - {
            self.index._rows.get(str(each.path)) for each in wanted
        }:
            self.db.execute("delete from directories where id = ?", (row,))
        rows = self._folder_rows()
        stored = {}
        for folder in folders:
            key = folder.directory, folder.path
            if known.get(key) != folder.signature and key in known:
                row = rows[self.index._rows[str(wanted[key[0]].path)], folder.path]
                stored[key] = _stored_files(self.db, row)
        fingerprints = {
            key: {name: file[1] for name, file in files.items()} for key, files in stored.items()
        }
        for change in compare(folders, known, fingerprints):
            key = change.folder.directory, change.folder.path
            directory_row = self._directory_row(wanted[key[0]])
            folder_row = rows.get((directory_row, key[1]))
            if folder_row is None:
                folder_row = self._add_folder(directory_row, key[1])
            is_settled = self._apply(
                change, wanted[key[0]], directory_row, folder_row, stored.get(key, {})
            )
            signature = change.folder.signature if is_settled else b""
            self.db.execute(
                "update folders set signature = ? where id = ?", (signature, folder_row)
            )
        self._flush()
        self.index.keep_counts()
        if self.new_chunks >= OPTIMIZE_CHUNKS:
            self.db.execute("insert into fulltext (fulltext) values ('optimize')")

    def report(self) -> RefreshReport:
        counted = self.index.report()
        return RefreshReport(
            counted.files,
            counted.chunks,
            self.added,
            self.changed,
            self.removed,
            counted.skipped,
        )

    def _folder_rows(self) -> dict[tuple[int, str], int]:
        rows = self.db.execute("select directory_id, path, id from folders")
        return {(directory, path): row for directory, path, row in rows}

    def _directory_row(self, directory: MemoryDirectory) -> int:
        path = str(directory.path)
        row = self.index._rows.get(path)
        if row is None:
            row = 1 + max(self.index._rows.values(), default=0)
            self.index._rows[path] = row
            self.db.execute(
                "insert into directories (id, path, scope, crew, agent, prefix)"
                " values (?, ?, ?, ?, ?, ?)",
                (
                    row,
                    path,
                    str(directory.scope),
                    directory.crew,
                    directory.agent,
                    directory.prefix,
                ),
            )
        return row

    def _add_folder(self, directory: int, path: str) -> int:
        self.db.execute(
            "insert into folders (directory_id, path, signature) values (?, ?, x'')",
            (directory, path),
        )
        return self.db.connection.last_insert_rowid()

    def _remove_folder(self, directory: int, path: str) -> None:
        row = self.db.value(
            "select id from folders where directory_id = ? and path = ?", (directory, path)
        )
        for (file,) in self.db.all("select id from files where folder_id = ?", (row,)):
            self._remove_file(file)
            self.removed += 1
        self.db.execute("delete from folders where id = ?", (row,))

    def _remove_file(self, file: int) -> None:
        chunks, first = self.db.one(
            "select chunks, first_chunk from files where id = ?", (file,)
        ) or (0, 0)
        if chunks:
            span = (first, first + chunks - 1)
            self.db.execute("delete from fulltext where rowid between ? and ?", span)
            self.db.execute("delete from chunks where id between ? and ?", span)
            self.db.execute("delete from chunk_texts where id between ? and ?", span)
        self.db.execute("delete from labels where file_id = ?", (file,))
        self.db.execute("delete from files where id = ?", (file,))

    def _apply(
        self,
        change: FolderChange,
        directory: MemoryDirectory,
        directory_row: int,
        folder_row: int,
        stored: Mapping[str, tuple[int, Fingerprint, bytes]],
    ) -> bool:
        """Index what changed in a folder. Returns whether its signature can be trusted."""
        folder = change.folder
        for name in change.gone:
            self._remove_file(stored[name][0])
            self.removed += stored[name][2] != b""
        for name, reason in folder.problems:
            path = f"{folder.path}/{name}".strip("/")
            self._add_file(
                directory,
                (directory_row, folder_row),
                name,
                path,
                Fingerprint(0, 0, 0, 0),
                0,
                skipped=reason,
            )
        statuses = dict(folder.files)
        for name in change.moved:
            status = statuses[name]
            self._restamp(stored[name][0], fingerprint_of(status), status.st_mtime_ns)
        if not change.suspects:
            return True
        is_settled = True
        first = f"{folder.path}/{change.suspects[0]}" if folder.path else change.suspects[0]
        with open_parent(directory.path, first) as (descriptor, _):
            for name in change.suspects:
                path = f"{folder.path}/{name}" if folder.path else name
                fingerprint = fingerprint_of(statuses[name])
                mtime_ns = statuses[name].st_mtime_ns
                content, skipped = b"", ""
                try:
                    content = read_at(descriptor, name, directory.path / path)
                except NotFoundError:
                    is_settled = False
                    continue
                except CrewmemError as error:
                    skipped = _reason(error)
                if abs(time.time_ns() - mtime_ns) < RACY_NS:
                    fingerprint = fingerprint._replace(mtime_ns=0)
                    is_settled = False
                before = stored.get(name)
                digest = b"" if skipped else sha256(content).digest()
                if before is not None:
                    if before[2] == digest and digest:
                        self._restamp(before[0], fingerprint, mtime_ns)
                        continue
                    self._remove_file(before[0])
                    self.changed += 1
                else:
                    self.added += 1
                self._add_file(
                    directory,
                    (directory_row, folder_row),
                    name,
                    path,
                    fingerprint,
                    mtime_ns,
                    content=content,
                    digest=digest,
                    skipped=skipped,
                )
        return is_settled

    def _restamp(self, file: int, fingerprint: Fingerprint, mtime_ns: int) -> None:
        self.db.execute(
            "update files set size = ?, mtime_ns = ?, inode = ?, ctime_ns = ?, at = ? where id = ?",
            (*fingerprint, format_mtime(mtime_ns), file),
        )

    def _add_file(
        self,
        directory: MemoryDirectory,
        rows: tuple[int, int],
        name: str,
        path: str,
        fingerprint: Fingerprint,
        mtime_ns: int,
        *,
        content: bytes = b"",
        digest: bytes = b"",
        skipped: str = "",
    ) -> None:
        tier = directory.tier_of(path)
        file = self.next_file
        self.next_file += 1
        title = name[:-3]
        at = format_mtime(mtime_ns)
        day = day_of(path, tier)
        dated = format_time(day_start(day, self.policy.zone)) if day else at
        chunks: list[Chunk] = []
        first_chunk = self.next_chunk
        if not skipped and tier not in PRIVATE_TIERS:
            text, skipped = decode(content)
            fields = read_fields(text)
            if fields.dated:
                moment = datetime.fromisoformat(fields.dated).date()
                dated = format_time(day_start(moment, self.policy.zone))
            chunks = split_chunks(text, limit=self.policy.max_chunk, by_entry=tier == "lessons")
            self._add_labels(file, fields)
            self._add_chunks(file, title, fields, chunks)
        self.files.append(
            (file, rows[1], rows[0], name, path, tier, *fingerprint, digest, at, dated, title,
             len(chunks), first_chunk, skipped, int(not digest))
        )  # fmt: skip
        if len(self.files) >= 200:
            self._flush()

    def _add_labels(self, file: int, fields: Fields) -> None:
        labels = [("tag", tag) for tag in fields.tags]
        labels += [("alias", alias) for alias in fields.aliases]
        if fields.title:
            labels.append(("alias", fields.title))
        for kind, shown in labels:
            self.db.execute(
                "insert or ignore into labels values (?, ?, ?, ?)",
                (file, kind, shown.lower(), shown),
            )

    def _add_chunks(self, file: int, title: str, fields: Fields, chunks: Sequence[Chunk]) -> None:
        named = " ".join((title, fields.title, *fields.aliases))
        heading, heading_words = "", search_text(named)
        for row, chunk in enumerate(chunks, self.next_chunk):
            if chunk.heading != heading:
                heading = chunk.heading
                heading_words = search_text(f"{named} {heading}")
            is_prose = chunk.words and chunk.words == chunk.text
            key = vector_key(title, heading, chunk.text) if is_prose else 0
            self.chunks.append((row, file, chunk.first_line, chunk.last_line, key))
            self.texts.append((row, heading, chunk.text))
            if chunk.words:
                self.words.append((row, heading_words, search_text(chunk.words)))
        self.next_chunk += len(chunks)
        self.new_chunks += len(chunks)

    def _flush(self) -> None:
        _insert(self.db, "files", 18, self.files)
        _insert(self.db, "chunks", 5, self.chunks)
        _insert(self.db, "chunk_texts", 3, self.texts)
        _insert(self.db, "fulltext (rowid, heading, text)", 3, self.words)


def _stored_files(db: Database, folder: int) -> dict[str, tuple[int, Fingerprint, bytes]]:
    """Return row, fingerprint and hash of the files of a folder, by name."""
    rows = db.execute(
        "select name, id, size, mtime_ns, inode, ctime_ns, sha256 from files where folder_id = ?",
        (folder,),
    )
    return {row[0]: (row[1], Fingerprint(*row[2:6]), row[6]) for row in rows}


def _insert(db: Database, table: str, columns: int, rows: list[Any]) -> None:
    """Insert *rows* many at a time, and empty the list."""
    row = f"({','.join('?' * columns)})"
    for start in range(0, len(rows), INSERT_ROWS):
        some = rows[start : start + INSERT_ROWS]
        sql = f"insert into {table} values {','.join([row] * len(some))}"
        db.execute(sql, list(itertools.chain.from_iterable(some)))
    rows.clear()


def _reason(error: CrewmemError) -> str:
    """Return why a file is skipped, without the path that is said beside it."""
    if error.code == "file-too-large":
        return f"larger than {MAX_FILE_BYTES:,} bytes"
    return error.message.rpartition(": ")[2] if ": " in error.message else error.message


def decode(content: bytes) -> tuple[str, str]:
    """Return the normalized text of a file, and what is wrong with it."""
    if content[:2] in (b"\xff\xfe", b"\xfe\xff") and content.count(0) * 4 > len(content):
        return "", "it is UTF-16, not UTF-8"
    try:
        return normalize(content.decode("utf-8")), ""
    except UnicodeDecodeError:
        text = content.decode("utf-8", "replace")
        return normalize(text), "it is not UTF-8: what cannot be read was replaced"


def format_mtime(mtime_ns: int) -> str:
    """Return a modification time as it is stored; one past the calendar is its end."""
    try:
        moment = datetime.fromtimestamp(mtime_ns / 1e9, UTC)
    except (OverflowError, ValueError, OSError):
        moment = LATEST if mtime_ns > 0 else EARLIEST
    return format_time(min(max(moment, EARLIEST), LATEST))


def open_index(
    path: Path | None, directories: Sequence[MemoryDirectory], *, read_only: bool
) -> tuple[Index, str]:
    """Open an index; make it when it is missing, damaged or foreign.

    Args:
        path: Where it is stored; None for one in memory.
        directories: What it is of.
        read_only: Whether the file and its directory stay as they are.

    Returns:
        The index, and why an existing one was discarded; "" when it was not.
    """
    reason = ""
    if path is None:
        return Index(open_in_memory(INDEX_SCHEMA), directories), ""
    try:
        if not read_only:
            db, reason = open_derived(path, INDEX_SCHEMA)
            return Index(db, directories), reason
        if path.exists():
            return Index(open_database(path, INDEX_SCHEMA, read_only=True), directories), ""
    except LockedError:
        raise
    except DamagedError as error:
        reason = error.message
    except (CrewmemError, OSError):
        pass  # it cannot be written here: an index in memory gives the same answers
    return Index(open_in_memory(INDEX_SCHEMA), directories), reason


def copy_to_memory(index: Index) -> Index:
    """Return a copy that can be changed without a trace."""
    import apsw  # `storage.sqlite` has it loaded

    connection = apsw.Connection(":memory:")
    try:
        with connection.backup("main", index.db.connection, "main") as backup:
            backup.step()
    except apsw.Error as error:
        raise explain_error(error, index.db.path) from error
    index.close()
    return Index(Database(":memory:", connection, read_only=False), index._wanted)


def discard_index(index: Index) -> None:
    """Close an index and delete its file."""
    path = index.db.path
    index.close()
    if isinstance(path, Path):
        discard_database(path)


@cache
def get_scanner_version() -> str:
    """Return what changes when the scanner's rules or weights do: their files' sizes and times."""
    parts = [__version__]
    for file in sorted(SCANNER_DATA.iterdir()):
        status = file.stat()
        parts.append(f"{file.name} {status.st_size} {status.st_mtime_ns}")
    return sha256("\n".join(parts).encode()).hexdigest()[:16]
