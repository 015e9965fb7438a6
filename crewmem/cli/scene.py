"""Gathering what the checks of ``crewmem doctor`` look at. Nothing is written."""

from __future__ import annotations

import os
import sys

from crewmem import times
from crewmem.cli.access import access
from crewmem.cli.embedding.health import bad_weights, embedding, timed
from crewmem.cli.journals import chain_key
from crewmem.cli.llm import language, language_trouble
from crewmem.cli.places import looked_in
from crewmem.cli.progress import progress
from crewmem.db import library, truth
from crewmem.db.examine import examine
from crewmem.db.migrate import TRUTH, newest, version
from crewmem.errors import CrewmemError, SettingError
from crewmem.errors.database import DatabaseDamagedError
from crewmem.files import locate
from crewmem.health.checks.home_writable import unwritable
from crewmem.health.remembered import vectors_of
from crewmem.health.room import free_bytes
from crewmem.health.scene import Clockwork, Host, Roster, Scene, Tree
from crewmem.registry.crews_store import crews_of, led_by
from crewmem.registry.folders import opened
from crewmem.registry.sight import sight_of
from crewmem.registry.store import Registry
from crewmem.scope import Scope, Sight
from crewmem.settings.load import load

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator
    from pathlib import Path

    import apsw

    from crewmem.cli.app import App
    from crewmem.files.folders import Skipped
    from crewmem.files.place import Place
    from crewmem.registry.folders import Folders
    from crewmem.transcripts.cursor import Cursor
    from crewmem.transcripts.standing import Stand


def scene(app: App, path: str | None) -> Scene:
    """Gather the facts of the home, or of the tree at *path* alone.

    Raises:
        NotFoundError: If *path*, or the workspace that was named, is not there.
        OutOfScopeError: If the tree at *path* is not for the actor.
    """
    trouble = _settings_trouble(app)
    base = looked_in(app, path)
    sight = app.sight_of_path if path else _sight(app)
    only = _only(app, sight)
    roster, roster_trouble = (None, None) if path else _roster(app, only)
    caps, today = app.settings.caps, times.day(app.now, app.zone)
    found, unread = _places(app, base, only, sight, named=bool(path))
    stored = "" if path else _stored_model(app)
    return Scene(
        home=None if path else app.home,
        base=base,
        trees=[Tree(place, sight, caps=caps, today=today) for place in found],
        unread=unread,
        sight=sight,
        settings=app.settings,
        settings_trouble=trouble,
        settings_origin=_origin(app),
        workspace=only,
        roster=roster,
        roster_trouble=roster_trouble,
        access=access(app),
        chain_key=chain_key(app.world.environ),
        embedding=embedding(app, stored),
        language=language(app),
        language_trouble=lambda: language_trouble(app),
        weights=lambda: bad_weights(app),
        timed=lambda: timed(app, stored),
        timers=lambda: _clockwork(app),
        transcripts=lambda: _transcripts(app),
        progress=lambda doing, unit: progress(app.out, doing=doing, unit=unit),
        host=_host(app, base),
        now=app.now,
        program=("crewmem", *_home_option(app)),
    )


def _settings_trouble(app: App) -> CrewmemError | None:
    """Read the settings; where they cannot be read, take what can, and return why."""
    try:
        app.settings  # noqa: B018 - it is read here
    except SettingError as error:
        config, environ = app.home / "config.toml", app.world.environ
        nothing: dict[str, str] = {}
        sources = ((None, environ), (config, nothing), (None, nothing))
        for file, variables in sources:
            try:
                app.loaded = load(file, variables)
            except SettingError:
                continue
            break
        if workspace := app.given.get("workspace"):
            app.loaded = app.loaded.with_option("workspace", workspace, "--workspace")
        return error
    return None


def _origin(app: App) -> str:
    every = app.loaded.listed()
    count = sum(origin != "default" for _, _, origin in every)
    return f"{count} of {len(every)} settings are set; {app.home / 'config.toml'}"


def _sight(app: App) -> Sight:
    """Return what the actor may see; of a registry that cannot be read, no crew."""
    if app.actor.is_operator:
        return Sight(actor=app.actor)
    slug, workspace = app.actor.name, app.workspace
    path = app.home / truth.NAME
    if not _is_there(path):
        return Sight(actor=app.actor)

    def crews(db: apsw.Connection) -> tuple[list[str], list[str]]:
        return list(crews_of(db, workspace, slug)), list(led_by(db, workspace, slug))

    try:
        of, led = examine(path, crews, busy_timeout=app.settings.busy_timeout)
    except CrewmemError:
        return Sight(actor=app.actor, crews=frozenset())
    return sight_of(app.actor, workspace, crews=of, led=led)


