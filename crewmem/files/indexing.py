"""Update an index from its files, in one transaction.

Commands import this only if files have changed.
"""

import contextlib
import os
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
    read_fields,
    split_chunks,
)
from crewmem.files.decoding import decode
from crewmem.files.directories import MemoryDirectory
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
from crewmem.files.index import Index, Policy, RefreshReport, stored_path
from crewmem.files.tiers import PRIVATE_TIERS, day_of
from crewmem.security.secrets import find_secrets, redact
from crewmem.storage.filesystem import MAX_FILE_BYTES, open_parent, read_at
from crewmem.storage.sqlite import Database, transaction
from crewmem.text.markdown import OWN_COMMENT
from crewmem.text.tokens import search_text
from crewmem.times import EARLIEST, LATEST, day_start, format_time

WORD = re.compile(r"\w+")

PLAIN_VALUE = re.compile(r"(?<![\w-])(?:true|false|null|\d[\d:.TZ+-]*)(?![\w-])")
"""Values of front matter that nobody searches for: numbers, dates, times, true and false."""

BATCH_FILES, BATCH_CHARACTERS = 200, 4_000_000
"""Files, and their characters, after which a batch is written."""


def update_index(
    index: Index,
    folders: Sequence[Folder],
    policy: Policy,
    *,
    now: str,
    directories: Sequence[MemoryDirectory] | None = None,
) -> RefreshReport:
    """Index what has changed, in one transaction.

    Args:
        folders: Result of `Index.find_changes`.
        now: Current time, which is stored as the time of indexing.
        directories: Memory directories of *folders*; by default all of the index.
    """
    walked = index.wanted if directories is None else directories
    with transaction(index.db):
        index.load_directories()
        if index.load_policy() != str(policy):
            index.clear(policy)
        known = index.load_signatures()
        if known != index.compared:  # another process has updated the index
            folders = list(walk(walked, known))
        update = _Update(index, policy)
        update.apply(folders, known, {str(each.path) for each in walked})
        index.db.execute("insert or replace into meta values ('indexed_at', ?)", (now,))
    index.load_directories()
    return update.report()


class _FolderRows(NamedTuple):
    """Row numbers of a folder and its memory directory."""

    directory: int
    folder: int


class _ReadFile(NamedTuple):
    """A file that was read and is not in the index yet.

    Attributes:
        digest: SHA-256 of the content; empty if it could not be read.
        text: "" for a skipped or private file.
        skipped: Why the file is not indexed, or not completely; "" if it is.
        is_racy: Whether it may change again with the same times (see `RACY_NS`).
    """

    rows: _FolderRows
    path: str
    tier: str
    fingerprint: Fingerprint
    mtime_ns: int
    digest: bytes = b""
    text: str = ""
    skipped: str = ""
    is_racy: bool = False


