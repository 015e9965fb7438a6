"""Exchanges memory through a directory, a git repository or ssh, without a server.

A place contains batches, `sources/<home>/<number>-<sha256>.jsonl`. Each is written once, by one
home. A home reads the batches that it has not read, and adds one with the records that the place
lacks. Records are identified by id and time, so their order does not matter.
"""

import base64
import io
import json
import os
import re
import shlex
import tarfile
import zlib
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from hashlib import sha256
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

from crewmem.context import Context
from crewmem.errors import (
    ConflictError,
    CrewmemError,
    DamagedError,
    NotFoundError,
    ServiceError,
    UsageError,
)
from crewmem.files.tiers import PRIVATE_TIERS
from crewmem.files.versions import (
    MAX_STORED,
    Version,
    Versions,
    check_version,
    load_content,
    read_stored,
)
from crewmem.hosts import checkout
from crewmem.journal.chain import Row
from crewmem.journal.exchange import LOCAL_COLUMNS, TABLES, export_records, receive_records
from crewmem.storage.filesystem import make_directory, replace_file
from crewmem.storage.json_lines import BadLineError, check_fields, load_record
from crewmem.storage.programs import join_lines, run_program
from crewmem.storage.sqlite import scrub, transaction
from crewmem.transfer.members import MEMBER_FIELDS, add_members, describe_members

if TYPE_CHECKING:
    from crewmem.home import Home

MARKER = "crewmem-sync.json"
FORMAT = "crewmem-sync"
SOURCES = "sources"
COMMAND_SECONDS = 120
PUSH_TRIES = 5

SENT = re.compile(rf"{re.escape(MARKER)}|{SOURCES}/[\w.]+/\d+-[0-9a-f]{{64}}\.jsonl", re.ASCII)
"""Names of a place's files on another host, without characters that a shell interprets."""

NUMBERS: dict[str, type | tuple[type, ...]] = {"number": int, "weight": (int, float)}
"""Fields of records about entries that are not texts."""

REQUIRED: dict[tuple[str, str], Mapping[str, type | tuple[type, ...]]] = {
    **{("registry", kind): fields for kind, fields in MEMBER_FIELDS.items()},
    ("fact", ""): {"id": str},
    ("version", ""): Version.__annotations__,
    ("content", ""): {"sha256": str, "content": str},
    ("journal", "entry"): {
        name: kind for name, kind in Row.__annotations__.items() if name not in LOCAL_COLUMNS
    },
    **{
        ("journal", kind): {name: NUMBERS.get(name, str) for name in columns.split(", ")}
        for kind, (_, columns) in TABLES.items()
    },
}
"""Required fields of a record, with their types, by its type and kind."""


@dataclass(slots=True)
class ExchangeReport:
    """The result of a sync.

    Attributes:
        sent: New records of the place, by kind.
        received: New records here, by kind.
        waiting: Review items for files that were changed in two homes.
    """

    place: str
    sent: dict[str, int] = field(default_factory=dict)
    received: dict[str, int] = field(default_factory=dict)
    waiting: list[str] = field(default_factory=list)


