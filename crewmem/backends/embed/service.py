"""What embedders that ask a service have in common."""

from __future__ import annotations

from crewmem.backends.embed.pieces import PIECE_TOKENS, READ_TOKENS, estimate, spoken
from crewmem.backends.embed.pieces import pieces as cut_in_pieces
from crewmem.backends.http import OK
from crewmem.errors.backends import (
    BadAnswerError,
    RequestRefusedError,
    UnreachableError,
)
from crewmem.errors.journal import BlankTextError

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Collection, Iterator, Mapping, Sequence

    from crewmem.backends.embed import Vectors
    from crewmem.backends.http import Answer, Client

BATCH_TEXTS, BATCH_TOKENS = 64, 50_000
"""Most texts, and about most tokens, of one request: a batch of a sweep, within what
every service takes."""

BLAMED = frozenset({400, 413, 422})
"""Statuses that are about the texts. All others would be the same for any text."""

REST_SECONDS = 5.0
"""For so long a service that could not be used is not asked again: a search asks the
same of three stores, and whoever waits for one that hangs waits once."""

PROBE = "memory"
"""Embedded to learn how many numbers a model gives."""


class Service:
    """An embedder that asks a service: a subclass says how.

    Attributes:
        name: What the setting calls it.
        model: The model's name.
    """

    name: str
    dims: Mapping[str, int] = {}
    """How many numbers the vectors of known models have."""
    reads: Mapping[str, int] = {}
    """Tokens that known models read at once, where it is less than the usual."""

    def __init__(self, client: Client, model: str) -> None:
        """Ask *client* for vectors of *model*."""
        self._client, self.model = client, model
        self._dim = known(type(self), model)
        self._failed: UnreachableError | None = None
        self._rests_until = 0.0
        self._reads = self.reads.get(_plain(model), READ_TOKENS)

    @property
    def dim(self) -> int:
        """How many numbers a vector has; the service is asked if nobody knows."""
        return self._dim or self.embed([PROBE]).shape[1]

    def pieces(self, text: str) -> list[str]:
        """Return *text*, or if it is longer than the model reads, pieces of it."""
        piece = min(PIECE_TOKENS, self._reads)
        return cut_in_pieces(spoken(text), read=self._reads, piece=piece)

    def embed(self, texts: Sequence[str]) -> Vectors:
        """Return the unit vectors of *texts*: (n, dim) float32, in their order."""
        from crewmem.retrieval.numerics import np

        texts = [self.pieces(text)[0] for text in texts]
        if not all(text.strip() for text in texts):
            raise BlankTextError
        if not texts:
            return np.empty((0, self.dim), np.float32)
        return np.concatenate([self._embedded(batch) for batch in _batches(texts)])

    def close(self) -> None:
        """Close every connection."""
        self._client.close()

    def _embedded(self, texts: Sequence[str]) -> Vectors:
        from crewmem.backends.embed.answers import NoVectorsError, Wanted, vectors

        rows = self._reached(texts)
        try:
            found = vectors(rows, Wanted(len(texts), self._dim))
        except NoVectorsError as error:
            raise self._bad(str(error)) from error
        self._dim = found.shape[1]
        return found

    def _reached(self, texts: Sequence[str]) -> object:
        """Return what `_asked` does, unless the service could not be used just now."""
        if self._failed and self._client.now() < self._rests_until:
            raise UnreachableError(self._failed.service, self._failed.reason)
        try:
            return self._asked(texts)
        except (BadAnswerError, UnreachableError) as error:
            # What no text is to blame for, as of a proxy, is so of the next one, too.
            self._failed = UnreachableError(error.service, error.reason)
            self._rests_until = self._client.now() + REST_SECONDS
            raise self._failed from error

    def _asked(self, texts: Sequence[str]) -> object:
        """Return what the service answers for *texts*: a list of lists of numbers."""
        raise NotImplementedError

    def _good(self, answer: Answer) -> Mapping[str, object]:
        """Return what *answer* says.

        Raises:
            RequestRefusedError: If it refuses the texts.
            UnreachableError: If it says that it cannot do it for any.
            BadAnswerError: If it is no object of JSON, as when another program answers.
        """
        if answer.status == OK:
            if isinstance(answer.document, dict):
                return answer.document
            raise self._bad("what it answers is no JSON, or no object of it")
        reason = self._client.problem(answer)
        if answer.status in BLAMED:
            raise RequestRefusedError(self._client.service, reason)
        raise UnreachableError(self._client.service, reason)

    def _bad(self, reason: str) -> BadAnswerError:
        return BadAnswerError(self._client.service, reason)


def known(kind: type[Service], model: str) -> int | None:
    """Return how many numbers vectors of *model* have, None if *kind* cannot say."""
    return kind.dims.get(_plain(model))


def _plain(model: str) -> str:
    """Return *model* without which build of it: Ollama's are called ``name:tag``."""
    return model.partition(":")[0]


def _batches(texts: Sequence[str]) -> Iterator[list[str]]:
    """Yield *texts* in batches that make one request each."""
    batch: list[str] = []
    total = 0
    for text in texts:
        tokens = estimate(text)
        full = len(batch) == BATCH_TEXTS or total + tokens > BATCH_TOKENS
        if batch and full:
            yield batch
            batch, total = [], 0
        batch.append(text)
        total += tokens
    if batch:
        yield batch


def listed(document: Mapping[str, object], name: str) -> Collection[object]:
    """Return the list *name* of *document*, an empty one if it has none."""
    found = document.get(name)
    return found if isinstance(found, list) else []
