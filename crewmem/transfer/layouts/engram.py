"""Dumps of Engram: the points of a namespace, from an export or the vector store."""

from collections.abc import Sequence

from crewmem.transfer.contents import ImportOptions
from crewmem.transfer.dumps import ReadItems, make_dump_layout
from crewmem.transfer.records import Item, Record, make_topic_key, map_kind

TEXT_FIELDS = ("content", "document", "text")
"""Fields that may contain the text of a point."""

ENGRAM_FIELDS = {"memory_type", "negative_count", "consolidated_into", "decay_rate"}
"""Fields by which a point of Engram is recognised."""


def is_record(item: Item) -> bool:
    """Return whether an item is a point."""
    record = item.value
    if payload := record.object("payload"):
        return bool(Record(payload).text(*TEXT_FIELDS))
    if not record.text(*TEXT_FIELDS) or "kind" in record:
        return False
    return {"priority", "timestamp"} <= record.keys() or bool(ENGRAM_FIELDS & record.keys())


def read_items(items: Sequence[Item], options: ImportOptions) -> ReadItems:
    """Yield the fields of points; if there are several namespaces, of that of the workspace."""
    points = [_flatten(item.value) for item in items]
    namespaces = [
        point.text("namespace", "collection", "collection_name") or "default" for point in points
    ]
    for item, point, namespace in zip(items, points, namespaces, strict=True):
        if namespace != options.workspace and len(set(namespaces)) > 1:
            yield item, f"it belongs to the namespace '{namespace}', not '{options.workspace}'"
            continue
        kind, subtype = map_kind(point.text("memory_type", "type"))
        fields = {
            "id": point.text("id"),
            "kind": kind,
            "subtype": subtype,
            "content": point.text(*TEXT_FIELDS),
            "tags": point.labels("tags"),
            "entities": point.labels("entities"),
            "metadata": point.object("metadata"),
            "importance": (int(point.number("priority", 5, 1, 10)) + 1) // 2,
            "confidence": point.number("confidence", 0.5, 0, 1),
            "status": "stale" if str(point.get("outdated", "")).lower() == "true" else "",
            "topic_key": make_topic_key(point.text("topic_key")),
            "created_at": point.time("timestamp", "created_at"),
            "updated_at": point.time("updated_at", "timestamp"),
            "valid_until": point.time("expires_at"),
        }
        yield item, fields


def _flatten(record: Record) -> Record:
    """Return a point whose payload, if it has one, is merged into it."""
    payload = record.object("payload")
    own = {name: record[name] for name in ("id", "namespace") if name in record}
    return Record({**payload, **own}) if payload else record


LAYOUT = make_dump_layout("engram", is_record, read_items)
