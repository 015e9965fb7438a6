"""When a language model is asked no more: each failure may take minutes."""

from __future__ import annotations

from crewmem.errors import BackendError

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import TypeVar

    Said = TypeVar("Said")

FAILURES = 2
"""In a row, after which a model is not asked again in a run."""


class Patience:
    """Asks a language model, until it has failed too often in a row."""

    def __init__(self) -> None:
        self._last: BackendError | None = None
        self._in_a_row = 0

    @property
    def is_over(self) -> bool:
        """Tell whether the model is asked no more."""
        return self._in_a_row >= FAILURES

    def asked(self, ask: Callable[[], Said]) -> Said:
        """Return what *ask* does, which asks the model.

        Raises:
            BackendError: If it does not say; the last one, once patience is over.
        """
        if self._last and self.is_over:
            raise self._last
        try:
            said = ask()
        except BackendError as error:
            self._last, self._in_a_row = error, self._in_a_row + 1
            raise
        self._in_a_row = 0
        return said
