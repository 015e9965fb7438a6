"""Rows of memories as the records they stand for. Pure."""

from __future__ import annotations

from crewmem import times
from crewmem.decode import decoded
from crewmem.memories.memory import Memory

TYPE_CHECKING = False
if TYPE_CHECKING:
    from crewmem.db.connect import Row

COLUMNS = """
    seq, id, workspace_id, scope, agent_id, crew_id, kind, subtype, title, content,
    tags, entities, metadata, importance, confidence, base_quality, sensitivity, status,
    pin, state, topic_key, superseded_by, content_hash, occurred_at, expires_at,
    verified_at, source_session, source_project, source_issue, source_spans, origin,
    created_by, created_at, updated_at
"""
"""What a `Memory` is made of, in its order."""

Values = dict[str, object]
"""Columns with what is stored in them."""


def memory(row: Row) -> Memory:
    """Return the memory that *row*, of `COLUMNS`, stands for."""
    told = dict(zip(Memory._fields, row, strict=True))
    for name in ("tags", "entities", "metadata", "source_spans"):
        told[name] = decoded(told[name])
    for name in ("occurred_at", "expires_at", "verified_at", "created_at"):
        told[name] = times.from_text(told[name]) if told[name] else None
    told["updated_at"] = times.from_text(told["updated_at"])
    told["agent"], told["crew"] = told["agent"] or None, told["crew"] or None
    return Memory(**told)
