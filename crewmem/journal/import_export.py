"""Exporting entries as JSON lines, and importing them, many at once, each once.

A line is read alone: a bad one costs itself. A batch is one transaction, so an interrupted
import leaves whole batches, and running it again adds the rest.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from hashlib import sha256
from operator import attrgetter
from typing import TYPE_CHECKING, Any, BinaryIO, NamedTuple

from crewmem.access import Scope
from crewmem.context import Context
from crewmem.errors import RefusedError, UsageError
from crewmem.ids import id_from
from crewmem.journal.archive import load_rows
from crewmem.journal.entry import (
    MAX_NAME,
    NAME_FIELDS,
    RELATIONS,
    TABLES,
    DumpedEntry,
    NewEntry,
    Row,
    check_entry,
    dump_entry,
)
from crewmem.journal.priorities import Relation, store_relations
from crewmem.journal.reading import EntryFilter, entry_filter
from crewmem.journal.screening import screen_entry
from crewmem.origins import ORIGINS, lowest_origin
from crewmem.security.secrets import redact
from crewmem.storage.json_columns import load_object
from crewmem.storage.json_lines import BadLineError, BadRecord, load_record, read_lines
from crewmem.storage.sqlite import transaction
from crewmem.text.records import list_texts
from crewmem.times import normalize_time

if TYPE_CHECKING:
    from crewmem.journal.store import Journal

BATCH = 10_000
"""Entries of one transaction."""

BATCH_BYTES = 16 * 1024 * 1024
"""Bytes of lines of one transaction: long payloads make it shorter."""

LEFT_OUT_TYPES = frozenset({"memory.exported", "memory.imported", "fact.imported"})
"""Entries about exports and imports: they are of this home alone."""

LEFT_OUT_OPERATIONS = frozenset({"import", "trust"})
"""Writes of files that are."""

MAX_PROBLEMS = 100
"""Bad lines and conflicts that are named one by one; the others are counted."""

ALIASES = {
    "type": "entry_type",
    "crew": "crew_id",
    "agent": "agent_id",
    "mission": "mission_id",
    "timestamp": "ts",
}
"""What other programs call a field."""

OWN_FIELDS = frozenset(
    {"workspace_id", "seq", "chain", "prev_hash", "entry_hash", "archived_at", "is_purged"}
)
"""Fields that an entry gets where it is imported: what the line has is not used."""

PINNED = ("pin", "permanent")


def export_entries(context: Context) -> Iterator[dict[str, Any]]:
    """Yield the entries that the actor may read, archived ones whole, oldest first.

    A purged entry is left out, and so is the chain, which is the home's own. Each has its present
    priority, and what people and rules said of it and other entries; similar pairs are derived.
    """
    visible = EntryFilter(visible_to=Scope.CREW)
    parts: list[str] = []
    params: dict[str, Any] = {}
    for table in TABLES:
        condition = entry_filter(context, visible, table)
        parts.append(f"select ts, id from {table} where {condition.sql}")
        params |= condition.params
    ids = [row[1] for row in context.db.all(f"{' union all '.join(parts)} order by 1, 2", params)]
    relations = _load_relations(context, set(ids))
    for start in range(0, len(ids), BATCH):
        batch = ids[start : start + BATCH]
        rows = load_rows(context, batch)
        for entry_id in batch:
            row = rows[entry_id]
            if row.salt and not _is_own(row):
                yield _make_record(row, relations.get(entry_id, []))


def _load_relations(context: Context, ids: set[str]) -> dict[str, list[dict[str, Any]]]:
    """Return the relations among some entries, by the entry that they lead from."""
    found: dict[str, list[dict[str, Any]]] = {}
    for source, target, relation, weight in context.db.execute(
        "select src_entry_id, dst_entry_id, relation, weight from entry_relations"
        " where workspace_id = ? order by 1, 2, 3",
        (context.workspace,),
    ):
        if source in ids and target in ids:
            item = {"relation": relation, "entry_id": target, "weight": weight}
            found.setdefault(source, []).append(item)
    return found


def _is_own(row: Row) -> bool:
    if row.entry_type in LEFT_OUT_TYPES:
        return True
    if row.entry_type in ("approval.granted", "approval.denied"):
        return load_object(row.payload).get("kind") == "import"
    if row.entry_type != "memory.updated":
        return False
    return load_object(row.payload).get("operation") in LEFT_OUT_OPERATIONS


def _make_record(row: Row, relations: list[dict[str, Any]]) -> dict[str, Any]:
    record = {
        **{name: getattr(row, name) for name in ("id", "ts", *NewEntry._fields)},
        "payload": load_object(row.payload),
        "refs": load_object(row.refs),
        "relations": relations,
    }
    return {name: value for name, value in record.items() if value not in (None, "", {}, [])}


@dataclass(slots=True)
class ImportResult:
    """What an import did.

    Attributes:
        lines: Lines that held something.
        added: New entries.
        known: Entries that were there already.
        bad: Lines that are not entries.
        conflicts: Lines whose id another entry has.
        redacted: Entries of which a secret was redacted.
        unowned: New entries without crew and agent, which only operators read.
        problems: The first bad lines and conflicts.
        unknown_fields: Fields that entries do not have; they were not kept.
    """

    lines: int = 0
    added: int = 0
    known: int = 0
    bad: int = 0
    conflicts: int = 0
    redacted: int = 0
    unowned: int = 0
    problems: list[BadRecord] = field(default_factory=list)
    unknown_fields: list[str] = field(default_factory=list)


class ParsedLine(NamedTuple):
    """A line with the entry that it holds, and the relations of that."""

    number: int
    dumped: DumpedEntry
    relations: list[Relation]

    @property
    def entry(self) -> NewEntry:
        """The entry."""
        return self.dumped.entry


def import_entries(
    journal: Journal,
    stream: BinaryIO,
    *,
    origin: str = "external",
    keep_pins: bool = True,
    progress: Callable[[int, int], None] | None = None,
) -> ImportResult:
    """Import entries in JSON lines; entries that are there already are left alone.

    Args:
        origin: Class that no entry is above: that of a line which says none is ``external``.
        keep_pins: Whether entries may be pinned or permanent; else these become ``high``.
        progress: Called with the number of lines done, and 0 for the unknown total.

    Raises:
        RefusedError: If the actor is not an operator.
    """
    return _Import(journal, origin=origin, keep_pins=keep_pins).run(stream, progress)


class _Import:
    """A run of `import_entries`."""

    def __init__(self, journal: Journal, *, origin: str, keep_pins: bool) -> None:
        self.result = ImportResult()
        self._journal, self._context = journal, journal.context
        self._origin, self._keep_pins = self._context.access.origin(origin), keep_pins
        self._unknown: set[str] = set()
        self._alike: dict[str, int] = {}
        self._relations: list[Relation] = []

    def run(self, stream: BinaryIO, progress: Callable[[int, int], None] | None) -> ImportResult:
        """Import all lines of *stream*."""
        self._context.access.require_operator("import journal entries")
        for batch in self._read_batches(stream):
            self._import_batch(batch)
            if progress:
                progress(self.result.lines, 0)
        # At the end: an entry may be related to one that comes later.
        store_relations(self._context, self._relations)
        self.result.problems.sort()
        self.result.unknown_fields = sorted(self._unknown)[:MAX_PROBLEMS]
        return self.result

    # Lines

    def _read_batches(self, stream: BinaryIO) -> Iterator[list[ParsedLine]]:
        batch: list[ParsedLine] = []
        size = 0
        for number, line in read_lines(stream):
            self.result.lines += 1
            try:
                batch.append(self._parse(number, line))
                size += len(line)
            except (BadLineError, UsageError) as error:
                self.result.bad += 1
                self._add_problem(number, str(error))
            if len(batch) >= BATCH or size >= BATCH_BYTES:
                yield batch
                batch, size = [], 0
        if batch:
            yield batch

    def _parse(self, number: int, line: bytes) -> ParsedLine:
        """Return the entry of a line.

        Raises:
            BadLineError, UsageError: If it is not one.
        """
        record = load_record(line)
        given: dict[str, Any] = {"entry_type": "", "summary": ""}
        for name, value in record.items():
            if name in ALIASES and ALIASES[name] not in record:
                name = ALIASES[name]
            if value is None or value == "":
                continue
            if name in READERS:
                given[name] = READERS[name](name, value)
            elif name not in OWN_FIELDS and len(self._unknown) < MAX_PROBLEMS:
                self._unknown.add(name[:80])
        recorded = str(given.get("origin"))
        is_external = self._origin == "external" or recorded not in ORIGINS
        given["origin"] = "external" if is_external else lowest_origin((recorded, self._origin))
        related: list[tuple[str, str, float]] = given.pop("relations", [])
        if not self._keep_pins and given.get("priority") in PINNED:
            given["priority"] = "high"
        if "id" not in given:
            given["id"] = self._make_id(line)
        entry = NewEntry(**given)
        check_entry(entry)
        relations = [Relation(entry.id, *each, created_at="") for each in related]
        return ParsedLine(number, dump_entry(entry), relations)

    def _make_id(self, line: bytes) -> str:
        """Make an id of a line that has none; lines that are alike get different ones."""
        entry_id = id_from("j", sha256(line).digest())
        count = self._alike.get(entry_id, 0)
        self._alike[entry_id] = count + 1
        return id_from("j", sha256(line + b"\n%d" % count).digest()) if count else entry_id

    def _add_problem(self, line: int, reason: str) -> None:
        if len(self.result.problems) < MAX_PROBLEMS:
            self.result.problems.append(BadRecord(line, redact(reason)))

    # Rows

    def _import_batch(self, batch: list[ParsedLine]) -> None:
        batch = self._screen(batch)
        with transaction(self._context.db):
            new = self._leave_out_known(batch)
            if new:
                self._journal.append_dumped([parsed.dumped for parsed in new])
        self.result.added += len(new)
        self.result.unowned += sum(
            not (parsed.entry.crew_id or parsed.entry.agent_id) for parsed in new
        )
        self._relations += (each for parsed in batch for each in parsed.relations)

    def _screen(self, batch: list[ParsedLine]) -> list[ParsedLine]:
        """Return the entries as they may be stored; what is mostly an attack is a bad line."""
        texts = [_list_texts(parsed.dumped) for parsed in batch]
        refused = set()
        for index in self._context.scanner.find_texts_to_screen(texts):
            number, (entry, _, _), relations = batch[index]
            try:
                screened, findings = screen_entry(self._context, entry)
                dumped = dump_entry(screened)  # the mark of a secret may be longer than the secret
            except (RefusedError, UsageError) as error:
                refused.add(index)
                self.result.bad += 1
                if isinstance(error, RefusedError) and error.code == "attack":
                    self._journal.quarantine(entry, error)
                self._add_problem(number, error.message)
                continue
            self.result.redacted += any(finding.class_ == "secret" for finding in findings)
            batch[index] = ParsedLine(number, dumped, relations)
        return [parsed for index, parsed in enumerate(batch) if index not in refused]

    def _leave_out_known(self, batch: list[ParsedLine]) -> list[ParsedLine]:
        """Return the entries that are new; count known ones and conflicts."""
        stored = load_rows(self._context, [parsed.entry.id for parsed in batch])
        new: dict[str, ParsedLine] = {}
        for parsed in batch:
            entry_id = parsed.entry.id
            row = stored.get(entry_id)
            if row is None and entry_id not in new:
                new[entry_id] = parsed
                continue
            entry = parsed.entry
            is_same = is_same_entry(entry, row) if row else entry == new[entry_id].entry
            if is_same:
                self.result.known += 1
                continue
            self.result.conflicts += 1
            self._add_problem(parsed.number, f"another entry has the id '{entry_id}'")
        return list(new.values())


COMPARED = ("entry_type", "severity", "actor_type", *NAME_FIELDS, "expires_at")


def is_same_entry(entry: NewEntry, row: Row) -> bool:
    """Return whether a line says what a stored entry says.

    A purged text is not compared, nor a time that the line does not give, nor the priority:
    people change it.
    """
    is_purged = not row.salt
    return (
        all(getattr(entry, name) == getattr(row, name) for name in COMPARED)
        and entry.ts in ("", row.ts)
        and entry.refs == load_object(row.refs)
        and (is_purged or entry.summary == row.summary)
        and (is_purged or entry.payload == load_object(row.payload))
    )


def _list_texts(dumped: DumpedEntry) -> str:
    """Return the texts of an entry that must be screened; JSON shows the names of secrets."""
    entry, payload, refs = dumped
    names = [each for each in _get_names(entry) if each and not _PLAIN_NAME.fullmatch(each)]
    parts = [entry.summary, *list_texts([entry.payload, entry.refs]), *names]
    parts += [each for each in (payload, refs) if each != "{}"]
    return "\n\n".join(parts)


_get_names = attrgetter("id", *NAME_FIELDS)

_PLAIN_NAME = re.compile(r"(?:j_)?[A-Za-z0-9.:-]{1,14}|[0-9a-f-]{1,36}")
"""A name that holds no more than a name."""


def _read_name(name: str, value: Any) -> str:
    if isinstance(value, str) and len(value) <= MAX_NAME and value.isprintable():
        return value
    raise BadLineError(f"{name} is not a name of at most {MAX_NAME} characters")


def _read_text(name: str, value: Any) -> str:
    if isinstance(value, str):
        return value
    raise BadLineError(f"{name} is not a text")


def _read_object(name: str, value: Any) -> dict[str, Any]:
    if isinstance(value, dict):
        return value
    raise BadLineError(f"{name} is not an object")


def _read_choice(name: str, value: Any) -> Any:
    return value  # `check_entry` knows the choices


def _read_relations(name: str, value: Any) -> list[tuple[str, str, float]]:
    """Return the other entry, the relation and its weight."""
    found = []
    for each in value if isinstance(value, list) else [None]:
        if not isinstance(each, dict) or each.get("relation") not in RELATIONS:
            raise BadLineError(f"{name} is not a list of objects with a relation and an entry_id")
        weight = each.get("weight", 1.0)
        if isinstance(weight, bool) or not isinstance(weight, int | float):
            raise BadLineError("the weight of a relation is not a number")
        found.append(
            (_read_name("entry_id", each.get("entry_id")), each["relation"], float(weight))
        )
    return found


def _read_time(name: str, value: Any) -> str:
    try:
        return normalize_time(value if isinstance(value, str) else "")
    except UsageError as error:
        raise BadLineError(f"{name} is not a time such as 2026-05-01T09:30:00Z") from error


READERS: dict[str, Callable[[str, Any], Any]] = {
    **dict.fromkeys(("entry_type", "summary"), _read_text),
    **dict.fromkeys(("payload", "refs"), _read_object),
    **dict.fromkeys(("severity", "priority", "actor_type", "origin"), _read_choice),
    **dict.fromkeys(("id", *NAME_FIELDS), _read_name),
    **dict.fromkeys(("ts", "expires_at"), _read_time),
    "relations": _read_relations,
}
"""How each field of a line is read."""
