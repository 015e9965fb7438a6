"""Dumps of Beads: memories with keys, and issues, which become action items."""

from collections.abc import Sequence
from typing import Any

from crewmem.transfer.contents import ImportOptions
from crewmem.transfer.dumps import ReadItems, make_dump_layout
from crewmem.transfer.records import Item, Record, make_topic_key

PREFIX = "kv.memory."
"""Prefix of the keys of its memories."""

STATES = {"closed": "done", "done": "done", "tombstone": "dropped", "deleted": "dropped"}
"""States of action items by status of the issue; other issues are open."""


def is_record(item: Item) -> bool:
    """Return whether an item is a memory or an issue of Beads."""
    return _is_memory(item.value) or _is_issue(item.value)


def _is_memory(record: Record) -> bool:
    return record.get("_type") == "memory" or str(record.get("key", "")).startswith(PREFIX)


def _is_issue(record: Record) -> bool:
    is_tagged = record.get("_type") == "issue"
    return is_tagged or {"issue_type", "title", "status", "id"} <= record.keys()


def read_items(items: Sequence[Item], options: ImportOptions) -> ReadItems:
    """Yield the fields of memories, with their key as topic key, and of issues."""
    for item in items:
        record = item.value
        times = {"created_at": record.time("created_at"), "updated_at": record.time("updated_at")}
        if _is_memory(record):
            key = record.text("key").removeprefix(PREFIX)
            fields: dict[str, Any] = {
                **times,
                "id": key,
                "content": record.text("value", "content", "insight"),
                "topic_key": make_topic_key(key),
                "created_at": record.time("created_at", "timestamp"),
            }
            yield item, fields
        elif _is_issue(record):
            fields = {
                **times,
                "id": record.text("id"),
                "kind": "action_item",
                "subtype": record.text("issue_type"),
                "title": record.title("title"),
                "content": record.text("description", "title"),
                "importance": int(5 - record.number("priority", 2, 0, 4)),
                "state": STATES.get(record.text("status"), "open"),
                "tags": record.labels("labels"),
                "issue": record.text("id"),
            }
            yield item, fields
        else:
            yield item, "it is neither a memory nor an issue"


LAYOUT = make_dump_layout("beads", is_record, read_items)
