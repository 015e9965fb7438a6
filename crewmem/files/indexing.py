"""Bringing an index up to date with its files, in one transaction.

A command that finds nothing changed imports none of this.
"""

import contextlib
import re
import time
from bisect import bisect_right
from collections.abc import Collection, Sequence
from datetime import UTC, datetime
from hashlib import sha256
from itertools import accumulate
from typing import Any, NamedTuple

from crewmem.documents import embedding_input, vector_key
from crewmem.errors import CrewmemError, NotFoundError
from crewmem.files.chunking import (
    EVIDENCE,
    Chunk,
    Fields,
    decode,
    read_fields,
    split_chunks,
)
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
from crewmem.files.index import Index, Policy, RefreshReport
from crewmem.files.locations import MemoryDirectory
from crewmem.files.tiers import PRIVATE_TIERS, day_of
from crewmem.security.secrets import redact, redact_bytes
from crewmem.storage.filesystem import MAX_FILE_BYTES, open_parent, read_at
from crewmem.storage.sqlite import Database, transaction
from crewmem.text.markdown import OWN_COMMENT
from crewmem.text.tokens import make_preparer, search_text
from crewmem.times import EARLIEST, LATEST, day_start, format_time

WORD = re.compile(r"\w+")

PLAIN_VALUE = re.compile(r"(?<![\w-])(?:true|false|null|\d[\d:.TZ+-]*)(?![\w-])")
"""Values of front matter that nobody searches for: numbers, days, times, yes and no."""

BATCH, BATCH_SIZE = 200, 4_000_000
"""Files, and characters of them, that are written at once."""


def update_index(
    index: Index,
    folders: Sequence[Folder],
    policy: Policy,
    *,
    now: str,
    directories: Sequence[MemoryDirectory] | None = None,
) -> RefreshReport:
    """Index what differs, in one transaction.

    Args:
        index: The index.
        folders: As `Index.find_changes` returned them.
        policy: How.
        now: The present moment, which is kept as the time of indexing.
        directories: Whose folders these are; by default all.
    """
    walked = index.wanted if directories is None else directories
    with transaction(index.db):
        index.load_directories()
        if index.load_policy() != str(policy):
            index.clear(policy)
        known = index.load_signatures()
        if known != index.compared:  # another process was faster
            folders = list(walk(walked, known))
        update = _Update(index, policy)
        update.run(folders, known, {str(each.path) for each in walked})
        index.db.execute("insert or replace into meta values ('indexed_at', ?)", (now,))
    index.load_directories()
    return update.report()


class _ReadFile(NamedTuple):
    """A file that was read and is not in the index yet.

    Attributes:
        rows: Of its memory directory and its folder.
        text: "" of what is skipped or private.
    """

    rows: tuple[int, int]
    path: str
    tier: str
    fingerprint: Fingerprint
    mtime_ns: int
    digest: bytes = b""
    text: str = ""
    skipped: str = ""