class _Update:
    """The changes of one transaction.

    Files, chunks, texts and words are collected, and written in batches.
    """

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
        self.labels: list[tuple[int, str, str, str]] = []
        self.chunks: list[tuple[int, int, int, int, int]] = []
        self.texts: list[tuple[int, str, str]] = []
        self.words: list[tuple[int, str, str]] = []

    def apply(self, folders: Sequence[Folder], known: Signatures, walked: Collection[str]) -> None:
        """Index the folders that differ from the index, and remove deleted ones.

        Args:
            folders: Current folders of the walked directories.
            known: Signatures of the indexed folders.
            walked: Paths of the walked directories.
        """
        wanted = {str(each.path): each for each in self.index.wanted}
        present = {(folder.directory, folder.path) for folder in folders}
        for root, path in known.keys() - present:
            if root in walked or root not in wanted:
                self._remove_folder(self.index.rows[root], path)
        for root in self.index.rows.keys() - wanted.keys():
            self.db.execute("delete from directories where path = ?", (root,))
        for change in compare(folders, known, self.index.load_stored):
            root, path = change.folder.directory, change.folder.path
            directory_row = self._directory_row(root)
            folder_row = self.folder_rows.get((directory_row, path), self.next_folder)
            self.next_folder = max(self.next_folder, folder_row + 1)
            rows = _FolderRows(directory_row, folder_row)
            is_settled = self._apply_folder(change, wanted[root], rows)
            signature = change.folder.signature if is_settled else b""
            self.folders.append((folder_row, directory_row, path, signature))
        self._flush()
        # At the end, because "insert or replace" makes FTS5 write its pending words.
        self.db.executemany("insert or replace into folders values (?, ?, ?, ?)", self.folders)
        self.index.save_counts()

    def report(self) -> RefreshReport:
        """Return the numbers of files that were added, changed and removed, and the new totals."""
        return self.index.report()._replace(
            added=self.added, changed=self.changed, removed=self.removed
        )

    def _directory_row(self, path: str) -> int:
        row = self.index.rows.get(path)
        if row is None:
            sql = "insert into directories (path) values (?) returning id"
            stored = stored_path(path, self.index.root)
            row = self.index.rows[path] = int(self.db.value(sql, (stored,)))
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

    def _apply_folder(
        self, change: FolderChange, directory: MemoryDirectory, rows: _FolderRows
    ) -> bool:
        """Index the changes of a folder; return whether its signature can be trusted."""
        folder, stored = change.folder, change.stored
        for name in change.gone:
            self._remove_file(stored[name].row)
            self.removed += stored[name].sha256 != b""
        for name, reason in folder.problems:
            path = _join(folder.path, name)
            tier = directory.tier_of(path)
            self._add(_ReadFile(rows, path, tier, Fingerprint(0, 0, 0, 0), 0, skipped=reason))
        statuses = dict(folder.files)
        for name in change.moved:
            self._update_times(stored[name].row, fingerprint_of(statuses[name]), statuses[name])
        if not change.suspects:
            return True
        is_settled = True
        with contextlib.ExitStack() as stack:
            first = _join(folder.path, change.suspects[0])
            try:
                descriptor, _ = stack.enter_context(open_parent(directory.path, first))
            except CrewmemError:  # the folder was removed or replaced by a link
                return False
            for name in change.suspects:
                read = _read_file(
                    descriptor, directory, rows, _join(folder.path, name), statuses[name]
                )
                if read is None:
                    is_settled = False
                    continue
                is_settled = is_settled and not read.is_racy
                before = stored.get(name)
                if before is None:
                    self.added += 1
                elif read.digest and before.sha256 == read.digest:
                    self._update_times(before.row, read.fingerprint, statuses[name])
                    continue
                else:
                    self._remove_file(before.row)
                    self.changed += 1
                self._add(read)
        return is_settled

    def _update_times(self, file: int, fingerprint: Fingerprint, status: os.stat_result) -> None:
        """Store the fingerprint of a file whose content is the same."""
        self.db.execute(
            "update files set size = ?, mtime_ns = ?, inode = ?, ctime_ns = ?, at = ? where id = ?",
            (*fingerprint, format_mtime(status.st_mtime_ns), file),
        )

    def _add(self, read: _ReadFile) -> None:
        self.read.append(read)
        self.read_size += len(read.text)
        if len(self.read) >= BATCH_FILES or self.read_size >= BATCH_CHARACTERS:
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
            self.labels += _list_labels(file, fields)
            self._add_chunks(file, title, fields, read.text, chunks)
        directory, folder = read.rows
        self.files.append(
            (file, folder, directory, name, read.path, read.tier, *read.fingerprint,
             read.digest, at, dated, title, len(chunks), first_chunk, read.skipped,
             int(not read.digest))
        )  # fmt: skip

    def _add_chunks(
        self, file: int, title: str, fields: Fields, text: str, chunks: Sequence[Chunk]
    ) -> None:
        named = " ".join((title, fields.title, *fields.aliases))
        is_maintained = EVIDENCE.search(text) or OWN_COMMENT.search(text)
        heading, heading_words = "", search_text(named)
        if len(chunks) > 1 and chunks[0].words and _has_only_names(fields, named, chunks[0]):
            # The tags are indexed with the first text, so that a hit shows it and not the tags.
            chunks = [chunks[0]._replace(words=""), *chunks[1:]]
            tags = " " + search_text(" ".join(fields.tags))
        else:
            tags = ""
        for row, (first_line, last_line, breadcrumb, shown, words) in enumerate(
            chunks, self.next_chunk
        ):
            if breadcrumb != heading:
                heading = breadcrumb
                heading_words = search_text(f"{named} {heading}")
            is_prose = words and words == shown
            key = vector_key(embedding_input(title, heading, shown)) if is_prose else 0
            self.chunks.append((row, file, first_line, last_line, key))
            self.texts.append((row, heading, shown))
            if words:
                if is_maintained:
                    words = OWN_COMMENT.sub("", EVIDENCE.sub("", words))
                self.words.append((row, search_text(words), heading_words + tags))
                tags = ""
        self.next_chunk += len(chunks)

    def _flush(self) -> None:
        """Write the batch, with secrets redacted."""
        # Few texts have secrets. To find these texts in one pass is three times as fast.
        texts = [each.text for each in self.read]
        ends = list(accumulate(len(text) + 1 for text in texts))
        secrets = find_secrets("\n".join(texts), decode=False)
        with_secrets = {bisect_right(ends, secret.start) for secret in secrets}
        for number, each in enumerate(self.read):
            if number in with_secrets:
                each = each._replace(text=redact(each.text, keep_lines=True))
            self._store_file(each)
        self.read, self.read_size = [], 0
        _insert(self.db, "files", 18, self.files)
        _insert(self.db, "labels", 4, self.labels)
        _insert(self.db, "chunks", 5, self.chunks)
        _insert(self.db, "chunk_texts", 3, self.texts)
        _insert(self.db, "fulltext (rowid, text, heading)", 3, self.words)


