"""Drafts as the rows that are written of them. Pure."""

from __future__ import annotations

import json

from crewmem import times
from crewmem.errors.cli import InputTooLargeError
from crewmem.errors.values import BadMemoryError
from crewmem.journal.payload_text import DEEPEST, TooDeepError, payload_text
from crewmem.memories.draft import METADATA_MOST, content_hash

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping
    from datetime import datetime

    from crewmem.memories.draft import Draft
    from crewmem.memories.rows import Values


def columns(
    draft: Draft, *, workspace: str, memory_id: str, by: str, now: datetime, status: str
) -> Values:
    """Return the columns of a *draft* that is settled, as a new row."""
    at = times.to_text(now)
    return {
        "id": memory_id,
        "workspace_id": workspace,
        "scope": draft.owner.scope,
        "agent_id": draft.owner.agent,
        "crew_id": draft.owner.crew,
        "status": status,
        "state": "open" if draft.kind == "action_item" else None,
        "origin": draft.origin,
        "created_by": by,
        "created_at": at,
        "updated_at": at,
        "kind": draft.kind,
        "subtype": draft.subtype,
        "base_quality": draft.base_quality,
        "topic_key": draft.topic_key,
        "occurred_at": _time(draft.occurred_at),
        "source_session": draft.session,
        "source_project": draft.project,
        "source_issue": draft.issue,
        "source_spans": _json([dict(each) for each in draft.spans]),
        **said(draft.kind, draft.title, draft.content),
        **noted(draft),
    }


def said(kind: str, title: str, content: str) -> Values:
    """Return the columns that hold what a memory says."""
    return {
        "title": title,
        "content": content,
        "content_hash": content_hash(kind, title, content),
    }


def source(draft: Draft) -> Values:
    """Return the columns that say where it is from, of what is said of that."""
    told = {
        "occurred_at": _time(draft.occurred_at),
        "source_session": draft.session,
        "source_project": draft.project,
        "source_issue": draft.issue,
    }
    return {name: value for name, value in told.items() if value is not None}


def noted(draft: Draft) -> Values:
    """Return the columns that hold what is noted about it, and may be changed."""
    return {
        "tags": _json([*draft.tags]),
        "entities": _json([*draft.entities]),
        "labels": " ".join([*draft.tags, *draft.entities]),
        "metadata": metadata(draft.metadata),
        "importance": draft.importance,
        "confidence": draft.confidence,
        "sensitivity": draft.sensitivity or "internal",
        "expires_at": _time(draft.expires_at),
    }


def _time(instant: datetime | None) -> str | None:
    return times.to_text(instant) if instant else None


def _json(
    value: list[str] | list[dict[str, object]] | dict[str, object],
) -> str:
    return json.dumps(value, ensure_ascii=False, sort_keys=True, allow_nan=False)


def metadata(value: Mapping[str, object]) -> str:
    """Return metadata as it is stored.

    Raises:
        BadMemoryError: If it is no JSON object, or nested too deep.
        InputTooLargeError: If it is too long.
    """
    try:
        payload_text(value)
        text = _json({**value})
    except TooDeepError as error:
        wanted = f"nested at most {DEEPEST} deep"
        raise BadMemoryError("metadata", "deeper", wanted) from error
    except (ValueError, TypeError, RecursionError) as error:
        raise BadMemoryError("metadata", str(error), "a JSON object") from error
    try:
        size = len(text.encode("utf-8"))
    except UnicodeEncodeError as error:
        raise BadMemoryError("metadata", "half a character", "UTF-8") from error
    if size > METADATA_MOST:
        raise InputTooLargeError("the metadata", size, METADATA_MOST)
    return text
