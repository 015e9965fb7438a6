"""Memory: the memory files of a home or a tree, as one actor sees them (`home.memory`)."""

from __future__ import annotations

import contextlib
import json
import os
import time
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from datetime import datetime
from functools import cached_property
from hashlib import sha256
from pathlib import Path
from typing import TYPE_CHECKING, Any, Unpack

from crewmem.access import Scope
from crewmem.context import Context
from crewmem.documents import Document
from crewmem.errors import CrewmemError, DamagedError, NotFoundError, RefusedError, UsageError
from crewmem.files.index import (
    Index,
    Policy,
    RefreshReport,
    copy_to_memory,
    discard_index,
    open_index,
)
from crewmem.files.locations import (
    MemoryDirectory,
    Reference,
    Target,
    find_home_directories,
)
from crewmem.files.origins import find_origins
from crewmem.files.source import ChunkSource, FileOwner, find_readable
from crewmem.files.tree import find_tree_directories
from crewmem.protocols import EntryWriter, ReviewWriter
from crewmem.security.verdicts import EnclosingFile
from crewmem.storage.filesystem import move_files, read_file
from crewmem.storage.sqlite import INDEX_SCHEMA, open_in_memory, transaction
from crewmem.text.wording import count

# A search needs none of these: they are imported when they are first used.
if TYPE_CHECKING:
    from crewmem.files.reading import (
        FileFindings,
        FileInfo,
        FileText,
        Locator,
        SuspiciousPassage,
    )
    from crewmem.files.status import MemoryStatus
    from crewmem.files.versions import PrunePlan, PruneResult, Version, Versions
    from crewmem.files.write import PlannedFile, Writer, WriteResult

INDEX_FILE = "index.sqlite"

RECORD_BATCH = 200
"""Number of changed files that are recorded in one transaction."""


