"""The index of the memory files of a home or a tree: opens it and keeps it up to date."""

import contextlib
import time
from collections.abc import Sequence
from functools import cached_property
from hashlib import sha256
from pathlib import Path
from typing import TYPE_CHECKING, Unpack

from crewmem.access import Scope
from crewmem.context import INDEX_FILE, Context
from crewmem.documents import Document
from crewmem.errors import CrewmemError, DamagedError
from crewmem.files.decoding import decode
from crewmem.files.directories import (
    FileOwner,
    MemoryDirectory,
    find_blocked,
    find_home_directories,
    find_readable,
    make_directories,
)
from crewmem.files.index import (
    Index,
    Policy,
    RefreshReport,
    copy_to_memory,
    discard_index,
    open_index,
)
from crewmem.files.source import ChunkSource
from crewmem.files.tree import find_tree_directories
from crewmem.storage.filesystem import read_file
from crewmem.storage.sqlite import INDEX_SCHEMA, open_in_memory
from crewmem.text.wording import count

if TYPE_CHECKING:
    from crewmem.files.status import MemoryStatus
    from crewmem.security.verdicts import EnclosingFile


class MemoryIndex:
    """The index of the memory files of a workspace, or of a tree.

    Attributes:
        root: The directory of a tree; None for the workspace of a home.
    """

    def __init__(
        self, context: Context, *, root: Path | None = None, scope: Scope | None = None
    ) -> None:
        """Prepare the index; it is opened when it is first used.

        Args:
            scope: With ``all``, the directory of an agent includes its crew's files.
        """
        self.context = context
        self.root = root
        self._scope = scope
        self._directories: list[MemoryDirectory] | None = None
        self._index: Index | None = None
        self._is_fresh = False
        self._written: set[Path] = set()

    def close(self) -> None:
        """Index the files that were written here, and close the index."""
        self.index_writes()
        self._close()

    def _close(self) -> None:
        if self._index is not None:
            self._index.close()
        self._index = None
        self.source.reset()
        self._is_fresh = False

    # Directories

    @property
    def directories(self) -> list[MemoryDirectory]:
        """All memory directories, without checking access.

        Raises:
            NotFoundError: If there is no markdown below the tree.
        """
        if self._directories is None:
            self._directories = self._find_directories()
        return self._directories

    def _find_directories(self) -> list[MemoryDirectory]:
        if self.root is not None:
            return find_tree_directories(self.root, self._scope, workspace=self.context.workspace)
        return find_home_directories(self.context.workspace_dir)

    def find_blocked(self) -> list[tuple[MemoryDirectory, str]]:
        """Return the memory directories of a home in whose place is a link or a file, and why."""
        if self.root is not None or not self.context.has_db:
            return []
        return find_blocked(self.context, self.context.db, self.directories)

    def restore_directories(self) -> bool:
        """Create the missing directories of a home; return whether there were any."""
        context = self.context
        if self.root is not None or context.read_only or not context.has_db:
            return False
        before = self.directories
        make_directories(context, context.db)
        self.reload_directories()
        return self.directories != before

    def reload_directories(self) -> None:
        """Find the directories again, after crews or agents were added."""
        self.close()
        self._directories = None

    # Index

    @property
    def path(self) -> Path | None:
        """Path of the index; None if it is not on disk."""
        if self.root is None:
            return self.context.workspace_dir / INDEX_FILE
        if self.context.cache is None:
            return None
        named = "\n".join(str(each.path) for each in self.directories)
        return self.context.cache / "trees" / f"{sha256(named.encode()).hexdigest()[:32]}.sqlite"

    @property
    def _policy(self) -> Policy:
        settings = self.context.settings
        zone_name = settings["timezone"] or "/".join(time.tzname)
        return Policy(settings["files.max_chunk"], self.context.zone, zone_name)

    def _open(self) -> Index:
        if self._index is None:
            read_only = self.root is None and self.context.read_only
            self._index, reason = open_index(
                self.path,
                self.directories,
                read_only=read_only,
                in_place=self.context.reads_in_place,
            )
            if reason:
                is_stuck = self._index.db.path == ":memory:" and not self.context.read_only
                self._warn_rebuilt(reason, is_stuck=is_stuck)
        return self._index

    def _warn_rebuilt(self, reason: str, *, is_stuck: bool = False) -> None:
        hint = f"remove {self.path}: the next search rebuilds it" if is_stuck else ""
        self.context.warn("index-rebuilt", f"the index was rebuilt: {reason}", hint)

    def refresh(self, *, full: bool = False) -> RefreshReport:
        """Bring the index up to date with the files; write nothing if no file changed.

        Args:
            full: Whether to rebuild the index.
        """
        started = self.context.stopwatch()
        rebuilt = "as requested" if full else ""
        try:
            if full:
                self._discard()
            report = self._refresh()
        except DamagedError as error:
            if error.code == "disk-full":
                self._index = copy_to_memory(self._open())
                self.context.warn(error.code, f"{error.message}; changed files are read anew")
            else:
                self._discard()
                rebuilt = error.message
                self._warn_rebuilt(rebuilt)
            report = self._refresh()
        self._is_fresh = True
        for directory, reason in self.find_blocked():
            self.context.warn("directory-skipped", f"{directory.prefix} is not read: {reason}")
        return report._replace(seconds=self.context.stopwatch() - started, rebuilt=rebuilt)

    def index_writes(self) -> None:
        """Index the files that were written here; only their directories are walked.

        If there is no index of the tree yet, or it cannot be changed now, the next search does it.
        """
        written, self._written = self._written, set()
        if not written:
            return
        if self.root is not None and not (self.path and self.path.exists()):
            return
        with contextlib.suppress(CrewmemError, OSError):
            index = self._open()
            is_current = index.load_policy() == str(self._policy) and index.indexed_at
            self._refresh([d for d in index.wanted if d.path in written] if is_current else None)

    def expect_changes(self, directory: MemoryDirectory) -> None:
        """Note that a write in *directory* makes the index outdated."""
        self._is_fresh = False
        self._written.add(directory.path)

    def discard_damaged(self, error: DamagedError) -> bool:
        """Discard the index if *error* is about it; the next search rebuilds it."""
        if self._index is None or error.details.get("file") != str(self._index.db.path):
            return False
        self._discard()
        self._warn_rebuilt(error.message)
        return True

    def _discard(self) -> None:
        """Start with an empty index, in memory if the stored one may not be deleted."""
        index = self._open()
        self._close()
        if index.db.read_only:
            self._index = Index(open_in_memory(INDEX_SCHEMA), self.directories)
        else:
            discard_index(index)

    def _refresh(self, directories: Sequence[MemoryDirectory] | None = None) -> RefreshReport:
        index = self._open()
        if index.load_policy() == str(self._policy):
            index.check_rows()
        folders = index.find_changes(self._policy, directories)
        if folders is None:
            return index.report()
        if index.db.read_only:
            index = self._index = copy_to_memory(index)
        self.source.reset()
        from crewmem.files.indexing import update_index  # most commands find nothing changed

        now = self.context.now_text
        return update_index(index, folders, self._policy, now=now, directories=directories)

    def use_stale(self) -> None:
        """Search the index without checking the files (``--no-refresh``), unless it is empty."""
        if self._open().indexed_at:
            self._is_fresh = True

    def warn_of_skipped(self) -> None:
        """Warn if files cannot be searched, so that the answer may be incomplete."""
        skipped = self.load().report().skipped
        if skipped and not self.context.access.is_operator:
            skipped = len(self.status().skipped)
        if skipped:
            self.context.warn(
                "files-skipped",
                f"{count(skipped, 'file is', 'files are')} not searched, or only with loss",
                self.context.command("memory status"),
            )

    def load(self) -> Index:
        """Return the index; the first call brings it up to date."""
        if not self._is_fresh:
            self.refresh()
        return self._open()

    @property
    def is_current(self) -> bool:
        """Whether the stored index is undamaged and up to date.

        Only with a read-only context; otherwise it is brought up to date first.
        """
        return self.load().db.path != ":memory:"

    def has_unrecorded(self) -> bool:
        """Return whether files were read since the last run of `Memory.record_outside_changes`.

        Without a home nothing is recorded.
        """
        if not self.context.has_db:
            return False
        return bool(self.load().db.value("select exists (select 1 from files where recorded = 0)"))

    @cached_property
    def source(self) -> ChunkSource:
        """The chunks, as a store for search."""
        return ChunkSource(self.context, self.load, self.discard_damaged)

    def find_enclosing_file(self, document: Document) -> "EnclosingFile":
        """Return the file that contains a chunk."""
        from crewmem.security.verdicts import EnclosingFile  # only what shows texts needs it

        path = Path(document.extra["path"])

        def read() -> str:
            try:
                return decode(read_file(path.parent, path.name))[0]
            except CrewmemError:  # it was deleted
                return document.text

        return EnclosingFile(document.extra["sha256"], read)

    def status(
        self,
        **owner: Unpack[FileOwner],
    ) -> "MemoryStatus":
        """Return the state of files and index, without updating the index."""
        from crewmem.files.status import make_status  # only what shows the state needs it

        directories = find_readable(self.context.access, self.directories, **owner)
        index = self._open()
        stale = {} if self._is_fresh else index.count_stale(self._policy)
        return make_status(index, directories, self.context, stale)
