"""Facts with their history."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from crewmem.facts.fact import Fact
from crewmem.facts.retention import Use, days_unused, fact_quality, get_uses, retention
from crewmem.facts.table import FactTable, Relation, Revision
from crewmem.facts.votes import Vote, list_votes


@dataclass(slots=True)
class FactDetail:
    """A fact with its history and use.

    Attributes:
        retention: How much of it is remembered, in [0, 1].
        quality: Quality of a shared fact, in [0, 1]; None for others.
        uses: Number of uses on this host.
    """

    fact: Fact
    revisions: list[Revision]
    votes: list[Vote]
    relations: list[Relation]
    retention: float
    quality: float | None
    uses: Use

    @property
    def may_instruct(self) -> bool:
        """Whether the fact is supposed to hold instructions."""
        return self.fact.may_instruct


def describe_facts(table: FactTable, facts: Sequence[Fact]) -> list[FactDetail]:
    """Return facts with their revisions, votes and relations, with one query for each kind."""
    ids = [fact.id for fact in facts]
    revisions = table.list_revisions(ids)
    votes = list_votes(table, ids)
    relations = table.list_relations(ids)
    uses = get_uses(table.context, ids)
    now = table.context.now
    details = []
    for fact in facts:
        use = uses.get(fact.id, Use())
        idle = days_unused(fact.created_at, use.last_used_at, now)
        details.append(
            FactDetail(
                fact=fact,
                revisions=revisions.get(fact.id, []),
                votes=votes.get(fact.id, []),
                relations=relations.get(fact.id, []),
                retention=round(retention(fact.kind, idle, use.references), 4),
                quality=fact_quality(fact, use.last_used_at, now) if fact.is_shared else None,
                uses=use,
            )
        )
    return details
