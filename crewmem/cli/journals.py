"""Opening the journal of the home: to be added to, or as it can be read."""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    import apsw

    from crewmem.cli.app import App
    from crewmem.episodes.store import Episodes
    from crewmem.journal.entry import Entry
    from crewmem.journal.store import Journal

CHAIN_KEY = "CREWMEM_CHAIN_KEY"
"""The variable of the key of the chain. It is a secret, so it is no setting."""


def chain_key(environ: Mapping[str, str]) -> bytes | None:
    """Return the key that the chain is signed with; None if there is none."""
    key = environ.get(CHAIN_KEY)
    return key.encode("utf-8", "surrogateescape") if key else None


def open_journal(app: App) -> Journal:
    """Open the journal to add to it; home and workspace are made if they are not there.

    Raises:
        AgentMissingError: If who acts is no agent here; nothing is made.
    """
    from crewmem import disk
    from crewmem.episodes.store import Episodes
    from crewmem.journal.store import Journal
    from crewmem.registry.crews_store import has_workspace

    require_known(app)
    disk.make_root(app.home).close()
    if not has_workspace(app.truth, app.workspace):
        from crewmem.registry.init import init

        init(app.registry, app.home, app.workspace, now=app.now)
    episodes = Episodes(app.truth)
    return Journal(
        app.truth,
        chain_key=chain_key(app.world.environ),
        on_append=lambda new: _taken(episodes, new, app),
    )


def _taken(episodes: Episodes, entries: Sequence[Entry], app: App) -> None:
    from crewmem.journal.chain import is_keyed

    episodes.take(entries, app.now)
    if is_keyed(entries[0].prev_hash) and not is_keyed(entries[0].entry_hash):
        app.out.warn(
            f"{entries[0].id} was added without {CHAIN_KEY}, with which the journal is"
            " signed: journal verify will name it"
        )


def require_known(app: App) -> None:
    """Refuse an agent or a lead whom nobody has registered.

    Raises:
        AgentMissingError: If it is not: its name is misspelled, or it is elsewhere.
        NotTheLeadError: If no crew names it as its lead.
    """
    from crewmem.errors.registry import AgentMissingError

    if not app.actor.is_operator and not app.sight.crews:
        raise AgentMissingError(app.actor.name, app.workspace)


def open_journal_to_read(app: App) -> Journal | None:
    """Open the journal as it can be read; None if there is no database yet.

    Raises:
        HomeMissingError: If there is no home.
        WorkspaceMissingError: If there is no such workspace.
    """
    if (db := open_truth_to_read(app)) is None:
        return None
    from crewmem.journal.store import Journal

    return Journal(db, chain_key=chain_key(app.world.environ))


def open_truth_to_read(app: App) -> apsw.Connection | None:
    """Open the database of a workspace as it can be read; None if there is none yet.

    Raises:
        HomeMissingError: If there is no home.
        WorkspaceMissingError: If there is no such workspace.
    """
    from crewmem.registry.crews_store import has_workspace

    if not app.home.is_dir():
        from crewmem.errors.registry import HomeMissingError

        raise HomeMissingError(app.home)
    db = app.truth_to_read
    if (app.home / "workspaces" / app.workspace).is_dir():
        return db
    if db is None or not (has_workspace(db, app.workspace) or _has_entries(app, db)):
        from crewmem.errors.registry import WorkspaceMissingError

        raise WorkspaceMissingError(app.workspace)
    return db


def _has_entries(app: App, db: apsw.Connection) -> bool:
    from crewmem.journal.store import Journal

    return Journal(db).has_entries(app.workspace)
