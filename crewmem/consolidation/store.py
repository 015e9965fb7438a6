"""The tables of consolidation, and its queries of other tables, in the home's database."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import date, timedelta
from typing import Any

from crewmem.consolidation.candidates import Candidate, Evidence
from crewmem.consolidation.inputs import ENTRY_TYPES, EntryRow, FactRow
from crewmem.consolidation.pins import PinnedEntry
from crewmem.context import Context
from crewmem.facts.fact import LIVE_SQL
from crewmem.journal.entry import MAX_SUMMARY
from crewmem.origins import may_push
from crewmem.storage.json_columns import load_list, load_object

OPEN_SPAN = timedelta(days=30)
"""Time after its last day in which an open candidate can recur."""

MAX_EVIDENCE = 20
"""Maximum number of places that are stored of a candidate: the first one and the newest."""


@dataclass(frozen=True, slots=True)
class History:
    """The state that earlier runs left, and the facts that are known.

    Attributes:
        open: Candidates that may still recur.
        settled: Candidates that were applied, rejected or proposed, by id.
        proposed_changes: Changes of plans that wait in review, as (id of the item, JSON).
        facts: Texts of the current facts of the crew, its agents and the workspace, by id.
    """

    open: list[Candidate] = field(default_factory=list)
    settled: dict[str, Candidate] = field(default_factory=dict)
    proposed_changes: list[tuple[str, dict[str, Any]]] = field(default_factory=list)
    facts: dict[str, str] = field(default_factory=dict)


class CandidateStore:
    """Watermarks and candidates. Writes join the open transaction."""

    def __init__(self, context: Context) -> None:
        self._context = context

    def load_watermarks(self, crew: str) -> dict[tuple[str, str], str]:
        """Return the position of each source of a crew, by agent and source."""
        rows = self._context.db.execute(
            "select agent, source, position from consolidation_watermarks"
            " where workspace_id = :workspace and crew = :crew",
            {"workspace": self._context.workspace, "crew": crew},
        )
        return {(agent, source): position for agent, source, position in rows}

    def save_watermarks(self, crew: str, positions: Mapping[tuple[str, str], str]) -> None:
        """Store the positions of sources, by agent and source."""
        workspace, now = self._context.workspace, self._context.now_text
        self._context.db.executemany(
            "insert into consolidation_watermarks values (?, ?, ?, ?, ?, ?)"
            " on conflict do update set position = excluded.position, read_at = excluded.read_at"
            " where position <> excluded.position",
            [(workspace, crew, *source, position, now) for source, position in positions.items()],
        )

    def rename_agent(self, slug: str, crew: str, new_crew: str) -> None:
        """Give what was read and found in the notes of an agent to its new crew."""
        names = {
            "workspace": self._context.workspace,
            "slug": slug,
            "crew": crew,
            "new_crew": new_crew,
            "old": f"agent:{crew}/{slug}/",
            "new": f"agent:{new_crew}/{slug}/",
            "owner": json.dumps(f"{crew}/{slug}"),
            "new_owner": json.dumps(f"{new_crew}/{slug}"),
        }
        own = "where workspace_id = :workspace and crew = :crew and agent = :slug"
        self._context.db.execute(
            "update or replace consolidation_watermarks set crew = :new_crew,"
            f" source = replace(source, :old, :new) {own}",
            names,
        )
        self._context.db.execute(
            "update consolidation_candidates set crew = :new_crew,"
            " target = replace(target, :old, :new), evidence ="
            f" replace(replace(evidence, :old, :new), :owner, :new_owner) {own}",
            names,
        )

    def load_history(self, crew: str, today: date) -> History:
        """Return the state that earlier runs of a crew left."""
        since = (today - OPEN_SPAN).isoformat()
        open_ = self._list(crew, "open")
        settled = self._list(crew, "applied", "rejected", "proposed")
        return History(
            open=[each for each in open_ if each.evidence and each.last_day >= since],
            settled={each.id: each for each in settled},
            proposed_changes=self._list_proposed_changes(crew),
            facts=self._list_facts(crew),
        )

    def _list(self, crew: str, *statuses: str) -> list[Candidate]:
        """Return a crew's candidates with one of *statuses*, oldest first."""
        rows = self._context.db.execute(
            "select text, kind, evidence, probability, is_marked, topic, id, crew, agent, status,"
            " target from consolidation_candidates where workspace_id = :workspace and crew = :crew"
            " and status in (select value from json_each(:statuses)) order by first_day, id",
            {
                "workspace": self._context.workspace,
                "crew": crew,
                "statuses": statuses,
            },
        )
        return [
            Candidate(
                text,
                kind,
                [Evidence(*each) for each in load_list(evidence)],
                probability,
                bool(is_marked),
                *others,
            )
            for text, kind, evidence, probability, is_marked, *others in rows
        ]

    def save(self, candidates: Iterable[Candidate]) -> None:
        """Insert candidates, or update those that changed."""
        now = self._context.now_text
        rows = []
        for each in candidates:
            evidence = each.evidence
            if len(evidence) > MAX_EVIDENCE:
                evidence = [evidence[0], *evidence[1 - MAX_EVIDENCE :]]
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
                    "evidence": json.dumps(evidence, ensure_ascii=False),
                    "origin": each.origin,
                    "target": each.target,
                    "at": now,
                    "probability": round(each.probability, 4),
                    "topic": each.topic,
                }
            )
        self._context.db.executemany(
            "insert into consolidation_candidates (id, workspace_id, crew, agent, is_marked,"
            " kind, text, status, first_day, last_day, evidence, origin, target, changed_at,"
            " probability, topic) values (:id, :workspace, :crew, :agent, :is_marked, :kind, :text,"
            " :status, :first, :last, :evidence, :origin, :target, :at, :probability, :topic)"
            " on conflict do update set is_marked = excluded.is_marked, status = excluded.status,"
            " last_day = excluded.last_day, evidence = excluded.evidence,"
            " origin = excluded.origin, target = excluded.target,"
            " changed_at = excluded.changed_at, probability = excluded.probability"
            " where status <> excluded.status or evidence <> excluded.evidence"
            " or target <> excluded.target or is_marked <> excluded.is_marked",
            rows,
        )

    def delete(self, ids: Iterable[str]) -> None:
        """Delete candidates."""
        self._context.db.executemany(
            "delete from consolidation_candidates where workspace_id = ? and id = ?",
            [(self._context.workspace, each) for each in ids],
        )

    def set_status(self, ids: Iterable[str], status: str, *, target: str | None = None) -> None:
        """Set the status of candidates, and the file or fact that contains them now."""
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

    def delete_expired(self, crew: str, today: date) -> None:
        """Delete open candidates that have not recurred within `OPEN_SPAN`."""
        self._context.db.execute(
            "delete from consolidation_candidates where workspace_id = ? and crew = ?"
            " and status = 'open' and last_day < ?",
            (self._context.workspace, crew, (today - OPEN_SPAN).isoformat()),
        )

    # Queries of other tables

    def list_entries(self, crew: str, position: str, agent: str | None) -> list[EntryRow]:
        """Return journal entries of `ENTRY_TYPES` after a position, oldest first."""
        condition = self._context.access.journal(scope=None)
        rows = self._context.db.execute(
            "select id, ts, entry_type, coalesce(agent_id, ''), origin, summary, payload"
            " from journal_entries where crew_id = :crew and ts || ' ' || id > :position"
            " and entry_type in (select value from json_each(:types))"
            f" and (:agent is null or agent_id = :agent) and {condition.sql} order by ts, id",
            {
                "crew": crew,
                "position": position,
                "types": ENTRY_TYPES,
                "agent": agent,
                **condition.params,
            },
        )
        return [EntryRow(*row) for row in rows]

    def list_consolidated(self, texts: Sequence[str]) -> set[tuple[str, str, tuple[str, ...]]]:
        """Return text, file and evidence of each entry that records the promotion of *texts*."""
        condition = self._context.access.journal(scope=None)
        rows = self._context.db.execute(
            "select summary, payload from journal_entries where entry_type = 'memory.consolidated'"
            f" and summary in (select value from json_each(:texts)) and {condition.sql}",
            {"texts": [text[:MAX_SUMMARY] for text in texts], **condition.params},
        )
        recorded = set()
        for summary, payload in rows:
            values = load_object(payload)
            recorded.add((summary, values.get("file", ""), tuple(values.get("evidence", ()))))
        return recorded

    def list_pinned_entries(self, crew: str) -> list[PinnedEntry]:
        """Return a crew's pinned entries, oldest first.

        Pins are in every prompt. So an external entry is included only if the last change of its
        priority is by an operator; a priority from an import does not count. Suspicious entries are
        left out, because nothing would mark them as suspicious in pins.md.
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
            PinnedEntry(*values)
            for *values, origin, pinned_by in rows
            if may_push(origin, pinned_by=pinned_by) and not self._context.scanner.scan(values[-1])
        ]

    def list_session_facts(self, crew: str, position: str, agent: str | None) -> list[FactRow]:
        """Return facts that were extracted from sessions after a position, oldest first."""
        condition = self._context.access.facts()
        rows = self._context.db.execute(
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
        return [FactRow(*row) for row in rows]

    def _list_facts(self, crew: str) -> dict[str, str]:
        """Return the texts of the current facts of a crew, its agents and the workspace, by id."""
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

    def _list_proposed_changes(self, crew: str) -> list[tuple[str, dict[str, Any]]]:
        """Return the changes of a crew's plans that wait in review, as (id of the item, JSON)."""
        rows = self._context.db.execute(
            "select id, payload from review_items where workspace_id = :workspace"
            " and kind = 'plan' and status = 'open' and crew = :crew",
            {"workspace": self._context.workspace, "crew": crew},
        )
        return [
            (item_id, change)
            for item_id, payload in rows
            for change in load_object(payload).get("changes", ())
        ]
