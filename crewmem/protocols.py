"""What parts of crewmem need from each other across layers."""

from collections.abc import Callable, Collection, Mapping, Sequence
from typing import TYPE_CHECKING, Any, Protocol

if TYPE_CHECKING:  # numpy takes longer to import than most commands take to run
    import numpy as np


class EntryWriter(Protocol):
    """Appends journal entries."""

    def append(
        self,
        entry_type: str,
        summary: str,
        *,
        payload: Mapping[str, Any] | None = None,
        refs: Mapping[str, Any] | None = None,
        severity: str = "info",
        priority: str = "normal",
        crew: str | None = None,
        agent: str | None = None,
        origin: str | None = None,
        trace_id: str | None = None,
    ) -> str:
        """Append an entry, inside the open transaction if there is one; return its id."""
        ...


class EntryPurger(EntryWriter, Protocol):
    """Appends journal entries, and blanks those that hold a purged text."""

    def find_entries_with(self, refs: Mapping[str, str]) -> Sequence[str]:
        """Return the ids of the entries whose refs have these values."""
        ...

    def purge_entries(
        self,
        entry_ids: Collection[str],
        *,
        erase_vectors: Callable[[Collection[int]], None] | None = None,
    ) -> int:
        """Blank the text of entries; return how many."""
        ...


class ReviewWriter(Protocol):
    """Adds items to the review queue."""

    def add(
        self,
        kind: str,
        title: str,
        *,
        payload: Mapping[str, Any],
        crew: str | None = None,
        agent: str | None = None,
        fact_id: str | None = None,
        key: str = "",
    ) -> str:
        """Add an item and return its id.

        While an item with the same *key* is open, its id is returned and nothing is added.
        """
        ...


class Embedder(Protocol):
    """Turns texts into vectors."""

    @property
    def name(self) -> str:
        """Name in the settings, such as ``minilm``."""
        ...

    @property
    def model(self) -> str:
        """Name of the model; vectors of different models are never compared."""
        ...

    @property
    def dim(self) -> int:
        """Length of a vector."""
        ...

    @property
    def max_tokens(self) -> int:
        """Longest text that the model reads whole."""
        ...

    def embed(self, texts: Sequence[str], *, as_question: bool = False) -> "np.ndarray":
        """Return one float32 row of length 1 for each text, none of them blank.

        Args:
            texts: Not longer than the model reads; see `split`.
            as_question: Whether they are questions, for models that tell them apart.
        """
        ...

    def split(self, text: str) -> list[str]:
        """Return *text*, or overlapping pieces of it that the model reads whole."""
        ...

    def count_tokens(self, text: str) -> int:
        """Return the number of tokens of *text*: many a word mean a language it does not know."""
        ...