def _only(app: App, sight: Sight) -> str | None:
    """Return the one workspace that is looked at: named, or an agent's."""
    if sight.actor.is_operator and not app.given.get("workspace"):
        return None
    return app.workspace


def _places(
    app: App, base: Path | None, only: str | None, sight: Sight, *, named: bool
) -> tuple[list[Place], list[str]]:
    """Return the directories to look at, and what could not be looked for them in."""
    if base is None:
        return [], []
    if base != app.home or named:
        skipped: list[Skipped] = []
        found = locate.at_path(base, None, skipped)
        return locate.readable(found, sight, named=named), _told(skipped, sight)
    if only and app.given.get("workspace"):  # one that was named has to be there
        locate.in_home(base, only, Scope.WORKSPACE)
    try:
        with opened(base) as folders:
            names = [name for name in folders.workspaces() if only in {None, name}]
            found = [
                place for name in names for place in _below(folders, base, name, sight)
            ]
            unread = folders.unread
    except CrewmemError as error:
        return [], [str(error)]
    return locate.readable(found, sight, named=False), unread


def _below(
    folders: Folders, home: Path, workspace: str, sight: Sight
) -> Iterator[Place]:
    """Yield what a workspace has, and keep what is passed over, links too."""
    crews = [(None, crew) for crew in folders.crews(workspace)]
    for scope, crew in [(Scope.WORKSPACE, None), *crews]:
        skipped: list[Skipped] = []
        try:
            yield from locate.in_home(
                home, workspace, scope, crew=crew, skipped=skipped
            )
        except CrewmemError as error:
            folders.unread.append(str(error))
        folders.unread += _told(skipped, sight)


def _told(skipped: Iterable[Skipped], sight: Sight) -> list[str]:
    """Say what was passed over that is no secret to an actor of *sight*."""
    return [str(each.error) for each in skipped if each.place.is_open_to(sight)]


def _is_there(path: Path) -> bool:
    """Tell whether anything is at *path*, or may be: who reads it is told."""
    try:
        return path.exists()
    except OSError:
        return True


def _roster(app: App, only: str | None) -> tuple[Roster | None, CrewmemError | None]:
    """Read who is registered, without a trace; return why that cannot be read."""
    path = app.home / truth.NAME

    def read(db: apsw.Connection) -> Roster | None:
        if version(db) < newest(TRUTH):
            return None
        registry = Registry(db)
        known = [each for each in registry.workspaces() if only in {None, each.name}]
        return Roster(
            known,
            [crew for each in known for crew in registry.crews(each.name)],
            [agent for each in known for agent in registry.agents(each.name)],
        )

    if not _is_there(path):
        return None, None
    try:
        return examine(path, read, busy_timeout=app.settings.busy_timeout), None
    except CrewmemError as error:
        return None, error
    except ValueError as error:
        reason = f"a row of the registry cannot be read: {error}"
        return None, DatabaseDamagedError(path, reason)


def _stored_model(app: App) -> str:
    timeout = app.settings.busy_timeout
    return vectors_of(app.home, app.workspace, busy_timeout=timeout).model


def _clockwork(app: App) -> Clockwork:
    from crewmem.cli.timers.installed import installed

    return Clockwork(*installed(app))


def _transcripts(app: App) -> list[Stand]:
    """Return how far session logs are read; of a database that is older, not at all."""
    from crewmem.cli.transcripts.roots import Where, found
    from crewmem.transcripts import cursor_store
    from crewmem.transcripts.standing import behind, stands

    def read(db: apsw.Connection) -> list[Cursor]:
        return cursor_store.every(db, app.workspace)

    path, timeout = app.home / truth.NAME, app.settings.busy_timeout
    every = examine(path, read, busy_timeout=timeout) if _is_there(path) else []
    sources = found(app, Where()).sources
    return stands(
        each
        for each in behind(sources, every)
        if not (each.source and each.source.is_count)
    )


def _host(app: App, base: Path | None) -> Host:
    return Host(
        python=sys.version_info[:3],
        sqlite=library.version(),
        lacking=library.lacking(),
        zone=app.world.environ.get("TZ", ""),
        user=os.geteuid(),
        free_bytes=free_bytes(base),
        unwritable=unwritable(app.home),
    )


def _home_option(app: App) -> tuple[str, ...]:
    named = app.given.get("home")
    return ("--home", str(named)) if named else ()