class Sync:
    """Syncs one workspace of a home with places."""

    def __init__(self, home: "Home") -> None:
        self._context, self._memory, self._facts = home.context, home.memory, home.facts
        self._journal, self._registry = home.journal, home.registry
        self._versions = Versions(home.context)

    def run(self, place: str) -> ExchangeReport:
        """Read the new records of *place*, then add those that it lacks.

        Args:
            place: A directory, a git work tree, a bare git repository, or ``ssh://HOST/DIR``.

        Raises:
            ServiceError: If git or ssh failed.
            DamagedError: If a batch was changed, or a journal's hash chain is broken.
        """
        self._context.access.require_operator("sync")
        report = ExchangeReport(place)
        carrier = open_carrier(self._context, place)
        for attempt in range(PUSH_TRIES):
            carrier.fetch()
            place_id = self._read_marker(carrier.directory)
            self._receive(carrier.directory, place_id, report)
            self._send(carrier.directory, place_id, report)
            if carrier.publish():
                return report
            if attempt == PUSH_TRIES - 1:
                break
        raise ServiceError(
            f"other homes keep writing to {place}", code="sync-busy", hint="run it again"
        )

    def _read_marker(self, directory: Path) -> str:
        """Return the id of the place; create it if the directory is not a place yet."""
        path = directory / MARKER
        if path.is_file():
            try:
                marker = json.loads(path.read_bytes())
                workspace = marker["workspace"]
                if (marker["format"], marker["version"]) != (FORMAT, 1):
                    raise ValueError
            except (ValueError, KeyError, TypeError) as error:
                raise DamagedError(
                    f"{path} has another format than this version of sync", code="bad-place"
                ) from error
            if workspace != self._context.workspace:
                raise ConflictError(
                    f"{directory} holds the workspace '{workspace}'",
                    code="other-workspace",
                    command=shlex.join(["sync", str(directory), "--workspace", workspace]),
                )
        else:
            others = [each.name for each in directory.iterdir() if not each.name.startswith(".")]
            if others:
                raise not_empty(str(directory))
            # Every home writes the same bytes, so that two homes may begin at the same time.
            record = {"format": FORMAT, "version": 1, "workspace": self._context.workspace}
            replace_file(path, (json.dumps(record) + "\n").encode())
        return sha256(str(directory).encode()).hexdigest()[:16]

    # Receiving

    def _receive(self, directory: Path, place: str, report: ExchangeReport) -> None:
        db = self._context.db
        known = {n for (n,) in db.all("select name from sync_batches where place = ?", (place,))}
        batches = [batch for batch in list_batches(directory) if batch.name not in known]
        if not batches:
            return
        records: dict[str, list[dict[str, Any]]] = {}
        for batch in batches:
            for line in read_batch(batch.path):
                kind, record = read_record(batch.path, line)
                records.setdefault(kind, []).append(record)
        self._memory.record_outside_changes()
        counts = self._apply(records, report)
        with transaction(db, local=True):
            db.executemany(
                "insert or ignore into sync_batches (place, name) values (?, ?)",
                [(place, batch.name) for batch in batches],
            )
        for name, count in counts.items():
            report.received[name] = report.received.get(name, 0) + count

    def _apply(
        self, records: dict[str, list[dict[str, Any]]], report: ExchangeReport
    ) -> dict[str, int]:
        described: dict[str, list[dict[str, Any]]] = {"crews": [], "agents": []}
        for record in records.get("registry", []):
            described[f"{record['kind']}s"].append(record)
        counts = {"registry": add_members(self._registry, described)}
        if counts["registry"]:
            self._memory.reload_directories()
        received = receive_records(self._journal, records.get("journal", []))
        counts["journal"] = received.entries
        facts = order_facts(records.get("fact", []))
        newest = {fact["id"]: fact for fact in facts}
        older = [fact for fact in facts if fact is not newest[fact["id"]]]
        for part in (newest.values(), older):  # additions of older states, such as votes, count
            if part:
                imported = self._facts.import_facts(part, keep_origin=True, origin="operator")
                counts["fact"] = counts.get("fact", 0) + imported.created + imported.updated
                for _, reason in imported.bad:
                    self._context.warn("fact-not-received", f"a fact was not received: {reason}")
        counts["version"] = self._add_versions(records, report)
        if received.purged or any(fact.get("purged") for fact in facts):
            scrub(self._context.db)
        return counts

    def _add_versions(
        self, records: dict[str, list[dict[str, Any]]], report: ExchangeReport
    ) -> int:
        """Add versions of files with their contents, and check out the newest."""
        context, db = self._context, self._context.db
        contents = {
            record["sha256"]: base64.b64decode(record["content"])
            for record in records.get("content", [])
        }
        arrived = {each["id"]: each for each in records.get("version", [])}
        versions = [
            Version(*(record[name] for name in Version._fields))
            for record in arrived.values()
            if not db.value("select 1 from file_versions where id = ?", (record["id"],))
        ]
        paths = sorted({version.path for version in versions})
        heads = {path: self._head(path) for path in paths}
        with transaction(db):
            checkout.store_contents(context, contents)
            self._versions.insert(versions)
        for path in paths:
            head, newest = heads[path], self._head(path)
            assert newest is not None
            if head is not None and head.id != newest.id:
                if not self._is_ancestor(head.id, newest.id):
                    report.waiting.append(self._propose(head, newest))
            if head is None or head.id != newest.id:
                checkout.check_out_newest(context, db, newest.workspace, path)
        return len(versions)

    def _head(self, path: str) -> checkout.Newest | None:
        return checkout.find_newest(self._context.db, self._context.workspace, path)

    def _is_ancestor(self, version: str, of: str) -> bool:
        return of != "" and bool(
            self._context.db.value(
                "with recursive line (id, parent) as ("
                " select id, parent from file_versions where id = :of union"
                " select v.id, v.parent from file_versions v join line on v.id = line.parent)"
                " select 1 from line where id = :version",
                {"of": of, "version": version},
            )
        )

    def _propose(self, head: checkout.Newest, newest: checkout.Newest) -> str:
        """Put a file's text that lost against another home's into review."""
        context, db = self._context, self._context.db
        ours = load_content(context, head.stored_sha256) or b""
        base = head.id
        while base and not self._is_ancestor(base, newest.id):
            base = str(db.value("select parent from file_versions where id = ?", (base,)) or "")
        return checkout.propose_merge(context, db, newest, ours, base=base, version=head.id)

    # Sending

    def _send(self, directory: Path, place: str, report: ExchangeReport) -> None:
        """Add a batch with the records that the place lacks."""
        db = self._context.db
        batches = list_batches(directory)
        there = {sha256(line).digest() for batch in batches for line in read_batch(batch.path)}
        lines: list[bytes] = []
        counts: Counter[str] = Counter()
        for kind, record in self._records():
            line = json.dumps(
                {"type": kind, "data": record}, ensure_ascii=False, sort_keys=True
            ).encode("utf-8", "replace")
            if sha256(line).digest() not in there:
                lines.append(line)
                counts[kind] += 1
        if not lines:
            return
        source = self._journal.chains.own_name()
        number = max((each.number for each in batches if each.source == source), default=0) + 1
        data = b"".join(line + b"\n" for line in lines)
        make_directory(directory / SOURCES / source)
        name = f"{number:06}-{sha256(data).hexdigest()}.jsonl"
        replace_file(directory / SOURCES / source / name, data)
        with transaction(db, local=True):
            db.execute(
                "insert or ignore into sync_batches values (?, ?)", (place, f"{source}/{name}")
            )
        for kind, count in counts.items():
            report.sent[kind] = report.sent.get(kind, 0) + count

    def _records(self) -> Iterator[tuple[str, dict[str, Any]]]:
        """Yield the records of the home in a fixed order, without local ones."""
        context = self._context
        described = describe_members(self._registry, context.access)
        for kind in ("crew", "agent"):
            for record in described[f"{kind}s"]:
                yield "registry", {"kind": kind, **record}
        for record in self._facts.export_facts():
            yield "fact", record
        for record in export_records(context):
            yield "journal", record
        sent = set()
        for version in self._versions.list_all():
            if version.tier in PRIVATE_TIERS:
                continue
            yield "version", version._asdict()
            digest = version.stored_sha256
            content = None if digest in sent else read_stored(context, digest)
            if content is not None:
                sent.add(digest)
                yield "content", {"sha256": digest, "content": base64.b64encode(content).decode()}


