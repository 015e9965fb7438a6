"""Health of each agent's memory: indexed, recalled, learned, corrected."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import timedelta
from functools import cached_property
from typing import TYPE_CHECKING

from crewmem.facts.fact import LIVE_SQL
from crewmem.health.metrics import RECALL_DAYS
from crewmem.times import add_span, format_time

if TYPE_CHECKING:
    from crewmem.home import Home


@dataclass(frozen=True, slots=True)
class AgentHealth:
    """The memory of one agent.

    Attributes:
        texts: Number of the agent's own chunks, facts and episodes.
        indexed: Share of these texts that have a vector; None without texts or vectors.
        recalls: Number of recalls by the agent, or by its hooks, in 30 days.
        hit_rate: Share of these recalls with a sure hit; None without recalls.
        sessions: Number of the agent's session logs.
        unread: Number of these logs from which facts are not yet extracted to the end.
        extracted_at: Time of the last extraction of facts; "" for never.
        losses: Number of context losses in 30 days.
        corrections: Number of live corrections and rejections.
    """

    agent: str
    crew: str
    texts: int
    indexed: float | None
    recalls: int
    hit_rate: float | None
    sessions: int
    unread: int
    extracted_at: str
    losses: int
    corrections: int


class AgentMeter:
    """Measures the agents of a home, which must be opened with full rights."""

    def __init__(self, home: Home) -> None:
        self._context = home.context
        self._vectors = home.vectors
        self._sessions = home.sessions.open_index()  # None without one
        self._sources = home.text_sources

    def measure(self, agent: str, crew: str) -> AgentHealth:
        """Measure the memory of an agent."""
        context = self._context
        params = {"workspace": context.workspace, "agent": agent}
        since = format_time(add_span(context.now, -timedelta(days=RECALL_DAYS)))
        recalls, sure = context.db.one(
            "select count(*), coalesce(sum(injected <> '[]'), 0) from recalls"
            " where workspace_id = :workspace and ts >= :since"
            " and actor in ('agent:' || :agent, 'lead:' || :agent)",
            {**params, "since": since},
        ) or (0, 0)
        corrections = context.db.value(
            "select count(*) from facts where workspace_id = :workspace and agent_id = :agent"
            f" and status in {LIVE_SQL}"
            " and (kind = 'correction' or subtype = 'rejection')",
            params,
        )
        losses = context.db.value(
            "select count(*) from context_losses where workspace_id = :workspace"
            " and agent = :agent and at >= :since",
            {**params, "since": since},
        )
        texts, indexed = self._count_texts(agent)
        sessions, unread, extracted_at = self._read_sessions(agent)
        return AgentHealth(
            agent=agent,
            crew=crew,
            texts=texts,
            indexed=indexed,
            recalls=recalls,
            hit_rate=round(sure / recalls, 4) if recalls else None,
            sessions=sessions,
            unread=unread,
            extracted_at=extracted_at,
            losses=losses,
            corrections=corrections,
        )

    def _count_texts(self, agent: str) -> tuple[int, float | None]:
        """Return the number of an agent's texts, and the share of them with a vector."""
        total = embedded = 0
        for name, store in self._sources.items():
            keys = set(store.visible_vector_keys(agent=agent))
            total += len(keys)
            embedded += len(keys & self._embedded[name])
        return total, round(embedded / total, 4) if total and self._vectors.exists else None

    @cached_property
    def _embedded(self) -> dict[str, set[int]]:
        """Keys of the texts that have a vector, by store."""
        workspace = self._context.workspace
        return {name: self._vectors.keys((workspace, name)) for name in self._sources}

    @cached_property
    def _cursors(self) -> dict[str, tuple[int, str]]:
        """Last extracted line and time of extraction, by log."""
        rows = self._context.db.execute(
            "select log_id, line, updated_at from extraction_cursors where workspace_id = ?",
            (self._context.workspace,),
        )
        return {log: (line, at) for log, line, at in rows}

    def _read_sessions(self, agent: str) -> tuple[int, int, str]:
        """Return the number of an agent's logs, of unread logs, and the last extraction."""
        if self._sessions is None:
            return 0, 0, ""
        logs = dict(
            self._sessions.all(
                "select logs.id, logs.line from logs join sessions on sessions.key = logs.session"
                " where sessions.workspace_id = ? and sessions.agent_id = ?",
                (self._context.workspace, agent),
            )
        )
        cursors = {log: self._cursors[log] for log in logs if log in self._cursors}
        unread = sum(cursors.get(log, (0, ""))[0] < line for log, line in logs.items())
        return len(logs), unread, max((at for _, at in cursors.values()), default="")
