"""Beads: memories by their keys, and issues as action items."""

from typing import Any

from crewmem.transfer.archive import Source
from crewmem.transfer.contents import Contents, ImportOptions, Record
from crewmem.transfer.dumps import (
    all_items,
    cut_content,
    drop_empty,
    first_items,
    make_id,
    number_of,
    text_of,
    time_of,
    topic_key_of,
    words_of,
)

NAME = "beads"

PREFIX = "kv.memory."
"""Begins the keys of its memories."""

STATES = {"closed": "done", "done": "done", "tombstone": "dropped", "deleted": "dropped"}
"""Of its issues; all others are open."""


def matches(source: Source) -> bool:
    """Tell whether its records are memories or issues of Beads."""
    return any(_is_memory(item.value) or _is_issue(item.value) for item in first_items(source))


def _is_memory(value: dict[str, Any]) -> bool:
    return value.get("_type") == "memory" or str(value.get("key", "")).startswith(PREFIX)


def _is_issue(value: dict[str, Any]) -> bool:
    is_tagged = value.get("_type") == "issue"
    return is_tagged or {"issue_type", "title", "status", "id"} <= value.keys()


def read(source: Source, options: ImportOptions) -> Contents:
    """Return memories as facts that have their keys as topics, and issues as action items."""
    contents = Contents(origin="external")
    owner = f"{options.crew}/{options.agent}"
    for item in all_items(source, contents):
        if _is_memory(item.value):
            record = _read_memory(item.value, owner)
        elif _is_issue(item.value):
            record = _read_issue(item.value, owner)
        else:
            contents.leave_out(item.source, "it is neither a memory nor an issue", item.line)
            continue
        if not record.get("content"):
            contents.leave_out(item.source, "it has no text", item.line)
            continue
        contents.facts.append(Record(item.source, item.line, record))
    return contents


def _read_memory(value: dict[str, Any], owner: str) -> dict[str, Any]:
    key = text_of(value, "key").removeprefix(PREFIX)
    text = text_of(value, "value", "content", "insight")
    return drop_empty(
        {
            "id": make_id("beads", owner, key or text),
            "kind": "fact",
            "content": cut_content(text),
            "topic_key": topic_key_of(key),
            "created_at": time_of(value, "created_at", "timestamp"),
            "updated_at": time_of(value, "updated_at"),
        }
    )


def _read_issue(value: dict[str, Any], owner: str) -> dict[str, Any]:
    key, title = text_of(value, "id"), " ".join(text_of(value, "title").split())
    status = text_of(value, "status") or "open"
    return drop_empty(
        {
            "id": make_id("beads", owner, key),
            "kind": "action_item",
            "subtype": text_of(value, "issue_type"),
            "title": title[:200],
            "content": cut_content(text_of(value, "description") or title),
            "importance": int(min(5, max(1, 5 - number_of(value, "priority", 2)))),
            "state": STATES.get(status, "open"),
            "tags": words_of(value, "labels"),
            "issue": key,
            "created_at": time_of(value, "created_at"),
            "updated_at": time_of(value, "updated_at"),
        }
    )