class _Update:
    """The changes of one transaction."""

    def __init__(self, index: Index, policy: Policy) -> None:
        self.index, self.db, self.policy = index, index.db, policy
        self.added = self.changed = self.removed = 0
        self.next_file = 1 + (self.db.value("select max(id) from files") or 0)
        self.next_chunk = 1 + (self.db.value("select max(id) from chunks") or 0)
        rows = self.db.execute("select directory_id, path, id from folders")
        self.folder_rows = {(directory, path): row for directory, path, row in rows}
        self.next_folder = 1 + max(self.folder_rows.values(), default=0)
        self.folders: list[tuple[int, int, str, bytes]] = []
        self.read: list[_ReadFile] = []
        self.read_size = 0
        self.files: list[tuple[Any, ...]] = []
        self.chunks: list[tuple[int, int, int, int, int]] = []
        self.texts: list[tuple[int, str, str]] = []
        self.words: list[tuple[int, str, str]] = []

    def run(self, folders: Sequence[Folder], known: Signatures, walked: Collection[str]) -> None:
        """Apply what differs of the folders of the directories that were *walked*."""
        wanted = {str(each.path): each for each in self.index.wanted}
        met = {(folder.directory, folder.path) for folder in folders}
        for root, path in known.keys() - met:
            if root in walked or root not in wanted:
                self._remove_folder(self.index.rows[root], path)
        for root in self.index.rows.keys() - wanted.keys():
            self.db.execute("delete from directories where path = ?", (root,))
        for change in compare(folders, known, self.index.load_stored):
            root, path = change.folder.directory, change.folder.path
            directory_row = self._directory_row(root)
            folder_row = self.folder_rows.get((directory_row, path), self.next_folder)
            self.next_folder = max(self.next_folder, folder_row + 1)
            is_settled = self._apply(change, wanted[root], (directory_row, folder_row))
            signature = change.folder.signature if is_settled else b""
            self.folders.append((folder_row, directory_row, path, signature))
        self._flush()
        # At the end: such a statement makes FTS5 write the words that it holds.
        self.db.executemany("insert or replace into folders values (?, ?, ?, ?)", self.folders)
        self.index.keep_counts()

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

    def _directory_row(self, path: str) -> int:
        row = self.index.rows.get(path)
        if row is None:
            sql = "insert into directories (path) values (?) returning id"
            row = self.index.rows[path] = int(self.db.value(sql, (path,)))
        return row

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
        rows: tuple[int, int],
    ) -> bool:
        """Index what changed in a folder. Returns whether its signature can be trusted.

        Args:
            rows: Of the directory and of the folder.
        """
        folder, stored = change.folder, change.stored
        for name in change.gone:
            self._remove_file(stored[name].row)
            self.removed += stored[name].sha256 != b""
        for name, reason in folder.problems:
            path = f"{folder.path}/{name}".strip("/")
            tier = directory.tier_of(path)
            self._add(_ReadFile(rows, path, tier, Fingerprint(0, 0, 0, 0), 0, skipped=reason))
        statuses = dict(folder.files)
        for name in change.moved:
            status = statuses[name]
            self._restamp(stored[name].row, fingerprint_of(status), status.st_mtime_ns)
        if not change.suspects:
            return True
        is_settled = True
        first = f"{folder.path}/{change.suspects[0]}" if folder.path else change.suspects[0]
        with contextlib.ExitStack() as stack:
            try:
                descriptor, _ = stack.enter_context(open_parent(directory.path, first))
            except CrewmemError:  # the folder was removed, or is a link by now
                return False
            for name in change.suspects:
                path = f"{folder.path}/{name}" if folder.path else name
                fingerprint = fingerprint_of(statuses[name])
                mtime_ns = statuses[name].st_mtime_ns
                content, skipped = b"", ""
                try:
                    content = read_at(descriptor, name, f"{directory.path}/{path}")
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
                    if before.sha256 == digest and digest:
                        self._restamp(before.row, fingerprint, mtime_ns)
                        continue
                    self._remove_file(before.row)
                    self.changed += 1
                else:
                    self.added += 1
                tier, text = directory.tier_of(path), ""
                if not skipped and tier not in PRIVATE_TIERS:
                    text, skipped = decode(content)
                self._add(_ReadFile(rows, path, tier, fingerprint, mtime_ns, digest, text, skipped))
        return is_settled

    def _restamp(self, file: int, fingerprint: Fingerprint, mtime_ns: int) -> None:
        self.db.execute(
            "update files set size = ?, mtime_ns = ?, inode = ?, ctime_ns = ?, at = ? where id = ?",
            (*fingerprint, format_mtime(mtime_ns), file),
        )

    def _add(self, read: _ReadFile) -> None:
        self.read.append(read)
        self.read_size += len(read.text)
        if len(self.read) >= BATCH or self.read_size >= BATCH_SIZE:
            self._flush()

    def _store_file(self, read: _ReadFile) -> None:
        file = self.next_file
        self.next_file += 1
        name = read.path.rpartition("/")[2]
        title = name[:-3]
        at = format_mtime(read.mtime_ns)
        day = day_of(read.path)
        dated = format_time(day_start(day, self.policy.zone)) if day else at
        chunks: list[Chunk] = []
        first_chunk = self.next_chunk
        if read.text:
            fields = read_fields(read.text)
            if fields.dated:
                moment = datetime.fromisoformat(fields.dated).date()
                dated = format_time(day_start(moment, self.policy.zone))
            by_entry = read.tier == "lessons"
            chunks = split_chunks(read.text, limit=self.policy.max_chunk, by_entry=by_entry)
            self._add_labels(file, fields)
            self._add_chunks(file, title, fields, read.text, chunks)
        directory, folder = read.rows
        self.files.append(
            (file, folder, directory, name, read.path, read.tier, *read.fingerprint,
             read.digest, at, dated, title, len(chunks), first_chunk, read.skipped,
             int(not read.digest))
        )  # fmt: skip

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

    def _add_chunks(
        self, file: int, title: str, fields: Fields, text: str, chunks: Sequence[Chunk]
    ) -> None:
        named = " ".join((title, fields.title, *fields.aliases))
        has_own = "<!--" in text
        prepare = make_preparer(f"{named}\n{text}")
        heading, heading_words = "", prepare(named)
        if len(chunks) > 1 and chunks[0].words and _says_only(fields, named, chunks[0]):
            # The file is found by its tags at its first words, not at the tags.
            chunks = [chunks[0]._replace(words=""), *chunks[1:]]
            tags = " " + search_text(" ".join(fields.tags))
        else:
            tags = ""
        for row, chunk in enumerate(chunks, self.next_chunk):
            if chunk.heading != heading:
                heading = chunk.heading
                heading_words = prepare(f"{named} {heading}")
            is_prose = chunk.words and chunk.words == chunk.text
            key = vector_key(embedding_input(title, heading, chunk.text)) if is_prose else 0
            self.chunks.append((row, file, chunk.first_line, chunk.last_line, key))
            self.texts.append((row, heading, chunk.text))
            if chunk.words:
                words = EVIDENCE.sub("", chunk.words)
                if has_own:
                    words = OWN_COMMENT.sub("", words)
                self.words.append((row, prepare(words), heading_words + tags))
                tags = ""
        self.next_chunk += len(chunks)

    def _flush(self) -> None:
        """Write what was read, without its secrets."""
        # To look into all at once is three times as fast, and few texts have any.
        contents = [each.text.encode() for each in self.read]
        ends = list(accumulate(len(content) + 1 for content in contents))
        _, secrets = redact_bytes(b"\n".join(contents))
        with_secrets = {bisect_right(ends, secret.start) for secret in secrets}
        for number, each in enumerate(self.read):
            if number in with_secrets:
                each = each._replace(text=redact(each.text, keep_lines=True))
            self._store_file(each)
        self.read, self.read_size = [], 0
        _insert(self.db, "files", 18, self.files)
        _insert(self.db, "chunks", 5, self.chunks)
        _insert(self.db, "chunk_texts", 3, self.texts)
        _insert(self.db, "fulltext (rowid, text, heading)", 3, self.words)


