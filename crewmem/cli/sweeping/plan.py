"""What a sweep finds to do, by looking at the home without leaving a trace."""

from __future__ import annotations

import os

from crewmem.records import NamedTuple

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping
    from datetime import datetime

    import apsw

    from crewmem.cli.app import App
    from crewmem.cli.recording import Known


class Plan(NamedTuple):
    """What there is to do.

    Attributes:
        off: The workspaces, each with its agents whose memory is off.
        model: That of most vectors; None if there are none.
        waiting: Episodes that have no vector.
        is_due: Whether any of them, or a relation, is to be looked after now.
        is_worth_a_look: Whether there are episodes at all.
        memories: The workspaces that hold memories, each with whether some are to be
            embedded now.
        listings: What lay in memory directories, by workspace and place, when their
            files were last compared with their versions; None where there is no
            database to record versions in.
    """

    off: Mapping[str, frozenset[str]]
    model: str | None = None
    waiting: int = 0
    is_due: bool = False
    is_worth_a_look: bool = False
    memories: Mapping[str, bool] = {}
    listings: Known | None = None

    @property
    def left_out(self) -> tuple[str, ...]:
        """The agents whose memory is off."""
        return tuple(sorted({slug for off in self.off.values() for slug in off}))


def planned(app: App, now: datetime) -> Plan:
    """Return what is to be done in the workspace that was named, or in all there are.

    Raises:
        WorkspaceMissingError: If there is none of the name that was given.
    """
    from crewmem.db.access import is_there
    from crewmem.db.examine import examine
    from crewmem.db.truth import NAME

    found: dict[str, frozenset[str]] = dict.fromkeys(folders(app), frozenset())
    plan = Plan(found)
    if is_there(app.home / NAME):
        plan = examine(
            app.home / NAME,
            lambda db: _looked(app, db, found, now),
            busy_timeout=app.settings.busy_timeout,
        )
    if app.given.get("workspace") and app.workspace not in plan.off:
        from crewmem.errors.registry import WorkspaceMissingError

        raise WorkspaceMissingError(app.workspace)
    return plan


def folders(app: App) -> list[str]:
    """Return the workspaces that have a directory; a link to one is none."""
    from crewmem.ids import is_slug

    if not app.home.is_dir():
        from crewmem.errors.registry import HomeMissingError

        raise HomeMissingError(app.home)
    above = f"{app.home}/workspaces"
    try:
        with os.scandir(above) as found:
            return sorted(
                each.name
                for each in found
                if is_slug(each.name) and each.is_dir(follow_symlinks=False)
            )
    except FileNotFoundError:
        return []
    except OSError as error:
        from crewmem.disk.failures import failure

        raise failure(error, above, "read") from error


def _looked(
    app: App, db: apsw.Connection, folders: Mapping[str, frozenset[str]], now: datetime
) -> Plan:
    from crewmem.cli.recording import listings
    from crewmem.db.migrate import TRUTH, newest, version
    from crewmem.episodes.store import Episodes
    from crewmem.registry.crews_store import without_memory, workspaces

    if not version(db):
        return Plan(folders)
    if version(db) < newest(TRUTH):
        db = app.truth_to_read or db  # which brings it up to date
    names = {*folders, *workspaces(db), *Episodes(db).workspaces()}
    if app.given.get("workspace"):
        names &= {app.workspace}
    off = {name: without_memory(db, name) for name in sorted(names)}
    return _backlog(app, db, Plan(off, listings=listings(db)), now)


def _backlog(app: App, db: apsw.Connection, plan: Plan, now: datetime) -> Plan:
    """Return *plan* with what waits for vectors."""
    from crewmem.db.examine import examine
    from crewmem.episodes.store import Episodes
    from crewmem.errors import DataError
    from crewmem.errors.database import ForeignDatabaseError
    from crewmem.scope import Reach
    from crewmem.vectors import FILE

    episodes = Episodes(db)
    has_episodes = any(episodes.owners(Reach(name)) for name in plan.off)
    plan = plan._replace(is_worth_a_look=has_episodes, memories=_remembered(db, plan))
    if not (has_episodes or plan.memories):
        return plan
    path = app.home / FILE
    if not path.exists():
        return _unembedded(db, plan)
    try:
        return examine(
            path,
            lambda vectors: _counted(db, vectors, plan, now),
            busy_timeout=app.settings.busy_timeout,
        )
    except DataError as error:
        # Whoever writes next makes another one, unless it is not ours.
        is_ours = path.is_file() and not isinstance(error, ForeignDatabaseError)
        what = "all is embedded again" if is_ours else "nothing is, until it is moved"
        app.out.warn(f"{error}; {what}")
        return _unembedded(db, plan)


def _remembered(db: apsw.Connection, plan: Plan) -> dict[str, bool]:
    """Return the workspaces that hold memories; whether these are due is not known."""
    from crewmem.memories.embedding_store import Embeddable

    return {
        name: False
        for name, off in plan.off.items()
        if Embeddable(db, name, off).is_any_after(0)
    }


def _unembedded(db: apsw.Connection, plan: Plan) -> Plan:
    """Return *plan* where there are no vectors: all that there is waits for one."""
    from crewmem.episodes.store import Episodes
    from crewmem.scope import Reach

    episodes = Episodes(db)
    waiting = sum(
        episodes.count(episodes.owners(Reach(name), without=off))
        for name, off in plan.off.items()
    )
    return plan._replace(
        waiting=waiting,
        is_due=bool(waiting),
        memories=dict.fromkeys(plan.memories, True),
    )


def _counted(
    db: apsw.Connection, vectors: apsw.Connection, plan: Plan, now: datetime
) -> Plan:
    from crewmem.db.migrate import APPLICATION_ID, version
    from crewmem.episodes.backlog import backlog
    from crewmem.episodes.spaces import models
    from crewmem.episodes.store import Episodes
    from crewmem.memories.embed import is_due
    from crewmem.memories.embedding_store import Embeddable
    from crewmem.memories.spaces import stored
    from crewmem.vectors.store import VECTORS, VectorStore

    if version(vectors, APPLICATION_ID) != VECTORS.version:
        return _unembedded(db, plan)
    episodes, store = Episodes(db), VectorStore(vectors)
    found = models(store.spaces())
    model = found[0] if found else None
    held = stored(store.spaces())
    name_of = model.name if model else held[0].space.model if held else None
    each = [
        backlog(episodes, store, name, model, now, without=off)
        for name, off in plan.off.items()
    ]
    return plan._replace(
        model=name_of,
        waiting=sum(one.waiting for one in each),
        is_due=any(one.is_due for one in each),
        memories={
            name: is_due(
                Embeddable(db, name, plan.off[name]),
                store,
                name,
                name_of,
                now,
            )
            for name in plan.memories
        },
    )
