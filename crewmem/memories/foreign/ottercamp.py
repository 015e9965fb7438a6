"""OtterCamp: memories of agents, knowledge of teams, and the pages of its wiki."""

from __future__ import annotations

from crewmem import ids
from crewmem.errors.values import BadMemoryError
from crewmem.memories import fields
from crewmem.memories.foreign import common

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence
    from typing import Any

    from crewmem.memories.dump import Item
    from crewmem.memories.foreign.aim import Aim

    Record = dict[str, Any]

PRIVATE, SHARED, PAGES, DIARY, AGENTS = (
    "memory_entries",
    "shared_knowledge",
    "knowledge_entries",
    "agent_memories",
    "agents",
)

ORIGIN = "ottercamp"

PAGES_OF_A_DIARY = {
    "daily": ("context", "diary"),
    "long_term": ("fact", "long-term"),
    "note": ("context", "note"),
}
"""Kinds of what is in a diary, each with its kind and its subtype here: what was kept
for long does not age."""

DIARY_IMPORTANCE, DIARY_CONFIDENCE = 2, 0.4
"""As OtterCamp's own migration gave it when it made memories of diaries (065): pages
are kept whole, and found, and never promoted. They are no memory files here: those are
curated, and have a cap that years of pages are over."""


def fits(record: Record, table: str) -> bool:
    """Tell whether *record* is a row of OtterCamp's."""
    return bool(table_of(record, table))


def table_of(record: Record, table: str) -> str:
    """Return of which table *record* is a row; "" for none of them."""
    if table in {PRIVATE, SHARED, PAGES, DIARY}:
        return table
    if table == AGENTS:
        return AGENTS if "id" in record and "content" not in record else ""
    names = record.keys()
    if "source_agent_id" in names or {"quality_score", "scope_teams"} & names:
        return SHARED
    if "agent_id" in names and "content" in names:
        if "date" in names and "importance" not in names:
            return DIARY
        return PRIVATE if {"org_id", "source_session", "content_hash"} & names else ""
    is_page = {"title", "content", "tags", "created_by", "org_id"} <= names
    return PAGES if is_page and "kind" not in names else ""


def mapped(items: Sequence[Item], aim: Aim) -> list[Item]:
    """Return the rows of a dump as our own, what was shared with teams once for each.

    Agents are called by the slugs that the dump has of them, or by their ids.
    """
    return _Camp(items, aim).mapped()


