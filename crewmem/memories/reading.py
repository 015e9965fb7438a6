"""Memories as lines of JSON: each is read alone, or is bad. Pure."""

from __future__ import annotations

import json

from crewmem import times
from crewmem.errors import BadMemoryError
from crewmem.ids import is_slug
from crewmem.memories import beside, fields
from crewmem.memories.kinds import kind_of
from crewmem.memories.lifecycle import STATUSES
from crewmem.memories.memory import PINS, STATES, Draft, Owner
from crewmem.records import NamedTuple

TYPE_CHECKING = False
if TYPE_CHECKING:
    from datetime import datetime
    from typing import Any

    from crewmem.memories.beside import Beside

SCOPES = ("agent", "crew", "workspace")

FIELDS = frozenset(
    {
        "id",
        "scope",
        "agent",
        "crew",
        "kind",
        "subtype",
        "title",
        "content",
        "tags",
        "entities",
        "metadata",
        "importance",
        "confidence",
        "base_quality",
        "sensitivity",
        "status",
        "pin",
        "state",
        "topic_key",
        "superseded_by",
        "occurred_at",
        "expires_at",
        "verified_at",
        "session",
        "project",
        "issue",
        "origin",
        "created_by",
        "created_at",
        "updated_at",
        "stale_at",
        "source_spans",
    }
)
"""What a line may hold; the rest is told, and not kept."""

OURS = frozenset({"seq", "workspace", "content_hash"})
"""What a memory gets where it is added."""


class Read(NamedTuple):
    """A memory as a line had it.

    Attributes:
        more: Columns beside those of a draft.
        beside: What hangs on it.
        extra: Fields that no memory has.
    """

    draft: Draft
    id: str | None
    status: str
    created_by: str | None
    created_at: datetime | None
    updated_at: datetime | None
    more: dict[str, object]
    beside: Beside
    extra: frozenset[str]


def read(record: dict[str, Any], now: datetime | None = None) -> Read:
    """Return the memory that *record*, an object of JSON, spells.

    Args:
        record: The object.
        now: When things were, of which it does not say.

    Raises:
        BadMemoryError: If a field is of the wrong type, or not what it takes.
        UnknownKindError: If its kind is none.
    """
    _require_text(record)
    kind, subtype = kind_of(fields.text(record, "kind") or "fact")
    draft = Draft(
        fields.text(record, "content") or "",
        _owner(record),
        kind=kind,
        subtype=fields.line(record, "subtype") or subtype,
        title=fields.text(record, "title") or "",
        importance=fields.whole(record, "importance", 3),
        confidence=fields.number(record, "confidence", 0.5),
        sensitivity=fields.one_of(
            record, "sensitivity", ("public", "internal", "restricted")
        )
        or "internal",
        tags=fields.texts(record, "tags"),
        entities=fields.texts(record, "entities"),
        topic_key=fields.text(record, "topic_key"),
        metadata=fields.mapping(record, "metadata"),
        occurred_at=fields.instant(record, "occurred_at"),
        expires_at=fields.instant(record, "expires_at"),
        session=fields.text(record, "session"),
        project=fields.text(record, "project"),
        issue=fields.text(record, "issue"),
        origin=fields.line(record, "origin") or "import",
    )
    verified, quality = (
        fields.instant(record, "verified_at"),
        record.get("base_quality"),
    )
    return Read(
        draft=draft,
        id=fields.line(record, "id"),
        status=fields.one_of(record, "status", STATUSES) or "active",
        created_by=fields.line(record, "created_by"),
        created_at=fields.instant(record, "created_at"),
        updated_at=fields.instant(record, "updated_at"),
        more={
            "pin": fields.one_of(record, "pin", PINS) or "none",
            "state": fields.one_of(record, "state", STATES)
            or ("open" if kind == "action_item" else None),
            "superseded_by": fields.line(record, "superseded_by"),
            "verified_at": times.to_text(verified) if verified else None,
            "base_quality": None
            if quality is None
            else _within(record, "base_quality", 0, 1),
        },
        extra=frozenset(record.keys() - FIELDS - OURS),
    )


def _owner(record: dict[str, Any]) -> Owner:
    scope = fields.one_of(record, "scope", SCOPES)
    agent, crew = fields.text(record, "agent") or "", fields.text(record, "crew") or ""
    scope = scope or ("agent" if agent else "crew" if crew else "workspace")
    if scope == "agent" and not agent:
        raise BadMemoryError("agent", "nothing", "the agent whose it is")
    if scope == "crew" and not crew:
        raise BadMemoryError("crew", "nothing", "the crew whose it is")
    return Owner(
        scope, agent if scope == "agent" else "", crew if scope == "crew" else ""
    )
