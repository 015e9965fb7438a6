"""Writing memory files. Every write goes through this module.

It checks access, locks the directory, records outside changes, scans the new text and checks the
caps. Then it stores the content, writes the file durably, and adds version and journal entry in one
transaction.
"""

from __future__ import annotations

import contextlib
import re
from collections.abc import Collection, Iterator, Sequence
from hashlib import sha256
from pathlib import Path
from typing import NamedTuple

from crewmem.context import DATABASE_FILE, LOCK_FILE, Context
from crewmem.errors import (
    ConflictError,
    CrewmemError,
    NotFoundError,
    RefusedError,
    UsageError,
)
from crewmem.files.appending import append_text, count_lessons, drop_oldest_lessons, join_lines
from crewmem.files.caps import check_caps, make_text_safe
from crewmem.files.directories import SKIPPED_FOLDERS, MemoryDirectory, Target
from crewmem.files.origins import default_origin
from crewmem.files.quarantine import drop_quarantined
from crewmem.files.screening import PassageFinding, Screener
from crewmem.files.tiers import (
    LESSON_KINDS,
    MAX_LESSONS,
    OWN_TIERS,
)
from crewmem.files.versions import OUTSIDE, UNKNOWN, NewVersion, Version, Versions
from crewmem.origins import lowest_origin
from crewmem.protocols import EntryFields, EntryWriter, ReviewWriter
from crewmem.security.allowed import allowed_rules, hash_passages
from crewmem.security.findings import REMOVED
from crewmem.security.safe_text import remove_attacks
from crewmem.storage.filesystem import (
    CHANGED_MEANWHILE,
    check_free_space,
    move_files,
    open_parent,
    remove_file,
    undo_writes_on_error,
    write_files,
)
from crewmem.storage.locks import lock
from crewmem.storage.sqlite import find_network_filesystem

MARK = re.compile(rf"(?:{re.escape(REMOVED)}|\[redacted: )[^\]\n]*\]")
"""What readers are shown in place of an attack or a secret."""

MAX_TRIES = 10
"""Maximum tries of a write whose file other programs keep changing."""


class WriteResult(NamedTuple):
    """The result of a write.

    Attributes:
        file: Reference of the file.
        sha256: Hash of the file, for ``--expect`` of the next write.
        version: Id of the new version; "" without a home, or if nothing changed.
        usage: Use of the cap, such as ``3900 of 4000 bytes, 97%``.
        projected: Bytes of the file after the write.
        current_entries: The whole text if it is near its cap and should be tidied up, else "".
        redacted: Redacted secrets.
        refused: Attacks, whose passages were not written and wait in review.
    """

    file: str
    path: str
    tier: str
    operation: str
    changed: bool
    bytes: int
    sha256: str
    origin: str
    version: str
    entry: str
    usage: str
    projected: int
    is_near_cap: bool
    current_entries: str
    redacted: tuple[PassageFinding, ...]
    suspicious: tuple[PassageFinding, ...]
    refused: tuple[PassageFinding, ...]


class WriteOptions(NamedTuple):
    """Options of a write.

    Attributes:
        operation: Name in version and journal: append, replace, restore, import.
        origin: Origin class, if lower than the writer's; for a restore, the version's.
        expect: Hash that the file must have, "" if it must be new; None to skip the check.
        allow: Scanner rules that an operator allows.
        authorized: Whether the caller has checked access by its own rule, as consolidation and
            profiles of operators do.
        keeps: Whether a replaced file keeps old text, and thus its origin class if lower.
    """

    operation: str
    origin: str | None = None
    expect: str | None = None
    allow: tuple[str, ...] = ()
    authorized: bool = False
    keeps: bool = False


class PlannedFile(NamedTuple):
    """A file of an import plan, which has already been scanned and checked for caps.

    Attributes:
        file: Reference of the file.
        before: Content when the plan was made; None for a new file.
        origin: Origin class of the new text.
        keeps: Whether the file keeps old text, and thus its origin class if lower.
    """

    file: str
    before: bytes | None
    after: bytes
    origin: str
    keeps: bool = False


class _Change(NamedTuple):
    """The old and new content of a file whose directory is locked.

    Attributes:
        before: None for a new file.
        origin: Origin class of *after*.
        newest: Newest version of the file; None if it has none.
    """

    target: Target
    before: bytes | None
    after: bytes
    origin: str
    newest: Version | None