class Batch(NamedTuple):
    """A file of a place."""

    source: str
    number: int
    path: Path

    @property
    def name(self) -> str:
        """Identifies the batch by its home, number and hash."""
        return f"{self.source}/{self.path.name}"


def list_batches(directory: Path) -> list[Batch]:
    """Return the batches of a place, in order."""
    found = []
    for path in (directory / SOURCES).glob("*/*.jsonl"):
        number, _, _ = path.name.partition("-")
        if number.isdecimal() and path.is_file() and not path.is_symlink():
            found.append(Batch(path.parent.name, int(number), path))
    return sorted(found)


def read_batch(path: Path) -> list[bytes]:
    """Return the lines of a batch; its name contains its hash.

    Raises:
        DamagedError: If it was changed, or is incomplete.
    """
    data = path.read_bytes()
    if sha256(data).hexdigest() != path.name.partition("-")[2].removesuffix(".jsonl"):
        raise DamagedError(
            f"{path} does not match its hash: it was changed, or is incomplete",
            code="bad-batch",
            hint="copy it again from its home, or remove it: the next sync of each home adds what"
            " the place lacks",
        )
    return data.splitlines()


def read_record(path: Path, line: bytes) -> tuple[str, dict[str, Any]]:
    """Return type and content of a record.

    Raises:
        DamagedError: If this version of crewmem cannot read it.
    """
    try:
        record = load_record(line)
        kind, data = record.get("type"), record.get("data")
        if not isinstance(data, dict):
            raise BadLineError("a record has no data")
        part = data.get({"registry": "kind", "journal": "record"}.get(str(kind), ""), "")
        required = REQUIRED.get((str(kind), str(part)))
        if required is None:
            raise BadLineError(f"there is no type of record '{kind} {part}'")
        check_fields(data, required)
        if kind == "version":
            check_version(data, required)
        if kind == "content":
            packed = base64.b64decode(data["content"])
            content = zlib.decompressobj().decompress(packed, MAX_STORED)
            if sha256(content).hexdigest() != data["sha256"]:
                raise BadLineError("a content does not match its hash")
    except (ValueError, zlib.error, CrewmemError) as error:
        raise DamagedError(
            f"{path}: {error}",
            code="bad-batch",
            hint="remove the file; or update crewmem, if a newer one wrote it",
        ) from error
    return str(kind), data


