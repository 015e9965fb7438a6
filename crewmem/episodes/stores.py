"""The stores that episodes are worked on with, as they travel together."""

from __future__ import annotations

from functools import cached_property

from crewmem.episodes.store import Episodes

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable

    from crewmem.episodes.relations_store import Relations
    from crewmem.journal.store import Journal
    from crewmem.vectors.store import VectorStore


class Stores:
    """What is kept of entries: themselves, their weight, relations and vectors."""

    def __init__(
        self, journal: Journal, open_vectors: Callable[[], VectorStore]
    ) -> None:
        """Take the journal, and what opens the vectors when they are first asked."""
        self.journal, self.episodes = journal, Episodes(journal.db)
        self._open_vectors = open_vectors

    @cached_property
    def relations(self) -> Relations:
        """The relations between entries."""
        from crewmem.episodes.relations_store import Relations

        return Relations(self.journal.db)

    @cached_property
    def vectors(self) -> VectorStore:
        """The vectors."""
        return self._open_vectors()
