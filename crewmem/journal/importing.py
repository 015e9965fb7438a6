"""Importing entries from JSON lines: many at once, each once.

A line is read alone: a bad one costs itself. A batch is one transaction, so an interrupted
import leaves whole batches, and running it again adds the rest. Entries are staged and go
into table and full text with one statement each.
"""

from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from datetime import UTC, datetime
from typing import Any, BinaryIO, NamedTuple

from crewmem.access import ORIGINS, lowest_origin
from crewmem.errors import RefusedError
from crewmem.ids import id_from
from crewmem.journal.adding import quarantine_entry
from crewmem.journal.archive import unpack_row
from crewmem.journal.chain import COLUMNS, Row
from crewmem.journal.entry import (
    ACTOR_TYPES,
    MAX_JSON,
    MAX_NAME,
    MAX_SUMMARY,
    NAME_FIELDS,
    PRIORITIES,
    SEVERITIES,
    NewEntry,
    dump,
    is_entry_type,
    payload_text,
    searched_text,
)
from crewmem.journal.screening import screen_entry
from crewmem.journal.store import Journal
from crewmem.journal.verify import load_signed_facts
from crewmem.protocols import ReviewWriter
from crewmem.storage.json_columns import load_object
from crewmem.storage.json_lines import MAX_LINE, BadLineError, load_record, read_lines
from crewmem.storage.sqlite import transaction
from crewmem.times import format_time

BATCH = 10_000
"""Entries of one transaction."""

BATCH_BYTES = 16 * 1024 * 1024
"""Bytes of lines of one transaction: long payloads make it shorter."""

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

FIELDS = frozenset(
    {"id", "ts", "entry_type", "severity", "priority", "actor_type", "origin", "summary"}
    | {"payload", "refs", "expires_at", *NAME_FIELDS}
)


