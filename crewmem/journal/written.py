"""Drafts as they are written: spelled as they are stored and hashed. Pure."""

from __future__ import annotations

from crewmem import times
from crewmem.errors.cli import InputTooLargeError
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
    from collections.abc import Mapping
    from datetime import datetime

    from crewmem.journal.entry import Draft


TS, PAYLOAD, WORDS, SHA, REFS = 5, 12, 13, 14, 15
"""Places in `Written.fields` of ``ts``, ``payload``, its words, its hash, ``refs``."""


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
        return is_cut(str(self.fields[WORDS]))

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
        covered = (*fields[:PAYLOAD], chain.digest(payload), *fields[REFS:])
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
        BadEntryError: If JSON has nothing for it, or it is nested too deep.
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
    if text.count("{") + text.count("[") > DEEPEST:
        _words(name, value)  # interpreters differ in how deep they read
    return text
