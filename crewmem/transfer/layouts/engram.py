"""Engram: points of a namespace, from its export or its store."""

from collections.abc import Mapping, Sequence
from typing import Any

from crewmem.transfer.archive import Item
from crewmem.transfer.contents import ImportOptions
from crewmem.transfer.dumps import (
    Dump,
    FoundItems,
    cut_content,
    kind_of,
    number_of,
    text_of,
    time_of,
    topic_key_of,
    words_of,
)

TEXTS = ("content", "document", "text")
"""Fields that may contain the text of a point."""

SIGNS = {"memory_type", "negative_count", "consolidated_into", "decay_rate"}
"""Fields that only points have."""


def is_record(item: Item) -> bool:
    """Tell whether an item is a point."""
    value = item.value
    payload = value.get("payload")
    if isinstance(payload, dict):
        return bool(text_of(payload, *TEXTS))
    if not text_of(value, *TEXTS) or "kind" in value:
        return False
    return {"priority", "timestamp"} <= value.keys() or bool(SIGNS & value.keys())


def read_items(items: Sequence[Item], options: ImportOptions) -> FoundItems:
    """Yield points; of several namespaces only the one with the workspace's name."""
    points = [(item, _flatten(item.value)) for item in items]
    namespaces = {_namespace(point) for _, point in points}
    for item, point in points:
        namespace = _namespace(point)
        if len(namespaces) > 1 and namespace != options.workspace:
            yield item, f"it is of the namespace '{namespace}', not '{options.workspace}'"
        else:
            yield item, _read_point(point)


def _flatten(value: Mapping[str, Any]) -> Mapping[str, Any]:
    payload = value.get("payload")
    if not isinstance(payload, dict):
        return value
    return {**payload, **{name: value[name] for name in ("id", "namespace") if name in value}}


def _namespace(value: Mapping[str, Any]) -> str:
    return text_of(value, "namespace", "collection", "collection_name") or "default"


def _read_point(value: Mapping[str, Any]) -> dict[str, Any]:
    kind, subtype = kind_of(text_of(value, "memory_type", "type"))
    priority = min(10, max(1, int(number_of(value, "priority", 5))))
    metadata = value.get("metadata")
    return {
        "id": text_of(value, "id"),
        "kind": kind,
        "subtype": subtype,
        "content": cut_content(text_of(value, *TEXTS)),
        "tags": words_of(value, "tags"),
        "entities": words_of(value, "entities"),
        "metadata": metadata if isinstance(metadata, dict) else {},
        "importance": (priority + 1) // 2,
        "confidence": min(1.0, max(0.0, number_of(value, "confidence", 0.5))),
        "status": "stale" if str(value.get("outdated", "")).lower() == "true" else "",
        "topic_key": topic_key_of(text_of(value, "topic_key")),
        "created_at": time_of(value, "timestamp", "created_at"),
        "updated_at": time_of(value, "updated_at", "timestamp"),
        "valid_until": time_of(value, "expires_at"),
    }


LAYOUT = Dump("engram", is_record, read_items)
