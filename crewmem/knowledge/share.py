"""Sharing: what one knows becomes what a crew or the workspace knows."""

from __future__ import annotations

from crewmem import ids
from crewmem.errors.proposals import NotSharedError
from crewmem.knowledge.policy import way
from crewmem.memories.draft import Draft, require_valid, settled
from crewmem.memories.lifecycle import LIVE
from crewmem.memories.quality import START
from crewmem.memories.remember import remember, told
from crewmem.memories.safe import require_safe
from crewmem.memories.view import RESTRICTED
from crewmem.proposals.proposal import Draft as Proposed
from crewmem.proposals.review import PROMOTE, body_of, tell
from crewmem.proposals.store import Proposals
from crewmem.records import NamedTuple

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from crewmem.memories.desk import Desk
    from crewmem.memories.memory import Memory, Owner
    from crewmem.memories.remember import Remembered, Scan
    from crewmem.memories.similar import Tokenize
    from crewmem.proposals.proposal import Proposal


class Shared(NamedTuple):
    """What became of what was shared with one crew, or with the workspace.

    Attributes:
        action: created, updated or unchanged; proposed, if it waits for a person.
        memory: What is held now; null while it waits.
        proposal: What waits; null if nothing does.
    """

    action: str
    memory: Memory | None
    proposal: Proposal | None


def share(
    desk: Desk,
    drafts: Sequence[Draft],
    policies: Mapping[str, str],
    *,
    scan: Scan,
    tokenize: Tokenize,
    source: Memory | None = None,
) -> list[Shared]:
    """Share the same with each owner of *drafts*: all of it, or nothing.

    Those for several crews are one memory each, linked.

    Raises:
        OutOfScopeError: If the actor may not share with one of them.
        UnsafeTextError: If it looks like an attack or a secret.
        NotSharedError: If *source* may not leave its owner.
    """
    for draft in drafts:
        require_valid(draft)
    ways = [way(desk.actor, desk.view, draft.owner, policies) for draft in drafts]
    require_safe("what was to be shared", told(settled(drafts[0])), scan)
    with desk.journal.transaction():
        done = [
            _shared(desk, draft, scan, tokenize)
            if each.direct
            else _proposed(desk, draft, source)
            for draft, each in zip(drafts, ways, strict=True)
        ]
        _link(desk, [each.memory for each in done if each.memory], source)
    return done


def _shared(desk: Desk, draft: Draft, scan: Scan, tokenize: Tokenize) -> Shared:
    # The policy has let it pass: within this change the actor leads the crew.
    led = desk.view.led | {draft.owner.crew}
    wider = desk._replace(view=desk.view._replace(led=led))
    done: Remembered = remember(wider, draft, scan=scan, tokenize=tokenize)
    if done.action == "created":
        desk.tell("shared", done.memory)
    return Shared(done.action, done.memory, None)


def _proposed(desk: Desk, draft: Draft, source: Memory | None) -> Shared:
    draft = settled(draft)
    proposed = Proposed(
        kind=PROMOTE if source else "share",
        scope=draft.owner.scope,
        crew=draft.owner.crew,
        title=draft.title,
        body={
            **body_of(draft),
            **({"source_sensitivity": source.sensitivity} if source else {}),
        },
        evidence=[source.id] if source else [],
    )
    proposals, by = Proposals(desk.memories.db), str(desk.actor)
    known = proposals.same(desk.workspace, proposed, by)
    if known:
        return Shared("proposed", None, known)
    new_id = ids.new("p", desk.randomness)
    made = proposals.add(desk.workspace, new_id, proposed, by=by, at=desk.now)
    tell(desk, "made", made)
    return Shared("proposed", None, made)


def _link(desk: Desk, made: Sequence[Memory], source: Memory | None) -> None:
    """Relate what was shared with several to each other, and to where it is from."""
    for one in made:
        if source and desk.relate(one.seq, source.seq, "promoted_from"):
            desk.tell("promoted", source, to=one.id)
        for other in made:
            if other.seq < one.seq:
                desk.relate(one.seq, other.seq, "similar")


def promoted(memory: Memory, owner: Owner, sensitivity: str | None) -> Draft:
    """Return *memory* as it is to be shared with *owner*.

    Raises:
        NotSharedError: If it is restricted and nobody said how it is to be, or if it
            is not held any more.
    """
    if memory.status not in LIVE:
        raise NotSharedError(memory.id, f"it is {memory.status}")
    if memory.sensitivity == RESTRICTED and sensitivity is None:
        raise NotSharedError(memory.id, "it is restricted (--sensitivity internal)")
    return Draft(
        memory.content,
        owner,
        kind=memory.kind,
        subtype=memory.subtype,
        title=memory.title,
        importance=memory.importance,
        confidence=memory.confidence,
        base_quality=START,
        sensitivity=sensitivity or memory.sensitivity,
        tags=memory.tags,
        entities=memory.entities,
        topic_key=memory.topic_key,
        metadata={**memory.metadata, "promoted_from": memory.id},
        occurred_at=memory.occurred_at,
        expires_at=memory.expires_at,
        project=memory.project,
        issue=memory.issue,
        origin="promote",
    )
