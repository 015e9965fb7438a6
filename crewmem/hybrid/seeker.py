"""Finding what answers a question, by words and by vectors, whatever the store."""

from __future__ import annotations

from crewmem.errors import BackendError, DataError, NotFoundError, RefusedError
from crewmem.hybrid import scoring
from crewmem.hybrid.gather import Gatherer
from crewmem.hybrid.question import read
from crewmem.hybrid.scoring import USUAL, Answer
from crewmem.records import NamedTuple
from crewmem.retrieval.gate import BACKGROUND, OPERATING

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence
    from datetime import date

    from crewmem.backends.embed import Vectors
    from crewmem.hybrid.dense import Near, Sense
    from crewmem.hybrid.gather import Stems
    from crewmem.hybrid.question import Read
    from crewmem.hybrid.scoring import Balance
    from crewmem.hybrid.words import Weights, Words
    from crewmem.retrieval.words import Tokenize

CANDIDATES = 50
"""Rows that words and vectors each offer at least, and words alone half as many again.

300 of each change R@10 and nDCG@10 of the development sets by less than .003; words
alone with 50 have .009 and .003 less on LoCoMo than with 100, and with 75 .001 less
of the first.
"""

USUAL_K = 5

FAILURES = (BackendError, DataError, NotFoundError, RefusedError)
"""What may be wrong with an embedder, or with vectors: the words are there."""

VECTOR, DEGRADED, SPARSE = "vector", "vector-degraded", "sparse-only"
"""The states of recall."""

NO_WORDS = "the question holds no word that can be looked for"


class Policy(NamedTuple):
    """How to recall.

    Attributes:
        k: Most hits.
        mode: ``hybrid``, ``dense`` or ``sparse``.
        fusion: ``score``, or ``rrf``: reciprocal ranks, as published.
        min_relevance: Below this there is no answer; None: whatever is best.
        walk: How far to go along ``similar`` edges from the hits.
        balance: What counts how much.
    """

    k: int = USUAL_K
    mode: str = "hybrid"
    fusion: str = "score"
    min_relevance: float | None = OPERATING
    walk: int = 0
    balance: Balance = USUAL


class Asker(NamedTuple):
    """Who asks, about whom, and when.

    Attributes:
        name: As the store knows it; "" for a person.
        actors: Whose rows there are, by name.
    """

    name: str
    actors: Sequence[str]
    today: date


class Store(NamedTuple):
    """What is asked: words, and what their rows weigh.

    Attributes:
        stems: The tokenizer of its full text, of which only the stems are wanted.
    """

    words: Words
    weights: Weights
    tokenize: Tokenize
    stems: Stems


class Meant(NamedTuple):
    """A question with what it means in numbers.

    Attributes:
        vector: Of its text; None where words alone are asked.
        background: The cosine of that to what has nothing to do with it.
        near: The rows nearest to it.
    """

    read: Read
    vector: Vectors | None
    background: float
    near: Near


class Found(NamedTuple):
    """What was found for a question, before the gate.

    Attributes:
        mode: ``hybrid``, ``dense`` or ``sparse``, as it was really done.
        lists: The ranked lists that it was made of, by name.
        cosines: Of what has a vector.
    """

    read: Read
    mode: str
    answer: Answer
    lists: dict[str, list[int]]
    cosines: Near


