"""Exchanges memory through a directory, a git repository or ssh, without a server.

The directory, called place, contains batches, `sources/<home>/<number>-<sha256>.jsonl`. Each is
written once, by one home. A home reads the batches that it has not read, and adds one with the
records that the place lacks. Records are identified by id and time, so their order does not matter.
"""

import base64
import contextlib
import json
import shlex
import zlib
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from hashlib import sha256
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

from crewmem.errors import (
    ConflictError,
    CrewmemError,
    DamagedError,
    ServiceError,
)
from crewmem.facts.import_export import export_facts, import_facts
from crewmem.files.references import parse_reference
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
from crewmem.journal.entry import Row
from crewmem.journal.exchange import LOCAL_COLUMNS, TABLES, export_records, receive_records
from crewmem.storage.filesystem import make_directory, replace_file
from crewmem.storage.json_lines import BadLineError, check_fields, load_record
from crewmem.storage.sqlite import scrub, transaction
from crewmem.transfer.members import MEMBER_FIELDS, add_members, describe_members
from crewmem.transfer.transports import MARKER, SOURCES, not_empty_error, open_transport

if TYPE_CHECKING:
    from crewmem.home import Home

FORMAT = "crewmem-sync"
PUSH_TRIES = 5
"""Maximum number of exchanges while other homes write to the place."""

NUMBER_FIELDS: dict[str, type | tuple[type, ...]] = {"number": int, "weight": (int, float)}
"""Fields of journal records that are numbers; all others are texts."""

REQUIRED_FIELDS: dict[tuple[str, str], Mapping[str, type | tuple[type, ...]]] = {
    **{("registry", kind): fields for kind, fields in MEMBER_FIELDS.items()},
    ("fact", ""): {"id": str},
    ("version", ""): Version.__annotations__,
    ("content", ""): {"sha256": str, "content": str},
    ("journal", "entry"): {
        name: kind for name, kind in Row.__annotations__.items() if name not in LOCAL_COLUMNS
    },
    **{
        ("journal", kind): {name: NUMBER_FIELDS.get(name, str) for name in columns.split(", ")}
        for kind, (_, columns) in TABLES.items()
    },
}
"""Required fields of a record, with their types, by its type and kind."""


@dataclass(slots=True)
class ExchangeReport:
    """The result of a sync.

    Attributes:
        place: The directory or address that was synced.
        sent: Numbers of records sent, by type.
        received: Numbers of records received, by type.
        waiting: Ids of review items for files that were changed in two homes.
    """

    place: str
    sent: dict[str, int] = field(default_factory=dict)
    received: dict[str, int] = field(default_factory=dict)
    waiting: list[str] = field(default_factory=list)


