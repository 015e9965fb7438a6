"""Finding the episodes that answer a question, by words and by vectors."""

from __future__ import annotations

import time
from typing import NamedTuple

from crewmem import times
from crewmem.episodes import dense, scoring
from crewmem.episodes.gather import Gatherer
from crewmem.episodes.hit import Recalled
from crewmem.episodes.hits import hits
from crewmem.episodes.question import read
from crewmem.episodes.ranks import reciprocal_ranks
from crewmem.episodes.relevance import BACKGROUND, OPERATING
from crewmem.episodes.scoring import Answer, Scored
from crewmem.episodes.words_store import Words

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence
    from datetime import datetime

    from crewmem.backends.embed import Embedder, Vectors
    from crewmem.episodes.question import Read
    from crewmem.episodes.stores import Stores
    from crewmem.retrieval.words import Tokenize
    from crewmem.vectors.space import Space

CANDIDATES = 50
"""Entries that words and vectors each offer at least, and words alone twice as many.

300 of each change R@10 and nDCG@10 of the development sets by less than .003; words
alone with 50 have .009 and .003 less on LoCoMo.
"""

USUAL_K = 5

EXPIRED = 4
"""Times as many hits are looked at as are wanted, for some may have expired."""


class Policy(NamedTuple):
    """How to recall.

    Attributes:
        k: Most hits.
        mode: ``hybrid``, ``dense`` or ``sparse``.
        fusion: ``score``, or ``rrf``: reciprocal ranks, as published.
        min_relevance: Below this there is no answer; None: whatever is best.
        walk: How far to go along ``similar`` edges from the hits.
    """

    k: int = USUAL_K
    mode: str = "hybrid"
    fusion: str = "score"
    min_relevance: float | None = OPERATING
    walk: int = 0


class Sense(NamedTuple):
    """What questions are embedded with, and compared to.

    Attributes:
        space: The vectors of the workspace.
    """

    embedder: Embedder
    space: Space


class Asker(NamedTuple):
    """Who asks, when, and what is in reach.

    Attributes:
        name: As the journal knows it; "" for a person.
        owners: Whose episodes may be seen.
    """

    name: str
    workspace: str
    owners: Sequence[int]
    now: datetime


