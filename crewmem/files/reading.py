"""Reading memory files: safe texts, listings, and findings of the scanner."""

from __future__ import annotations

import os
from collections.abc import Collection, Iterable, Sequence
from difflib import unified_diff
from functools import cached_property
from hashlib import sha256
from typing import TYPE_CHECKING, NamedTuple, Unpack

from crewmem.config import Settings
from crewmem.context import Context
from crewmem.errors import CrewmemError, NotFoundError, check_text
from crewmem.files.decoding import decode
from crewmem.files.directories import FileOwner, Target, find_readable, is_wanted
from crewmem.files.locator import Locator
from crewmem.files.memory_index import MemoryIndex
from crewmem.files.origins import find_origins
from crewmem.files.references import Reference
from crewmem.files.tiers import OWN_TIERS, SOFT_SHARE, find_cap
from crewmem.ids import bad_cursor
from crewmem.security.allowed import allowed_rules
from crewmem.security.findings import Finding

if TYPE_CHECKING:  # only a history needs it
    from crewmem.files.versions import Version, Versions


class FileText(NamedTuple):
    """The text of a memory file, or of lines of it, as it may be shown.

    Attributes:
        file: Reference of the file.
        sha256: Hash of the whole file, for ``--expect``.
        text: The lines, with attacks replaced and secrets redacted unless raw.
        first_line: First line of *text*, counted from 1.
        lines: Number of lines in the whole file.
        version: Id of the version; "" for the current file.
        suspicious: Passages to mark, which may be instructions to the reader.
    """

    file: str
    path: str
    tier: str
    origin: str
    sha256: str
    bytes: int
    text: str
    first_line: int
    last_line: int
    lines: int
    version: str
    removed: tuple[Finding, ...]
    suspicious: tuple[Finding, ...]


class FileInfo(NamedTuple):
    """A memory file in a listing.

    Attributes:
        share: Used share of its cap, 1.0 for full; 0 without a cap.
        at: When it was last changed.
        flags: ``over cap``, ``near cap``, ``attack``, ``suspicious``, ``secret``, ``skipped``,
            ``damaged text``.
        skipped: Why it is not indexed, or not completely.
    """

    file: str
    tier: str
    scope: str
    owner: str
    bytes: int
    cap: int
    share: float
    at: str
    chunks: int
    flags: tuple[str, ...]
    skipped: str


class FileFindings(NamedTuple):
    """The scanner's findings in a memory file.

    Attributes:
        findings: Those in the file name have line 0.
    """

    file: str
    path: str
    tier: str
    findings: tuple[Finding, ...]

    def has(self, cls: str) -> bool:
        """Return whether there is a finding of a class: attack, suspicious or secret."""
        return any(finding.class_ == cls for finding in self.findings)


class SuspiciousPassage(NamedTuple):
    """A passage that may be an instruction to its reader."""

    file: str
    first_line: int
    rule: str
    text: str