class Writer:
    """Writes memory files of a home or a tree.

    Attributes:
        versions: None in a tree, as are the journal and the review queue.
    """

    def __init__(
        self,
        context: Context,
        versions: Versions | None,
        journal: EntryWriter | None,
        review: ReviewWriter | None,
    ) -> None:
        self._context = context
        self.versions = versions
        self._journal, self._review = journal, review
        self.screener = Screener(context, journal, review)

    def write(
        self, target: Target, text: str, mode: str, kind: str | None, options: WriteOptions
    ) -> WriteResult:
        """Write a file.

        Args:
            text: Lines to append, or the whole new content.
            mode: ``append`` or ``replace``.
            kind: Kind of an appended lesson.
        """
        text = self._check_text(target, text, mode, kind, options)
        self._check_may_write(target, options)
        with self._hold_lock(target):
            for _ in range(MAX_TRIES - 1):
                try:
                    return self._write_locked(target, text, mode, options)
                except ConflictError as error:
                    if error.code != CHANGED_MEANWHILE:
                        raise
            return self._write_locked(target, text, mode, options)

    def _write_locked(
        self, target: Target, text: str, mode: str, options: WriteOptions
    ) -> WriteResult:
        """Write a file whose directory is locked.

        Raises:
            ConflictError: If a program that takes no lock changed the file meanwhile.
        """
        before = _read(target)
        self._check_expected(target, before, options.expect)
        if before is None:
            self._check_name(target, options.allow)
        newest = self._record_before(target, before)
        screened = self.screener.screen(
            target, text, before or b"", allow=options.allow, operation=options.operation
        )
        if mode == "append":
            after = self._append(target, before or b"", screened.text)
        else:
            if options.operation == "replace":
                self._warn_of_marks(target, before or b"", text)
            after = screened.text.encode("utf-8", "surrogateescape")
            if newest is not None and after != before:
                self._context.check_unchanged_since_queued(target.reference, newest.written_at)
        usage, is_near_cap = check_caps(self._context, target, before or b"", after)
        keeps_text = before is not None and (mode == "append" or options.keeps)
        origin = self._choose_origin(options, _find_origin(target, newest), keeps=keeps_text)
        change = _Change(target, before, after, origin, newest)
        version, entry = self._save(change, options)
        if self.versions is None:
            self._context.warn(
                "not-recorded",
                f"{target.reference} was written without a version or journal entry: there is no"
                " home here; the host's next sweep records it",
            )
        return WriteResult(
            file=target.reference,
            path=str(target.path),
            tier=target.tier,
            operation=options.operation,
            changed=after != before or version is not None,
            bytes=len(after),
            sha256=sha256(after).hexdigest(),
            origin=origin,
            version=version.id if version else "",
            entry=entry,
            usage=usage,
            projected=len(after),
            is_near_cap=is_near_cap,
            current_entries=make_text_safe(self._context, target, after) if is_near_cap else "",
            redacted=screened.redacted,
            suspicious=screened.suspicious,
            refused=screened.refused,
        )

    def _check_text(
        self, target: Target, text: str, mode: str, kind: str | None, options: WriteOptions
    ) -> str:
        """Return the text to write; for a lesson with its kind and day.

        Raises:
            CrewmemError: If text, mode and kind do not fit the file.
        """
        if mode not in ("append", "replace"):
            raise UsageError(f"'{mode}' is not a mode: use append or replace", code="bad-mode")
        if target.tier == "lessons" and mode == "append":
            text = self._format_lesson(kind or "neutral", text)
        elif kind is not None:
            raise UsageError("only an appended lesson has a kind", code="kind-not-wanted")
        if "\0" in text and options.operation != "restore":
            raise RefusedError("the text has a NUL character, so it is not text", code="not-text")
        return text

    def _check_expected(self, target: Target, before: bytes | None, expect: str | None) -> None:
        """Refuse the write if the file's hash is not the expected one."""
        digest = "" if before is None else sha256(before).hexdigest()
        if expect is not None and digest != expect.lower():
            raise ConflictError(
                f"{target.reference} is not as expected: its hash is"
                f" {digest or 'none, there is no such file'}",
                code="file-changed",
                hint=self._context.command("memory read", target.reference) if digest else "",
                details={"sha256": digest, "file": target.reference},
            )

    def _warn_of_marks(self, target: Target, before: bytes, text: str) -> None:
        """Warn of marks that `memory read` shows instead of a passage, and that were written."""
        known = set(MARK.findall(before.decode("utf-8", "replace")))
        for mark in dict.fromkeys(MARK.findall(text)):
            if mark not in known:
                self._context.warn(
                    "mark-written",
                    f"{mark} was written as text: what it stood for is no longer in the file",
                    self._context.command("memory log", target.reference),
                )

    def _choose_origin(self, options: WriteOptions, before: str, *, keeps: bool) -> str:
        """Return the origin class of the file after the write.

        Args:
            before: Its class before.
            keeps: Whether the file keeps text that it had before.
        """
        if options.operation == "restore" and options.origin:
            return options.origin
        origin = self._context.access.origin(options.origin)
        return lowest_origin((before, origin)) if keeps else origin

    def _save(self, change: _Change, options: WriteOptions) -> tuple[Version | None, str]:
        """Write a file with a version, if its text or its origin class changed.

        Returns:
            The version and the id of its journal entry; None and "" for no version.
        """
        is_new_text = change.after != change.before
        if self.versions is None:
            if is_new_text:
                target = change.target
                write_files(
                    target.root,
                    {target.relative: change.after},
                    {target.relative: change.before},
                )
        elif is_new_text or (change.newest and change.newest.origin != change.origin):
            [stored] = self._store([change], options)
            return stored
        return None, ""

    def _format_lesson(self, kind: str, text: str) -> str:
        if kind not in LESSON_KINDS:
            raise UsageError(
                f"'{kind}' is not a kind of lesson: use {', '.join(LESSON_KINDS)}",
                code="bad-lesson-kind",
            )
        line = re.sub(r"^[-*+]\s+", "", " ".join(text.split()))
        return f"- [{kind}] {self._context.today} — {line}"

    def _append(self, target: Target, before: bytes, text: str) -> bytes:
        """Return *before* with *text* appended; too many lessons replace the oldest."""
        if target.tier == "lessons":
            appended = join_lines(before, text)
            after = drop_oldest_lessons(appended)
            if dropped := count_lessons(appended) - count_lessons(after):
                self._context.warn(
                    "lessons-dropped",
                    f"{target.reference} has {MAX_LESSONS} lessons: the oldest"
                    f" {'was' if dropped == 1 else f'{dropped} were'} dropped",
                    self._context.command("memory log", target.reference),
                )
            return after
        return append_text(before, text, self._context.scanner)

    def write_planned(
        self, planned: Sequence[tuple[Target, PlannedFile]], operation: str
    ) -> dict[str, str]:
        """Write planned files, and record them in one transaction for each directory.

        Returns:
            The reason for each file that was not written, by reference: it has changed since, is
            not a regular file, cannot be written, or its directory cannot be locked.
        """
        by_directory: dict[str, list[tuple[Target, PlannedFile]]] = {}
        for target, each in planned:
            self._check_may_write(target, WriteOptions(operation))
            by_directory.setdefault(target.directory.prefix, []).append((target, each))
        left: dict[str, str] = {}
        for files in by_directory.values():
            try:
                with self._hold_lock(files[0][0]):
                    left |= self._write_planned_locked(files, operation)
            except RefusedError as error:
                left |= {each.file: error.message for _, each in files}
        return left

    def _write_planned_locked(
        self, files: Sequence[tuple[Target, PlannedFile]], operation: str
    ) -> dict[str, str]:
        """Write planned files of a locked directory; return the reason for each that is left."""
        left: dict[str, str] = {}
        ready = []
        for target, each in files:
            try:
                if _read(target) == each.before:
                    ready.append((target, each))
                else:
                    left[each.file] = (
                        f"{each.file} has changed since the plan was made; import it again"
                    )
            except RefusedError as error:
                left[each.file] = error.message
        try:
            self._write_ready(ready, operation)
        except (RefusedError, ConflictError):  # write the others one by one
            for item in ready:
                try:
                    self._write_ready([item], operation)
                except (RefusedError, ConflictError) as error:
                    left[item[1].file] = error.message
        return left

    def _write_ready(self, ready: Sequence[tuple[Target, PlannedFile]], operation: str) -> None:
        assert self.versions is not None
        newest = self.versions.newest_of([each.file for _, each in ready])
        outside = []
        for target, each in ready:
            if each.before is None:
                self._check_name(target)
            known = newest.get(each.file)
            if each.before is not None and not (
                known and known.file_sha256 == sha256(each.before).hexdigest()
            ):
                outside.append(target)
        if outside:
            newest.update((version.path, version) for version in self.record_outside(outside))
        changes = []
        for target, each in ready:
            origin, known = each.origin, newest.get(each.file)
            if each.keeps and known:
                origin = lowest_origin((known.origin, origin))
            changes.append(_Change(target, each.before, each.after, origin, known))
        self._store(changes, WriteOptions(operation))

    def _store(
        self, changes: Sequence[_Change], options: WriteOptions
    ) -> list[tuple[Version, str]]:
        """Write files and record them in one transaction; return version and entry of each.

        If the process is killed in between, the next sweep finds a file without its version and
        gives it the origin class of the previous version. So a version with a lower class is
        recorded before its file is written. All other files are written before the commit, so that
        a failed write is not recorded.
        """
        files_first: dict[Path, dict[str, bytes]] = {}
        records_first: dict[Path, dict[str, bytes]] = {}
        before: dict[Path, dict[str, bytes | None]] = {}
        for each in changes:
            if each.after != each.before:
                old_origin = _find_origin(each.target, each.newest)
                is_lower = lowest_origin((old_origin, each.origin)) != old_origin
                waiting = records_first if is_lower else files_first
                waiting.setdefault(each.target.root, {})[each.target.relative] = each.after
                before.setdefault(each.target.root, {})[each.target.relative] = each.before
        actor = str(self._context.access.actor)
        assert self.versions is not None
        # The commit may fail, too, on a full disk or without a connection to a shared store.
        with undo_writes_on_error() as write, self.versions.adding():
            for each in changes:
                self._check_not_moved(each.target.directory)
            recorded = self._record(changes, actor, options.operation, options.allow)
            released = [
                (each.target, digest)
                for each in changes
                for digest in self._record_release(each.target, each.after, options)
            ]
            for root, files in files_first.items():
                write(root, files, before[root])
        try:
            for root, files in records_first.items():
                write_files(root, files, before[root])
        except BaseException:
            with contextlib.suppress(CrewmemError, OSError):  # report the first error
                self._record_unwritten(changes, actor)
            raise
        for target, digest in released:
            drop_quarantined(target, digest)
        return recorded

    def _record(
        self, changes: Sequence[_Change], author: str, operation: str, allow: Collection[str] = ()
    ) -> list[tuple[Version, str]]:
        """Add version and entry of each change in the open transaction; return them."""
        assert self.versions is not None
        assert self._journal is not None
        versions = self.versions.add_all(
            [
                NewVersion(
                    path=each.target.reference,
                    tier=each.target.tier,
                    content=each.after,
                    written_by=author,
                    operation=operation,
                    origin=each.origin,
                )
                for each in changes
            ]
        )
        entries = self._journal.append_all(
            _describe_version(each.target, version, each.newest, allow)
            for each, version in zip(changes, versions, strict=True)
        )
        return list(zip(versions, entries, strict=True))

    def _record_unwritten(self, changes: Sequence[_Change], author: str) -> None:
        """Record the content and class of files whose new version could not be written."""
        assert self.versions is not None
        with self.versions.adding():
            unwritten = [
                each._replace(after=each.before, origin=_find_origin(each.target, each.newest))
                for each in changes
                if each.before is not None and _read(each.target) == each.before != each.after
            ]
            if unwritten:
                self._record(unwritten, author, "undo")

    def record_outside(self, targets: Sequence[Target]) -> list[Version]:
        """Record changes that were made outside crewmem to some files, in one transaction.

        The comparison with the newest version is part of the transaction, because another process
        may be about to record its own write. Unreadable files are left out.
        """
        assert self.versions is not None
        with self.versions.adding():
            newest = self.versions.newest_of([target.reference for target in targets])
            changes = []
            for target in targets:
                try:
                    content = target.read()
                except CrewmemError:
                    continue
                known = newest.get(target.reference)
                if known is None or known.file_sha256 != sha256(content).hexdigest():
                    origin = _find_origin(target, known)
                    changes.append(_Change(target, content, content, origin, known))
            recorded = self._record(changes, UNKNOWN, OUTSIDE) if changes else []
        return [version for version, _ in recorded]

    def move(self, moves: Sequence[tuple[Target, Target]], operation: str) -> None:
        """Move memory files within their directories, many at once.

        A file is joined to the one that has its new name already, if there is one: another home may
        have sent the archived note, or an import brought an archived note again.
        """
        by_directory: dict[str, list[tuple[Target, Target]]] = {}
        for target, moved in moves:
            by_directory.setdefault(target.directory.prefix, []).append((target, moved))
        for pairs in by_directory.values():
            with self._hold_lock(pairs[0][0]):
                free = [pair for pair in pairs if not self._join(*pair, operation)]
                self.record_moves(free, operation)
                names = {target.relative: moved.relative for target, moved in free}
                move_files(pairs[0][0].root, names)

    def _join(self, target: Target, moved: Target, operation: str) -> bool:
        """Join a file to the one with its new name; return False if it is to be moved instead.

        If that cannot be done now, the file stays, with a warning. One that is gone needs nothing.
        """
        try:
            existing, content = _read(moved), _read(target)
            if content is None:  # moved or deleted meanwhile
                return True
            if existing is None or target.path.samefile(moved.path):
                return False
            after = _join_contents(existing, content)
            if after != existing:
                origin = _find_origin(target, self._record_before(target, content))
                joined = PlannedFile(moved.reference, existing, after, origin, keeps=True)
                self._write_ready([(moved, joined)], operation)
            if target.read() == content:  # else a shell appended to it: the next run joins that
                remove_file(target.root, target.relative)
        except (RefusedError, ConflictError) as error:
            self._context.warn("file-not-moved", f"{target.reference} stays: {error.message}")
        return True

    def record_moves(self, moves: Sequence[tuple[Target, Target]], operation: str) -> None:
        """Record moves as first versions of the new names; call it before moving the files.

        In this order a kill in between cannot turn an external text into one of the agent. A
        repeated move is recorded once.
        """
        assert self.versions is not None
        assert self._journal is not None
        with self.versions.adding():
            newest = self.versions.newest_of([each.reference for pair in moves for each in pair])
            outside: list[_Change] = []
            made: list[tuple[Target, NewVersion]] = []
            for target, moved in moves:
                content = target.read()
                digest = sha256(content).hexdigest()
                known, there = newest.get(target.reference), newest.get(moved.reference)
                origin = _find_origin(target, known)
                if known is None or known.file_sha256 != digest:
                    outside.append(_Change(target, content, content, origin, known))
                if there is None or there.file_sha256 != digest:
                    author = str(self._context.access.actor)
                    version = NewVersion(
                        moved.reference, moved.tier, content, author, operation, origin
                    )
                    made.append((target, version))
            if outside:
                self._record(outside, UNKNOWN, OUTSIDE)
            self.versions.add_all([version for _, version in made])
            self._journal.append_all(
                (
                    "memory.moved",
                    f"{target.reference} is now {version.path}: {operation}",
                    {
                        "payload": {
                            "file": target.reference,
                            "to": version.path,
                            "operation": operation,
                        },
                        "crew": target.entry_owner[0],
                        "agent": target.entry_owner[1],
                    },
                )
                for target, version in made
            )

    def _check_may_write(self, target: Target, options: WriteOptions) -> None:
        """Raise an error unless the actor may write *target*, and it has a valid name."""
        context, directory = self._context, target.directory
        if context.read_only and context.home is not None:
            check_free_space(context.home / DATABASE_FILE)
            raise RefusedError(
                f"{context.home} is read-only here: {target.reference} was not written",
                code="read-only",
                hint="run the command as the owner of the home",
            )
        skipped = () if directory.has_tiers else SKIPPED_FOLDERS
        hidden = [each for each in target.file.split("/") if each[:1] == "." or each in skipped]
        if hidden:
            raise RefusedError(
                f"'{target.file}' would never be found: '{hidden[0]}' is skipped",
                code="bad-file-name",
            )
        if target.file[-3:].lower() != ".md":
            raise UsageError(
                f"'{target.file}' would never be found: names of memory files end with .md",
                code="not-markdown",
            )
        if not options.authorized:
            rule = context.access.file_write_rule(
                directory.scope, directory.crew, directory.agent, target.tier
            )
            context.access.enforce(rule, f"write {target.reference}")
        if options.allow:
            context.access.require_operator("let passages pass the scanner")
            context.scanner.check_rules(options.allow)

    @contextlib.contextmanager
    def _hold_lock(self, target: Target) -> Iterator[None]:
        """Hold the lock of the memory directory, which is created if it is missing.

        A plain directory of markdown is locked itself, so that no lock file is left in it. Network
        file systems cannot lock directories.

        Raises:
            ConflictError: If the agent moved to another crew meanwhile.
        """
        self._check_not_moved(target.directory)
        with open_parent(target.root, target.relative, create=True):
            pass
        path = target.directory.path
        if target.directory.has_tiers or find_network_filesystem(path):
            path /= LOCK_FILE
        with lock(path):
            yield

    def _check_not_moved(self, directory: MemoryDirectory) -> None:
        """Check that an agent's directory is in its home crew."""
        if self.versions is None or not directory.agent:
            return
        crew = self._context.db.value(
            "select crew from agents where workspace_id = ? and slug = ?",
            (self._context.workspace, directory.agent),
        )
        if crew not in (None, directory.crew):
            reference = f"agent:{crew}/{directory.agent}/"
            raise ConflictError(
                f"agent '{directory.agent}' is at home in crew '{crew}': its files are"
                f" {reference}, not {directory.prefix}",
                code="agent-moved",
            )

    def _record_before(self, target: Target, before: bytes | None) -> Version | None:
        """Record changes from outside since the newest version; return the newest version."""
        if self.versions is None:
            return None
        newest = self.versions.newest(target.reference)
        if before is None or (newest and newest.file_sha256 == sha256(before).hexdigest()):
            return newest
        self.record_outside([target])
        return self.versions.newest(target.reference)

    def _check_name(self, target: Target, allow: Collection[str] = ()) -> None:
        allowed = allowed_rules(self._context.settings["scan.allow"], target.reference, target.path)
        self._context.scanner.check_name(target.file, allow={*allowed, *allow})

    def _record_release(self, target: Target, after: bytes, options: WriteOptions) -> list[str]:
        """Record the passages that an operator allowed, so that they are shown unchanged.

        Returns:
            Their hashes.
        """
        if not options.allow or options.operation == "release" or self._review is None:
            return []
        text = after.decode("utf-8", "replace")
        found = self._context.scanner.scan(text, own_tier=target.tier in OWN_TIERS, secrets=False)
        attacks = [each for each in found if each.class_ == "attack" and each.rule in options.allow]
        refused = remove_attacks(text, attacks).refused
        hashes = hash_passages(*(passage for passage, _ in refused))
        self._review.record_release(target.reference, hashes, options.allow)
        return hashes


