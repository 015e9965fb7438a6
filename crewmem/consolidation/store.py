"""Watermarks and candidates of consolidation, in the home's database."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping, Sequence
from datetime import date, timedelta
from types import MappingProxyType
from typing import Any, NamedTuple

from crewmem.consolidation.candidates import Candidate, Evidence
from crewmem.consolidation.inputs import ENTRY_TYPES
from crewmem.context import Context
from crewmem.facts.fact import LIVE_SQL
from crewmem.journal.entry import MAX_SUMMARY
from crewmem.origins import may_push
from crewmem.storage.json_columns import load_list, load_object

OPEN_SPAN = timedelta(days=30)
"""How long an open candidate waits to recur."""

EVIDENCE_MAX = 20
"""Places that are kept of a candidate: the first and the newest."""


class Past(NamedTuple):
    """What earlier runs left, and what else is known.

    Attributes:
        open: Candidates that may still recur.
        settled: Those that were applied, rejected or proposed, by id.
        waiting: Changes of open plans, with the review item that each is of.
        facts: Texts of facts that hold for the crew and its agents, by id.
    """

    open: Sequence[Candidate] = ()
    settled: Mapping[str, Candidate] = MappingProxyType({})
    waiting: Sequence[tuple[str, dict[str, Any]]] = ()
    facts: Mapping[str, str] = MappingProxyType({})


class CandidateStore:
    """Reads and writes the two tables; effects join the open transaction."""

    def __init__(self, context: Context) -> None:
        self._context = context

    def watermarks(self, crew: str) -> dict[tuple[str, str], str]:
        """Return the positions of a crew's sources by agent and source."""
        rows = self._context.db.execute(
            "select agent, source, position from consolidation_watermarks"
            " where workspace_id = :workspace and crew = :crew",
            {"workspace": self._context.workspace, "crew": crew},
        )
        return {(agent, source): position for agent, source, position in rows}

    def set_watermarks(self, crew: str, positions: Mapping[tuple[str, str], str]) -> None:
        """Record how far sources were read, by agent and source."""
        workspace, now = self._context.workspace, self._context.now_text
        self._context.db.executemany(
            "insert into consolidation_watermarks values (?, ?, ?, ?, ?, ?)"
            " on conflict do update set position = excluded.position, read_at = excluded.read_at"
            " where position <> excluded.position",
            [(workspace, crew, *source, position, now) for source, position in positions.items()],
        )

    def load_past(self, crew: str, today: date) -> Past:
        """Return what earlier runs of a crew left."""
        since = (today - OPEN_SPAN).isoformat()
        opened = [e for e in self._list(crew, "open") if e.evidence and e.last_day >= since]
        settled = {each.id: each for each in self._list(crew, "applied", "rejected", "proposed")}
        return Past(opened, settled, self._list_waiting(crew), self._list_facts(crew))

    def _list(self, crew: str, *statuses: str) -> list[Candidate]:
        """Return a crew's candidates with one of *statuses*, the oldest first."""
        rows = self._context.db.execute(
            "select text, kind, evidence, chance, is_marked, topic, id, crew, agent, status, target"
            " from consolidation_candidates where workspace_id = :workspace and crew = :crew"
            " and status in (select value from json_each(:statuses)) order by first_day, id",
            {
                "workspace": self._context.workspace,
                "crew": crew,
                "statuses": json.dumps(statuses),
            },
        )
        return [
            Candidate(
                text, kind, [Evidence(*each) for each in load_list(evidence)], chance, bool(marked),
                *others,
            )
            for text, kind, evidence, chance, marked, *others in rows
        ]  # fmt: skip

    def save(self, candidates: Iterable[Candidate]) -> None:
        """Insert candidates, or update those that changed."""
        rows, now = [], self._context.now_text
        for each in candidates:
            kept = each.evidence
            if len(kept) > EVIDENCE_MAX:
                kept = [kept[0], *kept[1 - EVIDENCE_MAX :]]
            rows.append(
                {
                    "id": each.id,
                    "workspace": self._context.workspace,
                    "crew": each.crew,
                    "agent": each.agent,
                    "is_marked": each.is_marked,
                    "kind": each.kind,
                    "text": each.text,
                    "status": each.status,
                    "first": each.first_day,
                    "last": each.last_day,
                    "evidence": json.dumps(kept, ensure_ascii=False),
                    "origin": each.origin,
                    "target": each.target,
                    "at": now,
                    "chance": round(each.chance, 4),
                    "topic": each.topic,
                }
            )
        self._context.db.executemany(
            "insert into consolidation_candidates (id, workspace_id, crew, agent, is_marked,"
            " kind, text, status, first_day, last_day, evidence, origin, target, changed_at,"
            " chance, topic) values (:id, :workspace, :crew, :agent, :is_marked, :kind, :text,"
            " :status, :first, :last, :evidence, :origin, :target, :at, :chance, :topic)"
            " on conflict do update set is_marked = excluded.is_marked, status = excluded.status,"
            " last_day = excluded.last_day, evidence = excluded.evidence,"
            " origin = excluded.origin, target = excluded.target,"
            " changed_at = excluded.changed_at, chance = excluded.chance"
            " where status <> excluded.status or evidence <> excluded.evidence"
            " or target <> excluded.target or is_marked <> excluded.is_marked",
            rows,
        )

    def remove(self, ids: Iterable[str]) -> None:
        """Delete candidates that were merged into others."""
        self._context.db.executemany(
            "delete from consolidation_candidates where workspace_id = ? and id = ?",
            [(self._context.workspace, each) for each in ids],
        )

    def set_status(self, ids: Iterable[str], status: str, *, target: str | None = None) -> None:
        """Settle candidates; *target* is the file or the id of the fact that holds them now."""
        self._context.db.executemany(
            "update consolidation_candidates set status = :status, changed_at = :at,"
            " target = coalesce(:target, target)"
            " where workspace_id = :workspace and id = :id"
            " and (status <> :status or target <> coalesce(:target, target))",
            [
                {
                    "status": status,
                    "target": target,
                    "at": self._context.now_text,
                    "workspace": self._context.workspace,
                    "id": each,
                }
                for each in ids
            ],
        )

    def expire(self, crew: str, today: date) -> None:
        """Delete candidates that have not recurred for 30 days."""
        self._context.db.execute(
            "delete from consolidation_candidates where workspace_id = ? and crew = ?"
            " and status = 'open' and last_day < ?",
            (self._context.workspace, crew, (today - OPEN_SPAN).isoformat()),
        )

    # What other stores hold, as far as a run reads it

    def entries(self, crew: str, position: str, agent: str | None) -> list[tuple[Any, ...]]:
        """Return journal entries of the input types after a position, the oldest first."""
        condition = self._context.access.journal(scope=None)
        return self._context.db.all(
            "select id, ts, entry_type, coalesce(agent_id, ''), origin, summary, payload"
            " from journal_entries where crew_id = :crew and ts || ' ' || id > :position"
            " and entry_type in (select value from json_each(:types))"
            f" and (:agent is null or agent_id = :agent) and {condition.sql} order by ts, id",
            {
                "crew": crew,
                "position": position,
                "types": json.dumps(ENTRY_TYPES),
                "agent": agent,
                **condition.params,
            },
        )

    def list_consolidated(self, texts: Sequence[str]) -> set[tuple[str, str, tuple[str, ...]]]:
        """Return text, place and evidence of the promoted statements among *texts*."""
        condition = self._context.access.journal(scope=None)
        rows = self._context.db.execute(
            "select summary, payload from journal_entries where entry_type = 'memory.consolidated'"
            f" and summary in (select value from json_each(:texts)) and {condition.sql}",
            {"texts": json.dumps([text[:MAX_SUMMARY] for text in texts]), **condition.params},
        )
        found = set()
        for summary, payload in rows:
            said = load_object(payload)
            found.add((summary, said.get("file", ""), tuple(said.get("evidence", ()))))
        return found

    def pinned_entries(self, crew: str) -> list[tuple[str, ...]]:
        """Return a crew's pinned entries, the oldest first: id, type, time, summary.

        Pins lead every prompt, so an external entry is among them only if an operator pinned it
        last; what it was imported with does not count. Nothing in pins.md counts as suspicious, so
        a suspicious entry is not among them.
        """
        condition = self._context.access.journal(table="entries", scope=None)
        rows = self._context.db.execute(
            "select id, entry_type, ts, summary, origin, coalesce((select set_by from"
            " journal_entry_priorities changes where changes.workspace_id ="
            " entries.workspace_id and changes.entry_id = entries.id"
            " order by number desc, set_at desc, set_by desc limit 1), '')"
            " from journal_entries entries"
            " where crew_id = :crew and priority in ('pin', 'permanent') and summary <> ''"
            f" and {condition.sql} order by ts, id",
            {"crew": crew, **condition.params},
        )
        return [
            tuple(entry)
            for *entry, origin, by in rows
            if may_push(origin, pinned_by=by) and not self._context.scanner.scan(entry[-1])
        ]

    def session_facts(self, crew: str, position: str, agent: str | None) -> list[tuple[Any, ...]]:
        """Return facts that sessions gave after a position, the oldest first."""
        condition = self._context.access.facts()
        return self._context.db.all(
            "select id, created_at, coalesce(agent_id, ''), kind, origin, content, source_session"
            " from facts where coalesce(source_session, '') <> '' and scope = 'agent'"
            " and status in ('active', 'warm') and agent_id in"
            " (select slug from agents where workspace_id = :workspace and crew = :crew)"
            " and created_at || ' ' || id > :position"
            f" and (:agent is null or agent_id = :agent) and {condition.sql}"
            " order by created_at, id",
            {
                "crew": crew,
                "position": position,
                "workspace": self._context.workspace,
                "agent": agent,
                **condition.params,
            },
        )

    def _list_facts(self, crew: str) -> dict[str, str]:
        """Return the texts of facts that hold for a crew and its agents, by id."""
        condition = self._context.access.facts()
        rows = self._context.db.execute(
            f"select id, content from facts where status in {LIVE_SQL}"
            " and kind not in ('summary', 'context') and (scope = 'workspace'"
            " or scope = 'crew' and crew_id = :crew or scope = 'agent' and agent_id in"
            " (select slug from agents where workspace_id = :workspace and crew = :crew))"
            f" and {condition.sql} order by created_at, id",
            {"crew": crew, "workspace": self._context.workspace, **condition.params},
        )
        return {str(fact_id): str(content) for fact_id, content in rows}

    def _list_waiting(self, crew: str) -> list[tuple[str, dict[str, Any]]]:
        """Return the changes of open plans of a crew, with the item that each is of."""
        rows = self._context.db.execute(
            "select id, payload from review_items where workspace_id = :workspace"
            " and kind = 'plan' and status = 'open' and crew = :crew",
            {"workspace": self._context.workspace, "crew": crew},
        )
        return [
            (item, each)
            for item, payload in rows
            for each in load_object(payload).get("changes", ())
        ]
