"""Dumps of OtterCamp: memories of agents, knowledge of teams, wiki pages, and diaries."""

import re
from collections.abc import Iterator, Mapping, Sequence
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
    map_kind,
    truncate_content,
)

PRIVATE, SHARED, PAGES, DIARY = (
    "memory_entries",
    "shared_knowledge",
    "knowledge_entries",
    "agent_memories",
)
"""Names of its tables."""

DIARY_IMPORTANCE, DIARY_CONFIDENCE = 2, 0.4
"""The values that OtterCamp's own migration of diaries used."""

STATUSES = {"deprecated": "superseded"}
"""Fact statuses by status of a row, where they differ."""


def is_record(item: Item) -> bool:
    """Return whether an item is a row of one of OtterCamp's tables."""
    return bool(_find_table(item))


def _find_table(item: Item) -> str:
    """Return the table of a row, by name or by its columns; "" for none."""
    value = item.value
    if item.table in (PRIVATE, SHARED, PAGES, DIARY):
        return item.table
    if "source_agent_id" in value or {"quality_score", "scope_teams"} & value.keys():
        return SHARED
    if "agent_id" in value and "content" in value:
        if "date" in value and "importance" not in value:
            return DIARY
        return PRIVATE if {"org_id", "source_session", "content_hash"} & value.keys() else ""
    is_page = {"title", "content", "tags", "created_by", "org_id"} <= value.keys()
    return PAGES if is_page and "kind" not in value else ""


def read_items(items: Sequence[Item], options: ImportOptions) -> ReadItems:
    """Yield the fields of rows, as facts of agents, crews, or the workspace."""
    names = {
        str(item.value["id"]): make_slug(get_text(item.value, "slug", "name", "display_name"))
        for item in items
        if item.table == "agents" and item.value.get("id")
    }
    for item in items:
        if table := _find_table(item):
            for fields in _read_row(item.value, table, names):
                yield item, fields
        elif item.table != "agents":
            yield item, "it is not a row of a table of memories"


def make_slug(name: str) -> str:
    """Convert a name to the slug of an agent or crew."""
    return re.sub(r"[^a-z0-9]+", "-", name.lower()).strip("-")[:40].rstrip("-")


def _read_row(
    value: dict[str, Any], table: str, names: Mapping[str, str]
) -> Iterator[dict[str, Any]]:
    """Yield the fields of a row: once, or once for each crew.

    Args:
        names: Slugs of agents by id.
    """
    kind, subtype = map_kind(get_text(value, "kind"), "context")
    agent = get_text(value, "agent_id")
    status = get_text(value, "status")
    common = {
        "id": f"{table} {key}" if (key := get_text(value, "id")) else "",
        "kind": kind,
        "subtype": subtype,
        "title": " ".join(get_text(value, "title").split())[:200],
        "content": truncate_content(get_text(value, "content")),
        "metadata": value["metadata"] if isinstance(value.get("metadata"), dict) else {},
        "status": STATUSES.get(status, status),
        "importance": int(min(5, max(1, get_number(value, "importance", 3)))),
        "confidence": min(1.0, max(0.0, get_number(value, "confidence", 0.5))),
        "created_at": get_time(value, "occurred_at", "created_at"),
        "updated_at": get_time(value, "updated_at", "created_at"),
        "valid_until": get_time(value, "expires_at"),
    }
    if table == PRIVATE:
        yield common | {
            "agent": names.get(agent) or make_slug(agent),
            "sensitivity": get_text(value, "sensitivity"),
            "session": get_text(value, "source_session"),
            "project": get_text(value, "source_project"),
            "issue": get_text(value, "source_issue"),
        }
    elif table == DIARY:
        date = get_time(value, "date") or ""
        yield common | {
            "kind": "fact" if get_text(value, "kind") == "long_term" else "context",
            "subtype": "diary",
            "title": common["title"] or (f"Diary of {date[:10]}" if date else ""),
            "agent": names.get(agent) or make_slug(agent),
            "importance": DIARY_IMPORTANCE,
            "confidence": DIARY_CONFIDENCE,
        }
    elif table == PAGES:
        yield common | {"kind": "fact", "scope": "workspace", "tags": get_labels(value, "tags")}
    else:
        teams = value.get("scope_teams")
        if isinstance(teams, str):  # PostgreSQL's text form of an array
            teams = [each.strip(' "') for each in teams.strip("{}").split(",")]
        teams = teams if isinstance(teams, list) else []
        crews = [make_slug(each) for each in teams if isinstance(each, str) and each]
        shared = common | {"base_quality": min(1.0, get_number(value, "quality_score", 0.6))}
        if value.get("scope") != "team" or not crews:
            yield shared | {"scope": "workspace"}
            return
        for crew in crews:
            yield shared | {"scope": "crew", "crew": crew}


LAYOUT = Dump("ottercamp", is_record, read_items)
