"""The index: the full text of all memory files of a workspace, or of a tree, in one database.

It is derived from the files, checked against them before each use, and updated in one transaction.
"""

import os
from collections.abc import Sequence
from datetime import tzinfo
from hashlib import sha256
from pathlib import Path
from typing import NamedTuple, NoReturn

import apsw

from crewmem.errors import CrewmemError, DamagedError, LockedError
from crewmem.files.directories import MemoryDirectory
from crewmem.files.freshness import (
    Fingerprint,
    Folder,
    Signatures,
    StoredFile,
    compare,
    walk,
)
from crewmem.storage.filesystem import read_file
from crewmem.storage.sqlite import (
    INDEX_SCHEMA,
    Database,
    convert_error,
    discard_database,
    open_derived,
    open_in_memory,
    open_read_only,
    write_unless_busy,
)

INDEXING = 7
"""Version of the code that splits files into chunks. An index of another version is rebuilt."""


class RefreshReport(NamedTuple):
    """The result of a refresh.

    Attributes:
        skipped: Number of files that cannot be indexed, or not completely.
        recorded: Number of outside changes that were recorded as versions.
        rebuilt: Why the index was rebuilt; "" if it was not.
    """

    files: int
    chunks: int
    added: int = 0
    changed: int = 0
    removed: int = 0
    skipped: int = 0
    recorded: int = 0
    seconds: float = 0.0
    rebuilt: str = ""


class Policy(NamedTuple):
    """Settings that affect the index; if they change, the index is rebuilt.

    Attributes:
        zone: Time zone of the dates in file names.
        zone_name: Name of *zone*.
    """

    max_chunk: int
    zone: tzinfo
    zone_name: str = ""

    def __str__(self) -> str:
        return f"{INDEXING} {self.max_chunk} {self.zone_name}"


class Index:
    """An open index.

    Attributes:
        db: Database; in memory if it cannot be stored.
        wanted: Memory directories to index.
        directories: Those of *wanted* that are indexed, by row number.
        root: Directory of the index. Directories below it are stored relative to it, so that the
            index of a home that was copied or moved stays usable.
        rows: Row number of each indexed directory, by path; by stored path if it is not wanted.
        compared: Signatures that `find_changes` compared with.
    """

    def __init__(
        self, db: Database, directories: Sequence[MemoryDirectory], root: Path | None = None
    ) -> None:
        self.db, self.root = db, root
        self.wanted = list(directories)
        self.directories: dict[int, MemoryDirectory] = {}
        self.compared: Signatures = {}
        self.load_directories()

    def close(self) -> None:
        """Close the database."""
        self.db.close()

    def load_directories(self) -> None:
        """Read which directories are indexed."""
        stored = {path: row for row, path in self.db.execute("select id, path from directories")}
        self.directories = {
            stored.pop(path): each
            for each in self.wanted
            if (path := stored_path(each.path, self.root)) in stored
        }
        self.rows = stored | {str(each.path): row for row, each in self.directories.items()}

    def load_signatures(self) -> Signatures:
        """Return the signatures of the indexed folders."""
        paths = {row: path for path, row in self.rows.items()}
        rows = self.db.execute("select directory_id, path, signature from folders")
        return {(paths[row], path): signature for row, path, signature in rows if row in paths}

    # Changes since the last refresh

    def find_changes(
        self, policy: Policy, directories: Sequence[MemoryDirectory] | None = None
    ) -> list[Folder] | None:
        """Walk directories; return their folders if anything has changed, else None.

        Args:
            policy: Current policy.
            directories: Directories to walk; by default all.
        """
        known = self.load_signatures() if self.load_policy() == str(policy) else {}
        self.compared = known
        if directories is not None:
            roots = {str(each.path) for each in directories}
            known = {key: known[key] for key in known if key[0] in roots}
        folders = list(walk(self.wanted if directories is None else directories, known))
        is_same = len(folders) == len(known) and all(
            known.get((folder.directory, folder.path)) == folder.signature for folder in folders
        )
        return None if is_same and (folders or known or self.indexed_at) else folders

    def load_policy(self) -> str:
        """Return the policy of the index, as text."""
        return str(self.db.value("select value from meta where key = 'policy'"))

    def clear(self, policy: Policy) -> None:
        """Empty the index."""
        for table in ("directories", "folders", "files", "labels", "chunks", "chunk_texts"):
            self.db.execute(f"delete from {table}")
        self.db.execute("insert into fulltext (fulltext) values ('delete-all')")
        self.db.execute("insert or replace into meta values ('policy', ?)", (str(policy),))
        self.rows = {}

    def count_stale(self, policy: Policy) -> dict[str, int]:
        """Return the number of changed files in each directory, by path."""
        folders = self.find_changes(policy)
        if folders is None:
            return {}
        counts: dict[str, int] = {}
        for change in compare(folders, self.load_signatures(), self.load_stored):
            directory, number = change.folder.directory, len(change.gone)
            for name in change.suspects:
                file = change.stored.get(name)
                path = f"{change.folder.path}/{name}".lstrip("/")
                # A file that was indexed right after a change is compared by content.
                is_racy = file is not None and not file.fingerprint.mtime_ns
                number += not (is_racy and file and has_content(Path(directory), path, file.sha256))
            counts[directory] = counts.get(directory, 0) + number
        return counts

    def load_stored(self, folder: Folder) -> dict[str, StoredFile]:
        """Return the indexed files of a folder, by name."""
        rows = self.db.execute(
            "select name, files.id, size, mtime_ns, inode, ctime_ns, sha256 from files"
            " join folders on folders.id = folder_id"
            " where folders.directory_id = ? and folders.path = ?",
            (self.rows.get(folder.directory), folder.path),
        )
        return {row[0]: StoredFile(row[1], Fingerprint(*row[2:6]), row[6]) for row in rows}

    # State and counts

    @property
    def indexed_at(self) -> str:
        """When the index was last changed; "" if never."""
        return self.db.value("select value from meta where key = 'indexed_at'") or ""

    def get_state(self) -> str:
        """Return a text that changes if a chunk is added, changed or removed."""
        newest = self.db.value("select coalesce(max(id), 0) from chunks")
        return f"{self.indexed_at} {newest}"

    def report(self) -> RefreshReport:
        """Return the counts that the last refresh stored."""
        files, chunks, skipped = self._load_counts()[:3]
        return RefreshReport(files=files, chunks=chunks, skipped=skipped)

    def _load_counts(self) -> tuple[int, ...]:
        counts = self.db.value("select value from meta where key = 'counts'")
        return tuple(map(int, counts.split())) if counts else (0, 0, 0, 0)

    def check_rows(self) -> None:
        """Check that no other program deleted rows.

        Raises:
            DamagedError: If rows are missing.
        """
        files, chunks, _, indexed = self._load_counts()
        # Counting the texts is as slow as reading them, so only the first and last are checked. A
        # search notices any other missing text when it finds its chunk.
        is_complete = self.db.value(
            "select (select count(*) from files) = :files"
            " and (select count(*) from chunks) = :chunks"
            " and (select count(*) from fulltext_docsize) = :indexed"
            " and (select min(id) from chunk_texts) is (select min(id) from chunks)"
            " and (select max(id) from chunk_texts) is (select max(id) from chunks)",
            {"files": files, "chunks": chunks, "indexed": indexed},
        )
        if not is_complete:
            self.raise_incomplete()

    def raise_incomplete(self) -> NoReturn:
        """Raise the DamagedError for missing rows."""
        raise DamagedError(
            "another program deleted rows of it",
            code="index-incomplete",
            details={"file": str(self.db.path)},
        )

    def save_counts(self) -> None:
        """Store the counts for `report`, because counting rows is as slow as a walk."""
        counts = self.db.one(
            "select count(*), coalesce(sum(chunks), 0), coalesce(sum(skipped != ''), 0),"
            " (select count(*) from fulltext_docsize) from files"
        )
        text = " ".join(map(str, counts or (0, 0, 0, 0)))
        self.db.execute("insert or replace into meta values ('counts', ?)", (text,))

    # Checks of doctor

    def load_pass(self, check: str) -> str:
        """Return the state in which a check last found nothing; "" if never."""
        return str(self.db.value("select value from meta where key = ?", (f"pass {check}",)) or "")

    def save_pass(self, check: str, state: str) -> None:
        """Store that a check found nothing in *state*."""
        row = (f"pass {check}", state)
        write_unless_busy(self.db, ("insert or replace into meta values (?, ?)", [row]))