def _list_labels(file: int, fields: Fields) -> list[tuple[int, str, str, str]]:
    """Return the rows of a file's tags and aliases, each name once."""
    labels = [("tag", tag) for tag in fields.tags]
    labels += [("alias", alias) for alias in (*fields.aliases, fields.title) if alias]
    rows = {(kind, shown.lower()): shown for kind, shown in reversed(labels)}
    return [(file, kind, name, shown) for (kind, name), shown in rows.items()]


def _join(folder: str, name: str) -> str:
    """Return the path of a file in a folder of a memory directory."""
    return f"{folder}/{name}" if folder else name


def _read_file(
    descriptor: int,
    directory: MemoryDirectory,
    rows: _FolderRows,
    path: str,
    status: os.stat_result,
) -> _ReadFile | None:
    """Read a file; return None if it was deleted meanwhile.

    Args:
        descriptor: Of the opened folder.
        path: Below the memory directory.
        status: Status of the file when its folder was walked.
    """
    content, skipped, text = b"", "", ""
    try:
        content = read_at(descriptor, path.rpartition("/")[2], f"{directory.path}/{path}")
    except NotFoundError:
        return None
    except CrewmemError as error:
        skipped = _reason(error)
    fingerprint = fingerprint_of(status)
    is_racy = abs(time.time_ns() - status.st_mtime_ns) < RACY_NS
    if is_racy:
        fingerprint = fingerprint._replace(mtime_ns=0)  # its content is compared next time
    digest = b"" if skipped else sha256(content).digest()
    tier = directory.tier_of(path)
    if not skipped and tier not in PRIVATE_TIERS:
        text, skipped = decode(content)
    return _ReadFile(
        rows, path, tier, fingerprint, status.st_mtime_ns, digest, text, skipped, is_racy
    )


def _has_only_names(fields: Fields, named: str, chunk: Chunk) -> bool:
    """Return whether a chunk is front matter with only names, tags, numbers and dates."""
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
    """Return why a file is skipped, without its path, which is shown separately."""
    if error.code == "file-too-large":
        return f"larger than {MAX_FILE_BYTES:,} bytes"
    return error.message.rpartition(": ")[2] if ": " in error.message else error.message


def format_mtime(mtime_ns: int) -> str:
    """Return a modification time as stored text; a time outside the calendar becomes its limit."""
    try:
        moment = datetime.fromtimestamp(mtime_ns / 1e9, UTC)
    except (OverflowError, ValueError, OSError):
        moment = LATEST if mtime_ns > 0 else EARLIEST
    return format_time(min(max(moment, EARLIEST), LATEST))
