"""Writes bundles: plain files with a manifest of their hashes; equal memory gives equal bytes.

`layouts.bundle` reads them.
"""

import gzip
import io
import json
import tarfile
from collections import Counter
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from hashlib import sha256
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

from crewmem.errors import ConflictError, DamagedError, NotFoundError, RefusedError, UsageError
from crewmem.facts.import_export import export_facts
from crewmem.files.directories import Target
from crewmem.files.tiers import PRIVATE_TIERS
from crewmem.files.versions import PORTABLE, Version
from crewmem.journal.import_export import LEFT_OUT_OPERATIONS, export_entries
from crewmem.security.secrets import find_secrets, redact
from crewmem.storage.filesystem import (
    make_directory,
    open_stream,
    remove_file,
    remove_leftovers,
    replace_file,
)
from crewmem.text.records import list_texts, map_texts
from crewmem.text.wording import count
from crewmem.transfer.members import describe_members

if TYPE_CHECKING:
    from crewmem.home import Home

MANIFEST = "manifest.json"
REGISTRY = "registry.json"
FACTS = "facts.jsonl"
JOURNAL = "journal.jsonl"
VERSIONS = "versions.jsonl"
CONTENTS = "versions/"
FILES = "files/"
"""Directory of memory files in a bundle, such as ``files/agent/harbor/winch/AGENT.md``."""

FORMAT, VERSION = "crewmem", 1

PARTS = ("files", "facts", "journal", "versions")

ARCHIVE_SUFFIXES = (".tar.gz", ".tgz")

UNSUPPORTED_SUFFIXES = (
    ".7z", ".bz2", ".gz", ".rar", ".tar", ".tbz2", ".txz", ".xz", ".zip", ".zst"
)  # fmt: skip
"""Suffixes of other archives, which are refused instead of creating a directory of that name."""


class BundleFile(NamedTuple):
    """A file of a bundle.

    Attributes:
        tier: Tier of a memory file; for other files, their part of the bundle.
        bytes: Size.
    """

    path: str
    tier: str
    sha256: str
    bytes: int


@dataclass(frozen=True, slots=True)
class ExportReport:
    """Summary of a bundle that was written.

    Attributes:
        bytes: Total uncompressed size.
        redacted: Memory files whose secrets are redacted in the bundle.
        sha256: Hash of the manifest, which identifies the bundle.
    """

    path: Path
    files: int
    facts: int
    entries: int
    versions: int
    bytes: int
    redacted: tuple[str, ...]
    sha256: str


