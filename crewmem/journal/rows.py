"""Rows of the journal and the records they stand for. Pure."""

from __future__ import annotations

import json

from crewmem import times
from crewmem.errors.cli import InputTooLargeError
from crewmem.errors.journal import EntryChangedError
from crewmem.errors.values import BadEntryError
from crewmem.journal import chain
from crewmem.journal.entry import PAYLOAD_MOST, Entry
from crewmem.journal.payload_text import (
    DEEPEST,
    TooDeepError,
    is_cut,
    payload_text,
)
from crewmem.records import NamedTuple

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from datetime import datetime

    from crewmem.db.connect import Row
    from crewmem.journal.entry import Draft

COLUMNS = """
    seq, id, workspace_id, crew_id, agent_id, mission_id, ts, entry_type, severity,
    priority, actor_type, actor_id, summary, payload, refs, trace_id, span_id,
    expires_at, prev_hash, entry_hash
"""
"""What an `Entry` is made of, in its order."""

STORED = """
    seq, id, workspace_id, crew_id, agent_id, mission_id, ts, entry_type, severity,
    priority, actor_type, actor_id, summary, payload, payload_text, payload_sha, refs,
    trace_id, span_id, expires_at, prev_hash, entry_hash
"""
"""Every column, in the order of the table."""

NAMES = tuple(name.strip() for name in STORED.split(","))


class Stored(NamedTuple):
    """A row as it lies in the table: nothing in it is read yet."""

    seq: int
    id: str
    workspace_id: str
    crew_id: str | None
    agent_id: str | None
    mission_id: str | None
    ts: str
    entry_type: str
    severity: str
    priority: str
    actor_type: str
    actor_id: str | None
    summary: str
    payload: str
    payload_text: str
    payload_sha: str | None
    refs: str
    trace_id: str | None
    span_id: str | None
    expires_at: str | None
    prev_hash: str
    entry_hash: str


class Written(NamedTuple):
    """A draft as it will be stored, but for its place and its hashes.

    Attributes:
        ts: When it happened, as of the draft or the time of writing.
        fields: The columns from ``id`` to ``expires_at``.
        content: What its hash covers, but for its place.
    """

    draft: Draft
    ts: datetime
    fields: tuple[str | None, ...]
    content: str

    @property
    def id(self) -> str:
        """Its id."""
        return str(self.fields[0])

    @property
    def is_cut(self) -> bool:
        """Whether words at the end of its payload will not be found."""
        return is_cut(str(self.fields[13]))

    def entry(self, seq: int, prev_hash: str, entry_hash: str) -> Entry:
        """Return the entry that it is at *seq*."""
        draft = self.draft
        return Entry(
            seq=seq,
            id=self.id,
            workspace_id=str(self.fields[1]),
            crew_id=draft.crew_id,
            agent_id=draft.agent_id,
            mission_id=draft.mission_id,
            ts=self.ts,
            entry_type=draft.entry_type,
            severity=draft.severity,
            priority=draft.priority,
            actor_type=draft.actor_type,
            actor_id=draft.actor_id,
            summary=draft.summary,
            payload=draft.payload,
            refs=draft.refs,
            trace_id=draft.trace_id,
            span_id=draft.span_id,
            expires_at=draft.expires_at,
            prev_hash=prev_hash,
            entry_hash=entry_hash,
            archived_at=None,
        )


def written(draft: Draft, workspace: str, new_id: str, now: datetime) -> Written:
    """Spell *draft*, which is valid, as it is stored in *workspace*.

    Raises:
        BadEntryError: If its payload or references cannot be JSON.
        InputTooLargeError: If they are over the limit.
    """
    ts = _milliseconds(draft.ts or now)
    payload, refs = spelled("payload", draft.payload), spelled("refs", draft.refs)
    words = _words("payload", draft.payload)
    _words("refs", draft.refs)  # what is nested without an end cannot be read again
    fields = (
        draft.id or new_id,
        workspace,
        draft.crew_id,
        draft.agent_id,
        draft.mission_id,
        times.to_text(ts),
        draft.entry_type,
        draft.severity,
        draft.priority,
        draft.actor_type,
        draft.actor_id,
        draft.summary,
        payload,
        words,
        None,
        refs,
        draft.trace_id,
        draft.span_id,
        times.to_text(draft.expires_at) if draft.expires_at else None,
    )
    try:
        covered = (*fields[:12], chain.digest(payload), *fields[15:])
        content = chain.content(covered)
        content.encode()
    except UnicodeEncodeError as error:
        raise BadEntryError("text", draft.summary, "UTF-8") from error
    return Written(draft, ts, fields, content)


def _words(name: str, value: Mapping[str, object]) -> str:
    try:
        return payload_text(value) if value else ""
    except TooDeepError as error:
        wanted = f"nested at most {DEEPEST} deep"
        raise BadEntryError(name, "deeper", wanted) from error


def _milliseconds(instant: datetime) -> datetime:
    """Return *instant* as it is when it has been stored and read."""
    extra = instant.microsecond % 1000
    return (
        instant.replace(microsecond=instant.microsecond - extra) if extra else instant
    )


def spelled(name: str, value: Mapping[str, object]) -> str:
    """Return the JSON of a payload or of references.

    Raises:
        BadEntryError: If JSON has nothing for it.
        InputTooLargeError: If it is over the limit.
    """
    if not value:
        return "{}"
    try:
        text = chain.encoded(value)
    except (ValueError, TypeError, RecursionError) as error:
        raise BadEntryError(name, "it", "a JSON object") from error
    if len(text) > PAYLOAD_MOST // 4:
        size = len(text.encode("utf-8", "surrogatepass"))
        if size > PAYLOAD_MOST:
            raise InputTooLargeError(f"the {name}", size, PAYLOAD_MOST)
    return text


def entry(row: Row) -> Entry:
    """Return the record of a row of `COLUMNS`.

    Raises:
        EntryChangedError: If it was never written so.
    """
    try:
        expires_at = times.from_text(row[17]) if row[17] else None
        payload, refs = json.loads(row[13]), json.loads(row[14])
        ts = times.from_text(row[6])
    except (ValueError, RecursionError) as error:
        raise EntryChangedError(row[1], row[0]) from error
    read = (*row[:6], ts, *row[7:13], payload, refs)
    return Entry._make((*read, *row[15:17], expires_at, *row[18:20], None))


def entry_of(row: Stored, archived_at: datetime | None = None) -> Entry:
    """Return the record of a whole row."""
    kept = (*row[:14], *row[16:])
    return entry(kept)._replace(archived_at=archived_at)


def content(row: Stored, priority: str) -> str:
    """Return what the hash of *row* covers; *priority* is the one at writing."""
    return chain.content(
        (
            *row[1:9],
            priority,
            *row[10:13],
            row.payload_sha or chain.digest(row.payload),
            *row[16:20],
        )
    )


def original(row: Stored) -> str:
    """Return a row as JSON, by column, as the archive keeps it."""
    return chain.encoded(dict(zip(NAMES, row, strict=True)))


def from_original(text: str) -> Stored:
    """Return the row that `original` made *text* of.

    Raises:
        ValueError: If it is something else.
    """
    try:
        return Stored(**json.loads(text))
    except TypeError as error:
        raise ValueError(text[:80]) from error


def values(rows: Sequence[Row]) -> list[object]:
    """Return the only value of each row."""
    return [value for (value,) in rows]
