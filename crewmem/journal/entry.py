"""Entries, new and as stored: validation, and the texts that are searched and embedded."""

import json
import re
from collections.abc import Mapping
from dataclasses import dataclass, fields
from functools import lru_cache
from typing import Any, NamedTuple

from crewmem.errors import UsageError
from crewmem.storage.json_columns import is_deeper, load_object

SEVERITIES = ("info", "notice", "warn", "error")
PRIORITIES = ("normal", "high", "pin", "permanent")
RELATIONS = ("contradicts", "supports")
"""Relations that people and consolidation add; ``similar`` is computed from vectors."""

ACTOR_TYPES = ("agent", "user", "system", "keeper", "sidecar", "orchestrator")

MAX_NAME = 200
"""Maximum characters of an id, a type, or the name of a crew, agent or session."""

MAX_SUMMARY = 256 * 1024
"""Maximum characters of a summary."""

MAX_JSON = 1024 * 1024
"""Maximum characters of a payload, and of refs."""

MAX_DEPTH = 64
"""Maximum nesting of a payload, and of refs."""

MAX_SEARCHED = 256 * 1024
"""Maximum characters of a payload that are searched; more is a log, not an event."""

NAME_FIELDS = ("crew_id", "agent_id", "mission_id", "actor_id", "trace_id", "span_id")

dump = json.JSONEncoder(ensure_ascii=False, separators=(",", ":"), allow_nan=False).encode
"""Encode JSON as it is stored and hashed: without white space."""


class NewEntry(NamedTuple):
    """An entry to append.

    Attributes:
        payload: Details, as JSON values.
        refs: References to other objects.
        id: Existing id of an imported entry; "" for a new id.
        ts: Stored time when it happened; "" for now.
    """

    entry_type: str
    summary: str
    payload: Mapping[str, Any] = {}
    refs: Mapping[str, Any] = {}
    severity: str = "info"
    priority: str = "normal"
    actor_type: str = "system"
    actor_id: str | None = None
    origin: str = "agent"
    id: str = ""
    ts: str = ""
    crew_id: str | None = None
    agent_id: str | None = None
    mission_id: str | None = None
    trace_id: str | None = None
    span_id: str | None = None
    expires_at: str | None = None


class DumpedEntry(NamedTuple):
    """An entry to append, with its payload and refs as JSON for storage."""

    entry: NewEntry
    payload: str
    refs: str


class Row(NamedTuple):
    """An entry as it is stored. The fields before *seq* are those that its hash covers."""

    id: str
    workspace_id: str
    crew_id: str | None
    agent_id: str | None
    mission_id: str | None
    chain: str
    ts: str
    entry_type: str
    severity: str
    priority: str
    actor_type: str
    actor_id: str | None
    origin: str
    summary_digest: str
    payload_digest: str
    refs: str
    trace_id: str | None
    span_id: str | None
    expires_at: str | None
    prev_hash: str
    seq: int
    summary: str
    payload: str
    search_text: str
    salt: str
    entry_hash: str


COLUMNS = ", ".join(Row._fields)


TABLES = ("journal_entries", "journal_entries_archived")


@dataclass(frozen=True, slots=True)
class Entry:
    """Something that happened.

    Attributes:
        seq: Position in this home's journal; 0 for an archived entry.
        id: ``j_`` and 12 characters; imported entries keep their id.
        chain: Name of the hash chain, which belongs to a home or a shared store.
        ts: When it happened.
        priority: The current priority.
        summary: What happened; "" if purged.
        trace_id: Id of the session.
        entry_hash: Hash of the fields as written, and of *prev_hash*.
        archived_at: When compaction archived it; "" for other entries.
        is_purged: Whether its text was purged.
    """

    seq: int
    id: str
    workspace_id: str
    crew_id: str | None
    agent_id: str | None
    mission_id: str | None
    chain: str
    ts: str
    entry_type: str
    severity: str
    priority: str
    actor_type: str
    actor_id: str | None
    origin: str
    summary: str
    payload: dict[str, Any]
    refs: dict[str, Any]
    trace_id: str | None
    span_id: str | None
    expires_at: str | None
    prev_hash: str
    entry_hash: str
    archived_at: str = ""
    is_purged: bool = False


