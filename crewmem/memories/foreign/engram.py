"""Engram: points of a namespace, as its export or its store has them."""

from __future__ import annotations

from crewmem.memories import fields
from crewmem.memories.draft import importance_of
from crewmem.memories.foreign import common
from crewmem.memories.foreign.aim import slug

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence
    from typing import Any

    from crewmem.memories.dump import Item
    from crewmem.memories.foreign.aim import Aim

    Record = dict[str, Any]

ORIGIN = "engram"

SAID = ("content", "document", "text")
"""Under which names a point has what it says."""

OF_ENGRAM = frozenset(
    {"memory_type", "negative_count", "consolidated_into", "decay_rate", "topic_key"}
)
"""What points have, and nothing else does."""

MAPPED = frozenset(
    {
        *SAID,
        "id",
        "type",
        "memory_type",
        "priority",
        "confidence",
        "negative_count",
        "tags",
        "entities",
        "metadata",
        "topic_key",
        "timestamp",
        "created_at",
        "updated_at",
        "expires_at",
        "access_count",
        "last_accessed",
        "consolidated_into",
        "consolidation_group",
        "outdated",
        "namespace",
        "collection",
        "collection_name",
        "vector",
        "vectors",
        "embedding",
        "score",
        "revision_count",
        "decay_rate",
        "content_hash",
    }
)
"""What is mapped, or means nothing here; the rest is noted as metadata."""

USED_TO, START, A_USE = 0.8, 0.5, 0.1
"""Engram adds to the confidence whenever something is found: what only that explains
is taken back."""

ELSEWHERE = "it is of namespace {!r}: import it with -w {}"


def fits(record: Record, table: str) -> bool:
    """Tell whether *record* is a point of Engram's."""
    if isinstance(record.get("payload"), dict):
        return any(name in record["payload"] for name in SAID)
    has_text = any(name in record for name in SAID)
    if not has_text or "kind" in record:
        return False
    is_point = {"priority", "timestamp"} <= record.keys()
    return table == "points" or is_point or bool(OF_ENGRAM & record.keys())


def mapped(items: Sequence[Item], aim: Aim) -> list[Item]:
    """Return the points of a dump as our own.

    Of one namespace all are taken, of several those of the workspace's name. Of points
    with one topic key the newest stays.
    """
    flat = [
        each._replace(record=_flat(each.record)) if each.record else each
        for each in items
    ]
    found = common.each(_of_namespace(flat, aim), lambda item: [_mapped(item, aim)])
    return _related(found, flat)


def _flat(record: Record) -> Record:
    payload = record.get("payload")
    if not isinstance(payload, dict):
        return record
    outer = {name: record[name] for name in ("id", "namespace") if name in record}
    return {**payload, **outer}


def _of_namespace(items: Sequence[Item], aim: Aim) -> list[Item]:
    names = {_namespace(each.record) for each in items if each.record}
    if len(names) < 2:  # noqa: PLR2004 - of one, there is nothing to choose
        return [*items]
    found = []
    for each in items:
        name = _namespace(each.record or {})
        is_here = slug(name or "default") == aim.workspace
        if each.record is None or is_here:
            found.append(each)
        else:
            found.append(each.left(ELSEWHERE.format(name, slug(name or "default"))))
    return found


def _namespace(record: Record) -> str | None:
    for name in ("namespace", "collection", "collection_name"):
        if isinstance(record.get(name), str) and record[name]:
            return str(record[name])
    return None


def _mapped(item: Item, aim: Aim) -> Record:
    record = item.record or {}
    content = next((record[name] for name in SAID if record.get(name)), None)
    topic, noted = common.topic(fields.text(record, "topic_key"))
    at = common.instant(record, "timestamp", "created_at")
    down = fields.whole(record, "negative_count", 0)
    kind = record.get("memory_type") or record.get("type") or "fact"
    last = common.instant(record, "last_accessed")
    uses = fields.whole(record, "access_count", 0)
    is_outdated = str(record.get("outdated", "")).lower() == "true"
    return common.filled(
        {
            "id": fields.line(record, "id") if record.get("id") else _id_of(record),
            "kind": aim.kind(fields.text({"kind": kind}, "kind") or "fact"),
            "content": fields.text({"content": content}, "content"),
            "tags": common.words(record, "tags"),
            "entities": common.words(record, "entities"),
            "metadata": {**_metadata(record), **noted},
            "importance": importance_of(fields.whole(record, "priority", 5)),
            "confidence": _confidence(fields.share(record, "confidence", 0.5), uses),
            "status": "stale" if is_outdated else None,
            "topic_key": topic,
            "occurred_at": at,
            "expires_at": common.instant(record, "expires_at"),
            "created_at": at,
            "updated_at": common.instant(record, "updated_at") or at,
            "votes": common.votes(0, down, last or at),
            "accesses": {"accessed": uses, "last_accessed_at": last} if uses else {},
            "origin": ORIGIN,
        }
    )


def _id_of(record: Record) -> str:
    """Return an id that is made of *record*, for other points may name it."""
    import json

    from crewmem import ids

    text = json.dumps(record, sort_keys=True, default=str)
    return ids.made_of("m", text.encode())


def _confidence(confidence: float, uses: int) -> float:
    explained = confidence <= START + A_USE * uses + 1e-9
    return min(confidence, USED_TO) if uses and explained else confidence


def _metadata(record: Record) -> Record:
    """Return what somebody noted, and what of a point has no place here."""
    metadata = record.get("metadata")
    rest = {
        name: value
        for name, value in record.items()
        if name not in MAPPED and value not in (None, "", [], {})
    }
    return {**rest, **(metadata if isinstance(metadata, dict) else {})}


def _related(found: list[Item], flat: Sequence[Item]) -> list[Item]:
    """Return *found* with what became of points: summed up, or replaced."""
    records = {each.record["id"]: each.record for each in found if each.record}
    for each in flat:
        source = each.record or {}
        part = records.get(str(source.get("id")))
        whole = records.get(str(source.get("consolidated_into")))
        if part and whole and part is not whole:
            _add_edge(whole, part, "derived_from")
            part["status"] = part.get("status", "warm")
    topics: dict[str, list[Record]] = {}
    for record in records.values():
        if "topic_key" in record and "status" not in record:
            topics.setdefault(record["topic_key"], []).append(record)
    for some in topics.values():
        newest = max(some, key=lambda each: (each.get("updated_at", ""), each["id"]))
        for other in some:
            if other is not newest:
                other["status"], other["superseded_by"] = "superseded", newest["id"]
                _add_edge(newest, other, "supersedes")
    return found


def _add_edge(source: Record, target: Record, relation: str) -> None:
    at = source.get("created_at")
    edge = {"to": target["id"], "relation": relation, "created_by": "system"}
    when = {"created_at": at} if at else {}
    source["edges"] = [*source.get("edges", []), {**edge, **when}]
