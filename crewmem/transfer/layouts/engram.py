"""Engram: points of a namespace, as its export or its store has them."""

import json
from typing import Any

from crewmem.transfer.archive import Source
from crewmem.transfer.contents import Contents, ImportOptions, Record
from crewmem.transfer.dumps import (
    all_items,
    cut_content,
    drop_empty,
    first_items,
    kind_of,
    make_id,
    number_of,
    text_of,
    time_of,
    topic_key_of,
    words_of,
)

NAME = "engram"

TEXTS = ("content", "document", "text")
"""Names under which a point has what it says."""

SIGNS = {"memory_type", "negative_count", "consolidated_into", "decay_rate"}
"""Fields that only points have."""


def matches(source: Source) -> bool:
    """Tell whether its records are points."""
    return any(_is_point(item.value) for item in first_items(source))


def _is_point(value: dict[str, Any]) -> bool:
    payload = value.get("payload")
    if isinstance(payload, dict):
        return bool(text_of(payload, *TEXTS))
    if not text_of(value, *TEXTS) or "kind" in value:
        return False
    return {"priority", "timestamp"} <= value.keys() or bool(SIGNS & value.keys())


def read(source: Source, options: ImportOptions) -> Contents:
    """Return points as facts; of several namespaces the one of the workspace's name."""
    contents = Contents(origin="external")
    items = [item._replace(value=_flatten(item.value)) for item in all_items(source, contents)]
    namespaces = {_namespace(item.value) for item in items}
    for item in items:
        namespace = _namespace(item.value)
        if len(namespaces) > 1 and namespace != options.workspace:
            reason = f"it is of the namespace '{namespace}', not '{options.workspace}'"
            contents.leave_out(item.source, reason, item.line)
        elif not text_of(item.value, *TEXTS):
            contents.leave_out(item.source, "it has no content", item.line)
        else:
            record = _read_point(item.value, f"{options.crew}/{options.agent}")
            contents.facts.append(Record(item.source, item.line, record))
    return contents


def _flatten(value: dict[str, Any]) -> dict[str, Any]:
    payload = value.get("payload")
    if not isinstance(payload, dict):
        return value
    return {**payload, **{name: value[name] for name in ("id", "namespace") if name in value}}


def _namespace(value: dict[str, Any]) -> str:
    return text_of(value, "namespace", "collection", "collection_name") or "default"


def _read_point(value: dict[str, Any], owner: str) -> dict[str, Any]:
    kind, subtype = kind_of(text_of(value, "memory_type", "type"))
    priority = min(10, max(1, int(number_of(value, "priority", 5))))
    metadata = value.get("metadata")
    key = text_of(value, "id") or json.dumps(value, sort_keys=True, default=str)
    is_outdated = str(value.get("outdated", "")).lower() == "true"
    return drop_empty(
        {
            "id": make_id("engram", owner, key),
            "kind": kind,
            "subtype": subtype,
            "content": cut_content(text_of(value, *TEXTS)),
            "tags": words_of(value, "tags"),
            "entities": words_of(value, "entities"),
            "metadata": metadata if isinstance(metadata, dict) else {},
            "importance": (priority + 1) // 2,
            "confidence": min(1.0, max(0.0, number_of(value, "confidence", 0.5))),
            "status": "stale" if is_outdated else None,
            "topic_key": topic_key_of(text_of(value, "topic_key")),
            "created_at": time_of(value, "timestamp", "created_at"),
            "updated_at": time_of(value, "updated_at", "timestamp"),
            "valid_until": time_of(value, "expires_at"),
        }
    )
