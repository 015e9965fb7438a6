"""Whole rows of the journal, as they lie in the table and in the archive. Pure."""

from __future__ import annotations

import json

from crewmem.journal import chain
from crewmem.records import NamedTuple


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


NAMES = Stored._fields
"""Every column, in the order of the table."""

STORED = ", ".join(NAMES)
"""The same for a statement."""


def told(row: Stored) -> tuple[str | None, ...]:
    """Return the columns ``id`` to ``expires_at``, as `Written.fields` has them."""
    return row[1:20]


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
