"""OtterCamp: memories of agents, knowledge of teams, pages of its wiki, and diaries."""

import re
from collections.abc import Iterator, Mapping, Sequence
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
    words_of,
)

PRIVATE, SHARED, PAGES, DIARY = (
    "memory_entries",
    "shared_knowledge",
    "knowledge_entries",
    "agent_memories",
)

DIARY_IMPORTANCE, DIARY_CONFIDENCE = 2, 0.4
"""Values that OtterCamp's own migration gave to memories made of diaries."""

STATUSES = {"deprecated": "superseded"}


def is_record(item: Item) -> bool:
    """Tell whether an item is a row of OtterCamp's tables."""
    return bool(_find_table(item))


def _find_table(item: Item) -> str:
    """Return the table of a row; "" for none of them."""
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


def read_items(items: Sequence[Item], options: ImportOptions) -> FoundItems:
    """Yield the rows: facts of agents, of crews, or of the workspace."""
    names = {
        str(item.value["id"]): make_slug(text_of(item.value, "slug", "name", "display_name"))
        for item in items
        if item.table == "agents" and item.value.get("id")
    }
    for item in items:
        if table := _find_table(item):
            for fields in _read_row(item.value, table, names):
                yield item, fields
        elif item.table != "agents":
            yield item, "it is not a row with a memory"


def make_slug(name: str) -> str:
    """Convert a name to a slug of an agent or crew."""
    return re.sub(r"[^a-z0-9]+", "-", name.lower()).strip("-")[:40].rstrip("-")


def _read_row(
    value: dict[str, Any], table: str, names: Mapping[str, str]
) -> Iterator[dict[str, Any]]:
    kind, subtype = kind_of(text_of(value, "kind"), "context")
    agent = text_of(value, "agent_id")
    status = text_of(value, "status")
    common = {
        "id": f"{table} {key}" if (key := text_of(value, "id")) else "",
        "kind": kind,
        "subtype": subtype,
        "title": " ".join(text_of(value, "title").split())[:200],
        "content": cut_content(text_of(value, "content")),
        "metadata": value["metadata"] if isinstance(value.get("metadata"), dict) else {},
        "status": STATUSES.get(status, status),
        "importance": int(min(5, max(1, number_of(value, "importance", 3)))),
        "confidence": min(1.0, max(0.0, number_of(value, "confidence", 0.5))),
        "created_at": time_of(value, "occurred_at", "created_at"),
        "updated_at": time_of(value, "updated_at", "created_at"),
        "valid_until": time_of(value, "expires_at"),
    }
    if table == PRIVATE:
        yield common | {
            "agent": names.get(agent) or make_slug(agent),
            "sensitivity": text_of(value, "sensitivity"),
            "session": text_of(value, "source_session"),
            "project": text_of(value, "source_project"),
            "issue": text_of(value, "source_issue"),
        }
    elif table == DIARY:
        date = time_of(value, "date") or ""
        yield common | {
            "kind": "fact" if text_of(value, "kind") == "long_term" else "context",
            "subtype": "diary",
            "title": common["title"] or (f"Diary of {date[:10]}" if date else ""),
            "agent": names.get(agent) or make_slug(agent),
            "importance": DIARY_IMPORTANCE,
            "confidence": DIARY_CONFIDENCE,
        }
    elif table == PAGES:
        yield common | {"kind": "fact", "scope": "workspace", "tags": words_of(value, "tags")}
    else:
        teams = value.get("scope_teams")
        if isinstance(teams, str):  # PostgreSQL's notation of an array
            teams = [each.strip(' "') for each in teams.strip("{}").split(",")]
        teams = teams if isinstance(teams, list) else []
        crews = [make_slug(each) for each in teams if isinstance(each, str) and each]
        shared = common | {"base_quality": min(1.0, number_of(value, "quality_score", 0.6))}
        if value.get("scope") != "team" or not crews:
            yield shared | {"scope": "workspace"}
            return
        for crew in crews:
            yield shared | {"scope": "crew", "crew": crew}


LAYOUT = Dump("ottercamp", is_record, read_items)