class Memory:
    """The memory files of a workspace, or of a tree.

    Attributes:
        root: The directory of a tree; None for the workspace of a home.
    """

    def __init__(
        self,
        context: Context,
        open_journal: Callable[[], EntryWriter] | None = None,
        open_review: Callable[[], ReviewWriter] | None = None,
        *,
        root: Path | None = None,
        scope: Scope | None = None,
    ) -> None:
        """Open memory files.

        Args:
            scope: With ``all``, the directory of an agent includes its crew's files.
        """
        self.context = context
        self.root = root
        self._scope = scope
        self._open_journal, self._open_review = open_journal, open_review
        self._index: Index | None = None
        self._is_fresh = False
        self._written: set[Path] = set()

    def close(self) -> None:
        """Index the files that were written here, and close the index."""
        self.index_writes()
        self._close_index()

    def _close_index(self) -> None:
        if self._index is not None:
            self._index.close()
        self._index = None
        self.source.reset()
        self._is_fresh = False

    # Directories

    @cached_property
    def directories(self) -> list[MemoryDirectory]:
        """All memory directories, without checking access.

        Raises:
            NotFoundError: If there is no such workspace, or no markdown below the tree.
        """
        if self.root is not None:
            return find_tree_directories(self.root, self._scope, workspace=self.context.workspace)
        if not self.context.workspace_dir.is_dir():
            raise NotFoundError(
                f"there is no workspace '{self.context.workspace}'",
                code="workspace-not-found",
                hint=self.context.command("workspace list"),
            )
        return find_home_directories(self.context.workspace_dir)

    def reload_directories(self) -> None:
        """Find the directories again, after crews or agents were added."""
        self.close()
        for name in ("directories", "locator"):
            self.__dict__.pop(name, None)

    # Index

    @property
    def index_path(self) -> Path | None:
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
                self.index_path,
                self.directories,
                read_only=read_only,
                in_place=self.context.reads_in_place,
            )
            if reason:
                is_stuck = self._index.db.path == ":memory:" and not self.context.read_only
                self._warn_rebuilt(reason, is_stuck=is_stuck)
        return self._index

    def _warn_rebuilt(self, reason: str, *, is_stuck: bool = False) -> None:
        hint = f"remove {self.index_path}: the next search rebuilds it" if is_stuck else ""
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
            self._discard()
            rebuilt = error.message
            self._warn_rebuilt(rebuilt)
            report = self._refresh()
        self._is_fresh = True
        return report._replace(seconds=self.context.stopwatch() - started, rebuilt=rebuilt)

    def reindex(self, *, full: bool = False) -> RefreshReport:
        """Refresh the index, and record changes made outside crewmem as versions."""
        report = self.refresh(full=full)
        return report._replace(recorded=len(self.record_outside_changes()))

    def index_writes(self) -> None:
        """Index the files that were written here; only their directories are walked.

        If there is no index of the tree yet, or it cannot be changed now, the next search does it.
        """
        written, self._written = self._written, set()
        if not written:
            return
        if self.root is not None and not (self.index_path and self.index_path.exists()):
            return
        with contextlib.suppress(CrewmemError, OSError):
            index = self._open()
            is_current = index.load_policy() == str(self._policy) and index.indexed_at
            self._refresh([d for d in index.wanted if d.path in written] if is_current else None)

    def _expect_changes(self, directory: MemoryDirectory) -> None:
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
        self._close_index()
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
        from crewmem.files.indexing import update_index

        now = self.context.now_text
        return update_index(index, folders, self._policy, now=now, directories=directories)

    def use_stale_index(self) -> None:
        """Search the index without checking the files (``--no-refresh``), unless it is empty."""
        if self._open().indexed_at:
            self._is_fresh = True

    def warn_of_skipped(self) -> None:
        """Warn if files cannot be searched, so that the answer may be incomplete."""
        skipped = self.load_index().report().skipped
        if skipped:
            self.context.warn(
                "files-skipped",
                f"{count(skipped, 'file is', 'files are')} not searched, or only with loss",
                self.context.command("memory status"),
            )

    def load_index(self) -> Index:
        """Return the index; the first call brings it up to date."""
        if not self._is_fresh:
            self.refresh()
        return self._open()

    @cached_property
    def source(self) -> ChunkSource:
        """The chunks, as a store for search."""
        return ChunkSource(self.context, self.load_index, self.discard_damaged)

    # Reading

    def find_enclosing_file(self, document: Document) -> EnclosingFile:
        """Return the file that contains a chunk."""
        path = Path(document.extra["path"])

        def read() -> str:
            from crewmem.files.chunking import decode

            try:
                return decode(read_file(path.parent, path.name))[0]
            except CrewmemError:  # it was deleted
                return document.text

        return EnclosingFile(document.extra["sha256"], read)

    @cached_property
    def locator(self) -> Locator:
        """Finds files by reference, path, link or tier."""
        from crewmem.files.reading import Locator

        return Locator(self.context, self.directories, self.load_index)

    def read(
        self,
        file: str = "",
        *,
        tier: str | None = None,
        key: str | None = None,
        version: str = "",
        raw: bool = False,
        **owner: Unpack[FileOwner],
    ) -> FileText:
        """Return a file, or lines of it, with attacks replaced and secrets redacted.

        Args:
            file: Reference, path or wiki link; or *tier* and *key*.
            version: A stored version instead of the current file.
            raw: Whether to return the text unchanged.
        """
        from crewmem.files.reading import make_file_text
        from crewmem.security.allowed import allowed_rules

        if tier is not None:
            target = self.locator.choose_target(tier, key, **owner)
            reference = Reference(None, "", "", target.file)
            self.locator.check_read(target)
        else:
            history = self._require_versions() if version else None
            target, reference = self.locator.resolve(file, history=history, **owner)
            self.locator.check_read(target)
        allow = allowed_rules(self.context.settings["scan.allow"], target.reference, target.path)
        if version:
            versions = self._require_versions()
            found = versions.get(target.reference, version)
            content, origin, digest = versions.read(found), found.origin, found.file_sha256
            version = found.id
        else:
            try:
                content, digest = target.read(), ""
            except NotFoundError as error:
                raise NotFoundError(
                    f"{target.reference} does not exist",
                    code=error.code,
                    hint=self.context.command("memory list", *(("--tier", tier) if tier else ())),
                ) from error
            origin = self.find_origins([target])[target.reference]
        return make_file_text(
            self.context,
            target,
            content,
            reference,
            raw=raw,
            allow=allow,
            origin=origin,
            version=version,
            digest=digest,
        )

    def list_files(
        self,
        *,
        tiers: Sequence[str] = (),
        limit: int = 0,
        after: str = "",
        **owner: Unpack[FileOwner],
    ) -> list[FileInfo]:
        """Return the memory files that the actor may read."""
        from crewmem.files.reading import list_files

        find_readable(self.context.access, self.directories, **owner)
        return list_files(
            self.load_index(), self.locator, tiers=tiers, limit=limit, after=after, **owner
        )

    def status(
        self,
        **owner: Unpack[FileOwner],
    ) -> MemoryStatus:
        """Return the state of files and index, without updating the index."""
        from crewmem.files.status import make_status

        directories = find_readable(self.context.access, self.directories, **owner)
        index = self._open()
        stale = {} if self._is_fresh else index.count_stale(self._policy)
        return make_status(index, directories, self.context, stale)

    def find_findings(self, targets: Iterable[Target] | None = None) -> list[FileFindings]:
        """Return the scanner's findings in files; by default in all that the actor may read.

        Unchanged files are not scanned again.
        """
        from crewmem.files.reading import find_findings

        if targets is None:
            targets = self.targets()
        return find_findings(self.load_index(), self.context, list(targets))

    def list_suspicious(self) -> list[SuspiciousPassage]:
        """Return the suspicious passages of the files that the actor may read."""
        from crewmem.files.reading import SuspiciousPassage

        found = []
        for file in self.find_findings():
            if file.has("suspicious"):
                text = self.read(file.file)
                lines = text.text.split("\n")
                for each in text.suspicious:
                    said = " ".join(lines[each.first_line - 1 : each.last_line])
                    found.append(SuspiciousPassage(file.file, each.first_line, each.rule, said))
        return sorted(found)

    def targets(self, *, tiers: Collection[str] = (), newest_first: bool = False) -> list[Target]:
        """Return all memory files that the actor may read, by directory and path.

        Args:
            newest_first: Sort by the day in the name or front matter, or else the last change.
        """
        index = self.load_index()
        order = "files.dated desc, " if newest_first else ""
        rows = index.db.execute(
            "select directory_id, files.path from files"
            " join directories on directories.id = directory_id"
            " where ? or tier in (select value from json_each(?))"
            f" order by {order}directories.path, files.path",
            (not tiers, json.dumps(sorted(tiers))),
        )
        return [target for target, _ in self.locator.list_readable(rows)]

    def find_origins(self, targets: Sequence[Target]) -> dict[str, str]:
        """Return the origin class of files by reference."""
        files = {each.reference: (each.directory, each.tier) for each in targets}
        found = find_origins(self.context, files)
        return {reference: origin for reference, (origin, _) in found.items()}

    def is_writable(self, *, agent: str, crew: str) -> bool:
        """Return whether an agent's memory can be written here."""
        if self.root is not None:
            return os.access(self.root, os.W_OK)
        directory = self.context.agent_memory(crew, agent) if crew else self.context.workspace_dir
        while not directory.is_dir():
            directory = directory.parent
        return not self.context.read_only and os.access(directory, os.W_OK)

    # Writing

    @cached_property
    def versions(self) -> Versions | None:
        """The versions; None without a home."""
        if not self.context.has_db:
            return None
        from crewmem.files.versions import Versions

        return Versions(self.context)

    @cached_property
    def _writer(self) -> Writer:
        from crewmem.files.write import Writer

        return Writer(
            self.context,
            self.versions,
            self._open_journal() if self._open_journal else None,
            self._open_review() if self._open_review else None,
        )

    def target(
        self,
        tier: str,
        key: str | None = None,
        **owner: Unpack[FileOwner],
    ) -> Target:
        """Return the file of a tier, by default the actor's own or its crew's."""
        return self.locator.choose_target(tier, key, **owner)

    def write(
        self,
        text: str,
        *,
        file: str = "",
        tier: str | None = None,
        key: str | None = None,
        mode: str = "append",
        kind: str | None = None,
        origin: str | None = None,
        expect: str | None = None,
        allow: Sequence[str] = (),
        operation: str = "",
        authorized: bool = False,
        keeps: bool = False,
        **owner: Unpack[FileOwner],
    ) -> WriteResult:
        """Write a memory file.

        Args:
            text: Lines to append, or the whole new content.
            file: Reference or path; or *tier* and *key*.
            mode: ``append`` or ``replace``. A replaced file has exactly *text*.
            kind: Kind of a lesson: positive, negative or neutral.
            origin: Lower origin class; a higher one is ignored.
            expect: Hash that the file must have, "" if it must be new; None to skip the check.
            allow: Scanner rules that an operator allows.
            operation: Name in version and journal; by default the mode.
            authorized: Whether the caller has checked access by its own rule.
            keeps: Whether a replaced file keeps old text, and thus its origin class if lower.

        Raises:
            RefusedError: If access, the scanner or a cap forbids it.
            ConflictError: If the file does not have the expected hash.
        """
        from crewmem.files.write import WriteOptions

        if file:
            target, _ = self.locator.resolve(file, must_exist=False, **owner)
        elif tier is None:
            raise UsageError("name the file to write, or its tier with --tier", code="no-target")
        else:
            target = self.target(tier, key, **owner)
        options = WriteOptions(operation or mode, origin, expect, tuple(allow), authorized, keeps)
        self._expect_changes(target.directory)
        return self._writer.write(target, text, mode, kind, options)

    def write_planned(self, files: Iterable[PlannedFile], *, operation: str) -> dict[str, str]:
        """Write the files of an import plan.

        Returns:
            The reason for each file that was not written, by reference.
        """
        left, planned = {}, []
        for each in files:
            try:
                target, _ = self.locator.resolve(each.file, must_exist=False)
                planned.append((target, each))
                self._expect_changes(target.directory)
            except (UsageError, NotFoundError, RefusedError) as error:
                left[each.file] = error.message
        return left | self._writer.write_planned(planned, operation)

    def note(
        self,
        text: str,
        *,
        origin: str | None = None,
        allow: Sequence[str] = (),
        **owner: Unpack[FileOwner],
    ) -> WriteResult:
        """Append ``- <time> — <text>`` to today's daily note."""
        from crewmem.files.write import format_note

        line = format_note(text, self.context.now.astimezone(self.context.zone))
        return self.write(line, tier="daily", origin=origin, allow=allow, operation="note", **owner)

    def move(self, moves: Sequence[tuple[Target, str]], *, operation: str) -> None:
        """Move memory files within their directories, as archiving does, many at once.

        Earlier versions stay with the old name; the first version of the new name has the origin
        class of the last one.
        """
        for start in range(0, len(moves), RECORD_BATCH):
            batch = [
                (target, self.locator.target(target.directory, file))
                for target, file in moves[start : start + RECORD_BATCH]
            ]
            self._writer.record_moves(batch, operation)
            by_root: dict[Path, dict[str, str]] = {}
            for target, moved in batch:
                by_root.setdefault(target.root, {})[target.relative] = moved.relative
                self._expect_changes(target.directory)
            for root, files in by_root.items():
                move_files(root, files)

    def record_all(self) -> list[str]:
        """Compare all files with their newest versions; see `record_outside_changes`."""
        self.load_index().db.execute("update files set recorded = 0")
        return self.record_outside_changes()

    def record_outside_changes(self) -> list[str]:
        """Record a version, by an unknown author, of each file that was changed outside crewmem.

        Only files that the index read since the last run are compared, so an idle run reads none.

        Returns:
            References of the recorded files.
        """
        if self.context.read_only or not self.context.has_db:
            return []
        index = self.load_index()
        rows = index.db.all(
            "select id, directory_id, path, sha256 from files where recorded = 0 order by id"
        )
        recorded: list[str] = []
        for start in range(0, len(rows), RECORD_BATCH):
            recorded += self._record_batch(index, rows[start : start + RECORD_BATCH])
        return recorded

    def _record_batch(self, index: Index, rows: Sequence[tuple[int, int, str, bytes]]) -> list[str]:
        """Record outside changes of some indexed files; return the references of the recorded."""
        targets: dict[int, Target] = {}
        indexed_hashes: dict[int, str] = {}
        for row, directory, path, digest in rows:
            if directory in index.directories:
                targets[row] = self.locator.target(index.directories[directory], path)
                indexed_hashes[row] = digest.hex()
        versions = self._require_versions().newest_of([each.reference for each in targets.values()])
        hashes = {reference: version.file_sha256 for reference, version in versions.items()}
        changed = [
            target
            for row, target in targets.items()
            if hashes.get(target.reference) != indexed_hashes[row]
        ]
        recorded = self._writer.record_outside(changed) if changed else []
        hashes |= {version.path: version.file_sha256 for version in recorded}
        # The next sweep handles files that could not be read, or changed since they were indexed.
        done = [
            (row,)
            for row, target in targets.items()
            if hashes.get(target.reference) == indexed_hashes[row]
        ]
        with transaction(index.db):
            index.db.executemany("update files set recorded = 1 where id = ?", done)
        return [version.path for version in recorded]

    # Quarantine

    def keep_refused(self, file: str, text: str, rules: Sequence[str], source: str) -> None:
        """Put a passage of *file* that the scanner refused into quarantine and review."""
        target, _ = self.locator.resolve(file, must_exist=False)
        self._writer.quarantine(target, text, rules, source)

    def read_quarantined(self, payload: Mapping[str, Any]) -> str:
        """Return the refused text of a review item."""
        from crewmem.files.quarantine import read_quarantined

        target, _ = self.locator.resolve(payload["file"], must_exist=False)
        return read_quarantined(target.directory.path, payload)

    def release(self, payload: Mapping[str, Any]) -> WriteResult:
        """Append a refused passage to its file, as an operator decided.

        Args:
            payload: Payload of the review item of kind ``quarantine``.
        """
        text = self.read_quarantined(payload)
        result = self.write(
            text, file=payload["file"], allow=tuple(payload["rules"]), operation="release"
        )
        self.drop(payload)
        return result

    def drop(self, payload: Mapping[str, Any]) -> None:
        """Delete a refused passage, as an operator decided."""
        from crewmem.files.quarantine import drop_quarantined

        target, _ = self.locator.resolve(payload["file"], must_exist=False)
        drop_quarantined(target.directory.path, payload)

    # Versions

    def _require_versions(self) -> Versions:
        versions = self.versions
        if versions is None:
            raise NotFoundError(
                "there is no history here: versions are stored in a home, and this is a directory"
                " without one",
                code="no-history",
            )
        return versions

    def _find_history(self, file: str, **owner: Unpack[FileOwner]) -> tuple[Versions, Target]:
        """Return the versions of the workspace, and a file, which may be deleted."""
        versions = self._require_versions()
        target, _ = self.locator.resolve(file, history=versions, **owner)
        self.locator.check_read(target)
        return versions, target

    def log(
        self,
        file: str,
        *,
        limit: int = 0,
        after: int = 0,
        **owner: Unpack[FileOwner],
    ) -> list[Version]:
        """Return the versions of a file, newest first; [] if none is recorded yet.

        Args:
            after: Number of the last version of the previous page; 0 for the first page.

        Raises:
            NotFoundError: If there is no such file, or no home.
            RefusedError: If it has no versions and is not a regular file.
        """
        versions, target = self._find_history(file, **owner)
        found = versions.list_versions(target.reference, limit=limit, below=after)
        if not found and not after:
            target.read()  # raises if it can never be recorded
        return found

    def diff(
        self,
        file: str,
        a: str = "",
        b: str = "",
        **owner: Unpack[FileOwner],
    ) -> list[str]:
        """Return the lines of a unified diff between two versions of a file.

        Args:
            a: Older version; by default the newest one that differs from the file.
            b: Newer version; by default the current file.
        """
        from crewmem.files.versions import diff_texts

        versions, target = self._find_history(file, **owner)
        reference = target.reference
        if not a:
            history = versions.list_versions(reference, limit=2)
            current = self.read(reference)
            newest = history[0] if history else None
            is_recorded = newest is not None and newest.file_sha256 == current.sha256
            base = history[1] if is_recorded and len(history) > 1 else newest
            if base is None:
                raise NotFoundError(
                    f"{reference} has no version yet",
                    code="no-version",
                    hint=self.context.command("sweep"),
                )
            a = base.id
        first = self.read(reference, version=a)
        second = self.read(reference, version=b) if b else self.read(reference)
        name_b = f"{reference} {second.version}".strip()
        if first.text == second.text and first.sha256 != second.sha256:
            self.context.warn(
                "other-bytes", "the texts are equal; the files differ in line ends or secrets"
            )
        return diff_texts(first.text, second.text, f"{reference} {first.version}", name_b)

    def restore(
        self,
        file: str,
        version: str,
        *,
        expect: str | None = None,
        allow: Sequence[str] = (),
        **owner: Unpack[FileOwner],
    ) -> WriteResult:
        """Write a stored version as a new version with the same origin class."""
        versions, target = self._find_history(file, **owner)
        found = versions.get(target.reference, version)
        content = versions.read(found)
        if found.stored_sha256 != found.file_sha256:
            self.context.warn(
                "secrets-redacted",
                f"secrets in version {found.id} were redacted when it was stored",
            )
        return self.write(
            content.decode("utf-8", "surrogateescape"),
            file=target.reference,
            mode="replace",
            origin=found.origin,
            expect=expect,
            allow=allow,
            operation="restore",
        )

    def plan_prune(self, *, keep: int, before: datetime) -> PrunePlan:
        """Choose versions to delete; the newest *keep* versions of each file always stay.

        Raises:
            RefusedError: If the actor is not an operator.
        """
        from crewmem.files.versions import plan_prune

        self.context.access.require_operator("delete versions")
        return plan_prune(self._require_versions().list_all(), keep=keep, before=before)

    def prune(self, plan: PrunePlan) -> PruneResult:
        """Delete the versions of a plan, and the contents that no other version uses."""
        self.context.access.require_operator("delete versions")
        if self.context.read_only:
            raise RefusedError("the home is read-only here", code="read-only")
        result = self._require_versions().delete(plan.versions)
        if self._open_journal and result.versions:
            self._open_journal().append(
                "memory.versions_pruned",
                f"{count(result.versions, 'old version')} of {count(plan.files, 'file')} deleted",
                payload={"versions": result.versions, "files": plan.files, "bytes": plan.bytes},
            )
        return result
