"""Corrections: what was rejected is a lesson, and of several agents a correction."""

from __future__ import annotations

from crewmem import times
from crewmem.knowledge.share import Shared
from crewmem.memories import revisions_store, rows, votes_store
from crewmem.memories.memory import Draft, Memory, Owner, first_clause
from crewmem.memories.remember import Remembered, remember
from crewmem.memories.similar import jaccard, words
from crewmem.memories.trust import Vote
from crewmem.memories.view import View
from crewmem.records import NamedTuple

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from crewmem.memories.desk import Desk
    from crewmem.memories.remember import Scan
    from crewmem.memories.similar import Tokenize

    CrewOf = Callable[[str], str | None]
    """Gives the home crew of an agent."""

IMPORTANCE, CONFIDENCE = 4, 0.9
"""Of a lesson that comes of a rejection: somebody took the trouble to write it."""

QUALITY = 0.8
"""Of a correction that two agents have met."""

ALIKE = 0.8
"""Part of all words that two rejected texts share, from which on they are one."""

SUBTYPE = "rejection"


class Rejected(NamedTuple):
    """What came of a rejection.

    Attributes:
        lesson: The lesson that the agent keeps.
        agents: How many agents were corrected so, this one among them.
        correction: What is shared of it; null while it is this agent alone.
    """

    lesson: Remembered
    agents: int
    correction: Shared | None


def reject(
    desk: Desk,
    agent: str,
    original: str,
    reason: str,
    *,
    issue: str | None,
    crew_of: CrewOf,
    scan: Scan,
    tokenize: Tokenize,
) -> Rejected:
    """Keep for *agent* that *original* was rejected, and why.

    Where other agents were corrected alike, that is the system's to tell: a shared
    correction says how many there were, to the narrowest scope that holds them all.
    """
    with desk.journal.transaction():
        draft = _lesson(agent, original, reason, issue)
        lesson = remember(desk, draft, scan=scan, tokenize=tokenize)
        if lesson.action == "quarantined":
            return Rejected(lesson, 1, None)
        others = _alike(desk, agent, original, tokenize)
        if not others:
            return Rejected(lesson, 1, None)
        agents = sorted({agent, *(str(each.agent) for each in others)})
        owner = _narrowest(agents, crew_of)
        shared = _correction(desk, owner, original, reason, agents, scan, tokenize)
    return Rejected(lesson, len(agents), shared)


def _lesson(agent: str, original: str, reason: str, issue: str | None) -> Draft:
    return Draft(
        f"{original.strip()}\n\n{reason.strip()}",
        Owner("agent", agent=agent),
        kind="lesson",
        subtype=SUBTYPE,
        title=f"Rejection: {first_clause(original)}",
        importance=IMPORTANCE,
        confidence=CONFIDENCE,
        issue=issue,
        metadata={"type": "correction", "original": original.strip()},
        origin="rejection",
    )


def _alike(desk: Desk, agent: str, original: str, tokenize: Tokenize) -> list[Memory]:
    """Return rejections of other agents that are of nearly the same text."""
    own = words(original, tokenize)
    found = desk.memories.of_subtype(desk.workspace, "lesson", SUBTYPE)
    return [
        each
        for each in found
        if each.agent not in {None, agent}
        and jaccard(own, words(str(each.metadata.get("original", "")), tokenize))
        >= ALIKE
    ]


def _narrowest(agents: Sequence[str], crew_of: CrewOf) -> Owner:
    crews = {crew_of(each) for each in agents}
    (crew,) = crews if len(crews) == 1 else (None,)
    return Owner("crew", crew=crew) if crew else Owner("workspace")


def _correction(
    desk: Desk,
    owner: Owner,
    original: str,
    reason: str,
    agents: Sequence[str],
    scan: Scan,
    tokenize: Tokenize,
) -> Shared:
    """Share the correction, or let the one that is there say how many there are now."""
    system = desk._replace(view=View(desk.workspace))
    draft = Draft(
        f"{original.strip()}\n\n{reason.strip()}\n\n{_met_by(agents)}",
        owner,
        kind="correction",
        title=f"Common mistake: {first_clause(original)}",
        importance=IMPORTANCE,
        confidence=CONFIDENCE,
        base_quality=QUALITY,
        metadata={"type": "correction", "original": original.strip(), "agents": agents},
        origin="corrections",
    )
    known = [
        each
        for each in desk.memories.of_subtype(desk.workspace, "correction", None)
        if each.owner == owner
        and jaccard(
            words(original, tokenize),
            words(str(each.metadata.get("original", "")), tokenize),
        )
        >= ALIKE
    ]
    if known:
        return Shared("confirmed", _met_again(desk, known[0], agents), None)
    done = remember(system, draft, scan=scan, tokenize=tokenize)
    return Shared(done.action, done.memory, None)


def _met_by(agents: Sequence[str]) -> str:
    return f"Met by {len(agents)} agents."


def _met_again(desk: Desk, memory: Memory, agents: Sequence[str]) -> Memory:
    """Let all of *agents* confirm *memory*, and let it say how many there are."""
    db, at = desk.memories.db, times.to_text(desk.now)
    for each in agents:
        vote = Vote(f"agent:{each}", "", True, "met it", at)
        votes_store.cast(db, memory.seq, vote)
    before = memory.metadata.get("agents")
    known = [str(each) for each in before] if isinstance(before, list) else []
    every = sorted({*known, *agents})
    said = memory.content.replace(_met_by(known), _met_by(every))
    if said != memory.content:
        revisions_store.keep(db, memory, by=desk.by, at=desk.now, reason="met again")
        values = {
            **rows.said(memory.kind, memory.title, said),
            "metadata": rows.metadata({**memory.metadata, "agents": every}),
            "updated_at": at,
        }
        memory = desk.memories.change(memory.seq, values)
    desk.tell("confirmed", memory, agents=len(every))
    return memory
