"""Votes of actors on facts. Each actor has one vote on a fact; the last one counts."""

from __future__ import annotations

from collections.abc import Collection
from typing import NamedTuple

from crewmem.errors import ConflictError
from crewmem.facts.aging import has_faded
from crewmem.facts.fact import LIVE, ChangedFact, Fact
from crewmem.facts.retention import count_use
from crewmem.facts.table import FactTable
from crewmem.security.secrets import redact
from crewmem.storage.sqlite import transaction

DOWN_VOTES = 3
"""Down votes by different actors that archive a fact, if its confidence is low enough."""

MIN_CONFIDENCE = 0.15
"""Effective confidence below which these votes archive a fact."""


class Vote(NamedTuple):
    """An actor's vote on a fact.

    Attributes:
        actor: ``agent:ada``.
        vote: 1 or -1.
    """

    actor: str
    vote: int
    reason: str
    voted_at: str


def list_votes(table: FactTable, fact_ids: Collection[str]) -> dict[str, list[Vote]]:
    """Return the votes on facts, oldest first, by the id of the fact."""
    return table.context.db.group(
        "select fact_id, actor, vote, reason, voted_at from votes"
        " where fact_id in (select value from json_each(?)) order by voted_at, actor, day",
        (fact_ids,),
        Vote,
    )


def cast_vote(
    table: FactTable, fact: Fact, *, up: bool, reason: str, voter: str = ""
) -> ChangedFact:
    """Let the actor vote on a fact.

    An up vote makes an inactive fact active. Three down votes by different actors archive it
    if its effective confidence falls below MIN_CONFIDENCE; it then waits in review. The same vote
    again archives nothing, because somebody may have decided for the fact since.

    Args:
        voter: The actor whose vote it is, in jobs; by default the actor of the command.
    """
    table.check_decided(fact)
    context = table.context
    with transaction(context.db):
        is_new = put_vote(table, fact, up=up, reason=reason, voter=voter)
        count_use(context, [fact.id], injected=False)
        after = table.by_id(fact.id)
        assert after is not None
        if up:
            after = _activate(table, after)
        if is_new:
            event = "confirmed" if up else "contradicted"
            table.record(event, after, payload={"up": after.up, "down": after.down})
        if (
            is_new
            and not up
            and after.down >= DOWN_VOTES
            and after.effective_confidence < MIN_CONFIDENCE
            and after.status in LIVE
        ):
            after, item = _archive(table, after)
            return ChangedFact(fact.id, "archived", fact.status, after, item)
    return ChangedFact(fact.id, "voted" if is_new else "unchanged", fact.status, after)


def put_vote(table: FactTable, fact: Fact, *, up: bool, reason: str, voter: str) -> bool:
    """Store a vote; return False if the actor's last vote was the same.

    An operator's down votes on different days count as different.
    """
    reason = redact(reason)
    context, db = table.context, table.context.db
    vote = 1 if up else -1
    actor = context.access.actor
    # An agent has one vote, even as a lead.
    voter = voter or (f"agent:{actor.name}" if actor.kind == "lead" else str(actor))
    day = str(context.today) if not up and voter.startswith("operator:") else ""
    last = db.one(
        "select vote, day from votes where fact_id = ? and actor = ?"
        " order by voted_at desc, day desc limit 1",
        (fact.id, voter),
    )
    is_new = last != (vote, day)
    db.execute(
        "delete from votes where fact_id = ? and actor = ? and vote = ?",
        (fact.id, voter, -vote),
    )
    db.execute(
        "insert into votes (workspace_id, fact_id, actor, day, vote, reason, voted_at)"
        " values (?, ?, ?, ?, ?, ?, ?) on conflict do update set vote = excluded.vote,"
        " reason = iif(excluded.reason = '', reason, excluded.reason),"
        " voted_at = excluded.voted_at",
        (context.workspace, fact.id, voter, day, vote, reason, context.now_text),
    )
    return is_new


def _activate(table: FactTable, fact: Fact) -> Fact:
    """Make a fact that got an up vote active, if the actor may do that.

    A fact that somebody forgot or superseded needs an actor who may write it.
    """
    if fact.status == "active":
        return table.update(fact, {"verified_at": table.context.now_text})
    if fact.status in ("archived", "superseded"):
        access = table.context.access
        if not has_faded(table, fact) and access.fact_write_rule(fact.scope, fact.crew, fact.agent):
            return fact
    try:
        return table.change_status(fact, "active", reason="up vote")
    except ConflictError:
        return fact  # another fact now has this text


def _archive(table: FactTable, fact: Fact) -> tuple[Fact, str]:
    """Archive a fact, and put it into review; return it with the id of the review item."""
    reasons = [
        f"{vote.actor}: {vote.reason or 'no reason given'}"
        for vote in list_votes(table, [fact.id]).get(fact.id, [])
        if vote.vote < 0
    ]
    after = table.change_status(fact, "archived", reason="voted down")
    table.record("archived", after, payload={"reason": "voted down"}, severity="notice")
    item = table.review.add(
        "voted-down",
        f"voted down: {fact.title}",
        payload={"reasons": reasons},
        crew=fact.crew,
        agent=fact.agent,
        fact_id=fact.id,
        key=f"fact {fact.id}",
    )
    return after, item
