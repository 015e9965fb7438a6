"""Corrections: what was rejected is a lesson, and of several agents a correction."""

from __future__ import annotations

from crewmem import times
from crewmem.errors.memories import BlankMemoryError
from crewmem.knowledge.share import Shared
from crewmem.memories import revisions_store, votes_store, written
from crewmem.memories.draft import Draft, first_clause
from crewmem.memories.likeness import COSINE, WORDS
from crewmem.memories.memory import Memory, Owner
from crewmem.memories.opposed import opposed
from crewmem.memories.remember import Remembered, remember
from crewmem.memories.similar import jaccard, words
from crewmem.memories.system_store import shared_of
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

    Compare = Callable[[str, Sequence[str]], list[float] | None]

IMPORTANCE, CONFIDENCE = 4, 0.9
"""Of a lesson that comes of a rejection: somebody took the trouble to write it."""

QUALITY = 0.8
"""Of a correction that two agents have met."""

ALIKE = 0.8
"""Cosine of two rejected texts, or part of all words that they share, from which on
they are one; unless one denies the other."""

COMPARED_MOST = 256
"""Rejections that are compared by their meaning, the latest: each takes a while."""

SUBTYPE = "rejection"


class Rejected(NamedTuple):
    """What came of a rejection.

    Attributes:
        lesson: The lesson that the agent keeps.
        agents: How many agents were corrected so, this one among them.
        correction: What is shared of it; null while it is this agent alone.
        by: How that was told: cosine or words; null where nobody else was corrected.
    """

    lesson: Remembered
    agents: int
    correction: Shared | None
    by: str | None = None


class Alike:
    """Tells which of several rejected texts are one with the one that is rejected."""

    def __init__(self, original: str, tokenize: Tokenize, compare: Compare) -> None:
        """Compare with *original*; *compare* is asked before anything is locked."""
        self._original, self._tokenize, self._compare = original, tokenize, compare
        self._words = words(original, tokenize)
        self._cosines: dict[str, float] = {}

    @property
    def by(self) -> str:
        """How it is told."""
        return COSINE if self._cosines else WORDS

    def look_at(self, memories: Sequence[Memory]) -> None:
        """Compare the meaning of what *memories* say was rejected, if anything can."""
        texts = [*dict.fromkeys(_original(each) for each in memories)]
        texts = texts[-COMPARED_MOST:]
        found = self._compare(self._original, texts) if texts else None
        self._cosines = dict(zip(texts, found, strict=True)) if found else {}

    def is_one(self, memory: Memory) -> bool:
        """Tell whether *memory* says of much the same that it was rejected."""
        text = _original(memory)
        if opposed(self._original, text):
            return False
        near = self._cosines.get(text)
        if near is None:
            near = jaccard(self._words, words(text, self._tokenize))
        return near >= ALIKE


def _original(memory: Memory) -> str:
    return str(memory.metadata.get("original", ""))


def by_words(_: str, __: Sequence[str]) -> None:
    """Compare nothing by its meaning."""


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
    compare: Compare = by_words,
) -> Rejected:
    """Keep for *agent* that *original* was rejected, and why.

    Where other agents were corrected alike, that is the system's to tell: a shared
    correction says how many there were, to the narrowest scope that holds them all.

    Args:
        desk: Who rejects, and when.
        agent: Who was corrected.
        original: What was wrong.
        reason: Why.
        issue: That it was about.
        crew_of: Gives the home crew of an agent.
        scan: The scanner.
        tokenize: The tokenizer of the full text.
        compare: Tells how near texts are to the first by their meaning; None: it
            cannot, and their words are compared.

    Raises:
        BlankMemoryError: If *original* or *reason* says nothing.
    """
    if not (original.strip() and reason.strip()):
        raise BlankMemoryError
    alike = Alike(original, tokenize, compare)
    alike.look_at([*_rejections(desk, agent), *_corrections(desk)])
    with desk.journal.transaction():
        draft = _lesson(agent, original, reason, issue)
        lesson = remember(desk, draft, scan=scan, tokenize=tokenize)
        if lesson.action == "quarantined":
            return Rejected(lesson, 1, None)
        others = [each for each in _rejections(desk, agent) if alike.is_one(each)]
        if not others:
            return Rejected(lesson, 1, None)
        agents = sorted({agent, *(str(each.agent) for each in others)})
        draft = _correction(_narrowest(agents, crew_of), original, reason, agents)
        is_new = lesson.action != "unchanged"
        shared = _shared(desk, draft, alike, agents, scan, tokenize, is_new=is_new)
    return Rejected(lesson, len(agents), shared, alike.by)


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


def _rejections(desk: Desk, agent: str) -> list[Memory]:
    """Return the lessons that other agents keep of rejections, oldest first."""
    found = desk.memories.of_subtype(desk.workspace, "lesson", SUBTYPE)
    return [each for each in found if each.agent not in {None, agent}]


def _corrections(desk: Desk) -> list[Memory]:
    """Return the corrections that are shared, oldest first."""
    found = shared_of(desk.memories, desk.workspace, "correction")
    return [each for each in found if "original" in each.metadata]


def _narrowest(agents: Sequence[str], crew_of: CrewOf) -> Owner:
    crews = {crew_of(each) for each in agents}
    (crew,) = crews if len(crews) == 1 else (None,)
    return Owner("crew", crew=crew) if crew else Owner("workspace")


def _correction(
    owner: Owner, original: str, reason: str, agents: Sequence[str]
) -> Draft:
    return Draft(
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


def _shared(
    desk: Desk,
    draft: Draft,
    alike: Alike,
    agents: Sequence[str],
    scan: Scan,
    tokenize: Tokenize,
    *,
    is_new: bool,
) -> Shared:
    """Share the correction, or let the one that is there say how many there are now.

    The same said twice by one is no second time that it was met: unless the rejection
    *is_new*, it confirms nothing that names them all.
    """
    for each in _corrections(desk):
        if each.owner == draft.owner and alike.is_one(each):
            if not is_new and {*agents} <= {*_known(each)}:
                return Shared("unchanged", each, None)
            return Shared("confirmed", _met_again(desk, each, agents), None)
    system = desk._replace(view=View(desk.workspace))
    done = remember(system, draft, scan=scan, tokenize=tokenize)
    return Shared(done.action, done.memory, None)


def _met_by(agents: Sequence[str]) -> str:
    return f"Met by {len(agents)} agents."


def _known(memory: Memory) -> list[str]:
    """Return the agents of whom *memory* says that they met it."""
    agents = memory.metadata.get("agents")
    return [str(each) for each in agents] if isinstance(agents, list) else []


def _met_again(desk: Desk, memory: Memory, agents: Sequence[str]) -> Memory:
    """Let all of *agents* confirm *memory*, and let it say how many there are."""
    db, at = desk.memories.db, times.to_text(desk.now)
    for each in agents:
        vote = Vote(f"agent:{each}", "", True, "met it", at)
        votes_store.cast(db, memory.seq, vote)
    known = _known(memory)
    every = sorted({*known, *agents})
    said = memory.content.replace(_met_by(known), _met_by(every))
    if said != memory.content:
        revisions_store.keep(db, memory, by=desk.by, at=desk.now, reason="met again")
        values = {
            **written.said(memory.kind, memory.title, said),
            "metadata": written.metadata({**memory.metadata, "agents": every}),
            "updated_at": at,
        }
        memory = desk.memories.change(memory.seq, values)
    desk.tell("confirmed", memory, agents=len(every))
    return memory
