"""Asking a language model about one window after the other."""

from __future__ import annotations

from collections import Counter

from crewmem.memories.patience import Patience
from crewmem.transcripts.ask import ask

TYPE_CHECKING = False
if TYPE_CHECKING:
    from crewmem.backends.llm import LanguageModel
    from crewmem.memories.remember import Scan
    from crewmem.transcripts.claim import Claim
    from crewmem.transcripts.window import Window


class Asker:
    """Asks a language model, and stops asking one that does not answer."""

    def __init__(self, model: LanguageModel, scan: Scan) -> None:
        """Ask *model*; *scan* is what it must not be told."""
        self._model, self._scan = model, scan
        self._patience = Patience()
        self.dropped: Counter[str] = Counter()

    def ask(self, window: Window) -> list[Claim]:
        """Return what *window* holds.

        Raises:
            BackendError: If the model does not say.
        """
        answer = self._patience.asked(lambda: ask(self._model, window, self._scan))
        self.dropped.update(answer.dropped)
        return answer.claims