def order_facts(records: Sequence[dict[str, Any]]) -> list[dict[str, Any]]:
    """Order records of facts by time; a purge is newer than any text.

    If two homes have equally new states, all homes choose the same.
    """
    return sorted(
        records,
        key=lambda each: (
            bool(each.get("purged")),
            each.get("updated_at", ""),
            json.dumps(each, sort_keys=True),
        ),
    )


# Places


class Carrier:
    """A directory that other homes see directly."""

    def __init__(self, directory: Path) -> None:
        self.directory = directory

    def fetch(self) -> None:
        """Get what others wrote."""
        if not self.directory.parent.is_dir():  # such as a drive that is not mounted
            raise NotFoundError(
                f"there is no directory {self.directory.parent}",
                code="path-not-found",
                hint=f"mkdir -p {self.directory}",
            )
        make_directory(self.directory)

    def publish(self) -> bool:
        """Publish what was written; False if another home was faster."""
        return True


class GitCarrier(Carrier):
    """A git work tree: pulls before, commits and pushes after.

    A bare repository is cloned into the home.
    """

    def __init__(self, directory: Path, clone_of: Path | None = None) -> None:
        super().__init__(directory)
        self._origin = clone_of

    def fetch(self) -> None:
        """Clone or pull."""
        if self._origin is not None and not (self.directory / ".git").exists():
            make_directory(self.directory.parent)
            run_command(["git", "clone", "-q", str(self._origin), str(self.directory)])
        self._commit()  # changes that an interrupted sync left
        if self._has_upstream():
            self._git("fetch", "-q", "origin")
            if self._git("ls-remote", "--heads", "origin").strip():
                # Batches are only added, so others' commits can come first.
                self._git("pull", "-q", "--rebase", "origin", self._branch())

    def publish(self) -> bool:
        """Commit, and push where there is a remote."""
        self._commit()
        if not self._has_upstream():
            return True
        try:
            self._git("push", "-q", "origin", f"HEAD:{self._branch()}")
        except ServiceError as error:
            if "rejected" in error.message or "fetch first" in error.message:
                return False
            raise
        return True

    def _commit(self) -> None:
        names = [name for name in (MARKER, SOURCES) if (self.directory / name).exists()]
        if names and self._git("status", "--porcelain", "--", *names).strip():
            self._git("add", "--", *names)
            self._git("commit", "-q", "-m", "crewmem sync", "--", *names)

    def _branch(self) -> str:
        return self._git("symbolic-ref", "--short", "HEAD").strip()

    def _has_upstream(self) -> bool:
        return "origin" in self._git("remote").split()

    def _git(self, *words: str) -> str:
        identity = ["-c", "user.name=crewmem", "-c", "user.email=crewmem@localhost"]
        identity += ["-c", "commit.gpgSign=false"]
        return run_command(["git", "-C", str(self.directory), *identity, *words]).decode()