class Recaller:
    """Answers questions on the episodes in one reach; several share what is read.

    Attributes:
        state: ``vector``, ``vector-degraded`` or ``sparse-only``.
        warnings: What a person should know of how questions are answered.
    """

    def __init__(
        self,
        stores: Stores,
        asker: Asker,
        policy: Policy,
        *,
        tokenize: Tokenize,
        sense: Sense | None,
        why: str = "",
    ) -> None:
        """Ask the *stores*.

        Args:
            stores: Where entries, weights, relations and vectors are.
            asker: In whose reach.
            policy: How.
            tokenize: The tokenizer of the full text.
            sense: None where words alone are asked.
            why: Why that is so; "" if nobody expected otherwise.
        """
        self._stores, self._asker, self._policy = stores, asker, policy
        self._tokenize, self._sense = tokenize, sense
        self._words = Words(stores.journal.db, asker.owners)
        self._gatherer = Gatherer(self._words, stores.episodes, tokenize)
        self._actors = self._words.actors(asker.workspace)
        self._total = self._words.count()
        self._background = BACKGROUND
        self.warnings = [f"recall goes by words alone: {why}"] if why else []
        self.state = "vector" if sense else "sparse-only"

    def recall(self, texts: Sequence[str]) -> list[Recalled]:
        """Return what answers each of *texts*, best first."""
        questions = [self._read(text) for text in texts]
        began = time.perf_counter()
        vectors = self._embedded(questions)
        embedding_ms = 1000 * (time.perf_counter() - began) / max(1, len(texts))
        return [
            self._recalled(question, vector, embedding_ms)
            for question, vector in zip(questions, vectors, strict=True)
        ]

    def _read(self, text: str) -> Read:
        return read(
            text,
            self._words,
            self._tokenize,
            actors=self._actors,
            asker=self._asker.name,
            today=self._asker.now.date(),
        )

    def _embedded(self, questions: Sequence[Read]) -> Sequence[Vectors | None]:
        """Embed *questions*; where that fails words alone are asked, and it is said."""
        sense, nothing = self._sense, [None] * len(questions)
        if sense is None or self._policy.mode == "sparse":
            return nothing
        try:
            vectors = dense.embedded(sense.embedder, [each.rest for each in questions])
        except dense.FAILURES as error:
            self.warnings.append(f"recall goes by words alone: {error}")
            self.state, self._sense = "vector-degraded", None
            return nothing
        self._background = dense.background(self._stores.vectors, sense, vectors)
        return vectors

    def _recalled(
        self, question: Read, vector: Vectors | None, embedding_ms: float
    ) -> Recalled:
        began = time.perf_counter()
        by_words = self._by_words(question) if self._uses_words(vector) else []
        near = self._near(vector)
        answer = self._answer(question, by_words, near, vector)
        kept = self._gated(answer)
        found = hits(
            self._stores,
            self._asker,
            question,
            kept[: self._policy.k],
            lists={"words": by_words, "vectors": [*near]},
            cosines=near,
            walk=self._policy.walk,
            tokenize=self._tokenize,
        )
        return Recalled(
            mode=self._mode(vector),
            state=self.state,
            hits=found,
            hidden=len(answer.hits[: self._policy.k]) - len(kept[: self._policy.k]),
            query_embedding_ms=round(embedding_ms, 3),
            search_ms=round(1000 * (time.perf_counter() - began), 3),
            total_indexed=self._total,
            warnings=self.warnings,
        )

    def _mode(self, vector: Vectors | None) -> str:
        return "sparse" if vector is None else self._policy.mode

    def _uses_words(self, vector: Vectors | None) -> bool:
        return vector is None or self._policy.mode != "dense"

    def _by_words(self, question: Read) -> list[int]:
        if not question.expression:
            return []
        alone = 1 if self._sense else 2
        return self._words.best(question.expression, alone * self._offered)

    @property
    def _offered(self) -> int:
        return max(CANDIDATES, 2 * self._policy.k)

    def _near(self, vector: Vectors | None) -> dict[int, float]:
        """Return the nearest, best first, with their cosines."""
        if vector is None or self._sense is None:
            return {}
        return dense.nearest(
            self._stores.vectors, self._sense, vector, self._offered, self._asker.owners
        )

    def _answer(
        self,
        question: Read,
        by_words: Sequence[int],
        near: dict[int, float],
        vector: Vectors | None,
    ) -> Answer:
        if self._mode(vector) == "dense" and self._sense and vector is not None:
            return dense.answer(
                self._stores,
                self._sense,
                vector,
                near,
                self._policy.k,
                self._asker.owners,
                self._background,
            )
        found = {*by_words, *near}
        offered = self._gatherer.around(found)
        if vector is not None and self._sense:
            lacking = [seq for seq in offered if seq not in near]
            near |= self._stores.vectors.cosines_of(self._sense.space, vector, lacking)
        entries = self._gatherer.entries(offered, question.terms, near)
        scored = scoring.answer(
            question.facts, entries, found, background=self._background
        )
        if self._policy.fusion == "rrf":
            return _by_ranks(scored, [by_words, [seq for seq in near if seq in found]])
        return scored

    def _gated(self, answer: Answer) -> Sequence[Scored]:
        least = self._policy.min_relevance
        if least is not None and answer.relevance < least:
            return []
        shown = answer.hits[: EXPIRED * self._policy.k]
        gone = self._stores.episodes.expired(
            [each.seq for each in shown], times.to_text(self._asker.now)
        )
        return [each for each in shown if each.seq not in gone]


def _by_ranks(scored: Answer, lists: Sequence[Sequence[int]]) -> Answer:
    """Return *scored* in the order of the published formula."""
    told = {each.seq: each for each in scored.hits}
    fused = sorted(reciprocal_ranks(lists), key=lambda each: (-each[1], each[0]))
    return Answer(
        scored.relevance,
        [
            told[seq]._replace(score=score, why={"ranks": (score, score)})
            for seq, score in fused
        ],
    )
