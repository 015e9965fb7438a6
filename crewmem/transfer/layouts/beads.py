"""Beads: memories by their keys, and issues as action items."""

from collections.abc import Mapping, Sequence
from typing import Any

from crewmem.transfer.archive import Item
from crewmem.transfer.contents import ImportOptions
from crewmem.transfer.dumps import (
    Dump,
    FoundItems,
    cut_content,
    number_of,
    text_of,
    time_of,
    topic_key_of,
    words_of,
)

PREFIX = "kv.memory."
"""Prefix of the keys of its memories."""

STATES = {"closed": "done", "done": "done", "tombstone": "dropped", "deleted": "dropped"}
"""States of its issues; all others are open."""


def is_record(item: Item) -> bool:
    """Tell whether an item is a memory or an issue of Beads."""
    return _is_memory(item.value) or _is_issue(item.value)


def _is_memory(value: Mapping[str, Any]) -> bool:
    return value.get("_type") == "memory" or str(value.get("key", "")).startswith(PREFIX)


def _is_issue(value: Mapping[str, Any]) -> bool:
    is_tagged = value.get("_type") == "issue"
    return is_tagged or {"issue_type", "title", "status", "id"} <= value.keys()


def read_items(items: Sequence[Item], options: ImportOptions) -> FoundItems:
    """Yield memories as facts with their keys as topics, and issues as action items."""
    for item in items:
        value = item.value
        if _is_memory(value):
            key = text_of(value, "key").removeprefix(PREFIX)
            yield (
                item,
                {
                    "id": key,
                    "content": cut_content(text_of(value, "value", "content", "insight")),
                    "topic_key": topic_key_of(key),
                    "created_at": time_of(value, "created_at", "timestamp"),
                    "updated_at": time_of(value, "updated_at"),
                },
            )
        elif _is_issue(value):
            title = " ".join(text_of(value, "title").split())
            yield (
                item,
                {
                    "id": text_of(value, "id"),
                    "kind": "action_item",
                    "subtype": text_of(value, "issue_type"),
                    "title": title[:200],
                    "content": cut_content(text_of(value, "description") or title),
                    "importance": int(min(5, max(1, 5 - number_of(value, "priority", 2)))),
                    "state": STATES.get(text_of(value, "status"), "open"),
                    "tags": words_of(value, "labels"),
                    "issue": text_of(value, "id"),
                    "created_at": time_of(value, "created_at"),
                    "updated_at": time_of(value, "updated_at"),
                },
            )
        else:
            yield item, "it is neither a memory nor an issue"


LAYOUT = Dump("beads", is_record, read_items)