class MemoryReader:
    """The memory files of a workspace or a tree, as an actor may see them; read-only.

    Attributes:
        index: Their index.
    """

    def __init__(self, index: MemoryIndex) -> None:
        self.context = index.context
        self.index = index

    @cached_property
    def locator(self) -> Locator:
        """Finds files by reference, path, link or tier."""
        return Locator(self.index)

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
        check_text("file", file)
        if tier is not None:
            target = self.locator.choose_target(tier, key, must_exist=True, **owner)
            reference = Reference(None, "", "", target.file)
            self.locator.check_read(target)
        else:
            history = self._require_versions() if version else None
            try:
                target = self.locator.resolve(file, history=history, **owner)
            except NotFoundError:  # it may be deleted
                target = self.locator.resolve(file, history=self.versions, **owner)
            reference = self.locator.parse(file)
            self.locator.check_read(target)
        if version:
            versions = self._require_versions()
            found = versions.get(target.reference, version)
            content = _Content(versions.read(found), found.file_sha256, found.origin, found.id)
        else:
            data = self._read_present(target, tier)
            origin = self.find_origins([target])[target.reference]
            content = _Content(data, sha256(data).hexdigest(), origin)
        return make_file_text(self.context, target, content, reference, raw=raw)

    def _read_present(self, target: Target, tier: str | None) -> bytes:
        """Return the content of a file.

        Args:
            tier: The tier by which the user named it.

        Raises:
            NotFoundError: If it does not exist; the hint names what to list instead.
        """
        try:
            return target.read()
        except NotFoundError as error:
            problem = "does not exist"
            hint = self.context.command("memory list", *(("--tier", tier) if tier else ()))
            if self.versions and self.versions.newest(target.reference):
                problem = "was deleted or moved; its versions are stored"
                hint = self.context.command("memory log", target.reference)
            message = f"{target.reference} {problem}"
            raise NotFoundError(message, code=error.code, hint=hint) from error

    def list_files(
        self,
        *,
        tiers: Sequence[str] = (),
        limit: int = 0,
        after: str = "",
        **owner: Unpack[FileOwner],
    ) -> list[FileInfo]:
        """Return the memory files that the actor may read, by directory and path."""
        # Only for its error: the actor may read no directory of that owner.
        find_readable(self.context.access, self.index.directories, **owner)
        rows = self.index.load().db.all(
            "select directory_id, path, tier, size, at, chunks, skipped from files"
            " order by directory_id, path"
        )
        order = {directory: number for number, directory in enumerate(self.index.directories)}
        found = [
            (target, _IndexedFile(*row))
            for target, row in self.locator.list_readable(rows)
            if is_wanted(target.directory, **owner)
        ]
        if tiers:
            found = [(target, row) for target, row in found if row.tier in tiers]
        found.sort(key=lambda each: (order[each[0].directory], each[0].file))
        if after:
            references = [target.reference for target, _ in found]
            if after not in references:
                raise bad_cursor(after)
            found = found[references.index(after) + 1 :]
        if limit:
            found = found[:limit]
        findings = self.find_findings([target for target, _ in found])
        return [
            _make_info(self.context.settings, target, row, file_findings)
            for (target, row), file_findings in zip(found, findings, strict=True)
        ]

    def find_findings(self, targets: Iterable[Target] | None = None) -> list[FileFindings]:
        """Return the scanner's findings in files; by default in all that the actor may read.

        Unchanged files are not scanned again.
        """
        targets = self.targets() if targets is None else list(targets)
        index = self.index.load()
        paths = {row: str(each.path) for row, each in index.directories.items()}
        digests = {
            (paths.get(row), file): digest
            for row, file, digest in index.db.execute(
                "select directory_id, path, sha256 from files"
            )
        }
        verdicts, allow = self.context.verdicts, self.context.settings["scan.allow"]
        known = verdicts.load(set(digests.values()))
        new: dict[tuple[bytes, bool], list[Finding]] = {}
        bad_names = verdicts.find_bad_names(target.file for target in targets)
        found = []
        for target in targets:
            digest = digests.get((str(target.directory.path), target.file))
            own_tier = target.tier in OWN_TIERS
            findings: list[Finding] = []
            if digest and (digest, own_tier) in known:
                findings = known[digest, own_tier]
            elif digest:
                content = _read_if_possible(target)
                scanned = self.context.scanner.scan(decode(content)[0], own_tier=own_tier)
                # Stored findings have no words of the text either.
                findings = [each._replace(matched="", disguise="") for each in scanned]
                if sha256(content).digest() == digest:  # not changed since it was indexed
                    known[digest, own_tier] = new[digest, own_tier] = findings
            if target.file in bad_names:
                findings = [*self.context.scanner.scan_name(target.file), *findings]
            if findings:
                allowed = allowed_rules(allow, target.reference, target.path)
                if not allowed.isdisjoint(finding.rule for finding in findings):
                    text, _ = decode(_read_if_possible(target))
                    findings = self.context.scanner.drop_allowed(text, findings, allowed)
            found.append(
                FileFindings(target.reference, str(target.path), target.tier, tuple(findings))
            )
        verdicts.save(new)
        return found

    def list_suspicious(self) -> list[SuspiciousPassage]:
        """Return the suspicious passages of the files that the actor may read."""
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
        index = self.index.load()
        order = "files.dated desc, " if newest_first else ""
        rows = index.db.execute(
            "select directory_id, files.path from files"
            " join directories on directories.id = directory_id"
            " where ? or tier in (select value from json_each(?))"
            f" order by {order}directories.path, files.path",
            (not tiers, tiers),
        )
        return [target for target, _ in self.locator.list_readable(rows)]

    def find_origins(self, targets: Sequence[Target]) -> dict[str, str]:
        """Return the origin class of files by reference."""
        files = {each.reference: (each.directory, each.tier) for each in targets}
        found = find_origins(self.context, files)
        return {reference: origin for reference, (origin, _) in found.items()}

    def is_writable(self, *, agent: str, crew: str) -> bool:
        """Return whether an agent's memory can be written here."""
        if self.index.root is not None:
            return os.access(self.index.root, os.W_OK)
        directory = self.context.agent_memory(crew, agent) if crew else self.context.workspace_dir
        while not directory.is_dir():
            directory = directory.parent
        return not self.context.read_only and os.access(directory, os.W_OK)

    @cached_property
    def versions(self) -> Versions | None:
        """The versions; None without a home."""
        if not self.context.has_db:
            return None
        from crewmem.files.versions import Versions

        return Versions(self.context)

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
        target = self.locator.resolve(file, history=versions, **owner)
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
        if first.text == second.text and first.sha256 != second.sha256:
            self.context.warn(
                "other-bytes", "the texts are equal; the files differ in line ends or secrets"
            )
        names = f"{reference} {first.version}", f"{reference} {second.version}".strip()
        lines = first.text.splitlines(), second.text.splitlines()
        return list(unified_diff(*lines, *names, lineterm=""))


