"""Opening what is kept of entries: journal, episodes, relations and vectors."""

from __future__ import annotations

import click

TYPE_CHECKING = False
if TYPE_CHECKING:
    from crewmem.cli.app import App
    from crewmem.episodes.stores import Stores
    from crewmem.journal.store import Journal
    from crewmem.vectors.store import VectorStore


def stores(app: App) -> Stores:
    """Open the stores to change them; home and workspace are made if need be."""
    from crewmem.vectors.store import VectorStore

    journal = app.journal
    timeout = app.settings.busy_timeout
    return _stores(journal, VectorStore.open_to_write(app.home, busy_timeout=timeout))


def all_stores(app: App) -> Stores:
    """Open the stores of all workspaces to change what is derived; none is made."""
    from crewmem.journal.store import Journal
    from crewmem.vectors.store import VectorStore

    timeout = app.settings.busy_timeout
    vectors = VectorStore.open_to_write(app.home, busy_timeout=timeout)
    return _stores(Journal(app.truth), vectors)


def stores_to_read(app: App) -> Stores | None:
    """Open the stores of the workspace as they can be read; None without a database.

    Vectors that are damaged are a warning: everything is found by its words.

    Raises:
        WorkspaceMissingError: If there is no such workspace.
    """
    journal = app.journal_to_read
    return _stores(journal, _vectors(app)) if journal else None


def all_stores_to_read(app: App) -> Stores | None:
    """Open the stores of all workspaces to read them; None without a database."""
    from crewmem.journal.store import Journal

    db = app.truth_to_read
    return _stores(Journal(db), _vectors(app)) if db else None


def _vectors(app: App) -> VectorStore:
    from crewmem.db import derived
    from crewmem.errors import DataError
    from crewmem.vectors.store import VECTORS, VectorStore

    try:
        return VectorStore.open_to_read(
            app.home, busy_timeout=app.settings.busy_timeout
        )
    except DataError as error:
        app.out.warn(f"{error}. {error.hint}")
        return VectorStore(derived.in_memory(VECTORS))


def _stores(journal: Journal, vectors: VectorStore) -> Stores:
    from crewmem.episodes.relations_store import Relations
    from crewmem.episodes.store import Episodes
    from crewmem.episodes.stores import Stores

    click.get_current_context().call_on_close(vectors.close)
    return Stores(journal, Episodes(journal.db), Relations(journal.db), vectors)