def has_content(root: Path, file: str, digest: bytes) -> bool:
    """Return whether a file below *root* can be read and has this hash."""
    try:
        return sha256(read_file(root, file)).digest() == digest
    except CrewmemError:
        return False


def stored_path(directory: Path | str, root: Path | None) -> str:
    """Return the path under which a memory directory is stored in an index in *root*."""
    return str(directory).removeprefix(f"{root}/")


def open_index(
    path: Path | None,
    directories: Sequence[MemoryDirectory],
    *,
    read_only: bool,
    in_place: bool = False,
) -> tuple[Index, str]:
    """Open an index; create it if it is missing, damaged or foreign.

    Args:
        path: Path of the index; None for an index in memory.
        directories: Memory directories to index.
        read_only: Whether file and directory must not be changed.
        in_place: With *read_only*, whether the index is the user's own and may be opened directly.

    Returns:
        The index, and why an existing one was discarded, or "".
    """
    reason = ""
    if path is None:
        return Index(open_in_memory(INDEX_SCHEMA), directories), ""
    try:
        if not read_only:
            db, reason = open_derived(path, INDEX_SCHEMA)
            try:
                return Index(db, directories, path.parent), reason
            except DamagedError as error:
                db.close()
                discard_database(path)
                db, _ = open_derived(path, INDEX_SCHEMA)
                return Index(db, directories, path.parent), error.message
        if path.exists():
            db = open_read_only(path, INDEX_SCHEMA, in_place=in_place)
            return Index(db, directories, path.parent), ""
    except LockedError:
        raise
    except (CrewmemError, OSError) as error:
        # If it only cannot be stored, an index in memory gives the same answers.
        if isinstance(error, DamagedError) or os.path.lexists(path):
            reason = str(error)
    return Index(open_in_memory(INDEX_SCHEMA), directories), reason


def copy_to_memory(index: Index) -> Index:
    """Return a copy in memory."""
    connection = apsw.Connection(":memory:")
    try:
        with connection.backup("main", index.db.connection, "main") as backup:
            backup.step()
    except apsw.Error as error:
        raise convert_error(error, index.db.path) from error
    index.close()
    db = Database(":memory:", connection, read_only=False)
    return Index(db, index.wanted, index.root)


def discard_index(index: Index) -> None:
    """Close an index and delete its file."""
    path = index.db.path
    index.close()
    if isinstance(path, Path):
        discard_database(path)
