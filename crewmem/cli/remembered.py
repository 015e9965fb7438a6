"""Opening what is kept of entries: journal, episodes, relations and vectors."""

from __future__ import annotations

import click

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable

    from crewmem.cli.app import App
    from crewmem.episodes.stores import Stores
    from crewmem.journal.store import Journal
    from crewmem.vectors.store import VectorStore


def stores(app: App) -> Stores:
    """Open the stores to change them; home and workspace are made if need be."""
    return _stores(app.journal, lambda: _vectors_to_write(app))


def all_stores(app: App) -> Stores:
    """Open the stores of all workspaces to change what is derived; none is made."""
    from crewmem.journal.store import Journal

    return _stores(Journal(app.truth), lambda: _vectors_to_write(app))


def stores_to_read(app: App) -> Stores | None:
    """Open the stores of the workspace as they can be read; None without a database.

    Vectors that are damaged are a warning: everything is found by its words.

    Raises:
        WorkspaceMissingError: If there is no such workspace.
    """
    journal = app.journal_to_read
    return _stores(journal, lambda: _vectors_to_read(app)) if journal else None


def all_stores_to_read(app: App) -> Stores | None:
    """Open the stores of all workspaces to read them; None without a database."""
    from crewmem.journal.store import Journal

    db = app.truth_to_read
    return _stores(Journal(db), lambda: _vectors_to_read(app)) if db else None


def _vectors_to_write(app: App) -> VectorStore:
    from crewmem.vectors.store import VectorStore

    timeout = app.settings.busy_timeout
    return _closed(VectorStore.open_to_write(app.home, busy_timeout=timeout))


def _vectors_to_read(app: App) -> VectorStore:
    if app.held is not None:
        return app.held
    from crewmem.db import derived
    from crewmem.errors import DataError
    from crewmem.vectors.store import VECTORS, VectorStore

    timeout = app.settings.busy_timeout
    try:
        found = VectorStore.open_to_read(app.home, busy_timeout=timeout)
    except DataError as error:
        app.out.warn(f"{error}. {error.hint}" if error.hint else str(error))
        found = VectorStore(derived.in_memory(VECTORS))
    return _closed(found)


def _closed(vectors: VectorStore) -> VectorStore:
    click.get_current_context().call_on_close(vectors.close)
    return vectors


def _stores(journal: Journal, open_vectors: Callable[[], VectorStore]) -> Stores:
    from crewmem.episodes.stores import Stores

    return Stores(journal, open_vectors)
