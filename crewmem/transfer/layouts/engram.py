"""Dumps of Engram: the points of a namespace, from an export or the vector store."""

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
    map_kind,
    truncate_content,
)

TEXT_FIELDS = ("content", "document", "text")
"""Fields that may contain the text of a point."""

ENGRAM_FIELDS = {"memory_type", "negative_count", "consolidated_into", "decay_rate"}
"""Fields by which a point of Engram is recognised."""


def is_record(item: Item) -> bool:
    """Return whether an item is a point."""
    value = item.value
    payload = value.get("payload")
    if isinstance(payload, dict):
        return bool(get_text(payload, *TEXT_FIELDS))
    if not get_text(value, *TEXT_FIELDS) or "kind" in value:
        return False
    return {"priority", "timestamp"} <= value.keys() or bool(ENGRAM_FIELDS & value.keys())


def read_items(items: Sequence[Item], options: ImportOptions) -> ReadItems:
    """Yield the fields of points; if there are several namespaces, of that of the workspace."""
    points = [(item, _flatten(item.value)) for item in items]
    namespaces = {_get_namespace(point) for _, point in points}
    for item, point in points:
        namespace = _get_namespace(point)
        if len(namespaces) > 1 and namespace != options.workspace:
            yield item, f"it belongs to the namespace '{namespace}', not '{options.workspace}'"
        else:
            yield item, _read_point(point)


def _flatten(value: Mapping[str, Any]) -> Mapping[str, Any]:
    """Return a point whose payload, if it has one, is merged into it."""
    payload = value.get("payload")
    if not isinstance(payload, dict):
        return value
    return {**payload, **{name: value[name] for name in ("id", "namespace") if name in value}}


def _get_namespace(value: Mapping[str, Any]) -> str:
    return get_text(value, "namespace", "collection", "collection_name") or "default"


def _read_point(value: Mapping[str, Any]) -> dict[str, Any]:
    kind, subtype = map_kind(get_text(value, "memory_type", "type"))
    priority = min(10, max(1, int(get_number(value, "priority", 5))))
    metadata = value.get("metadata")
    return {
        "id": get_text(value, "id"),
        "kind": kind,
        "subtype": subtype,
        "content": truncate_content(get_text(value, *TEXT_FIELDS)),
        "tags": get_labels(value, "tags"),
        "entities": get_labels(value, "entities"),
        "metadata": metadata if isinstance(metadata, dict) else {},
        "importance": (priority + 1) // 2,
        "confidence": min(1.0, max(0.0, get_number(value, "confidence", 0.5))),
        "status": "stale" if str(value.get("outdated", "")).lower() == "true" else "",
        "topic_key": make_topic_key(get_text(value, "topic_key")),
        "created_at": get_time(value, "timestamp", "created_at"),
        "updated_at": get_time(value, "updated_at", "timestamp"),
        "valid_until": get_time(value, "expires_at"),
    }


LAYOUT = Dump("engram", is_record, read_items)
