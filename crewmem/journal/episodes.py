"""Episodes: which entries are worth recalling, their importance, and how it fades.

The selection is strict on purpose: embedding every entry would bury recall in noise.
"""

from collections.abc import Iterable, Mapping
from datetime import datetime, timedelta
from functools import lru_cache
from typing import Any, NamedTuple

from crewmem.documents import vector_key
from crewmem.journal.entry import COLUMNS, Row, embedded_text
from crewmem.storage.json_columns import load_object
from crewmem.storage.sqlite import Database
from crewmem.times import format_time

ALWAYS = frozenset(
    {
        "approval.denied",
        "eval.regression_detected",
        "memory.consolidated",
        "peer.escalation",
        "summary.generated",
    }
)
"""Types that are always selected."""

WHEN_SEVERE = frozenset({"keeper.decision", "mission.status_change"})
"""Types that are selected at ``warn`` or ``error``."""

NEVER = frozenset({"container.metrics", "exec.output_chunk"})
NEVER_GROUPS = ("network.",)
"""Types with thousands of entries: never selected, even if tagged."""

NEUTRAL = 0.5
"""Importance of an entry of an unlisted type."""

BY_TYPE = {
    "eval.regression_detected": 0.30,
    "peer.escalation": 0.20,
    "memory.consolidated": 0.20,
    "summary.generated": 0.15,
    "approval.denied": 0.15,
    "keeper.decision": 0.10,
    "mission.status_change": 0.05,
}
"""Added to NEUTRAL, by type."""

BY_SEVERITY = {"notice": 0.05, "warn": 0.15, "error": 0.25}

FLOORS = {"pin": 0.80, "high": 0.85, "permanent": 0.95}
"""Minimum importance by priority. The published values have pin below high."""


FADING_DAYS = 180
MIN_RECENCY = 0.1
DOUBLINGS = 8
"""Number of doublings of the reference count that double the importance."""

DAY_MS = 86_400_000

DECAY = f"""
    max(floor, min(1.0, max(0.0, base
        * max({MIN_RECENCY}, 1.0 - max(0, :now_ms - indexed_ms) / {FADING_DAYS * DAY_MS}.0)
        * (1.0 + log2(reference_count + 1) / {DOUBLINGS}.0))))
"""
"""SQL for the importance of an episode, in [0, 1]. It starts from the base each time and not from
the last result, so running it twice changes nothing."""


class PublishedEpisode(NamedTuple):
    """An episode in the shape of ``journal_embeddings``.

    Attributes:
        vector: None if there is none, or if vectors were not requested.
    """

    entry_id: str
    vector: list[float] | None
    dim: int | None
    model: str | None
    indexed_at: str
    importance_score: float
    reference_count: int
    last_referenced_at: str | None


def recency(days: float) -> float:
    """Return the share of the importance that remains after *days*, from 1 down to 0.1."""
    return max(MIN_RECENCY, 1.0 - max(0.0, days) / FADING_DAYS)


def is_never(entry_type: str) -> bool:
    """Return whether entries of this type are never selected, even if tagged."""
    return entry_type in NEVER or entry_type.startswith(NEVER_GROUPS)


def is_tagged(payload: Mapping[str, Any], refs: Mapping[str, Any]) -> bool:
    """Return whether ``episodic`` is true in the refs, or in the refs within the payload."""
    inner = payload.get("refs")
    return refs.get("episodic") is True or (
        isinstance(inner, Mapping) and inner.get("episodic") is True
    )


def is_selected(
    entry_type: str, severity: str, payload: Mapping[str, Any], refs: Mapping[str, Any]
) -> bool:
    """Return whether an entry is an episode."""
    if is_never(entry_type):
        return False
    return (
        entry_type in ALWAYS
        or (entry_type in WHEN_SEVERE and severity in ("warn", "error"))
        or (entry_type == "peer.conversation" and payload.get("state") == "escalated")
        or is_tagged(payload, refs)
    )


@lru_cache(maxsize=1024)
def base_importance(entry_type: str, severity: str) -> float:
    """Return the importance of a new entry without its priority, in [0, 1]."""
    added = BY_TYPE.get(entry_type, 0.0) + BY_SEVERITY.get(severity, 0.0)
    return min(round(NEUTRAL + added, 2), 1.0)


def add_episodes(
    db: Database, workspace: str, entries: Iterable[tuple[Row, Mapping[str, Any]]], now: datetime
) -> int:
    """Add *entries* as episodes; return how many were added.

    Args:
        entries: Selected entries that are no episodes yet, in order, each with its payload.
    """
    owners: dict[tuple[str | None, str | None, str | None], int] = {}
    counts: dict[int, int] = {}
    rows = []
    now_ms = round(now.timestamp() * 1000)
    day_ago = format_time(now - timedelta(days=1))
    for entry, payload in entries:
        names = entry.crew_id, entry.agent_id, entry.actor_id
        owner = owners.get(names)
        if owner is None:
            owner = owners[names] = _find_owner(db, workspace, names)
        key = vector_key(embedded_text(entry.summary, payload))
        # An entry fades from now on. One that happened more than a day ago fades from then on: an
        # import must not make old entries look new.
        is_old = entry.ts < day_ago
        fades_ms = round(datetime.fromisoformat(entry.ts).timestamp() * 1000) if is_old else now_ms
        base = base_importance(entry.entry_type, entry.severity)
        floor = FLOORS.get(entry.priority, 0.0)
        rows.append((entry.seq, owner, key, fades_ms, base, floor))
        counts[owner] = counts.get(owner, 0) + 1
    if not rows:
        return 0
    db.executemany(
        "insert into episodes (seq, owner, vector_key, indexed_ms, base, floor)"
        " values (?, ?, ?, ?, ?, ?)",
        rows,
    )
    db.execute(
        f"update episodes set importance_score = {DECAY} where seq between :first and :last",
        {"now_ms": now_ms, "first": rows[0][0], "last": rows[-1][0]},
    )
    db.executemany(
        "update episode_owners set episodes = episodes + ? where id = ?",
        [(count, owner) for owner, count in counts.items() if count],
    )
    return len(rows)


def _find_owner(
    db: Database, workspace: str, names: tuple[str | None, str | None, str | None]
) -> int:
    """Return the number of an owner; add an unknown one."""
    params = (workspace, *names)
    found = db.value(
        "select id from episode_owners where workspace_id = ? and crew_id is ?"
        " and agent_id is ? and actor_id is ?",
        params,
    )
    if found is None:
        found = db.value(
            "insert into episode_owners (workspace_id, crew_id, agent_id, actor_id)"
            " values (?, ?, ?, ?) returning id",
            params,
        )
    return int(found)


def select_new(db: Database, workspace: str, after: int, now: datetime) -> int:
    """Add the episodes among entries with a *seq* above *after*, which came from another home."""
    found = []
    for values in db.execute(
        f"select {COLUMNS} from journal_entries where workspace_id = ? and seq > ? and salt <> ''"
        " and seq not in (select seq from episodes) order by seq",
        (workspace, after),
    ):
        row = Row._make(values)
        payload = load_object(row.payload)
        if is_selected(row.entry_type, row.severity, payload, load_object(row.refs)):
            found.append((row, payload))
    return add_episodes(db, workspace, found, now)
