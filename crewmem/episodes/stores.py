"""The stores that episodes are worked on with, as they travel together."""

from __future__ import annotations

from typing import NamedTuple

TYPE_CHECKING = False
if TYPE_CHECKING:
    from crewmem.episodes.relations_store import Relations
    from crewmem.episodes.store import Episodes
    from crewmem.journal.store import Journal
    from crewmem.vectors.store import VectorStore


class Stores(NamedTuple):
    """What is kept of entries: themselves, their weight, relations and vectors."""

    journal: Journal
    episodes: Episodes
    relations: Relations
    vectors: VectorStore
