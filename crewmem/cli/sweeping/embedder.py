"""An embedder as a sweep asks it: not again in a pass in which it was not reached.

Entries, memories and the chunks of each directory are embedded one after the other. A
service that hangs would be waited for by each of them.
"""

from __future__ import annotations

from crewmem.errors import BackendError, RefusedError
from crewmem.errors.backends import UnreachableError

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Sequence
    from typing import TypeVar

    from crewmem.backends.embed import Embedder, Vectors

    Answer = TypeVar("Answer")


class Asked:
    """What embeds, in the shape of an `Embedder`.

    Attributes:
        name: As of what embeds.
        model: The same.
        trouble: What it said of the last text that it did not embed.
    """

    trouble = ""

    def __init__(self, embedder: Embedder) -> None:
        self._embedder = embedder
        self._failure: UnreachableError | None = None
        self.name, self.model = embedder.name, embedder.model

    def again(self) -> None:
        """Ask it again, in a new pass."""
        self._failure, self.trouble = None, ""

    @property
    def dim(self) -> int:
        """How many numbers a vector has."""
        return self._ask(lambda: self._embedder.dim)

    def embed(self, texts: Sequence[str]) -> Vectors:
        """Return the unit vectors of *texts*.

        Raises:
            UnreachableError: If it does not answer, or did not in this pass.
        """
        return self._ask(lambda: self._embedder.embed(texts))

    def pieces(self, text: str) -> list[str]:
        """Return what is embedded of *text*."""
        return self._embedder.pieces(text)

    def close(self) -> None:
        """Let go of connections."""
        self._embedder.close()

    def _ask(self, question: Callable[[], Answer]) -> Answer:
        if self._failure:
            raise self._failure
        try:
            return question()
        except UnreachableError as error:
            self._failure = error
            raise
        except (BackendError, RefusedError) as error:
            self.trouble = str(error)
            raise
