"""Finding the episodes that answer a question, by words and by vectors."""

from __future__ import annotations

import time

from crewmem import times
from crewmem.db.connect import one_moment
from crewmem.episodes.hit import Recalled
from crewmem.episodes.words_store import ALWAYS, Words
from crewmem.hybrid import seeker
from crewmem.hybrid.seeker import Policy, Seeker, Store
from crewmem.records import NamedTuple

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence
    from datetime import datetime

    from crewmem.episodes.hit import Hit
    from crewmem.episodes.stores import Stores
    from crewmem.hybrid.dense import Sense
    from crewmem.hybrid.gather import Stems
    from crewmem.hybrid.scoring import Scored
    from crewmem.hybrid.seeker import Found, Meant
    from crewmem.retrieval.words import Tokenize

__all__ = ["Asker", "Policy", "Recaller"]


class Asker(NamedTuple):
    """Who asks, when, and what is in reach.

    Attributes:
        name: As the journal knows it; "" for a person.
        owners: Whose episodes may be seen.
        since: Only what happened then or later.
        until: Only what happened before then.
    """

    name: str
    workspace: str
    owners: Sequence[int]
    now: datetime
    since: datetime | None = None
    until: datetime | None = None


class Recaller:
    """Answers questions on the episodes in one reach; several share what is read."""

    def __init__(
        self,
        stores: Stores,
        asker: Asker,
        policy: Policy,
        *,
        tokenize: Tokenize,
        stems: Stems,
        sense: Sense | None,
        state: str = "",
        why: str = "",
    ) -> None:
        """Ask the *stores*.

        Args:
            stores: Where entries, weights and relations are.
            asker: In whose reach.
            policy: How.
            tokenize: The tokenizer of the full text.
            stems: The same, of which only the stems are wanted.
            sense: None where words alone are asked.
            state: If it is not what *sense* says.
            why: Why words alone are asked; "" if nobody expected otherwise.
        """
        self._stores, self._asker, self._policy = stores, asker, policy
        self._tokenize = tokenize
        now = times.to_text(asker.now)
        self._words = Words(stores.journal.db, asker.owners, now, _period(asker))
        self._seeker = Seeker(
            Store(self._words, stores.episodes, tokenize, stems),
            seeker.Asker(
                asker.name, self._words.actors(asker.workspace), asker.now.date()
            ),
            policy,
            sense,
            state=state,
            why=why,
        )

    @property
    def state(self) -> str:
        """``vector``, ``vector-degraded`` or ``sparse-only``."""
        return self._seeker.state

    @property
    def warnings(self) -> list[str]:
        """What a person should know of how questions are answered."""
        return self._seeker.warnings

    @property
    def embedder(self) -> tuple[str, str] | None:
        """The model that questions were embedded with, and why that failed.

        "" if it did not; None where nothing was embedded.
        """
        return self._seeker.embedder

    def recall(self, texts: Sequence[str]) -> list[Recalled]:
        """Return what answers each of *texts*, best first."""
        questions = [self._seeker.read(text) for text in texts]
        began = time.perf_counter()
        vectors = self._seeker.embedded(questions)
        took = time.perf_counter() - began
        with one_moment(self._stores.journal.db):
            meant = self._seeker.meant(questions, vectors)
            found = [self._recalled(each) for each in meant]
        self._seeker.tell_damage()
        each_ms = round(1000 * took / max(1, len(texts)), 3)
        return [
            answer._replace(state=self.state, query_embedding_ms=each_ms)
            for answer in found
        ]

    def _recalled(self, meant: Meant) -> Recalled:
        began = time.perf_counter()
        found = self._seeker.found(meant)
        shown = found.answer.hits[: self._policy.k]
        kept = shown if self._seeker.is_let_through(found.answer) else []
        return Recalled(
            mode=found.mode,
            state=self.state,
            hits=self._hits(found, kept) if kept else [],
            hidden=len(shown) - len(kept),
            query_embedding_ms=0.0,
            search_ms=round(1000 * (time.perf_counter() - began), 3),
            total_indexed=self._words.count(),
            warnings=self.warnings,
        )

    def _hits(self, found: Found, kept: Sequence[Scored]) -> list[Hit]:
        from crewmem.episodes.hits import hits

        return hits(
            self._stores,
            self._words,
            self._asker.now,
            found.read,
            kept,
            lists=found.lists,
            cosines=found.cosines,
            walk=self._policy.walk,
            tokenize=self._tokenize,
        )


def _period(asker: Asker) -> tuple[str, str]:
    """Return of which time episodes have to be, as times are stored."""
    first, last = ALWAYS
    return (
        times.to_text(asker.since) if asker.since else first,
        times.to_text(asker.until) if asker.until else last,
    )
