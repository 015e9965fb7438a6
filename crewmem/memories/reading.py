"""Memories as lines of JSON: each is read alone, or is bad. Pure."""

from __future__ import annotations

import json

from crewmem.errors.values import BadMemoryError
from crewmem.ids import is_slug
from crewmem.memories import beside, fields
from crewmem.memories.draft import Draft
from crewmem.memories.kinds import kind_of
from crewmem.memories.lifecycle import STATUSES
from crewmem.memories.memory import PINS, SENSITIVITIES, STATES, Owner
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
        rules: What the scanner found in it.
        dropped: How many texts from before it lost by that.
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
    rules: tuple[str, ...] = ()
    dropped: int = 0


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
        sensitivity=fields.one_of(record, "sensitivity", SENSITIVITIES) or "internal",
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
    return Read(
        draft=draft,
        id=_id(record),
        status=fields.one_of(record, "status", STATUSES) or "active",
        created_by=fields.line(record, "created_by"),
        created_at=fields.instant(record, "created_at"),
        updated_at=fields.instant(record, "updated_at"),
        more=_more(record, kind),
        beside=beside.read(record, now),
        extra=frozenset(record.keys() - FIELDS - OURS - beside.NAMES),
    )


def _more(record: dict[str, Any], kind: str) -> dict[str, object]:
    has_quality = record.get("base_quality") is not None
    state = fields.one_of(record, "state", STATES)
    if kind == "action_item" and "state" not in record:
        state = "open"
    return {
        "pin": fields.one_of(record, "pin", PINS) or "none",
        "state": state,
        "superseded_by": fields.line(record, "superseded_by"),
        "verified_at": fields.stamp(record, "verified_at"),
        "stale_at": fields.stamp(record, "stale_at"),
        "source_spans": _spans(record),
        "base_quality": fields.share(record, "base_quality", 0)
        if has_quality
        else None,
    }


def _spans(record: dict[str, Any]) -> str:
    found = record.get("source_spans")
    if found is None:
        return "[]"
    if type(found) is not list:
        shown = str(found)[: fields.SHOWN]
        raise BadMemoryError("source_spans", shown, "a list")
    return json.dumps(found, ensure_ascii=False, sort_keys=True)


def _id(record: dict[str, Any]) -> str | None:
    found = fields.line(record, "id")
    if found and any(each.isspace() for each in found):
        raise BadMemoryError("id", found[: fields.SHOWN], "one word")
    return found


def _require_text(record: dict[str, Any]) -> None:
    """Refuse halves of characters, which nothing can store, wherever they are."""
    try:
        json.dumps(record, ensure_ascii=False, default=str).encode()
    except UnicodeEncodeError as error:
        raise BadMemoryError("text", "half a character", "UTF-8") from error
    except RecursionError as error:
        raise BadMemoryError("metadata", "that deep", "less nested") from error


def _owner(record: dict[str, Any]) -> Owner:
    scope = fields.one_of(record, "scope", SCOPES)
    agent, crew = fields.text(record, "agent") or "", fields.text(record, "crew") or ""
    scope = scope or ("agent" if agent else "crew" if crew else "workspace")
    name = {"agent": agent, "crew": crew}.get(scope, "-")
    if not name:
        raise BadMemoryError(scope, "nothing", f"the {scope} whose it is")
    if name != "-" and not is_slug(name):
        wanted = "lower-case letters, digits and hyphens, at most 64"
        raise BadMemoryError(scope, name[: fields.SHOWN], wanted)
    return Owner(
        scope, agent if scope == "agent" else "", crew if scope == "crew" else ""
    )
