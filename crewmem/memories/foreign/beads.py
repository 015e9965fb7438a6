"""Beads: memories by their keys, and issues if they are asked for."""

from __future__ import annotations

from crewmem import ids
from crewmem.memories import fields
from crewmem.memories.dump import BEADS
from crewmem.memories.foreign import common

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence
    from typing import Any

    from crewmem.memories.dump import Item
    from crewmem.memories.foreign.aim import Aim

    Record = dict[str, Any]

ORIGIN = "beads"

NO_MEMORY = "it is no memory"
AN_ISSUE = "it is an issue; --issues takes them along as action items"

CLOSED = {
    "closed": "done",
    "done": "done",
    "tombstone": "dropped",
    "deleted": "dropped",
}
"""Of an issue: what its status is to an action item; all others are open."""

URGENT = 5
"""The importance of an issue of priority 0; 4 is the least."""


def fits(record: Record, table: str) -> bool:
    """Tell whether *record* is a line of an export of Beads'."""
    if table or record.get("_type") in {"memory", "issue"}:
        return not table
    key = record.get("key")
    return (isinstance(key, str) and key.startswith(BEADS)) or _is_issue(record)


def _is_issue(record: Record) -> bool:
    return {"issue_type", "title", "status", "id"} <= record.keys()


def mapped(items: Sequence[Item], aim: Aim) -> list[Item]:
    """Return the memories of an export as facts that have their keys as topics."""
    return common.each(
        (_chosen(each, aim) for each in items), lambda item: _mapped(item, aim)
    )


def _chosen(item: Item, aim: Aim) -> Item:
    record = item.record
    if record is None or _is_memory(record):
        return item
    if record.get("_type") == "issue" or _is_issue(record):
        return item if aim.with_issues else item.left(AN_ISSUE)
    return item.left(NO_MEMORY)


def _is_memory(record: Record) -> bool:
    key = record.get("key")
    if record.get("_type") == "memory":
        return True
    return isinstance(key, str) and key.startswith(BEADS)


def _mapped(item: Item, aim: Aim) -> Iterator[Record]:
    record = item.record or {}
    yield _memory(record, aim) if _is_memory(record) else _issue(record)


def _memory(record: Record, aim: Aim) -> Record:
    key = (fields.text(record, "key") or "").removeprefix(BEADS)
    names = ("value", "content", "insight")
    content = next((record[name] for name in names if record.get(name)), None)
    topic, noted = common.topic(key)
    at = common.instant(record, "created_at", "timestamp")
    return common.filled(
        {
            "id": _id_of(key, aim) if key else None,
            "kind": "fact",
            "content": fields.text({"value": content}, "value"),
            "topic_key": topic,
            "metadata": noted,
            "created_at": at,
            "updated_at": common.instant(record, "updated_at") or at,
            "origin": ORIGIN,
        }
    )


def _id_of(key: str, aim: Aim) -> str:
    """Return an id that is made of *key*, which Beads has instead of one."""
    whose = f"{aim.agent or ''}\0{aim.crew or ''}"
    return ids.made_of("m", f"beads\0{whose}\0{key}".encode(errors="replace"))


def _issue(record: Record) -> Record:
    key, title = fields.line(record, "id"), fields.text(record, "title") or ""
    text = fields.text(record, "description") or ""
    priority = fields.whole(record, "priority", 2)
    at = common.instant(record, "created_at")
    status = fields.text(record, "status") or "open"
    return common.filled(
        {
            "id": key,
            "kind": "action_item",
            "subtype": fields.line(record, "issue_type"),
            "title": " ".join(title.split())[:200],
            "content": text if text.strip() else title,
            "importance": max(1, URGENT - priority),
            "state": CLOSED.get(status, "open"),
            "tags": common.words(record, "labels"),
            "issue": key,
            "metadata": {"status": status} if status not in {"open", "closed"} else {},
            "created_at": at,
            "updated_at": common.instant(record, "updated_at") or at,
            "origin": ORIGIN,
            **common.created_by(str(record.get("created_by") or "")),
        }
    )