def _describe_version(
    target: Target, version: Version, before: Version | None, allow: Collection[str]
) -> tuple[str, str, EntryFields]:
    """Return type, summary and fields of the journal entry of a new version."""
    return (
        "memory.updated",
        f"{target.reference}: {version.operation} by {version.written_by}, {version.bytes} bytes",
        {
            "payload": {
                "file": target.reference,
                "tier": target.tier,
                "operation": version.operation,
                "version": version.id,
                "sha256": version.file_sha256,
                "bytes": version.bytes,
                "bytes_before": before.bytes if before else 0,
                "written_by": version.written_by,
                **({"allowed": sorted(allow)} if allow else {}),
            },
            "refs": {"file": target.reference, "version": version.id},
            "crew": target.entry_owner[0],
            "agent": target.entry_owner[1],
            "origin": version.origin,
        },
    )


def _join_contents(existing: bytes, content: bytes) -> bytes:
    """Return both contents, or one of them if it contains the other."""
    if existing.strip() in content:
        return content
    if content.strip() in existing:
        return existing
    return join_lines(existing, content.decode("utf-8", "surrogateescape"))


def _find_origin(target: Target, newest: Version | None) -> str:
    """Return the origin class of a file: that of its newest version, else of its tier."""
    return newest.origin if newest else default_origin(target.directory, target.tier)


def _read(target: Target) -> bytes | None:
    """Return the content of the file; None if it does not exist."""
    try:
        return target.read()
    except NotFoundError:
        return None
