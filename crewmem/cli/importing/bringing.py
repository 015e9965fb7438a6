"""Taking in the memories of an import, or saying what would come of it."""

from __future__ import annotations

import click

from crewmem.errors.bundles import NothingCarriedError
from crewmem.errors.registry import HomeMissingError, WorkspaceMissingError

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Mapping
    from typing import Any

    from crewmem.bundles.work import Work
    from crewmem.cli.app import App
    from crewmem.files.written import Means
    from crewmem.memories.desk import Desk
    from crewmem.memories.importing import Items, Policy
    from crewmem.memories.taken import Taken

BUNDLE = "crewmem"
"""Of a bundle of ours the journal tells already what became of its memories."""

NO_MEMORIES = "it holds no memories"


def require_replaceable(app: App, chosen: Mapping[str, Any]) -> None:
    """Refuse --replace to those who may not, and for a part of the memories.

    Raises:
        OutOfScopeError: If the actor is no operator.
    """
    from crewmem.scope import require_operator

    if not chosen["replaces"]:
        return
    require_operator(app.actor, "replace all memories")
    if chosen["agent"] is not None or chosen["crew"] is not None:
        message = "--replace is of all memories: it takes no --agent and no --crew."
        raise click.UsageError(message)


def bringing(
    app: App, todo: Work, means: Means, *, apply: bool, replaces: bool
) -> Callable[[], Taken] | None:
    """Return what takes the memories of *todo* in; None: it holds none.

    Raises:
        NothingCarriedError: If it is to hold some, and does not.
    """
    items = todo.memories
    if items is None:
        if replaces:
            raise click.UsageError(f"--replace has nothing to do: {NO_MEMORIES}.")
        return None
    if not any(True for _ in items()):
        raise NothingCarriedError(todo.source.name, [NO_MEMORIES])
    from crewmem.memories.importing import Policy

    policy = Policy(
        scan=means.scan,
        allow=means.allow,
        replaces=replaces,
        dry_run=not apply,
        off=means.off,
        told_as=None if todo.format == BUNDLE else todo.format,
    )
    return lambda: _brought(app, todo.source.name, items, policy)


def _brought(app: App, source: str, items: Items, policy: Policy) -> Taken:
    from crewmem.memories.importing import take

    if policy.dry_run:
        return take(_desk_to_look(app), items, policy)
    desk = _desk(app)
    if not policy.replaces:
        return take(desk, items, policy)
    planned = take(desk, items, policy._replace(dry_run=True))
    if not planned.added:
        reasons = [each.reason for each in planned.troubles[:5]] or [NO_MEMORIES]
        raise NothingCarriedError(source, reasons)
    backup = _backup(app, desk)
    return take(desk, items, policy)._replace(backup=backup)


def _backup(app: App, desk: Desk) -> str:
    """Copy the database beside itself; return where."""
    from crewmem.db.migrate import backup
    from crewmem.db.truth import NAME

    stamp = "".join(
        each for each in app.now.isoformat("T", "seconds")[:19] if each != ":"
    )
    path = app.home / f"{NAME}.before-import-{stamp}"
    number = 1
    while path.exists():
        number += 1
        path = app.home / f"{NAME}.before-import-{stamp}-{number}"
    backup(desk.memories.db, path)
    return str(path)


def _desk(app: App) -> Desk:
    from crewmem.cli.held import desk

    return desk(app, restricted=True)


def _desk_to_look(app: App) -> Desk:
    """Return what can be looked at: of nothing, an empty database in memory."""
    import os

    from crewmem.cli.held import STEP, view
    from crewmem.db.connect import connect_memory
    from crewmem.db.migrate import migrate, version
    from crewmem.journal.store import Journal
    from crewmem.memories.desk import Desk
    from crewmem.memories.store import Memories

    try:
        journal = app.journal_to_read if app.home.is_dir() else None
    except (HomeMissingError, WorkspaceMissingError):
        journal = None  # the import would make them
    if journal is None or version(journal.db) < STEP:
        db = connect_memory()
        migrate(db)
        journal = Journal(db)
    return Desk(
        Memories(journal.db),
        journal,
        app.actor,
        view(app, restricted=True),
        app.now,
        os.urandom,
    )
