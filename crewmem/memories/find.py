"""Finding the memories that answer a question, by their words."""

from __future__ import annotations

from crewmem.memories import words_store
from crewmem.memories.held import held
from crewmem.memories.hit import Answer, Hit, Why
from crewmem.memories.scoring import Question, scored
from crewmem.records import NamedTuple
from crewmem.retrieval import bm25
from crewmem.retrieval.marked import marked
from crewmem.retrieval.matches import matches
from crewmem.retrieval.query import plain, without_common

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

    from crewmem.memories.held import Held
    from crewmem.memories.scoring import Scored
    from crewmem.memories.store import Filter, Memories
    from crewmem.retrieval.matches import Match
    from crewmem.retrieval.terms import Term
    from crewmem.retrieval.words import Tokenize

CANDIDATES = 100
"""Memories that are scored: the best by SQLite's bm25."""

NO_WORDS = "the question holds no word that can be looked for"


class Policy(NamedTuple):
    """How to find.

    Attributes:
        limit: Most hits.
        by_engram: Whether Engram's composite ranks them.
    """

    limit: int = 10
    by_engram: bool = False


class _Candidate(NamedTuple):
    held: Held
    found: list[Match]
    told: Scored


def find(
    memories: Memories, wanted: Filter, text: str, policy: Policy, tokenize: Tokenize
) -> Answer:
    """Return the memories within *wanted* that hold words of *text*, best first."""
    query = plain(text, tokenize)
    total = words_store.total(memories.db)
    query = without_common(query, memories.holding(query.stems), total.rows)
    if not query.expression:
        return Answer("words", [], [NO_WORDS])
    most = max(CANDIDATES, policy.limit)
    seqs = words_store.best(memories.db, wanted, query.expression, most)
    question = Question(
        query.terms,
        [_weight(memories, term, total.rows) for term in query.terms],
        total.stems / total.rows if total.rows else 0.0,
    )
    by_seq = memories.by_seq(seqs)
    told = held(memories.db, [by_seq[seq] for seq in seqs], wanted.now)
    found = [_candidate(each, question, tokenize) for each in told]
    found.sort(key=lambda each: _order(each, by_engram=policy.by_engram))
    return Answer(
        "words",
        [
            _hit(each, place, tokenize, query.terms, by_engram=policy.by_engram)
            for place, each in enumerate(found[: policy.limit], 1)
        ],
        [],
    )


def _weight(memories: Memories, term: Term, total: int) -> float:
    if not term.weight:
        return 0.0
    if len(term.stems) == 1 and not term.prefix:
        holding = memories.holding(term.stems).get(term.stems[0], 0)
    else:
        holding = words_store.matching(memories.db, term.phrase)
    return term.weight * bm25.idf(holding, total + bm25.IMAGINED)


def _candidate(each: Held, question: Question, tokenize: Tokenize) -> _Candidate:
    memory = each.memory
    text = "\n".join([memory.title, memory.content, *memory.tags, *memory.entities])
    found = matches(text, question.terms, tokenize)
    counts: dict[str, int] = {}
    for _, _, name in found:
        counts[name] = counts.get(name, 0) + 1
    often = [float(counts.get(term.text, 0)) for term in question.terms]
    length = len(text.split())
    return _Candidate(each, found, scored(question, often, length, each))


def _order(each: _Candidate, *, by_engram: bool) -> tuple[float, int]:
    score = each.told.engram if by_engram else each.told.score
    return -score, each.held.memory.seq


def _hit(
    each: _Candidate,
    place: int,
    tokenize: Tokenize,
    terms: Sequence[Term],
    *,
    by_engram: bool,
) -> Hit:
    memory, trust, told = each.held.memory, each.held.trust, each.told
    body = memory.content.strip()
    snippet, places = marked(body, matches(body, terms, tokenize))
    return Hit(
        ref=memory.id,
        store="memories",
        scope=memory.scope,
        owner=memory.agent or memory.crew or "",
        title=memory.title,
        snippet=snippet,
        matches=places,
        score=round(told.engram if by_engram else told.score, 6),
        at=memory.updated_at,
        why=Why(
            {"words": place},
            [*dict.fromkeys(name for _, _, name in each.found)],
            round(told.words, 6),
            round(told.coverage, 6),
            round(told.prior, 6),
            round(told.engram, 6),
        ),
        relevance=round(told.relevance, 6),
        kind=memory.kind,
        status=memory.status,
        content=memory.content,
        importance=memory.importance,
        confidence=trust.confidence,
        up=trust.up,
        down=trust.down,
        topic_key=memory.topic_key,
    )