def _says_only(fields: Fields, named: str, chunk: Chunk) -> bool:
    """Return whether a chunk is front matter with nothing but names, tags, numbers and dates."""
    if chunk.first_line != 1 or chunk.words == chunk.text:
        return False
    known = WORD.findall(" ".join((named, *fields.tags)).casefold())
    values = PLAIN_VALUE.sub(" ", chunk.words).casefold()
    return set(WORD.findall(values)) <= set(known)


def _insert(db: Database, table: str, columns: int, rows: list[Any]) -> None:
    """Insert *rows*, and empty the list."""
    db.executemany(f"insert into {table} values ({','.join('?' * columns)})", rows)
    rows.clear()


def _reason(error: CrewmemError) -> str:
    """Return why a file is skipped, without the path that is said beside it."""
    if error.code == "file-too-large":
        return f"larger than {MAX_FILE_BYTES:,} bytes"
    return error.message.rpartition(": ")[2] if ": " in error.message else error.message


def format_mtime(mtime_ns: int) -> str:
    """Return a modification time as it is stored; one past the calendar is its end."""
    try:
        moment = datetime.fromtimestamp(mtime_ns / 1e9, UTC)
    except (OverflowError, ValueError, OSError):
        moment = LATEST if mtime_ns > 0 else EARLIEST
    return format_time(min(max(moment, EARLIEST), LATEST))
