"""The result of embedding texts."""

from collections.abc import Iterable
from dataclasses import dataclass, field


@dataclass(slots=True)
class EmbedReport:
    """Result of embedding the texts of a store.

    Attributes:
        added: Number of texts that were embedded.
        removed: Number of texts whose vectors were deleted, because they are gone.
        failed: Number of texts that could not be embedded.
        waiting: Number of texts left for a later run.
        error: Why the rest was not embedded; "" if nothing went wrong.
    """

    store: str
    added: int = 0
    removed: int = 0
    failed: int = 0
    waiting: int = 0
    error: str = ""
    _keys: list[int] = field(default_factory=list)

    def add(self, keys: Iterable[int]) -> None:
        """Count the texts with these vector keys as embedded."""
        self._keys += keys
        self.added = len(self._keys)