SHARED_FIELDS = [field.name for field in fields(Entry) if field.name in Row._fields]


def to_entry(row: Row, *, archived_at: str = "") -> Entry:
    values: dict[str, Any] = {name: getattr(row, name) for name in SHARED_FIELDS}
    values["payload"], values["refs"] = load_object(row.payload), load_object(row.refs)
    return Entry(**values, archived_at=archived_at, is_purged=not row.salt)


@lru_cache(maxsize=1024)
def is_entry_type(text: str) -> bool:
    """Return whether *text* is an entry type: dotted lower case, such as ``memory.updated``."""
    if not 3 <= len(text) <= MAX_NAME:
        return False
    return re.fullmatch(r"[a-z][a-z0-9_-]*(?:\.[a-z0-9][a-z0-9_-]*)+", text) is not None


def check_entry(entry: NewEntry) -> None:
    """Raise UsageError unless type, summary and choices are valid.

    `dump_entry` checks payload and refs.
    """
    if not is_entry_type(entry.entry_type):
        raise UsageError(
            f"'{entry.entry_type[:80]}' is not an entry type: use dotted lower case such as"
            " peer.escalation",
            code="bad-entry-type",
        )
    for name, value, choices in (
        ("severity", entry.severity, SEVERITIES),
        ("priority", entry.priority, PRIORITIES),
        ("actor type", entry.actor_type, ACTOR_TYPES),
    ):
        if value not in choices:
            raise UsageError(
                f"the {name} cannot be '{str(value)[:80]}': use {', '.join(choices)}",
                code="bad-choice",
            )
    if not entry.summary.strip():
        raise UsageError("the summary is empty", code="empty-text")
    if len(entry.summary) > MAX_SUMMARY:
        raise UsageError(
            f"the summary has {len(entry.summary):,} characters; at most {MAX_SUMMARY:,} are kept",
            code="too-long",
        )


def dump_entry(entry: NewEntry) -> DumpedEntry:
    """Return *entry* with its objects as JSON for storage.

    Raises:
        UsageError: If an object is not JSON, too large, or nested too deep.
    """
    return DumpedEntry(
        entry, dump_object("the payload", entry.payload), dump_object("refs", entry.refs)
    )


def dump_object(what: str, value: Mapping[str, Any]) -> str:
    """Return *value* as JSON for storage.

    Args:
        what: Name of the value for errors.

    Raises:
        UsageError: If it is not JSON, too large, or nested too deep.
    """
    if not value:
        return "{}"
    try:
        text = dump(value)
        text.encode()
    except (TypeError, ValueError, RecursionError) as error:
        raise UsageError(f"{what} is not JSON: {error}", code="bad-json") from error
    if len(text) > MAX_JSON:
        raise UsageError(
            f"{what} has {len(text):,} characters; at most {MAX_JSON:,} are kept", code="too-long"
        )
    if text.count("{") + text.count("[") > MAX_DEPTH and is_deeper(value, MAX_DEPTH):
        raise UsageError(f"{what} is nested deeper than {MAX_DEPTH} levels", code="too-deep")
    return text


def said_text(summary: str, payload: Mapping[str, Any]) -> str:
    """Return the text to search: the summary, and the values of the payload without the keys."""
    if not payload:
        return summary
    found: list[str] = []
    _collect_values(payload, found, MAX_DEPTH)
    values = "\n".join(found)[:MAX_SEARCHED].replace("\0", " ")
    return f"{summary}\n{values}" if values else summary


def _collect_values(value: object, found: list[str], levels: int) -> None:
    if isinstance(value, str):
        found.append(value)
    elif isinstance(value, dict | list | tuple) and levels:
        for each in value.values() if isinstance(value, dict) else value:
            _collect_values(each, found, levels - 1)
    elif isinstance(value, int | float) and not isinstance(value, bool):
        found.append(str(value))


def embedded_text(summary: str, payload: Mapping[str, Any]) -> str:
    """Return the text to embed: the summary, and question and reason of the payload."""
    if not payload:
        return summary.strip()
    parts = (summary, payload.get("question"), payload.get("reason"))
    texts = (part.strip() for part in parts if isinstance(part, str))
    return "\n".join(text for text in texts if text)