class SshCarrier(Carrier):
    """A directory on another host: the home keeps a copy, and tar transfers batches."""

    def __init__(self, directory: Path, host: str, remote: str) -> None:
        super().__init__(directory)
        self._host, self._remote = host, remote
        self._there: set[str] = set()

    def fetch(self) -> None:
        """Copy the files that are missing here."""
        make_directory(self.directory)
        where = shlex.quote(self._remote)
        find = "find . -maxdepth 3 -type f -not -name '.*'"
        listed = self._ssh(f"mkdir -p {where} && cd {where} && {find}").decode()
        found = {name.removeprefix("./") for name in listed.splitlines()}
        self._there = {name for name in found if SENT.fullmatch(name)}
        if found and MARKER not in found:
            raise not_empty(f"ssh://{self._host}{self._remote}")
        missing = sorted(name for name in self._there if not (self.directory / name).exists())
        if not missing:
            return
        data = self._ssh(f"cd {where} && tar -cf - {' '.join(missing)}")
        with tarfile.open(fileobj=io.BytesIO(data)) as archive:
            for name in missing:
                stream = archive.extractfile(name)
                if stream is not None:
                    make_directory((self.directory / name).parent)
                    replace_file(self.directory / name, stream.read())

    def publish(self) -> bool:
        """Send the missing files; each appears there complete."""
        files = [path for path in self.directory.rglob("*") if path.is_file()]
        names = sorted(str(path.relative_to(self.directory)) for path in files)
        new = [name for name in names if name not in self._there and SENT.fullmatch(name)]
        if new:
            data = run_command(["tar", "-C", str(self.directory), "-cf", "-", *new])
            moves = [f'mkdir -p {Path(name).parent} && mv "$new/{name}" {name}' for name in new]
            self._ssh(
                f"cd {shlex.quote(self._remote)} && new=$(mktemp -d .new.XXXXXX) &&"
                f' tar -C "$new" -xf - && {" && ".join(moves)}; done=$?; rm -rf "$new";'
                " exit $done",
                data,
            )
        return True

    def _ssh(self, command: str, data: bytes = b"") -> bytes:
        return run_command(["ssh", "-o", "BatchMode=yes", "--", self._host, command], data)


def not_empty(place: str) -> ConflictError:
    """Return the error for a place that contains other things."""
    return ConflictError(
        f"{place} is not empty and was not made by sync",
        code="not-empty",
        hint="name an empty directory",
    )


def open_carrier(context: Context, place: str) -> Carrier:
    """Return the carrier for *place*."""
    assert context.home is not None
    cache = context.home / "sync" / sha256(place.encode()).hexdigest()[:16]
    if place.startswith("ssh://"):
        host, slash, remote = place.removeprefix("ssh://").partition("/")
        if not host or not remote or host.startswith("-"):
            raise NotFoundError(f"{place} names no directory: use ssh://HOST/DIR", code="bad-place")
        return SshCarrier(cache, host, slash + remote)
    if re.match(r"[\w+.-]+://|[\w.-]+@[\w.-]+:", place):
        raise UsageError(
            f"'{place}' is no place to sync with: use a directory, a clone of a git repository,"
            " or ssh://HOST/DIR",
            code="bad-place",
        )
    path = Path(place).expanduser().absolute()
    if (path / "HEAD").is_file() and (path / "objects").is_dir():
        return GitCarrier(cache, clone_of=path)
    if (path / ".git").exists():
        return GitCarrier(path)
    return Carrier(path)


def run_command(words: Sequence[str], data: bytes = b"") -> bytes:
    """Run a program and return its output.

    Raises:
        ServiceError: If it is not installed, failed, or took too long.
    """
    environ = {**os.environ, "LC_ALL": "C", "GIT_TERMINAL_PROMPT": "0"}
    done = run_program(words, data=data, environ=environ, timeout=COMMAND_SECONDS)
    if done.returncode:
        raise ServiceError(f"{words[0]} failed: {join_lines(done.stderr)}", code="program-failed")
    return done.stdout