class Excerpt(NamedTuple):
    """Lines of a text.

    Attributes:
        first_line: Counted from 1.
        total: Number of lines of the whole text.
    """

    text: str
    first_line: int
    last_line: int
    total: int


def cut_lines(text: str, reference: Reference, name: str) -> Excerpt:
    """Return the lines of *text* that a reference names; without line numbers, all."""
    lines = text.split("\n")
    if lines and lines[-1] == "":
        lines.pop()
    total = len(lines)
    first = reference.first_line
    if not first:
        return Excerpt(text, 1, total, total)
    if first > total:
        raise NotFoundError(
            f"{name} has {total} lines, so there is no line {first}", code="no-such-line"
        )
    last = min(reference.last_line, total)
    return Excerpt("\n".join(lines[first - 1 : last]) + "\n", first, last, total)


class _Content(NamedTuple):
    """A content of a file, as in `FileText`; of a version, secrets may be redacted in *data*."""

    data: bytes
    sha256: str
    origin: str
    version: str = ""


def make_file_text(
    context: Context, target: Target, content: _Content, reference: Reference, *, raw: bool
) -> FileText:
    """Return a content as it may be shown; the whole is scanned before lines are cut out.

    A removed passage is padded to its number of lines, so that line numbers stay right.
    """
    removed: Sequence[Finding] = ()
    suspicious: Sequence[Finding] = ()
    if raw:
        text = content.data.decode("utf-8", "surrogateescape")
        excerpt = cut_lines(text, reference, target.reference)
    else:
        text, problem = decode(content.data)
        if problem:
            context.warn("not-utf8", f"{target.reference}: {problem}")
        safe = context.scanner.make_safe(
            text,
            file=target.reference,
            own_tier=target.tier in OWN_TIERS,
            keep_lines=True,
            allow=allowed_rules(context.settings["scan.allow"], target.reference, target.path),
        )
        excerpt = cut_lines(safe.text, reference, target.reference)
        if mark := _find_mark(text, safe.text, excerpt.first_line):
            excerpt = excerpt._replace(text=mark + excerpt.text)
        removed, suspicious = safe.removed, safe.suspicious

    def is_in_excerpt(finding: Finding) -> bool:
        return finding.first_line <= excerpt.last_line and finding.last_line >= excerpt.first_line

    return FileText(
        file=target.reference,
        path=str(target.path),
        tier=target.tier,
        origin=content.origin,
        sha256=content.sha256,
        bytes=len(content.data),
        text=excerpt.text,
        first_line=excerpt.first_line,
        last_line=excerpt.last_line,
        lines=excerpt.total,
        version=content.version,
        removed=tuple(each._replace(matched="") for each in removed if is_in_excerpt(each)),
        suspicious=tuple(each for each in suspicious if is_in_excerpt(each)),
    )


def _find_mark(text: str, safe: str, number: int) -> str:
    """Return the mark in *safe* of the removed passage of *text* that has the line *number*.

    "" if the line was not removed, or if it has the mark itself.
    """
    before, after = text.split("\n"), safe.split("\n")[:number]
    if not (after and before[number - 1].strip()) or after[-1].strip():
        return ""
    return next((line for line in reversed(after) if line.strip()), "")


class _IndexedFile(NamedTuple):
    """A row of the table ``files`` of the index."""

    directory_id: int
    path: str
    tier: str
    size: int
    at: str
    chunks: int
    skipped: str


def _make_info(
    settings: Settings, target: Target, row: _IndexedFile, findings: FileFindings
) -> FileInfo:
    cap = find_cap(settings, target.tier, target.file)
    flags = []
    if cap and row.size > cap:
        flags.append("over cap")
    elif cap and row.size >= SOFT_SHARE * cap:
        flags.append("near cap")
    flags += [cls for cls in ("attack", "secret", "suspicious") if findings.has(cls)]
    if row.skipped:
        flags.append("damaged text" if row.chunks else "skipped")
    return FileInfo(
        file=target.reference,
        tier=target.tier,
        scope=str(target.directory.scope),
        owner=target.directory.owner,
        bytes=row.size,
        cap=cap,
        share=row.size / cap if cap else 0.0,
        at=row.at,
        chunks=row.chunks,
        flags=tuple(flags),
        skipped=row.skipped,
    )


def _read_if_possible(target: Target) -> bytes:
    """Return the content of a file; empty if it was deleted or is no longer readable."""
    try:
        return target.read()
    except CrewmemError:
        return b""