class _Camp:
    """A dump, and what of it other rows name."""

    def __init__(self, items: Sequence[Item], aim: Aim) -> None:
        self.items, self.aim = items, aim
        self.names: dict[str, str] = {}
        self.teams: dict[str, list[str]] = {}
        self.ids: set[str] = set()
        for each in items:
            record = each.record or {}
            table = table_of(record, each.table)
            key = record.get("id")
            if not isinstance(key, str):
                continue
            if table == AGENTS:
                self._call(key, record)
            elif table == SHARED:
                self.teams[key] = self._teams(record)
            elif table == PRIVATE:
                self.ids.add(key)

    def _call(self, key: str, record: Record) -> None:
        for name in ("slug", "name", "display_name"):
            if isinstance(record.get(name), str) and record[name].strip():
                self.names[key] = record[name]
                return

    def mapped(self) -> list[Item]:
        """Return all of it."""
        known = []
        for each in self.items:
            record = each.record or {}
            table = table_of(record, each.table)
            if table != AGENTS:
                known.append(each)
        return common.each(known, self._mapped)

    def _mapped(self, item: Item) -> Iterator[Record]:
        record = item.record or {}
        table = table_of(record, item.table)
        if table == PRIVATE:
            yield self._private(record)
        elif table == SHARED:
            yield from self._shared(record)
        elif table == PAGES:
            yield self._page(record)
        elif table == DIARY:
            yield self._diary(record)
        else:
            raise BadMemoryError("row", "something else", "one of OtterCamp's")

    def _agent(self, record: Record, name: str) -> str:
        key = fields.text(record, name)
        if not key:
            raise BadMemoryError(name, "nothing", "the agent whose it is")
        if key in self.aim.names:
            return self.aim.names[key]
        return self.aim.name(self.names.get(key, key))

    def _common(self, record: Record) -> Record:
        created = common.instant(record, "created_at")
        return {
            "id": fields.line(record, "id"),
            "kind": self.aim.kind(fields.text(record, "kind") or "context"),
            "title": _title(record),
            "content": fields.text(record, "content"),
            "metadata": fields.mapping(record, "metadata"),
            "status": fields.text(record, "status"),
            "occurred_at": common.instant(record, "occurred_at"),
            "expires_at": common.instant(record, "expires_at"),
            "created_at": created,
            "updated_at": common.instant(record, "updated_at") or created,
            "origin": ORIGIN,
        }

    def _private(self, record: Record) -> Record:
        agent = self._agent(record, "agent_id")
        return common.filled(
            {
                **self._common(record),
                "scope": "agent",
                "agent": agent,
                "importance": record.get("importance") or None,
                "confidence": record.get("confidence"),
                "sensitivity": fields.text(record, "sensitivity"),
                "session": fields.text(record, "source_session"),
                "project": fields.text(record, "source_project"),
                "issue": fields.text(record, "source_issue"),
                "created_by": f"agent:{agent}",
            }
        )

    def _teams(self, record: Record) -> list[str]:
        """Return the crews that *record* is shared with; [] for the workspace."""
        teams = record.get("scope_teams")
        if isinstance(teams, str):  # as PostgreSQL spells an array
            teams = [each.strip(' "') for each in teams.strip("{}").split(",")]
        if record.get("scope") != "team" or not isinstance(teams, list):
            return []
        names = [self.aim.name(each) for each in teams if isinstance(each, str)]
        return [*dict.fromkeys(each for each in names if each)]

    def _id_for(self, memory_id: str, crew: str) -> str:
        """Return the id that what is shared has for *crew*: the first keeps its own."""
        teams = self.teams.get(memory_id, [])
        if crew not in teams[1:]:
            return memory_id
        return ids.made_of("m", f"{memory_id}\0{crew}".encode())

    def _shared(self, record: Record) -> Iterator[Record]:
        key = fields.line(record, "id")
        if key is None:
            raise BadMemoryError("id", "nothing", "there")
        by = f"agent:{self._agent(record, 'source_agent_id')}"
        base = self._common(record)
        successor = fields.line(record, "superseded_by")
        crews = self.teams.get(key) or [""]
        up = fields.whole(record, "confirmations", 0)
        down = fields.whole(record, "contradictions", 0)
        if max(up, down) > common.VOTES_MOST:
            counts = {"confirmations": up, "contradictions": down}
            base["metadata"] = {**base["metadata"], **counts}
        for crew in crews:
            yield common.filled(
                {
                    **base,
                    "id": self._id_for(key, crew),
                    "scope": "crew" if crew else "workspace",
                    "crew": crew,
                    "base_quality": record.get("quality_score"),
                    "superseded_by": successor and self._id_for(successor, crew),
                    "votes": common.votes(up, down, base["updated_at"]),
                    "accesses": self._accessed(record),
                    "edges": self._edges(record, key, crew, crews, by),
                    "created_by": by,
                }
            )

    @staticmethod
    def _accessed(record: Record) -> Record:
        last = common.instant(record, "last_accessed_at")
        return {"accessed": 1, "last_accessed_at": last} if last else {}

    def _edges(
        self, record: Record, key: str, crew: str, crews: list[str], by: str
    ) -> list[Record]:
        source = record.get("source_memory_id")
        names = [("promoted_from", source)] if source in self.ids else []
        before = crews[: crews.index(crew)]
        names += [("similar", self._id_for(key, each)) for each in before]
        at = common.instant(record, "created_at")
        when = {"created_at": at} if at else {}
        return [
            {"to": to, "relation": relation, "created_by": by, **when}
            for relation, to in names
        ]

    def _page(self, record: Record) -> Record:
        base = self._common(record)
        by = fields.text(record, "created_by") or ""
        return common.filled(
            {
                **base,
                "kind": "fact",
                "scope": "workspace",
                "tags": common.words(record, "tags"),
                **common.created_by(self.names.get(by, by)),
            }
        )

    def _diary(self, record: Record) -> Record:
        """Return a page of a diary: of a day, of what lasts, or a note."""
        page = fields.one_of(record, "kind", tuple(PAGES_OF_A_DIARY)) or "note"
        kind, subtype = PAGES_OF_A_DIARY[page]
        agent = self._agent(record, "agent_id")
        base = self._common({**record, "kind": kind})
        date = common.instant(record, "date")
        title = f"Diary of {date[:10]}" if date and page == "daily" else None
        return common.filled(
            {
                **base,
                "subtype": subtype,
                "title": base["title"] or title,
                "scope": "agent",
                "agent": agent,
                "importance": record.get("importance") or DIARY_IMPORTANCE,
                "confidence": DIARY_CONFIDENCE,
                "occurred_at": base["occurred_at"] or date,
                "created_by": f"agent:{agent}",
            }
        )


def _title(record: Record) -> str | None:
    """Return the title in one line, as long as titles are."""
    from crewmem.memories.draft import TITLE_MOST

    title = fields.text(record, "title")
    return None if title is None else " ".join(title.split())[:TITLE_MOST]
