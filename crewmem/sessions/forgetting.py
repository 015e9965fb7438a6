"""Forget sessions: erase their index, copies, facts and prompts, but not the programs' own logs."""

from __future__ import annotations

import json
from dataclasses import dataclass
from datetime import datetime
from typing import TYPE_CHECKING

from crewmem.context import Context
from crewmem.errors import UsageError
from crewmem.facts.purge import list_copies
from crewmem.protocols import EntryPurger
from crewmem.sessions.index import SessionIndex
from crewmem.sessions.store import Session
from crewmem.storage.derived import FORGOTTEN_TYPE, blank_skills, forget_cases
from crewmem.storage.locks import lock
from crewmem.storage.sqlite import Database, scrub, transaction
from crewmem.text.wording import count
from crewmem.times import format_time

if TYPE_CHECKING:
    from crewmem.home import Home


@dataclass(slots=True)
class ForgetPlan:
    """What forgetting would erase, or erased.

    Attributes:
        sessions: Ids of the sessions.
        turns: Number of turns.
        copies: Number of kept copies; *copy_bytes* is their size.
        facts: Ids of facts whose only evidence is these sessions.
        kept_facts: Ids of facts that have other evidence, too.
        shared_facts: Ids of facts that were shared from *facts*; they are independent, and stay.
    """

    sessions: list[str]
    turns: int
    copies: int
    copy_bytes: int
    facts: list[str]
    kept_facts: list[str]
    shared_facts: list[str]


class Forgetting:
    """Erases sessions: `home.sessions.forgetting`."""

    def __init__(self, home: Home) -> None:
        self._home, self.context, self._sessions = home, home.context, home.sessions

    def plan(self, prefix: str = "", *, before: datetime | None = None) -> ForgetPlan:
        """Return what forgetting a session, or all that ended before a time, would erase.

        Raises:
            UsageError: If not exactly one of *prefix* and *before* is given.
            NotFoundError: If there is no such session.
        """
        if bool(prefix) == (before is not None):
            raise UsageError("name a session, or a time with --before", code="nothing-named")
        sessions: list[Session] = []
        if prefix:
            chosen = self._sessions.get(prefix)
            sessions = [chosen]
            if chosen.native_id:  # and its sub-agents, if their ids begin with its own
                sessions += self._sessions.select(
                    "program = :program and substr(native_id, 1, length(:name)) = :name",
                    {"program": chosen.program, "name": f"{chosen.native_id}/"},
                )
        elif before is not None:
            sessions = self._sessions.select(
                "last_at <> '' and last_at < :before", {"before": format_time(before)}
            )
        ids = [each.id for each in sessions]
        facts, kept = _list_facts(self.context, ids)
        turns = sum(each.turns for each in sessions)
        sizes: list[int] = []
        index = self._sessions.open_index()
        if index is not None:
            copies = self._sessions.copies
            sizes = [size for log in _list_logs(index, ids) if (size := copies.size(log))]
        shared = list_copies(self.context.db, facts)
        return ForgetPlan(ids, turns, len(sizes), sum(sizes), facts, kept, shared)

    def apply(self, plan: ForgetPlan) -> None:
        """Erase copies, index and facts of sessions. Their logs stay, but are not read again.

        If the run is killed, the same call finishes it.
        """
        context, facts, journal = self.context, self._home.facts, self._home.journal
        index, copies = self._sessions.open_for_writing(), self._sessions.copies
        with lock(context.lock_path("sessions")):
            logs = _list_logs(index, plan.sessions)
            with transaction(context.db):
                context.db.executemany(
                    "insert or ignore into forgotten values (?)",
                    [(i,) for i in (*plan.sessions, *logs)],
                )
            for fact_id in plan.facts:
                facts.purge(fact_id)
            names = _list_names(index, plan.sessions)
            _erase_traces(context, journal, names)
            with transaction(context.db):  # erases: see `hosts.changes.erases_text`
                for fact in facts.table.by_ids(plan.kept_facts).values():
                    spans = [
                        each for each in fact.spans if each.get("session") not in plan.sessions
                    ]
                    if spans != fact.spans:
                        changes = {"source_spans": spans}
                        facts.table.update(fact, changes, reason="session forgotten")
                blank_skills(context.db, context.workspace, plan.sessions, context.now_text)
                for name in names:
                    forget_cases(context.db, context.workspace, name)
                for table in ("fact_evidence", "extraction_retries"):
                    context.db.execute(
                        f"delete from {table} where session_id in (select value from json_each(?))",
                        (plan.sessions,),
                    )
                if plan.sessions:
                    journal.append(
                        FORGOTTEN_TYPE,
                        f"{count(len(plan.sessions), 'session')} forgotten",
                        payload={"sessions": plan.sessions, "facts": len(plan.facts)},
                    )
            scrub(context.db)
            for log in logs:
                copies.remove(log)
            with transaction(index):
                SessionIndex(index).delete_sessions(plan.sessions)
            scrub(index)


def _list_logs(index: Database, sessions: list[str]) -> list[str]:
    """Return the ids of the logs of sessions."""
    return index.column(
        "select logs.id from logs join sessions on sessions.key = logs.session"
        " where sessions.id in (select value from json_each(?)) order by logs.key",
        (sessions,),
    )


def _list_facts(context: Context, sessions: list[str]) -> tuple[list[str], list[str]]:
    """Return the facts whose only evidence is these sessions, and those with other evidence."""
    rows = context.db.all(
        "select mine.fact_id, facts.metadata, exists (select 1 from fact_evidence other"
        " where other.fact_id = mine.fact_id"
        " and other.session_id not in (select value from json_each(:sessions)))"
        " from (select distinct fact_id from fact_evidence"
        "  where session_id in (select value from json_each(:sessions))"
        "  and workspace_id = :workspace) mine join facts on facts.id = mine.fact_id"
        " and facts.content_hash <> ''",
        {"sessions": sessions, "workspace": context.workspace},
    )
    alone: list[str] = []
    kept: list[str] = []
    for fact, metadata, has_other in rows:
        was_learned = json.loads(metadata or "{}").get("learned_from") == "session"
        if was_learned and not has_other:
            alone.append(fact)
        else:
            kept.append(fact)
    return alone, kept


def _list_names(index: Database, sessions: list[str]) -> list[str]:
    """Return the ids of sessions, here and in their programs."""
    native_ids = index.column(
        "select native_id from sessions where id in (select value from json_each(?))", (sessions,)
    )
    return [*sessions, *filter(None, native_ids)]


def _erase_traces(context: Context, journal: EntryPurger, names: list[str]) -> None:
    """Erase the summaries of lost context and the prompts of the sessions *names*."""
    losses = context.db.column(
        "select distinct session_id from context_losses where workspace_id = ?1 and"
        " (session_id in (select value from json_each(?2))"
        "  or native_id in (select value from json_each(?2)))",
        (context.workspace, names),
    )
    if losses:
        journal.purge_entries(
            [entry for name in losses for entry in journal.find_entries_with("session", name)]
        )
    context.db.execute("pragma secure_delete = on")
    with transaction(context.db, local=True):
        for table in ("recalls", "given"):
            context.db.execute(
                f"delete from {table} where session in (select value from json_each(?))", (names,)
            )
        context.db.execute(
            "delete from session_agents where native_id in (select value from json_each(?))",
            (names,),
        )