class Sync:
    """Syncs one workspace of a home with places."""

    def __init__(self, home: "Home") -> None:
        self._home = home
        self._context, self._memory, self._fact_table = home.context, home.memory, home.fact_table
        self._journal, self._registry = home.journal, home.registry
        self._versions = Versions(home.context)

    def run(self, place: str) -> ExchangeReport:
        """Receive the new records of *place*, then send those that it lacks.

        Args:
            place: A directory, a git work tree, a bare git repository, or ``ssh://HOST/DIR``.

        Raises:
            UsageError: If *place* is another kind of address.
            ServiceError: If git or ssh fails, or other homes keep writing.
            DamagedError: If the hash chain of a journal is broken.
        """
        self._context.access.require_operator("sync")
        report = ExchangeReport(place)
        transport = open_transport(self._context, place)
        for _ in range(PUSH_TRIES):
            transport.fetch()
            place_id = self._read_marker(transport.directory)
            self._receive(transport.directory, place_id, report)
            self._send(transport.directory, place_id, report)
            if transport.publish():
                return report
        raise ServiceError(
            f"other homes keep writing to {place}", code="sync-busy", hint="run it again"
        )

    def _read_marker(self, directory: Path) -> str:
        """Return the id of the place; turn an empty directory into a place.

        Raises:
            DamagedError: If the format is unknown.
            ConflictError: If the place is of another workspace, or the directory is not empty.
        """
        path = directory / MARKER
        if path.is_file():
            try:
                marker = json.loads(path.read_bytes())
                workspace = marker["workspace"]
                if (marker["format"], marker["version"]) != (FORMAT, 1):
                    raise ValueError
            except (ValueError, KeyError, TypeError) as error:
                raise DamagedError(
                    f"{path} has a format that this version of sync does not support",
                    code="bad-place",
                ) from error
            if workspace != self._context.workspace:
                raise ConflictError(
                    f"{directory} contains the workspace '{workspace}'",
                    code="other-workspace",
                    command=shlex.join(["sync", str(directory), "--workspace", workspace]),
                )
        else:
            others = [each.name for each in directory.iterdir() if not each.name.startswith(".")]
            if others:
                raise not_empty_error(str(directory))
            # All homes write equal bytes, so that two homes may create the place at the same time.
            record = {"format": FORMAT, "version": 1, "workspace": self._context.workspace}
            replace_file(path, (json.dumps(record) + "\n").encode())
        return sha256(str(directory).encode()).hexdigest()[:16]

    # Receiving

    def _receive(self, directory: Path, place_id: str, report: ExchangeReport) -> None:
        """Apply the batches that were not read yet. A damaged one costs only itself."""
        db = self._context.db
        read = set(db.column("select name from sync_batches where place = ?", (place_id,)))
        batches = [batch for batch in list_batches(directory) if batch.name not in read]
        if not batches:
            return
        records: dict[str, list[dict[str, Any]]] = {}
        usable = []
        for batch in batches:
            try:
                parsed = [parse_record(batch.path, line) for line in read_batch(batch.path)]
            except DamagedError as error:
                self._context.warn(error.code, error.message, error.hint)
                continue
            usable.append(batch)
            for type_, record in parsed:
                records.setdefault(type_, []).append(record)
        if not usable:
            return
        self._memory.record_outside_changes()
        records.setdefault("content", []).extend(self._find_contents(directory, records))
        counts = self._apply(records, report)
        with transaction(db, local=True):
            db.executemany(
                "insert or ignore into sync_batches (place, name) values (?, ?)",
                [(place_id, batch.name) for batch in usable],
            )
        for type_, count in counts.items():
            report.received[type_] = report.received.get(type_, 0) + count

    def _find_contents(
        self, directory: Path, records: Mapping[str, Sequence[Mapping[str, Any]]]
    ) -> list[dict[str, Any]]:
        """Find contents of received versions that are neither here nor among *records*.

        An older batch has them: they were here, and were deleted with the last version that had
        them, until a restore in another home made a new one.
        """
        arriving = {each["sha256"] for each in records.get("content", ())}
        missing = {
            each["stored_sha256"]
            for each in records.get("version", ())
            if each["stored_sha256"] not in arriving
            and not checkout.has_content(self._context, each["stored_sha256"])
        }
        found = []
        for batch in list_batches(directory) if missing else ():
            with contextlib.suppress(DamagedError):
                for line in read_batch(batch.path):
                    if line.endswith(b'"type": "content"}'):
                        record = parse_record(batch.path, line)[1]
                        if record["sha256"] in missing:
                            found.append(record)
        return found

    def _apply(
        self, records: dict[str, list[dict[str, Any]]], report: ExchangeReport
    ) -> dict[str, int]:
        """Store received records, given by type; return the numbers of new ones."""
        members: dict[str, list[dict[str, Any]]] = {"crews": [], "agents": []}
        for record in records.get("registry", []):
            members[f"{record['kind']}s"].append(record)
        counts = {"registry": add_members(self._registry, members)}
        if counts["registry"]:
            self._memory.index.reload_directories()
        received = receive_records(self._journal, records.get("journal", []))
        counts["journal"] = received.entries
        facts = sort_facts(records.get("fact", []))
        newest = {fact["id"]: fact for fact in facts}
        older = [fact for fact in facts if fact is not newest[fact["id"]]]
        for states in (newest.values(), older):  # older states may have votes and relations
            if states:
                imported = import_facts(
                    self._fact_table, states, keep_origin=True, origin="operator"
                )
                counts["fact"] = counts.get("fact", 0) + imported.created + imported.updated
                for _, reason in imported.bad:
                    self._context.warn("fact-not-received", f"a fact was not received: {reason}")
        counts["version"] = self._add_versions(records, report)
        self._purge_versions()
        if received.purged or any(fact.get("purged") for fact in facts):
            scrub(self._context.db)
            self._home.mentions.erase_names()
        return counts

    def _add_versions(
        self, records: dict[str, list[dict[str, Any]]], report: ExchangeReport
    ) -> int:
        """Add file versions with their contents, check out the newest; return their number."""
        context, db = self._context, self._context.db
        contents = {record["sha256"]: record["content"] for record in records.get("content", [])}
        by_id = {each["id"]: each for each in records.get("version", [])}
        purged = self._versions.list_purged()
        homes = {agent.slug: agent.crew for agent in self._registry.list_agents()}
        versions = [
            Version(*(record[name] for name in Version._fields))._replace(
                path=_name_by_home(record["path"], homes)
            )
            for record in by_id.values()
            if record["id"] not in purged
            and not db.value("select 1 from file_versions where id = ?", (record["id"],))
        ]
        paths = sorted({version.path for version in versions})
        heads = self._versions.newest_of(paths)
        with transaction(db):
            self._versions.insert(versions)
            # A batch that was sent before a purge still has the contents of purged versions.
            used = db.column(
                "select distinct stored_sha256 from file_versions"
                " where stored_sha256 in (select value from json_each(?))",
                (list(contents),),
            )
            checkout.store_contents(
                context, {digest: base64.b64decode(contents[digest]) for digest in used}
            )
        for path, newest in sorted(self._versions.newest_of(paths).items()):
            head = heads.get(path)
            if head is not None and (item := self._propose_merge(head, newest)):
                report.waiting.append(item)
            if head is None or head.id != newest.id:
                checkout.check_out_newest(context, db, context.workspace, path)
        return len(versions)

    def _purge_versions(self) -> None:
        """Delete the versions that another home purged."""
        purged = self._versions.list_purged()
        found = [each for each in self._versions.list_all() if each.id in purged] if purged else []
        if found:
            self._versions.purge(found)
            scrub(self._context.db)
            self._home.reindex(full=True)  # a rebuilt index has no deleted rows

    def _propose_merge(self, head: Version, newest: Version) -> str:
        """Propose a merge of this home's text, unless the newest version descends from it.

        Returns the id of the review item; "" if there is none.
        """
        context, db = self._context, self._context.db
        ancestors = set(
            db.column(
                "with recursive line (id, parent) as ("
                " select id, parent from file_versions where id = ? union"
                " select v.id, v.parent from file_versions v join line on v.id = line.parent)"
                " select id from line",
                (newest.id,),
            )
        )
        base = head.id  # becomes the newest common ancestor
        while base and base not in ancestors:
            base = str(db.value("select parent from file_versions where id = ?", (base,)) or "")
        if base == head.id:
            return ""
        ours = load_content(context, head.stored_sha256) or b""
        return checkout.propose_merge(
            context, db, context.workspace, newest, ours, base=base, version=head.id
        )

    # Sending

    def _send(self, directory: Path, place_id: str, report: ExchangeReport) -> None:
        """Add a batch with the records that the place lacks, those of damaged batches included."""
        db = self._context.db
        batches = list_batches(directory)
        present: set[bytes] = set()
        for batch in batches:
            with contextlib.suppress(DamagedError):
                present.update(sha256(line).digest() for line in read_batch(batch.path))
        lines: list[bytes] = []
        counts: Counter[str] = Counter()
        for type_, record in self._list_records():
            line = json.dumps(
                {"type": type_, "data": record}, ensure_ascii=False, sort_keys=True
            ).encode("utf-8", "replace")
            if sha256(line).digest() not in present:
                lines.append(line)
                counts[type_] += 1
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
                "insert or ignore into sync_batches values (?, ?)", (place_id, f"{source}/{name}")
            )
        for type_, count in counts.items():
            report.sent[type_] = report.sent.get(type_, 0) + count

    def _list_records(self) -> Iterator[tuple[str, dict[str, Any]]]:
        """Yield (type, record) of all that the home shares, in a fixed order."""
        context = self._context
        members = describe_members(self._registry, context.access)
        for kind in ("crew", "agent"):
            for record in members[f"{kind}s"]:
                yield "registry", {"kind": kind, **record}
        for record in export_facts(self._fact_table):
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
    """A batch file of a place.

    Attributes:
        source: Name of the home that wrote it.
        number: Counted from 1 for each home.
    """

    source: str
    number: int
    path: Path

    @property
    def name(self) -> str:
        """Unique name of home, number and hash."""
        return f"{self.source}/{self.path.name}"


