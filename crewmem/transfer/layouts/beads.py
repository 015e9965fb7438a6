"""Dumps of Beads: memories with keys, and issues, which become action items."""

from collections.abc import Mapping, Sequence
from typing import Any

from crewmem.transfer.archive import Item
from crewmem.transfer.contents import ImportOptions
from crewmem.transfer.dumps import (
    Dump,
    ReadItems,
    get_labels,
    get_number,
    get_text,
    get_time,
    make_topic_key,
    truncate_content,
)

PREFIX = "kv.memory."
"""Prefix of the keys of its memories."""

STATES = {"closed": "done", "done": "done", "tombstone": "dropped", "deleted": "dropped"}
"""States of action items by status of the issue; other issues are open."""


def is_record(item: Item) -> bool:
    """Return whether an item is a memory or an issue of Beads."""
    return _is_memory(item.value) or _is_issue(item.value)


def _is_memory(value: Mapping[str, Any]) -> bool:
    return value.get("_type") == "memory" or str(value.get("key", "")).startswith(PREFIX)


def _is_issue(value: Mapping[str, Any]) -> bool:
    is_tagged = value.get("_type") == "issue"
    return is_tagged or {"issue_type", "title", "status", "id"} <= value.keys()


def read_items(items: Sequence[Item], options: ImportOptions) -> ReadItems:
    """Yield the fields of memories, with their key as topic key, and of issues."""
    for item in items:
        value = item.value
        if _is_memory(value):
            key = get_text(value, "key").removeprefix(PREFIX)
            yield (
                item,
                {
                    "id": key,
                    "content": truncate_content(get_text(value, "value", "content", "insight")),
                    "topic_key": make_topic_key(key),
                    "created_at": get_time(value, "created_at", "timestamp"),
                    "updated_at": get_time(value, "updated_at"),
                },
            )
        elif _is_issue(value):
            title = " ".join(get_text(value, "title").split())
            yield (
                item,
                {
                    "id": get_text(value, "id"),
                    "kind": "action_item",
                    "subtype": get_text(value, "issue_type"),
                    "title": title[:200],
                    "content": truncate_content(get_text(value, "description") or title),
                    "importance": int(min(5, max(1, 5 - get_number(value, "priority", 2)))),
                    "state": STATES.get(get_text(value, "status"), "open"),
                    "tags": get_labels(value, "labels"),
                    "issue": get_text(value, "id"),
                    "created_at": get_time(value, "created_at"),
                    "updated_at": get_time(value, "updated_at"),
                },
            )
        else:
            yield item, "it is neither a memory nor an issue"


LAYOUT = Dump("beads", is_record, read_items)
