"""What the journal is told of consolidation. Pure."""

from __future__ import annotations

from crewmem.consolidation.item import RULE
from crewmem.consolidation.sighting import CONSOLIDATED
from crewmem.consolidation.wording import LINE_MOST, TITLE_MOST, entry_id, one_line
from crewmem.journal.entry import Draft

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping

    from crewmem.consolidation.item import Evidence
    from crewmem.consolidation.plan import Placed
    from crewmem.consolidation.sighting import Sighting
    from crewmem.proposals.proposal import Proposal

ACTOR = "consolidate"

HASH_DIGITS = 12
"""Of the hash of a line, where it is named."""


def consolidated(placed: Placed, proposal: str) -> Draft:
    """Return the entry of something that is kept now.

    What one agent noted is that agent's to read, as its file is: its entry belongs to
    no crew.
    """
    item = placed.item
    said = one_line(item.text, LINE_MOST)
    title = one_line(item.title, TITLE_MOST)
    sources = [each.ref for each in item.evidence if each.source == "journal"]
    return Draft(
        CONSOLIDATED,
        f"{title}: {said}" if item.kind == RULE else said,
        id=entry_id(item),
        crew_id=None if item.agent else item.crew,
        agent_id=item.agent or None,
        actor_id=ACTOR,
        payload={
            "item": item.id,
            "kind": item.kind,
            "file": placed.ref,
            "title": item.title,
            "text": item.text,
            "confidence": round(item.confidence, 4),
            "score": round(item.score.total, 4),
            "evidence": [named(each) for each in item.evidence],
            "proposal": proposal,
            **({"replaces": sorted(placed.replaces)} if placed.replaces else {}),
        },
        refs={"source_entry_ids": sources},
    )


def sighted(sighting: Sighting) -> Draft:
    """Return the entry of something that was seen again.

    It is read of by who reads the entry that the line leads to.
    """
    crew, agent = sighting.owner
    sources = [each.ref for each in sighting.evidence if each.source == "journal"]
    days = sighting.days
    span = days[0] if len(days) == 1 else f"{len(days)} days up to {days[-1]}"
    return Draft(
        "memory.seen_again",
        f"Seen again on {span}: {sighting.text}",
        id=sighting.id,
        crew_id=None if agent else crew,
        agent_id=agent or None,
        actor_id=ACTOR,
        payload={
            "entry": sighting.entry,
            "file": sighting.ref,
            "evidence": [named(each) for each in sighting.evidence],
        },
        refs={"source_entry_ids": [sighting.entry, *sources]},
    )


def named(evidence: Evidence) -> str:
    """Name *evidence*: an entry by its id, a line as ``file:line@hash``."""
    if evidence.source == "journal":
        return evidence.ref
    return f"{evidence.ref}@{evidence.sha256[:HASH_DIGITS]}"


def told(what: str, summary: str, payload: Mapping[str, object]) -> Draft:
    """Return the entry of a run: that it was *triggered*, or *completed*.

    It names files of all agents: operators read it.
    """
    return Draft(
        f"system.consolidation_{what}", summary, actor_id=ACTOR, payload=payload
    )


def waits(proposal: str, crew: str, title: str, items: int, notes: int) -> Draft:
    """Return the entry of a plan that waits for a person."""
    return Draft(
        "memory.consolidation_proposed",
        f"{proposal} waits for approval: {title}",
        crew_id=crew,
        actor_id=ACTOR,
        payload={"proposal": proposal, "items": items, "archives": notes},
    )


def decided(proposal: Proposal) -> Draft:
    """Return the entry of a plan that a person has decided."""
    role, _, name = str(proposal.decided_by).partition(":")
    what = f"{proposal.kind} {proposal.id}: {proposal.status}"
    return Draft(
        f"proposal.{proposal.status}",
        what,
        crew_id=proposal.crew,
        actor_type="user" if role == "operator" else "agent",
        actor_id=name,
        payload={
            "id": proposal.id,
            "kind": proposal.kind,
            "status": proposal.status,
        },
    )