def list_batches(directory: Path) -> list[Batch]:
    """Return the batches of a place, sorted by home and number."""
    batches = []
    for path in (directory / SOURCES).glob("*/*.jsonl"):
        number, _, _ = path.name.partition("-")
        if number.isdecimal() and path.is_file() and not path.is_symlink():
            batches.append(Batch(path.parent.name, int(number), path))
    return sorted(batches)


def read_batch(path: Path) -> list[bytes]:
    """Return the lines of a batch.

    Raises:
        DamagedError: If it does not match the hash in its name.
    """
    data = path.read_bytes()
    if sha256(data).hexdigest() != path.name.partition("-")[2].removesuffix(".jsonl"):
        raise DamagedError(
            f"{path} does not match its hash: it was changed, or is incomplete",
            code="bad-batch",
            hint="copy it again from its home, or remove it: the next sync of each home adds the"
            " records that the place lacks",
        )
    return data.splitlines()


def parse_record(path: Path, line: bytes) -> tuple[str, dict[str, Any]]:
    """Return the type and the data of a record of the batch *path*.

    Raises:
        DamagedError: If the record is invalid, or its type unknown.
    """
    try:
        record = load_record(line)
        type_, data = record.get("type"), record.get("data")
        if not isinstance(data, dict):
            raise BadLineError("a record has no data")
        kind = data.get({"registry": "kind", "journal": "record"}.get(str(type_), ""), "")
        required = REQUIRED_FIELDS.get((str(type_), str(kind)))
        if required is None:
            raise BadLineError(f"the type of record '{type_} {kind}' is unknown")
        check_fields(data, required)
        if type_ == "version":
            check_version(data, required)
        if type_ == "content":
            compressed = base64.b64decode(data["content"])
            content = zlib.decompressobj().decompress(compressed, MAX_STORED)
            if sha256(content).hexdigest() != data["sha256"]:
                raise BadLineError("the content of a version does not match its hash")
    except (ValueError, zlib.error, CrewmemError) as error:
        raise DamagedError(
            f"{path}: {error}",
            code="bad-batch",
            hint="remove the file, or update crewmem if a newer version wrote it",
        ) from error
    return str(type_), data


def _name_by_home(path: str, homes: Mapping[str, str]) -> str:
    """Return the reference of a file here: an agent may be in another crew in another home.

    Args:
        homes: Home crew of each agent here.
    """
    reference = parse_reference(path)
    return reference._replace(crew=homes.get(reference.agent, reference.crew)).name


def sort_facts(records: Sequence[dict[str, Any]]) -> list[dict[str, Any]]:
    """Sort records of facts by time of update, purged ones last.

    States with equal times are sorted by content, so that all homes choose the same newest one.
    """
    return sorted(
        records,
        key=lambda each: (
            bool(each.get("purged")),
            each.get("updated_at", ""),
            json.dumps(each, sort_keys=True),
        ),
    )
