"""Recording outside changes of memory files: what a sweep and a reindex do beside.

Whether there are any is found by comparing what they walk anyway with what was kept;
all else is imported when there are.
"""

from __future__ import annotations

import os

from crewmem.errors import CrewmemError
from crewmem.errors.database import DatabaseBusyError
from crewmem.files.unrecorded import is_as_recorded
from crewmem.records import NamedTuple

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Collection, Mapping, Sequence
    from datetime import datetime

    import apsw

    from crewmem.cli.app import App
    from crewmem.files.outside import Means
    from crewmem.files.place import Place
    from crewmem.files.walk import Found

    Known = Mapping[tuple[str, str], Mapping[str, bytes]]


class Due(NamedTuple):
    """A directory whose files are to be compared with their versions."""

    workspace: str
    place: Place


def listings(db: apsw.Connection) -> Known:
    """Return, by workspace and place, what lay there when it was last compared."""
    from crewmem.db.migrate import version
    from crewmem.files.listings_store import FIRST_SCHEMA, all_listings

    return all_listings(db) if version(db) >= FIRST_SCHEMA else {}


def recorder_of(app: App, places: Sequence[Place], *, full: bool) -> Recorder:
    """Return what records the changes in those of *places* that lie in the home."""
    from crewmem.registry.crews_store import without_memory

    db = app.truth_to_read if any(place.kept for place in places) else None
    if db is None:
        return Recorder(app, None)
    off = without_memory(db, app.workspace)
    return Recorder(app, listings(db), off, full=full)


class Recorder:
    """Notes which directories changed while they are walked, and records it after."""

    def __init__(
        self,
        app: App,
        known: Known | None,
        off: Collection[str] = (),
        *,
        full: bool = False,
    ) -> None:
        """Compare with what is *known*, or do nothing for None; leave out who is *off*.

        *full* compares files as well whose stamps say that nothing changed.
        """
        self._app, self._known, self._off, self._full = app, known, off, full
        self._due: dict[Due, None] = {}
        self._seen: set[tuple[str, str]] = set()

    def look(self, workspace: str, place: Place, found: Sequence[Found]) -> None:
        """Note *place* if what was *found* there is not what was last compared."""
        if self._known is None or not place.kept or place.agent in self._off:
            return
        name = (workspace, place.ref(""))
        self._seen.add(name)
        known = self._known.get(name, {})
        if self._full or not is_as_recorded(found, known):
            self._due[Due(workspace, place)] = None

    def miss(self, meant: Mapping[str, Collection[str]]) -> None:
        """Note directories of workspaces that are *meant* and are no longer there.

        Agents that come with a workspace are left out.
        """
        for workspace, ref in (self._known or {}).keys() - self._seen:
            if workspace not in meant:
                continue
            from crewmem.files.homed import of_ref

            place, _ = of_ref(self._app.home, workspace, f"{ref}.md") or (None, "")
            if place and place.agent not in meant[workspace] and _is_gone(place):
                self._due[Due(workspace, place)] = None

    def record(self, now: datetime) -> int:
        """Record what changed in the directories noted; return how many versions.

        What fails is a warning; the rest is done.

        Raises:
            DatabaseBusyError: If another process keeps the database locked.
        """
        if not self._due:
            return 0
        from crewmem.cli.progress import progress
        from crewmem.files.outside import record_outside

        recorded = 0
        with progress(self._app.out, doing="Recording", unit="files") as tick:
            means: dict[str, Means] = {}
            for workspace, place in self._due:
                try:
                    if workspace not in means:
                        means[workspace] = _means(self._app, workspace, now)
                    how = means[workspace]._replace(tick=tick)
                    done = record_outside(place, how, full=self._full)
                except DatabaseBusyError:
                    raise  # the others would wait as long
                except CrewmemError as error:
                    self._app.out.warn(f"{place.path}: {error}")
                    continue
                for trouble in done.troubles:
                    self._app.out.warn(trouble)
                recorded += len(done.versions)
        self._due.clear()
        return recorded

    def foresee(self) -> int:
        """Return how many versions `record` would record; nothing is written."""
        db = self._app.truth_to_read if self._due else None
        if db is None:
            return 0
        from crewmem.files.outside import count_outside
        from crewmem.files.version_store import VersionStore

        return sum(
            count_outside(
                place,
                VersionStore(db, workspace),
                (self._known or {}).get((workspace, place.ref("")), {}),
                limit=self._app.settings.max_file_bytes,
                full=self._full,
            )
            for workspace, place in self._due
        )


def _is_gone(place: Place) -> bool:
    """Tell whether *place* is not there; if that cannot be known, it may be."""
    try:
        os.lstat(place.path)
    except (FileNotFoundError, NotADirectoryError):
        return True
    except OSError:
        pass
    return False


def _means(app: App, workspace: str, now: datetime) -> Means:
    from crewmem.cli.journals import chain_key
    from crewmem.cli.scanner import scanner
    from crewmem.files.history import History
    from crewmem.files.outside import Means
    from crewmem.journal.store import Journal

    journal = Journal(app.truth, chain_key=chain_key(app.world.environ))
    return Means(
        history=History(app.truth, journal, app.home, workspace),
        scan=scanner(app),
        at=now,
        limit=app.settings.max_file_bytes,
        timeout=app.settings.busy_timeout,
    )
