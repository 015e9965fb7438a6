"""Making of scored entries what a recall answers with."""

from __future__ import annotations

from crewmem import times
from crewmem.episodes.hit import Hit, Why
from crewmem.hybrid.scoring import NEUTRAL, Scored
from crewmem.retrieval.marked import marked
from crewmem.retrieval.matches import matches

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from datetime import datetime

    from crewmem.episodes.stores import Stores
    from crewmem.episodes.words_store import Words
    from crewmem.hybrid.question import Read
    from crewmem.journal.entry import Entry
    from crewmem.retrieval.words import Tokenize

MOST_WALKED = 3
"""Neighbours that a walk adds for each hit, as many as an episode is linked to."""


def hits(
    stores: Stores,
    words: Words,
    now: datetime,
    question: Read,
    scored: Sequence[Scored],
    *,
    lists: Mapping[str, Sequence[int]],
    cosines: Mapping[int, float],
    walk: int,
    tokenize: Tokenize,
) -> list[Hit]:
    """Return *scored* as they are shown, then what a *walk* from them finds."""
    along = _walked(stores, words, [one.seq for one in scored], walk)
    entries = stores.journal.by_seq([*(one.seq for one in scored), *along])
    importance = stores.episodes.importance(entries)
    score_of = {one.seq: one.score for one in scored}
    beside = [
        Scored(seq, _along_score(score_of, along, seq), 0.0, 0.0, {}) for seq in along
    ]
    return [
        _hit(
            one,
            entries[one.seq],
            importance.get(one.seq, NEUTRAL),
            question,
            now,
            ranks={
                name: ranked.index(one.seq) + 1
                for name, ranked in lists.items()
                if one.seq in ranked
            },
            cosine=cosines.get(one.seq),
            along=entries[along[one.seq]].id if one.seq in along else None,
            tokenize=tokenize,
        )
        for one in [*scored, *beside]
        if one.seq in entries
    ]


def _along_score(
    score_of: Mapping[int, float], along: Mapping[int, int], seq: int
) -> float:
    """Return the score of the hit from which the walk came by way of others."""
    while seq not in score_of:
        seq = along[seq]
    return score_of[seq]


def _walked(
    stores: Stores, words: Words, seqs: Sequence[int], depth: int
) -> dict[int, int]:
    """Return what is like *seqs*, each with whence it was reached, nearest first."""
    if not depth:
        return {}
    from crewmem.episodes.relation import Kind

    seen, edge, found = set(seqs), list(seqs), dict[int, int]()
    for _ in range(depth):
        reached: list[tuple[int, int]] = []
        for each in stores.relations.of(edge, Kind.SIMILAR):
            pairs = ((each.src, each.dst), (each.dst, each.src))
            reached += [(to, at) for at, to in pairs if at in edge and to not in seen]
        mine = words.among([to for to, _ in reached])
        new: dict[int, int] = {}
        for to, at in reached:
            few = sum(whence == at for whence in new.values()) < MOST_WALKED
            if to in mine and few:
                new.setdefault(to, at)
        found |= new
        seen |= new.keys()
        edge = [*new]
    return found


def _hit(
    one: Scored,
    entry: Entry,
    importance: float,
    question: Read,
    now: datetime,
    *,
    ranks: dict[str, int],
    cosine: float | None,
    along: str | None,
    tokenize: Tokenize,
) -> Hit:
    held = matches(entry.summary, question.terms, tokenize)
    snippet, places = marked(entry.summary, held)
    return Hit(
        ref=entry.id,
        store="journal",
        scope="agent" if entry.agent_id else "crew" if entry.crew_id else "workspace",
        owner="/".join(filter(None, (entry.crew_id, entry.agent_id))),
        title=entry.entry_type,
        snippet=snippet,
        matches=places,
        score=round(one.score, 6),
        at=entry.ts,
        why=Why(
            ranks,
            [*dict.fromkeys(term for _, _, term in held)],
            one.told(),
            round(one.coverage, 6),
            round(importance, 6),
            along,
        ),
        relevance=round(one.relevance, 6),
        entry_id=entry.id,
        cosine=None if cosine is None else round(cosine, 6),
        age=times.ago(entry.ts, now),
        summary=entry.summary,
        entry_type=entry.entry_type,
        agent_id=entry.agent_id,
        payload=entry.payload,
    )
