"""Condensing: memories that say much the same become one summary, and back."""

from __future__ import annotations

from crewmem import times
from crewmem.errors.memories import NotCondensedError
from crewmem.memories import edges_store
from crewmem.memories.clusters import clusters
from crewmem.memories.draft import Draft
from crewmem.memories.remember import remember
from crewmem.memories.remember import told as all_text
from crewmem.memories.similar import text_of, words
from crewmem.memories.view import require_writable
from crewmem.records import NamedTuple
from crewmem.threats.notice import gravest

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

    from crewmem.memories.desk import Desk
    from crewmem.memories.memory import Memory
    from crewmem.memories.remember import Scan
    from crewmem.memories.similar import Tokenize
    from crewmem.memories.summarise import Summariser, Told

ALIKE = 0.5
"""Part of all words, tags and entities that any two of a group share."""

FEWEST = 3
"""Memories of a group: of two one reads both."""

SUBTYPE = "cluster"

KEPT = frozenset({"summary", "decision", "preference", "correction"})
"""Kinds that are not condensed: what stands is read as it was said."""


class Condensed(NamedTuple):
    """A group of memories that say much the same.

    Attributes:
        memory: The summary; null in a plan, and of what is left as it is.
        title: What it is about.
        sources: The ids of the memories, oldest first.
        left: Why they are left as they are; null if they are not.
    """

    memory: Memory | None
    title: str
    sources: list[str]
    left: str | None = None


class Undone(NamedTuple):
    """A summary that was taken back.

    Attributes:
        memory: The summary, archived.
        sources: The ids of the memories that are active again.
    """

    memory: Memory
    sources: list[str]


def condense(
    desk: Desk,
    memories: Sequence[Memory],
    *,
    summariser: Summariser,
    scan: Scan,
    tokenize: Tokenize,
    dry_run: bool,
) -> list[Condensed]:
    """Sum up each group of three or more of *memories* that say much the same.

    Of one owner and one sensitivity each. The sources become warm: they rank behind
    their summary, and `undo` brings them back, for good. A group of which one changes
    while it is summed up is left to the next run. What agents hold whose memory is off
    is left as it is: `left_out` says whose that is.
    """
    off = desk.view.off
    back = edges_store.taken_back(desk.memories.db, [each.seq for each in memories])
    groups = _groups(
        [each for each in memories if each.agent not in off and each.seq not in back],
        tokenize,
    )
    if dry_run:
        return [Condensed(None, some[0].title, _ids(some)) for some in groups]
    told = [summariser.told(some) for some in groups]
    drafts = [_draft(*each) for each in zip(groups, told, strict=True)]
    with desk.journal.transaction():
        return [
            Condensed(None, draft.title, _ids(some), left)
            if (left := _why_left(desk, some, draft, scan))
            else _summed(desk, some, draft, scan, tokenize)
            for some, draft in zip(groups, drafts, strict=True)
        ]


def left_out(desk: Desk, memories: Sequence[Memory]) -> list[str]:
    """Return the agents whose memory is off, of those that hold any of *memories*."""
    return sorted({str(each.agent) for each in memories if each.agent in desk.view.off})


def _ids(group: Sequence[Memory]) -> list[str]:
    return [each.id for each in group]


def _why_left(
    desk: Desk, group: Sequence[Memory], draft: Draft, scan: Scan
) -> str | None:
    """Say why *group* cannot stand behind *draft*; None if it can."""
    now = desk.memories.by_seq([each.seq for each in group])
    if any(now.get(each.seq) != each for each in group):
        return "one of them has just changed"
    if finding := gravest(scan(all_text(draft))):
        return f"the scanner found {finding.category} in the summary ({finding.rule})"
    return None


def _groups(memories: Sequence[Memory], tokenize: Tokenize) -> list[list[Memory]]:
    apart: dict[tuple[object, ...], list[Memory]] = {}
    for each in memories:
        if _is_loose(each):
            apart.setdefault((each.owner, each.sensitivity), []).append(each)
    found: list[list[Memory]] = []
    for some in apart.values():
        some.sort(key=lambda each: each.seq)
        features = [_features(each, tokenize) for each in some]
        groups = [each for each in clusters(features, ALIKE) if len(each) >= FEWEST]
        found += [[some[at] for at in group] for group in groups]
    return found


def _is_loose(memory: Memory) -> bool:
    """Tell whether *memory* may stand behind a summary."""
    if memory.status != "active" or memory.kind in KEPT:
        return False
    if memory.expires_at:  # what has an end is not told after it
        return False
    return memory.pin == "none" and not memory.topic_key and memory.state != "open"


def _features(memory: Memory, tokenize: Tokenize) -> set[str]:
    labels = {f"#{each.casefold()}" for each in (*memory.tags, *memory.entities)}
    return {*words(text_of(memory), tokenize), *labels}


def _draft(group: Sequence[Memory], told: Told) -> Draft:
    newest = group[-1]
    return Draft(
        told.text,
        newest.owner,
        kind="summary",
        subtype=SUBTYPE,
        title=newest.title,
        importance=max(each.importance for each in group),
        confidence=round(sum(each.confidence for each in group) / len(group), 6),
        base_quality=newest.base_quality,
        sensitivity=newest.sensitivity,
        tags=list(dict.fromkeys(tag for each in group for tag in each.tags))[:100],
        entities=list(dict.fromkeys(e for each in group for e in each.entities))[:100],
        metadata={"sources": _ids(group), **told.metadata},
        origin="condense",
    )


def _summed(
    desk: Desk, group: Sequence[Memory], draft: Draft, scan: Scan, tokenize: Tokenize
) -> Condensed:
    memory = remember(desk, draft, scan=scan, tokenize=tokenize).memory
    for each in group:
        desk.relate(memory.seq, each.seq, "derived_from")
        after = desk.memories.change(each.seq, {"status": "warm"})
        desk.tell("condensed", after, summary=memory.id)
    return Condensed(memory, memory.title, _ids(group))


def undo(desk: Desk, memory: Memory) -> Undone:
    """Take the summary *memory* back: its sources are active again.

    Also one that was forgotten, behind which they still stand.

    Raises:
        NotCondensedError: If it is no summary of a group.
        OutOfScopeError: If the actor may not change it.
    """
    require_writable(desk.actor, desk.view, memory.owner)
    if memory.subtype != SUBTYPE:
        raise NotCondensedError(memory.id)
    at = times.to_text(desk.now)
    with desk.journal.transaction():
        sources = desk.memories.sources_of(memory.seq)
        back = [each for each in sources if each.status == "warm"]
        if memory.status == "archived" and not back:
            return Undone(memory, [])
        after = desk.memories.change(
            memory.seq, {"status": "archived", "updated_at": at}
        )
        for each in back:
            desk.memories.change(each.seq, {"status": "active", "updated_at": at})
        desk.tell("undone", after, sources=[each.id for each in back])
    return Undone(after, [each.id for each in back])