class Exporter:
    """Writes the memory that the actor may read as a bundle."""

    def __init__(self, home: "Home") -> None:
        self._context, self._memory, self._fact_table = home.context, home.memory, home.fact_table
        self._journal, self._registry = home.journal, home.registry
        self._redacted: list[str] = []
        self._items: list[BundleFile] = []
        self._contents: dict[str, bytes] = {}
        self._counts: Counter[str] = Counter()

    def write(
        self, path: Path, *, parts: Collection[str] = (), include_restricted: bool = False
    ) -> ExportReport:
        """Write a bundle.

        Args:
            path: A ``.tar.gz`` archive, or a directory that is new, empty, or an older bundle.
            parts: Names from PARTS; all if empty.
            include_restricted: Whether to include restricted facts.

        Raises:
            ConflictError: If the directory is neither empty nor a bundle.
            UsageError: If a part is unknown, or *path* is another kind of archive.
        """
        is_archive = path.name.lower().endswith(ARCHIVE_SUFFIXES)
        if not is_archive and path.suffix.lower() in UNSUPPORTED_SUFFIXES and not path.is_dir():
            name = path.name[: path.name.index(".", 1)]
            raise UsageError(
                f"a bundle is a directory or a .tar.gz, not a {path.suffix}",
                code="bad-archive",
                hint=self._context.command("export --out", str(path.with_name(f"{name}.tar.gz"))),
            )
        for part in parts:
            if part not in PARTS:
                raise UsageError(
                    f"'{part}' is not a part of a bundle: use {', '.join(PARTS)}",
                    code="bad-part",
                )
        chosen = set(parts) or set(PARTS)
        self._collect(chosen, include_restricted)
        data = format_manifest(self._items, parts=chosen)
        contents = {MANIFEST: data, **self._contents}
        if is_archive:
            remove_leftovers(path.parent, now=self._context.now.timestamp(), recursive=False)
            _write_archive(path, contents)
        else:
            _write_directory(path, contents)
            remove_leftovers(path, now=self._context.now.timestamp())
        report = ExportReport(
            path=path,
            files=self._counts["files"],
            facts=self._counts["facts"],
            entries=self._counts["journal"],
            versions=self._counts["versions"],
            bytes=sum(map(len, contents.values())),
            redacted=tuple(self._redacted),
            sha256=sha256(data).hexdigest(),
        )
        self._record(report)
        return report

    def _record(self, report: ExportReport) -> None:
        """Record an export in the journal, so that an import recognises the home's own bundle."""
        context = self._context
        if not context.read_only:
            path = redact(str(report.path))
            self._journal.append(
                "memory.exported",
                f"memory exported to {path}: {count(report.files, 'file')},"
                f" {count(report.facts, 'fact')}, {count(report.entries, 'entry', 'entries')}",
                payload={"path": path, "sha256": report.sha256},
            )
        for file in report.redacted:
            context.warn("redacted", f"secrets in {file} are redacted in the bundle")

    def _collect(self, parts: Collection[str], include_restricted: bool) -> None:
        targets = [each for each in self._memory.targets() if each.tier not in PRIVATE_TIERS]
        if self._context.has_db:
            described = describe_members(self._registry, self._context.access)
            self._add(REGISTRY, "registry", _dump(described))
        if "files" in parts:
            for target in targets:
                try:
                    content = self._read(target)
                except (NotFoundError, RefusedError) as error:
                    self._context.warn(
                        "file-left-out", f"{target.reference} is not in the bundle: {error.message}"
                    )
                    continue
                name = FILES + target.reference.replace(":", "/", 1)
                self._add(name, target.tier, content)
                self._counts["files"] += 1
        if "facts" in parts:
            facts = list(export_facts(self._fact_table, include_restricted=include_restricted))
            self._counts["facts"] = len(facts)
            self._add(FACTS, "facts", _dump_lines(facts))
        if "journal" in parts:
            entries = list(export_entries(self._context))
            self._counts["journal"] = len(entries)
            self._add(JOURNAL, "journal", _dump_lines(entries))
        if "versions" in parts:
            self._collect_versions(targets)

    def _add(self, name: str, tier: str, content: bytes) -> None:
        self._items.append(BundleFile(name, tier, sha256(content).hexdigest(), len(content)))
        self._contents[name] = content

    def _read(self, target: Target) -> bytes:
        """Return the content of a memory file, with secrets redacted."""
        content = target.read()
        text = content.decode("utf-8", "surrogateescape")
        redacted = redact(text)
        if redacted == text:
            return content
        self._redacted.append(target.reference)
        return redacted.encode("utf-8", "surrogateescape")

    def _collect_versions(self, targets: Collection[Target]) -> None:
        versions = self._memory.versions
        if versions is None:
            return
        readable = {target.reference for target in targets}
        history = [
            each
            for each in versions.list_all()
            if each.tier not in PRIVATE_TIERS
            and (self._context.access.is_operator or each.path in readable)
        ]
        exported = drop_repeated_imports(history)
        self._counts["versions"] = len(exported)
        records = [{name: getattr(each, name) for name in PORTABLE} for each in exported]
        self._add(VERSIONS, "versions", _dump_lines(records))
        by_digest = {each.stored_sha256: each for each in exported}
        for digest in sorted(by_digest):
            self._add(CONTENTS + digest, "versions", versions.read(by_digest[digest]))


