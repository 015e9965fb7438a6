"""What a proposal would change, and what speaks for it. Nothing is done."""

from __future__ import annotations

from difflib import unified_diff

from crewmem.memories.draft import content_hash, settled
from crewmem.memories.held import held
from crewmem.memories.similar import Near, nearest
from crewmem.proposals.review import draft_of
from crewmem.records import NamedTuple

TYPE_CHECKING = False
if TYPE_CHECKING:
    from datetime import datetime

    from crewmem.memories.draft import Draft
    from crewmem.memories.held import Held
    from crewmem.memories.memory import Memory
    from crewmem.memories.similar import Tokenize
    from crewmem.memories.store import Memories
    from crewmem.memories.view import View
    from crewmem.proposals.proposal import Proposal


class FileChange(NamedTuple):
    """What would become of a file.

    Attributes:
        file: Its name, as search prints it.
        is_stale: Whether it is not what the plan was made for any more, so that the
            plan has to be made anew.
        lines: How it differs from what it would be: a unified diff.
    """

    file: str
    is_stale: bool
    lines: list[str]


class Spot(NamedTuple):
    """A place that says what would be kept.

    Attributes:
        ref: The id of an entry, or file:line.
        kind: The type of the entry, or the heading above the line.
        day: As 2026-04-14.
        agent: Whose note it is; "" for the crew's own.
        quote: What it says.
        stands: Whether it is there still, and says that.
    """

    ref: str
    kind: str
    day: str
    agent: str
    quote: str
    stands: bool


class Ground(NamedTuple):
    """A part of a plan for files, and what speaks for it.

    Attributes:
        number: What approve --only calls it.
        file: The file that it goes to; of notes that are put away, whose they are.
        adds: What would be added; of notes, their names.
        confidence: How sure it is, from 0 to 1; null of notes.
        signals: What it was let through by, each from 0 to 1; empty of notes.
        spots: What says it.
        against: What says otherwise: places, with what stands there.
    """

    number: int
    file: str
    adds: str
    confidence: float | None
    signals: dict[str, float]
    spots: list[Spot]
    against: list[str] = []  # noqa: RUF012 - nobody adds to it


class Change(NamedTuple):
    """What approving a proposal would change.

    Attributes:
        proposal: The id of the proposal.
        action: created, updated or unchanged, as `remember` would say.
        memory: The id of the memory that would be rewritten, or that says the same;
            null if there is none.
        lines: How what is held differs from what would be, each line with its sign.
        files: Of a plan for files, what would become of each.
    """

    proposal: str
    action: str
    memory: str | None
    lines: list[str]
    files: list[FileChange] = []  # noqa: RUF012 - nobody adds to it


class Case(NamedTuple):
    """Why a proposal waits, and what speaks for it.

    Attributes:
        proposal: The proposal.
        why: Why it waits for somebody, and for whom.
        evidence: The memories that it rests on, as far as one may see them.
        hidden: How many of those one may not see, or are not there any more.
        similar: What would hold it says nearly the same already, nearest first.
        parts: Of a plan for files, its parts.
    """

    proposal: Proposal
    why: str
    evidence: list[Held]
    hidden: int
    similar: list[Near]
    parts: list[Ground] = []  # noqa: RUF012 - nobody adds to it


def change(memories: Memories, proposal: Proposal) -> Change:
    """Return what approving *proposal* would change."""
    draft = settled(draft_of(proposal))
    before = _held(memories, proposal, draft)
    old = _lines(before.title, before.content) if before else []
    new = _lines(draft.title, draft.content)
    lines = [*unified_diff(old, new, lineterm="", n=len(old) + len(new))][3:]
    action = "created" if before is None else "updated" if lines else "unchanged"
    shown = before.id if before and before.sensitivity != "restricted" else None
    if before and shown is None:
        lines = [f"+{each}" for each in new]
    return Change(proposal.id, action, shown, lines)


def _held(memories: Memories, proposal: Proposal, draft: Draft) -> Memory | None:
    where = (proposal.workspace, draft.owner)
    if draft.topic_key:
        topic = memories.active(*where, "topic_key", draft.topic_key)
        if topic:
            return topic
    digest = content_hash(draft.kind, draft.title, draft.content)
    return memories.active(*where, "content_hash", digest)


def _lines(title: str, content: str) -> list[str]:
    return [title, "", *content.strip().splitlines()]


def case(
    memories: Memories,
    proposal: Proposal,
    view: View,
    now: datetime,
    tokenize: Tokenize,
) -> Case:
    """Return why *proposal* waits, and what speaks for it."""
    found = [memories.by_id(proposal.workspace, each) for each in proposal.evidence]
    there = [each for each in found if each and view.sees(each)]
    draft = settled(draft_of(proposal))
    near = [
        Near(each.id, each.title, round(share, 6))
        for share, each in nearest(memories, proposal.workspace, draft, tokenize)
        if view.sees(each)
    ]
    hidden = len(proposal.evidence) - len(there)
    told = held(memories.db, there, now)
    return Case(proposal, _why(proposal), told, hidden, near)


def _why(proposal: Proposal) -> str:
    by = proposal.created_by
    if proposal.status != "open":
        return f"it does not wait: {proposal.decided_by} decided it"
    if proposal.crew:
        crew = proposal.crew
        return (
            f"{by} does not lead crew {crew}, whose policy crew_write lets members "
            f"propose; its lead or an operator decides"
        )
    return f"{by} is no operator, and what the workspace holds operators decide"
