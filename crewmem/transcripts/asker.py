"""Asking a language model about one window after the other."""

from __future__ import annotations

from collections import Counter

from crewmem.errors import BackendError
from crewmem.transcripts.ask import ask

TYPE_CHECKING = False
if TYPE_CHECKING:
    from crewmem.backends.llm import LanguageModel
    from crewmem.memories.remember import Scan
    from crewmem.transcripts.claim import Claim
    from crewmem.transcripts.window import Window

PATIENCE = 2
"""Failures in a row after which a model is not asked again in this run."""


class Asker:
    """Asks a language model, and stops asking one that does not answer."""

    def __init__(self, model: LanguageModel, scan: Scan) -> None:
        """Ask *model*; *scan* is what it must not be told."""
        self._model, self._scan = model, scan
        self._last: BackendError | None = None
        self._in_a_row = 0
        self.dropped: Counter[str] = Counter()

    def ask(self, window: Window) -> list[Claim]:
        """Return what *window* holds.

        Raises:
            BackendError: If the model does not say.
        """
        if self._last and self._in_a_row >= PATIENCE:
            raise self._last
        try:
            answer = ask(self._model, window, self._scan)
        except BackendError as error:
            self._last, self._in_a_row = error, self._in_a_row + 1
            raise
        self._in_a_row = 0
        self.dropped.update(answer.dropped)
        return answer.claims
