"""Opening memories: to be changed, or as they can be read; and naming them."""

from __future__ import annotations

import os

from crewmem.errors.memories import MemoryMissingError, MemoryTablesMissingError

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Collection, Sequence

    from crewmem.cli.app import App
    from crewmem.cli.sieve import Sieve
    from crewmem.hybrid.scoring import Balance
    from crewmem.journal.store import Journal
    from crewmem.memories.desk import Desk
    from crewmem.memories.hit import Answer
    from crewmem.memories.memory import Memory
    from crewmem.memories.store import Filter, Memories
    from crewmem.memories.view import View
    from crewmem.threats.rule import Finding

STEP = 7
"""Of the schema that made the tables; a backup may be older."""


def view(app: App, *, restricted: bool = False) -> View:
    """Return what the actor may read of the memories of the workspace."""
    from crewmem.memories.view import view_of
    from crewmem.registry.crews_store import led_by, without_memory

    led: Sequence[str] = ()
    off: frozenset[str] = frozenset()
    db = app.truth_to_read if app.home.is_dir() else None
    if db is not None:
        off = without_memory(db, app.workspace)
        if not app.actor.is_operator:
            led = led_by(db, app.workspace, app.actor.name)
    return view_of(
        app.sight,
        app.workspace,
        led=frozenset(led),
        restricted=restricted,
        off=off,
    )


def desk(app: App, *, restricted: bool = False) -> Desk:
    """Return what memories are changed with; home and workspace are made if needed."""
    return _desk(app, app.journal, view(app, restricted=restricted))


def desk_to_read(app: App) -> Desk | None:
    """Return a desk at which nothing can be changed; None if there is no database yet.

    Raises:
        WorkspaceMissingError: If there is no such workspace.
        MemoryTablesMissingError: If the database is older than memories are.
    """
    if memories_to_read(app) is None or (journal := app.journal_to_read) is None:
        return None
    return _desk(app, journal, view(app))


def desk_there(app: App, *, to_read: bool = False) -> Desk | None:
    """Return a desk for what works on all that is there; None if nothing is kept yet.

    No home and no workspace is made for it: a name that is misspelled is told.

    Raises:
        HomeMissingError: If there is no home.
        WorkspaceMissingError: If there is no such workspace.
    """
    from crewmem.cli.journals import open_truth_to_read

    if to_read or open_truth_to_read(app) is None:
        return desk_to_read(app)
    return desk(app)


def _desk(app: App, journal: Journal, seen: View) -> Desk:
    from crewmem.cli.scanner import scanner
    from crewmem.memories.desk import Desk
    from crewmem.memories.store import Memories

    def scan(text: str) -> list[Finding]:
        return scanner(app)(text)  # few ask for it

    memories, who = Memories(journal.db), app.actor
    return Desk(memories, journal, who, seen, app.now, os.urandom, scan=scan)


def memories_to_read(app: App) -> Memories | None:
    """Return the memories as they can be read; None if there is no database yet.

    Raises:
        WorkspaceMissingError: If there is no such workspace.
        MemoryTablesMissingError: If the database is older than memories are.
    """
    from crewmem.cli.journals import open_truth_to_read

    if (db := open_truth_to_read(app)) is None:
        return None
    from crewmem.db.migrate import version
    from crewmem.memories.store import Memories

    if version(db) < STEP:
        raise MemoryTablesMissingError(app.home)
    return Memories(db)


def find_held(
    app: App,
    text: str,
    *,
    limit: int,
    scope: str | None = None,
    agent: str | None = None,
    crew: str | None = None,
    without: Collection[str] = (),
    sieve: Sieve | None = None,
    balance: Balance | None = None,
) -> Answer | None:
    """Return the memories that answer *text*, best first; None without any.

    A database that is older than memories are has none: that is no failure here.
    """
    from crewmem.cli.sensing import means
    from crewmem.cli.sieve import ALL
    from crewmem.hybrid.scoring import USUAL
    from crewmem.journal.tokenizer import tokenizer
    from crewmem.memories.find import Policy, find

    sieve = sieve or ALL
    try:
        memories = memories_to_read(app) if app.home.is_dir() else None
    except MemoryTablesMissingError:
        return None
    if memories is None:
        return None
    wanted = _let_through(app, sieve)._replace(
        scope=None if scope == "all" else scope,
        agent=agent,
        crew=crew,
        without=tuple(sorted(without)),
    )
    policy = Policy(limit, by_engram=sieve.by_engram, balance=balance or USUAL)
    return find(memories, wanted, text, policy, tokenizer(memories.db), means(app))


def _let_through(app: App, sieve: Sieve) -> Filter:
    """Return what *sieve* lets through, of what the actor may read."""
    from crewmem.memories.lifecycle import LIVE
    from crewmem.memories.store import Filter

    return Filter(
        view(app, restricted=sieve.restricted),
        app.now,
        kinds=sieve.kinds,
        statuses=(*LIVE, "archived") if sieve.deep else (),
        project=sieve.project,
        min_importance=sieve.min_importance,
        since=sieve.since,
        until=sieve.until,
        expired=sieve.expired,
        is_shared=sieve.is_shared,
    )


def named(app: App, name: str) -> Memory:
    """Return the memory that *name* names or begins, as far as the actor may see.

    A restricted one is its owner's to name, and an operator's: what that prints of it
    is for `memories.withheld` to say.
    """
    return found(app, name)[1]


def looked_at(
    app: App, name: str, *, include_restricted: bool
) -> tuple[Memories, Memory]:
    """Return what `found` does, to be shown whole.

    Raises:
        RestrictedError: If it is for its owner, and an operator did not ask for such.
    """
    from crewmem.cli.memories.withheld import is_withheld
    from crewmem.errors.memories import RestrictedError

    memories, memory = found(app, name)
    if is_withheld(app, memory) and not include_restricted:
        raise RestrictedError(memory.id)
    return memories, memory


def found(app: App, name: str) -> tuple[Memories, Memory]:
    """Return what `named` does, and the memories that it is one of."""
    memories = memories_to_read(app)
    if memories is None:
        raise MemoryMissingError(name, app.workspace)
    return memories, memories.find(name, view(app, restricted=True))