class LineProblem(NamedTuple):
    """A line that was not imported.

    Attributes:
        line: Counted from 1.
        reason: Why.
        conflict: The id, where another entry has it.
    """

    line: int
    reason: str
    conflict: str = ""


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
        problems: The first bad lines and conflicts.
        unknown_fields: Fields that entries do not have; they were not kept.
        is_stopped: Whether ``strict`` stopped it.
    """

    lines: int = 0
    added: int = 0
    known: int = 0
    bad: int = 0
    conflicts: int = 0
    redacted: int = 0
    problems: list[LineProblem] = field(default_factory=list)
    unknown_fields: list[str] = field(default_factory=list)
    is_stopped: bool = False


class ParsedEntry(NamedTuple):
    """An entry as a line has it, checked and normalized, with the values of its JSON texts."""

    line: int
    entry: NewEntry
    payload: dict[str, Any]
    refs: dict[str, Any]


def import_lines(
    journal: Journal,
    stream: BinaryIO,
    *,
    strict: bool = False,
    keep_origin: bool = False,
    review: ReviewWriter | None = None,
    progress: Callable[[int, int], None] | None = None,
) -> ImportResult:
    """Add the entries in JSON lines; those that are there already are left alone.

    Args:
        journal: Where to.
        stream: The lines, as bytes.
        strict: Whether it stops at the first line that is not imported.
        keep_origin: Whether the lines' origin classes are kept: the home's own bundle.
            Otherwise everything is ``external``.
        review: Where a line waits for an operator that looks like an attack.
        progress: Is told how many lines are done, of how many nobody knows.

    Raises:
        RefusedError: If the actor is not an operator.
    """
    journal.context.access.require_operator("import journal entries")
    importer = Importer(journal, strict=strict, keep_origin=keep_origin, review=review)
    return importer.run(stream, progress)


class Importer:
    """One import of JSON lines into the journal of a workspace."""

    def __init__(
        self, journal: Journal, *, strict: bool, keep_origin: bool, review: ReviewWriter | None
    ) -> None:
        self.result = ImportResult()
        self._journal, self._context = journal, journal.context
        self._strict = strict
        self._keep_origin, self._review = keep_origin, review
        self._unknown: set[str] = set()
        self._alike: dict[str, int] = {}

    def run(
        self, stream: BinaryIO, progress: Callable[[int, int], None] | None = None
    ) -> ImportResult:
        """Import all lines of *stream*."""
        for batch in self._read_batches(stream):
            self._import_batch(batch)
            if progress:
                progress(self.result.lines, 0)
            if self.result.is_stopped:
                break
        self.result.problems.sort()
        self.result.unknown_fields = sorted(self._unknown)[:MAX_PROBLEMS]
        return self.result

    # Lines

    def _read_batches(self, stream: BinaryIO) -> Iterator[list[ParsedEntry]]:
        batch: list[ParsedEntry] = []
        size = 0
        for number, line in read_lines(stream):
            self.result.lines += 1
            try:
                if line is None:
                    raise BadLineError(f"it is longer than {MAX_LINE:,} bytes")
                batch.append(self._parse(number, line))
                size += len(line)
            except BadLineError as error:
                self.result.bad += 1
                self._add_problem(LineProblem(number, str(error)))
                if self._strict:
                    break
            if len(batch) >= BATCH or size >= BATCH_BYTES:
                yield batch
                batch, size = [], 0
        if batch:
            yield batch

    def _parse(self, number: int, line: bytes) -> ParsedEntry:
        record = load_record(line)
        if not record.keys() <= FIELDS:
            for name in record.keys() - FIELDS:
                if name in ALIASES and ALIASES[name] not in record:
                    record[ALIASES[name]] = record[name]
                elif name not in OWN_FIELDS and len(self._unknown) < MAX_PROBLEMS:
                    self._unknown.add(name[:80])
        get = record.get
        summary, entry_type = get("summary"), get("entry_type")
        if not isinstance(entry_type, str) or not is_entry_type(entry_type):
            raise BadLineError("entry_type is not dotted lower case such as peer.escalation")
        if not isinstance(summary, str) or not summary.strip():
            raise BadLineError("summary is missing or empty")
        if len(summary) > MAX_SUMMARY:
            raise BadLineError(f"summary is longer than {MAX_SUMMARY:,} characters")
        payload, payload_json = _read_object(record, "payload")
        refs, refs_json = _read_object(record, "refs")
        names = [get(name) for name in NAME_FIELDS]
        for index, value in enumerate(names):
            if value is not None:
                names[index] = _check_name(NAME_FIELDS[index], value)
        crew_id, agent_id, mission_id, actor_id, trace_id, span_id = names
        origin = "external"
        if self._keep_origin and get("origin") in ORIGINS:
            origin = lowest_origin((str(get("origin")), self._context.access.origin()))
        if not summary.isascii():
            _check_unicode(summary)
        entry = NewEntry(
            id=_check_name("id", get("id")) or self._make_id(line),
            ts=_read_time(record, "ts") or "",
            entry_type=entry_type,
            severity=_read_choice(record, "severity", SEVERITIES, "info"),
            priority=_read_choice(record, "priority", PRIORITIES, "normal"),
            actor_type=_read_choice(record, "actor_type", ACTOR_TYPES, "system"),
            origin=origin,
            summary=summary,
            payload=payload_json,
            search_text=searched_text(summary, payload),
            refs=refs_json,
            expires_at=_read_time(record, "expires_at"),
            crew_id=crew_id,
            agent_id=agent_id,
            mission_id=mission_id,
            actor_id=actor_id,
            trace_id=trace_id,
            span_id=span_id,
        )
        return ParsedEntry(number, entry, payload, refs)

    def _make_id(self, line: bytes) -> str:
        """Make an id of a line that has none; lines that are alike get different ones."""
        entry_id = id_from("j", line)
        count = self._alike.get(entry_id, 0)
        self._alike[entry_id] = count + 1
        return id_from("j", line + b"\n%d" % count) if count else entry_id

    def _add_problem(self, problem: LineProblem) -> None:
        if len(self.result.problems) < MAX_PROBLEMS:
            self.result.problems.append(problem)
        if self._strict:
            self.result.is_stopped = True

    # Rows

    def _import_batch(self, batch: list[ParsedEntry]) -> None:
        batch = self._screen(batch)
        with transaction(self._context.db):
            new = self._leave_out_known(batch)
            if new:
                self._journal.append_entries([parsed[1:] for parsed in new])
        self.result.added += len(new)

    def _screen(self, batch: list[ParsedEntry]) -> list[ParsedEntry]:
        """Return the entries as they may be stored; what is mostly an attack is a bad line."""
        texts = [
            f"{entry.summary}\n{payload_text(payload)}" if payload else entry.summary
            for _, entry, payload, _ in batch
        ]
        refused = set()
        for index in self._context.scanner.find_texts_to_screen(texts):
            parsed = batch[index]
            try:
                summary, payload, findings = screen_entry(
                    self._context, parsed.entry.summary, parsed.payload
                )
            except RefusedError as error:
                refused.add(index)
                self.result.bad += 1
                if self._review is not None and error.code == "attack":
                    quarantine_entry(self._context, parsed.entry, error, self._review)
                self._add_problem(LineProblem(parsed.line, error.message))
                continue
            self.result.redacted += any(finding.cls == "secret" for finding in findings)
            entry = parsed.entry._replace(
                summary=summary,
                payload=dump(payload),
                search_text=searched_text(summary, payload),
            )
            batch[index] = parsed._replace(entry=entry, payload=payload)
        return [parsed for index, parsed in enumerate(batch) if index not in refused]

    def _leave_out_known(self, batch: list[ParsedEntry]) -> list[ParsedEntry]:
        """Return the entries that are new; count known ones and conflicts."""
        stored = self._load_stored([parsed.entry.id for parsed in batch])
        new: dict[str, ParsedEntry] = {}
        for parsed in batch:
            entry_id = parsed.entry.id
            row = stored.get(entry_id)
            if row is None and entry_id not in new:
                new[entry_id] = parsed
                continue
            is_same = is_same_entry(parsed, row) if row else parsed[1:] == new[entry_id][1:]
            if is_same:
                self.result.known += 1
                continue
            self.result.conflicts += 1
            self._add_problem(
                LineProblem(parsed.line, f"another entry has the id '{entry_id}'", entry_id)
            )
            if self._strict:
                break
        return list(new.values())

    def _load_stored(self, ids: list[str]) -> dict[str, Row]:
        """Return the stored entries that have one of *ids*, with the priority at writing."""
        db = self._context.db
        params = (self._context.workspace, dump(ids))
        found = {
            row[1]: Row._make(row)
            for row in db.execute(
                f"select {COLUMNS} from journal_entries where workspace_id = ?"
                " and id in (select value from json_each(?))",
                params,
            )
        }
        for entry_id, original, content_sha in db.execute(
            "select id, original, content_sha from journal_entries_archived"
            " where workspace_id = ? and id in (select value from json_each(?))",
            params,
        ):
            found[entry_id] = unpack_row(entry_id, original, content_sha)
        if found:
            written = load_signed_facts(self._context, found).written
            for entry_id, priority in written.items():
                found[entry_id] = found[entry_id]._replace(priority=priority)
        return found


COMPARED = (
    "crew_id", "agent_id", "mission_id", "entry_type", "severity", "priority", "actor_type",
    "actor_id", "trace_id", "span_id", "expires_at",
)  # fmt: skip


def is_same_entry(parsed: ParsedEntry, row: Row) -> bool:
    """Tell whether a line says what a stored entry says.

    A purged text is not compared, nor a time that the line does not give.
    """
    _, entry, payload, refs = parsed
    is_purged = not row.salt
    return (
        all(getattr(entry, name) == getattr(row, name) for name in COMPARED)
        and entry.ts in ("", row.ts)
        and (entry.refs == row.refs or refs == load_object(row.refs))
        and (is_purged or entry.summary == row.summary)
        and (is_purged or entry.payload == row.payload or payload == load_object(row.payload))
    )


def _read_object(record: dict[str, Any], name: str) -> tuple[dict[str, Any], str]:
    value = record.get(name)
    if not value and (value is None or value == {}):
        return {}, "{}"
    if not isinstance(value, dict):
        raise BadLineError(f"{name} is not an object")
    try:
        text = dump(value)
        if not text.isascii():
            text.encode()
    except RecursionError as error:
        raise BadLineError(f"{name} is nested too deep") from error
    except ValueError as error:
        raise BadLineError(f"{name} holds what is not JSON or not Unicode") from error
    if len(text) > MAX_JSON:
        raise BadLineError(f"{name} is longer than {MAX_JSON:,} characters")
    return value, text


def _check_name(name: str, value: object) -> str | None:
    if value is None or value == "":
        return None
    if not isinstance(value, str) or len(value) > MAX_NAME or not value.isprintable():
        raise BadLineError(f"{name} is not a name of at most {MAX_NAME} characters")
    return value


def _read_choice(record: dict[str, Any], name: str, choices: tuple[str, ...], default: str) -> str:
    value = record.get(name)
    if value is None:
        return default
    if value not in choices:
        raise BadLineError(f"{name} is not one of {', '.join(choices)}")
    return str(value)


def _read_time(record: dict[str, Any], name: str) -> str | None:
    value = record.get(name)
    if value is None:
        return None
    if isinstance(value, str) and 10 <= len(value) <= 40:
        if len(value) == 24 and value[-1] == "Z" and value[10] == "T" and value[19] == ".":
            try:
                datetime.fromisoformat(value)
                return value
            except ValueError as error:
                raise BadLineError(f"{name} is not a time") from error
        try:
            moment = datetime.fromisoformat(value)
            return format_time(moment if moment.tzinfo else moment.replace(tzinfo=UTC))
        except (ValueError, OverflowError) as error:
            raise BadLineError(f"{name} is not a time") from error
    raise BadLineError(f"{name} is not a time such as 2026-05-01T09:30:00Z")


def _check_unicode(text: str) -> None:
    try:
        text.encode()
    except UnicodeEncodeError as error:
        raise BadLineError("a text holds half of a character") from error