class Seeker:
    """Asks one store; several questions share what is read.

    Attributes:
        state: ``vector``, ``vector-degraded`` or ``sparse-only``.
        warnings: What a person should know of how questions are answered.
        embedder: The model that questions were embedded with, and why that failed; ""
            if it did not. None where nothing was embedded.
    """

    embedder: tuple[str, str] | None = None

    def __init__(
        self,
        store: Store,
        asker: Asker,
        policy: Policy,
        sense: Sense | None,
        *,
        state: str = "",
        why: str = "",
    ) -> None:
        """Ask *store*.

        Args:
            store: What is asked.
            asker: Who asks.
            policy: How.
            sense: None where words alone are asked.
            state: If it is not what *sense* says.
            why: Why words alone are asked; "" if nobody expected otherwise.
        """
        self._store, self._asker, self._policy = store, asker, policy
        self._words, self._sense = store.words, sense
        self._gatherer = Gatherer(store.words, store.weights, store.stems)
        self.state = state or (VECTOR if sense else SPARSE)
        self.warnings: list[str] = []
        if why:
            self._by_words_alone(why)

    def read(self, text: str) -> Read:
        """Return the question that *text* asks."""
        return read(
            text,
            self._words,
            self._store.tokenize,
            actors=self._asker.actors,
            asker=self._asker.name,
            today=self._asker.today,
        )

    # What questions mean

    def embedded(self, questions: Sequence[Read]) -> dict[int, Vectors]:
        """Embed *questions*, by place; where that fails words alone are asked.

        One without a word means nothing: what is near its signs is so by chance.
        """
        texts = {at: q.rest for at, q in enumerate(questions) if q.expression}
        if self._sense is None or self._policy.mode == "sparse" or not texts:
            return {}
        from crewmem.hybrid.dense import embedded

        try:
            vectors = embedded(self._sense, [*texts.values()])
        except FAILURES as error:
            self.embedder = self._sense.embedder.model, str(error)
            self._degrade(error)
            return {}
        self.embedder = self._sense.embedder.model, ""
        return dict(zip(texts, vectors, strict=True))

    def meant(
        self, questions: Sequence[Read], vectors: dict[int, Vectors]
    ) -> list[Meant]:
        """Return *questions* with what is near their *vectors*."""
        meant = [Meant(question, None, BACKGROUND, {}) for question in questions]
        if self._sense is None or not vectors:
            return meant
        from crewmem.hybrid.dense import backgrounds, nearest

        asked = [*vectors.values()]
        count = 0 if self._policy.mode == "dense" else self._offered
        try:
            told = zip(
                backgrounds(self._sense, asked),
                nearest(self._sense, self._words, asked, count),
                strict=True,
            )
        except DataError as error:
            self._degrade(error)
            return meant
        for (at, vector), (background, near) in zip(vectors.items(), told, strict=True):
            meant[at] = Meant(questions[at], vector, background, near)
        return meant

    def _degrade(self, error: Exception) -> None:
        self.state, self._sense = DEGRADED, None
        self._by_words_alone(str(error))

    def _by_words_alone(self, why: str) -> None:
        self.warnings.append(f"recall goes by words alone: {why}")

    def tell_damage(self) -> None:
        """Say of vectors that could not be read that nothing was compared to them."""
        damaged = len(self._sense.vectors.damaged) if self._sense else 0
        if damaged:
            self.state = DEGRADED
            self.warnings.append(
                f"{damaged} pages of vectors cannot be read, and what they are of is "
                "found by its words: crewmem episodes sweep --all makes them again"
            )

    # What answers them

    def found(self, meant: Meant) -> Found:
        """Return what answers *meant*; by words alone, where its vector fails."""
        if self._sense is None:
            meant = Meant(meant.read, None, BACKGROUND, {})
        try:
            return self._found(meant)
        except DataError as error:
            if meant.vector is None:
                raise
            self._degrade(error)
            return self.found(meant)

    def is_let_through(self, answer: Answer) -> bool:
        """Tell whether *answer* passes the gate."""
        least = self._policy.min_relevance
        return least is None or answer.relevance >= least

    def _found(self, meant: Meant) -> Found:
        if meant.vector is not None and self._sense and self._policy.mode == "dense":
            from crewmem.hybrid import dense

            answer, near = dense.answer(
                self._sense,
                self._words,
                self._store.weights,
                meant.vector,
                self._policy.k,
                background=meant.background,
            )
            lists = {"vectors": [*near]}
            return Found(meant.read, "dense", answer, lists, near)
        return self._fused(meant)

    def _fused(self, meant: Meant) -> Found:
        """Ask words, and vectors where there are some, and score what they offer."""
        question, near = meant.read, meant.near
        by_words = self._by_words(question, has_vector=meant.vector is not None)
        found = {*by_words, *near}
        offered = self._gatherer.around(found)
        cosines = near
        if self._sense and meant.vector is not None:
            lacking = [seq for seq in offered if seq not in near]
            vectors, space = self._sense.vectors, self._sense.space
            cosines = near | vectors.cosines_of(space, meant.vector, lacking)
        entries = self._gatherer.entries(
            offered, question.terms, cosines, asks_when=question.facts.asks_when
        )
        answer = scoring.answer(
            question.facts,
            entries,
            found,
            background=meant.background,
            balance=self._policy.balance,
        )
        lists = {"words": by_words, "vectors": [*near]}
        if self._policy.fusion == "rrf":
            answer = _by_ranks(answer, [*lists.values()])
        mode = "sparse" if meant.vector is None else self._policy.mode
        return Found(question, mode, answer, lists, cosines)

    def _by_words(self, question: Read, *, has_vector: bool) -> list[int]:
        if not question.expression:
            if not has_vector and NO_WORDS not in self.warnings:
                self.warnings.append(NO_WORDS)
            return []
        most = self._offered if has_vector else self._offered * 3 // 2
        return self._words.best(question.expression, most)

    @property
    def _offered(self) -> int:
        return max(CANDIDATES, 2 * self._policy.k)


def _by_ranks(scored: Answer, lists: Sequence[Sequence[int]]) -> Answer:
    """Return *scored* in the order of the published formula."""
    from crewmem.hybrid.ranks import reciprocal_ranks

    told = {each.seq: each for each in scored.hits}
    fused = sorted(reciprocal_ranks(lists), key=lambda each: (-each[1], each[0]))
    return Answer(
        scored.relevance,
        [
            told[seq]._replace(score=score, why={"ranks": (score, score)})
            for seq, score in fused
        ],
    )
