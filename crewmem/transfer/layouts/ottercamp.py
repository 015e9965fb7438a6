"""Dumps of OtterCamp: memories of agents, knowledge of teams, wiki pages, and diaries."""

import re
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from crewmem.transfer.contents import ImportOptions
from crewmem.transfer.dumps import ReadItems, make_dump_layout
from crewmem.transfer.records import Item, Record, map_kind

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
        str(item.value["id"]): make_slug(item.value.text("slug", "name", "display_name"))
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


def _read_row(record: Record, table: str, names: Mapping[str, str]) -> Iterator[dict[str, Any]]:
    """Yield the fields of a row: once, or once for each crew.

    Args:
        names: Slugs of agents by id.
    """
    kind, subtype = map_kind(record.text("kind"), "context")
    agent = record.text("agent_id")
    status = record.text("status")
    common = {
        "id": f"{table} {key}" if (key := record.text("id")) else "",
        "kind": kind,
        "subtype": subtype,
        "title": record.title("title"),
        "content": record.text("content"),
        "metadata": record.object("metadata"),
        "status": STATUSES.get(status, status),
        "importance": int(record.number("importance", 3, 1, 5)),
        "confidence": record.number("confidence", 0.5, 0, 1),
        "created_at": record.time("occurred_at", "created_at"),
        "updated_at": record.time("updated_at", "created_at"),
        "valid_until": record.time("expires_at"),
    }
    if table == PRIVATE:
        yield common | {
            "agent": names.get(agent) or make_slug(agent),
            "sensitivity": record.text("sensitivity"),
            "session": record.text("source_session"),
            "project": record.text("source_project"),
            "issue": record.text("source_issue"),
        }
    elif table == DIARY:
        date = record.time("date") or ""
        yield common | {
            "kind": "fact" if record.text("kind") == "long_term" else "context",
            "subtype": "diary",
            "title": common["title"] or (f"Diary of {date[:10]}" if date else ""),
            "agent": names.get(agent) or make_slug(agent),
            "importance": DIARY_IMPORTANCE,
            "confidence": DIARY_CONFIDENCE,
        }
    elif table == PAGES:
        yield common | {"kind": "fact", "scope": "workspace", "tags": record.labels("tags")}
    else:
        teams = record.get("scope_teams")
        if isinstance(teams, str):  # PostgreSQL's text form of an array
            teams = [each.strip(' "') for each in teams.strip("{}").split(",")]
        teams = teams if isinstance(teams, list) else []
        crews = [make_slug(each) for each in teams if isinstance(each, str) and each]
        shared = common | {"base_quality": record.number("quality_score", 0.6, 0, 1)}
        if record.get("scope") != "team" or not crews:
            yield shared | {"scope": "workspace"}
            return
        for crew in crews:
            yield shared | {"scope": "crew", "crew": crew}


LAYOUT = make_dump_layout("ottercamp", is_record, read_items)
