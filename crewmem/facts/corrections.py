"""Corrections: rejected outputs of agents, grouped by the reason.

Outputs always differ; several agents share only the reason. So two rejections count as the same
mistake if their reasons say the same.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from crewmem.errors import UsageError
from crewmem.facts.fact import LIVE_SQL, Fact, Owner, first_sentence
from crewmem.facts.fields import FactFields, new_fact
from crewmem.facts.remember import add_fact
from crewmem.facts.table import FactTable
from crewmem.facts.votes import put_vote
from crewmem.origins import lowest_origin
from crewmem.text.opposites import is_opposite
from crewmem.text.similarity import jaccard, token_set

SAME_REASON = 0.8
"""Minimum Jaccard index of two reasons that count as the same."""

IMPORTANCE, CONFIDENCE, QUALITY = 4, 0.9, 0.8
SUBTYPE = "rejection"


def describe_rejection(
    rejected: str, reason: str, metadata: Mapping[str, Any] | None, *, is_shared: bool
) -> tuple[str, FactFields]:
    """Return the text of a lesson from a rejected output and the reason, and further fields."""
    if not rejected or not reason:
        raise UsageError("a correction needs --rejected TEXT and --reason TEXT", code="empty-text")
    return f"{reason}\n\nRejected: {rejected}", {
        "subtype": SUBTYPE,
        "importance": IMPORTANCE,
        "confidence": CONFIDENCE,
        "base_quality": QUALITY if is_shared else None,
        "metadata": {**(metadata or {}), "reason": reason, "rejected": rejected},
    }


def list_rejections(table: FactTable) -> list[Fact]:
    """Return the lessons of rejections that agents may share, oldest first."""
    return table.select(
        "facts.subtype = :subtype and facts.kind = 'lesson' and facts.scope = 'agent'"
        f" and facts.status in {LIVE_SQL} and facts.sensitivity <> 'restricted'"
        " and not exists (select 1 from json_each(facts.tags) where value = 'private')",
        {"subtype": SUBTYPE},
        tail="order by facts.created_at, facts.id",
    )


def group_by_reason(facts: Sequence[Fact]) -> list[list[Fact]]:
    """Group rejections by reason; all of a group have the reason of its first."""
    groups: list[list[Fact]] = []
    for fact in facts:
        for group in groups:
            if is_same_reason(group[0], fact):
                group.append(fact)
                break
        else:
            groups.append([fact])
    return groups


def is_same_reason(one: Fact, other: Fact) -> bool:
    """Return whether two rejections, or a rejection and a correction, have the same reason."""
    a, b = reason_of(one), reason_of(other)
    if not a or not b:
        return False
    return jaccard(token_set(a), token_set(b)) >= SAME_REASON and not is_opposite(a, b)


def reason_of(fact: Fact) -> str:
    """Return the reason of a rejection or correction."""
    return str(fact.metadata.get("reason", ""))


def agents_of(correction: Fact) -> set[str]:
    """Return the agents that a shared correction counts."""
    return {str(name) for name in correction.listed("agents")}


def find_correction(table: FactTable, group: Sequence[Fact]) -> Fact | None:
    """Return the shared correction with the reason of *group*."""
    found = table.select(
        "facts.kind = 'correction' and facts.subtype = :subtype"
        " and facts.scope in ('crew', 'workspace') and facts.status <> 'quarantined'",
        {"subtype": SUBTYPE},
        tail="order by facts.created_at, facts.id",
    )
    for fact in found:
        if is_same_reason(fact, group[0]):
            return fact
    return None


def write_correction(table: FactTable, group: Sequence[Fact]) -> Fact:
    """Write or update the shared correction of rejections with one reason.

    It belongs to the narrowest scope that includes all agents.
    """
    agents = sorted({str(fact.agent) for fact in group})
    known = find_correction(table, group)
    if known is not None:
        agents = sorted({*agents, *agents_of(known)})
    reason = reason_of(known or group[0])
    outputs = list(dict.fromkeys(str(fact.metadata.get("rejected", "")) for fact in group))
    examples = "\n".join(f"- {' '.join(text.split())[:200]}" for text in outputs[:5] if text)
    times = len(group)
    content = (
        f"{reason}\n\n{len(agents)} agents were corrected for this, {times} times:"
        f" {', '.join(agents)}.\nRejected:\n{examples}"
    )
    metadata = {"reason": reason, "agents": agents, "count": times}
    if known is None:
        correction = new_fact(
            content,
            narrowest_owner(table, agents),
            lowest_origin(fact.origin for fact in group),
            "correction",
            subtype=SUBTYPE,
            title=first_sentence(reason),
            importance=IMPORTANCE,
            confidence=CONFIDENCE,
            base_quality=QUALITY,
            metadata=metadata,
        )
        shared = add_fact(table, correction, check_writer=False).fact
    else:
        shared = known
        if set(agents) - agents_of(known):
            changes = {"content": content, "metadata": {**known.metadata, **metadata}}
            shared = table.update(known, changes, reason="another agent was corrected")
            table.record("confirmed", shared, payload={"agents": len(agents)})
        for agent in agents:
            put_vote(table, shared, up=True, reason="was corrected", voter=f"agent:{agent}")
    for fact in group:
        table.relate(shared.id, fact.id, "derived_from")
    return shared


def narrowest_owner(table: FactTable, agents: Sequence[str]) -> Owner:
    """Return a crew that includes all *agents*, or else the workspace.

    The home crew of the first agent is preferred.
    """
    crews = crews_of_agents(table)
    common = set.intersection(*(set(crews.get(agent, ())) for agent in agents)) if agents else set()
    home = next(iter(crews.get(agents[0], ())), None) if agents else None
    if home in common:
        return Owner("crew", crew=home)
    return Owner("crew", crew=min(common)) if common else Owner("workspace")


def crews_of_agents(table: FactTable) -> dict[str, list[str]]:
    """Return the crews of each registered agent whose memory is on, its home crew first."""
    context = table.context
    crews: dict[str, list[str]] = {}
    for slug, crew in context.db.execute(
        "select slug, crew from agents where workspace_id = :workspace and removed_at is null"
        " and memory = 1 union all select memberships.agent, memberships.crew from memberships"
        " join agents on agents.workspace_id = memberships.workspace_id"
        " and agents.slug = memberships.agent and agents.removed_at is null and agents.memory = 1"
        " where memberships.workspace_id = :workspace",
        {"workspace": context.workspace},
    ):
        if crew not in crews.setdefault(slug, []):
            crews[slug].append(crew)
    return crews
