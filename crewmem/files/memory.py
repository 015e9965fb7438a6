"""The memory files of a home or a tree, as one actor sees them: `home.memory`."""

from __future__ import annotations

import contextlib
from collections.abc import Callable, Iterable, Mapping, Sequence
from datetime import datetime
from functools import cached_property
from hashlib import sha256
from typing import Any, Unpack

from crewmem.errors import NotFoundError, RefusedError, UsageError, check_text
from crewmem.files.appending import format_note
from crewmem.files.directories import FileOwner, Target
from crewmem.files.index import Index
from crewmem.files.memory_index import MemoryIndex
from crewmem.files.quarantine import drop_quarantined, read_quarantined
from crewmem.files.reading import MemoryReader
from crewmem.files.versions import (
    PURGE_BATCH,
    PURGED_TYPE,
    PrunePlan,
    PruneResult,
    plan_prune,
)
from crewmem.files.write import PlannedFile, WriteOptions, Writer, WriteResult
from crewmem.protocols import EntryWriter, ReviewWriter
from crewmem.storage.sqlite import transaction
from crewmem.text.wording import count

RECORD_BATCH = 200
"""Number of changed files that are recorded in one transaction."""


class Memory(MemoryReader):
    """The memory files of a workspace or a tree, as an actor may see and change them."""

    def __init__(
        self,
        index: MemoryIndex,
        open_journal: Callable[[], EntryWriter] | None = None,
        open_review: Callable[[], ReviewWriter] | None = None,
    ) -> None:
        super().__init__(index)
        self._open_journal, self._open_review = open_journal, open_review

    # Writing

    @cached_property
    def _writer(self) -> Writer:
        return Writer(
            self.context,
            self.versions,
            self._open_journal() if self._open_journal else None,
            self._open_review() if self._open_review else None,
        )

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
        check_text("text", text)
        if file:
            target = self.locator.resolve(file, must_exist=False, authorized=authorized, **owner)
        elif tier is None:
            raise UsageError("name the file with --file, or its tier with --tier", code="no-target")
        else:
            target = self.locator.choose_target(tier, key, **owner)
        options = WriteOptions(operation or mode, origin, expect, tuple(allow), authorized, keeps)
        self.index.expect_changes(target.directory)
        return self._writer.write(target, text, mode, kind, options)

    def write_planned(self, files: Iterable[PlannedFile], *, operation: str) -> dict[str, str]:
        """Write the files of an import plan.

        Returns:
            The reason for each file that was not written, by reference.
        """
        left, planned = {}, []
        for each in files:
            try:
                target = self.locator.resolve(each.file, must_exist=False)
                planned.append((target, each))
                self.index.expect_changes(target.directory)
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
        check_text("text", text)
        line = format_note(text, self.context.now.astimezone(self.context.zone))
        return self.write(line, tier="daily", origin=origin, allow=allow, operation="note", **owner)

    def move(self, moves: Sequence[tuple[Target, str]], *, operation: str) -> None:
        """Move memory files within their directories, as archiving does, many at once.

        Earlier versions stay with the old name, under which `Versions.list_versions` finds those of
        archived notes; the first version of the new name has the origin class of the last one.
        """
        for start in range(0, len(moves), RECORD_BATCH):
            batch = [
                (target, self.locator.target(target.directory, file))
                for target, file in moves[start : start + RECORD_BATCH]
            ]
            for target, _ in batch:
                self.index.expect_changes(target.directory)
            self._writer.move(batch, operation)

    def record_all(self) -> list[str]:
        """Compare all files with their newest versions; see `record_outside_changes`."""
        self.index.load().db.execute("update files set recorded = 0")
        return self.record_outside_changes()

    def record_outside_changes(self) -> list[str]:
        """Record a version, by an unknown author, of each file that was changed outside crewmem.

        Only files that the index read since the last run are compared, so an idle run reads none.

        Returns:
            References of the recorded files.
        """
        if self.context.read_only or not self.context.has_db:
            return []
        index = self.index.load()
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
        target = self.locator.resolve(file, must_exist=False)
        self._writer.screener.quarantine(target, text, rules, source)

    def read_quarantined(self, payload: Mapping[str, Any]) -> str:
        """Return the refused text of a review item."""
        target = self.locator.resolve(payload["file"], must_exist=False)
        return read_quarantined(target, payload["sha256"])

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
        target = self.locator.resolve(payload["file"], must_exist=False)
        drop_quarantined(target, payload["sha256"])

    # Versions

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

    def find_file_of_version(self, version: str) -> str:
        """Return the file with this version id; "" for none that the actor may read."""
        path = self._require_versions().find_file(version)
        with contextlib.suppress(NotFoundError, RefusedError):
            if path:
                return self.locator.resolve(path, history=self.versions).reference
        return ""

    def plan_prune(self, *, keep: int, before: datetime) -> PrunePlan:
        """Choose versions to delete; the newest *keep* versions of each file always stay.

        Raises:
            RefusedError: If the actor is not an operator.
        """
        self.context.access.require_operator("delete versions")
        return plan_prune(self._require_versions().list_all(), keep=keep, before=before)

    def plan_purge(self, file: str, **owner: Unpack[FileOwner]) -> PrunePlan:
        """Choose all versions of a file but that of its present text, if it is recorded.

        Raises:
            NotFoundError: If there is no such file.
            RefusedError: If the actor is not an operator.
        """
        self.context.access.require_operator("delete versions")
        versions, target = self._find_history(file, **owner)
        history = versions.list_versions(target.reference)
        newest = history[0].file_sha256 if history else ""
        is_present = target.path.exists() and newest == sha256(target.read()).hexdigest()
        old = tuple(history[1:] if is_present else history)
        return PrunePlan(old, sum(version.bytes for version in old), 1 if old else 0)

    def prune(self, plan: PrunePlan) -> PruneResult:
        """Delete the versions of a plan, and the contents that no other version uses."""
        self._check_may_delete()
        result = self._require_versions().delete(plan.versions)
        if result.versions:
            self._journal.append(
                "memory.versions_pruned",
                f"{count(result.versions, 'old version')} of {count(plan.files, 'file')} deleted",
                payload={"versions": result.versions, "files": plan.files, "bytes": plan.bytes},
            )
        return result

    def purge(self, plan: PrunePlan) -> PruneResult:
        """Delete the versions of a plan for good; `Versions.list_purged` keeps their ids."""
        self._check_may_delete()
        for start in range(0, len(plan.versions), PURGE_BATCH):
            batch = plan.versions[start : start + PURGE_BATCH]
            self._journal.append(
                PURGED_TYPE,
                f"{count(len(batch), 'version')} of {batch[0].path} erased",
                severity="warn",  # is never compacted
                payload={"versions": [version.id for version in batch]},
            )
        return self._require_versions().purge(plan.versions)

    @property
    def _journal(self) -> EntryWriter:
        assert self._open_journal is not None  # a tree has none, and no version to delete
        return self._open_journal()

    def _check_may_delete(self) -> None:
        """Raise RefusedError unless the actor may delete versions here."""
        self.context.access.require_operator("delete versions")
        if self.context.read_only:
            raise RefusedError("the home is read-only here", code="read-only")