def format_manifest(files: Iterable[BundleFile], *, parts: Iterable[str]) -> bytes:
    """Return the manifest of a bundle."""
    record = {
        "format": FORMAT,
        "version": VERSION,
        "parts": sorted(parts),
        "files": [each._asdict() for each in sorted(files)],
    }
    return _dump(record)


def parse_manifest(data: bytes, name: str) -> dict[str, BundleFile]:
    """Return the files that a manifest lists, by path.

    Raises:
        DamagedError: If it is not a manifest, or has a later version.
    """
    try:
        record = json.loads(data)
        is_newer = record["format"] == FORMAT and record["version"] > VERSION
        files = [] if is_newer else [BundleFile(**each) for each in record["files"]]
        if not all(isinstance(each.path, str) for each in files):
            raise TypeError("a path is not text")
    except (ValueError, TypeError, KeyError, RecursionError) as error:
        raise DamagedError(
            f"{name}: {MANIFEST} is not what an export writes", code="bad-bundle"
        ) from error
    if is_newer:
        raise DamagedError(
            f"{name} was written by a later crewmem (bundle version {record['version']})",
            code="bundle-too-new",
        )
    return {each.path: each for each in files}


def drop_repeated_imports(history: Collection[Version]) -> list[Version]:
    """Remove versions by an import or its review whose content equals that of the one before.

    The origin class that review gave to an imported version moves to the one before.
    """
    versions: list[Version] = []
    for each in history:
        before = versions[-1] if versions and versions[-1].path == each.path else None
        is_repeated = before is not None and before.file_sha256 == each.file_sha256
        if before is None or not (is_repeated and each.operation in LEFT_OUT_OPERATIONS):
            versions.append(each)
        elif each.operation == "trust":
            versions[-1] = before._replace(origin=each.origin)
    return versions


def _dump_lines(records: Sequence[Mapping[str, Any]]) -> bytes:
    """Return records as JSON lines, with secrets redacted.

    Equal records give equal bytes.
    """
    if find_secrets("\n\n".join(list_texts(records))):  # before JSON escapes characters of a secret
        records = map_texts(records, redact)
    lines = [json.dumps(each, ensure_ascii=False, sort_keys=True) for each in records]
    return "".join(f"{line}\n" for line in lines).encode("utf-8", "replace")


def _dump(record: Any) -> bytes:
    return (json.dumps(record, indent=1, ensure_ascii=False) + "\n").encode()


def _write_directory(path: Path, contents: dict[str, bytes]) -> None:
    """Write a bundle into a directory that is empty or contains a bundle.

    The manifest is written first: the files of an interrupted export do not match it, so that it
    cannot be imported, and the next export completes it.
    """
    make_directory(path)
    old: dict[str, BundleFile] = {}
    if (path / MANIFEST).is_file():
        old = parse_manifest((path / MANIFEST).read_bytes(), str(path))
    elif any(each for each in path.iterdir() if not each.name.startswith(".crewmem-")):
        raise ConflictError(
            f"{path} is not empty and is not a bundle: name another directory",
            code="not-empty",
        )
    for name in old.keys() - contents.keys():
        if (path / name).is_file():
            remove_file(path, name)
    replace_file(path / MANIFEST, contents[MANIFEST])
    for name, content in contents.items():
        target = path / name
        if target.is_file() and target.read_bytes() == content:
            continue
        make_directory(target.parent)
        replace_file(target, content)


def _write_archive(path: Path, contents: Mapping[str, bytes]) -> None:
    """Write a compressed archive; equal contents give equal bytes."""
    with (
        open_stream(path) as file,
        gzip.GzipFile(filename="", fileobj=file, mode="wb", mtime=0) as packed,
        tarfile.open(fileobj=packed, mode="w|", format=tarfile.PAX_FORMAT) as archive,
    ):
        for name, content in sorted(contents.items()):
            member = tarfile.TarInfo(name)
            member.size = len(content)
            member.mode = 0o600
            archive.addfile(member, io.BytesIO(content))
