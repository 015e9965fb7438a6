"""Which directory a command writes in: an agent's own, its crew's, whose it says."""

from __future__ import annotations

import click

from crewmem.errors.files import NoMemoryError
from crewmem.errors.registry import AgentMissingError, WorkspaceMissingError

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

    from crewmem.cli.app import App
    from crewmem.cli.places import Chosen
    from crewmem.errors.disk import PathMissingError
    from crewmem.files.place import Place
    from crewmem.scope import Sight

SHOWN = 5
"""Directories that are named where one has to be chosen."""

SCOPES = {
    "agent": "agent",
    "brief": "agent",
    "peer": "agent",
    "crew": "crew",
    "topic": "crew",
    "learned": "crew",
    "user": "crew",
    "workspace": "workspace",
}
"""Where the tiers are that one scope alone has."""


def place_to_write(
    app: App, chosen: Chosen, tier: str, *, make: bool
) -> tuple[Place, Sight]:
    """Return the one directory whose file of *tier* is meant, and the actor's sight.

    An agent means itself, and its own crew; an operator says whose, where there are
    several. With *make* an operator's first write makes home and workspace.

    Raises:
        NotFoundError: If there is none.
        OutOfScopeError: If the actor may not write that tier there.
    """
    from crewmem.cli.places import located
    from crewmem.files.write import require_scope

    scope = chosen.scope or scope_of(app, chosen, tier)
    if scope == "all":
        raise click.UsageError(
            "A file is written in one scope: agent, crew, workspace."
        )
    narrowed = _narrowed(app, chosen._replace(scope=scope), make=make)
    try:
        found, sight = located(app, narrowed)
    except AgentMissingError as error:
        if missing := _without_directory(app, error.slug):
            raise missing from error
        raise
    in_scope = [place for place in found if place.scope == scope]
    meant = [place for place in in_scope if _is_meant(place, sight, narrowed)]
    place, sight = at_home(app, _only(meant or in_scope, scope), sight)
    named = f"workspace {app.workspace}" if scope == "workspace" else str(place.path)
    owner = place.owner or named
    require_scope(sight, place, tier, f"the tier {tier} of {owner}")
    return place, sight


def _without_directory(app: App, slug: str) -> PathMissingError | None:
    """Return what to say of an agent that is registered; None if it is not.

    Whoever has no directory is not found, and yet there is such an agent. Others are
    not told of it.
    """
    from crewmem.errors.disk import PathMissingError
    from crewmem.files.homed import place_in
    from crewmem.scope import Scope

    registry = app.registry_to_read
    is_told = app.actor.is_operator or app.actor.name == slug
    if not (is_told and registry and registry.has_agent(app.workspace, slug)):
        return None
    crew = registry.agent(app.workspace, slug).crew
    place = place_in(app.home, app.workspace, Scope.AGENT, crew, slug)
    error = PathMissingError(str(place.path))
    error.hint = "crewmem doctor --fix --only registry.directories makes it again."
    return error


def _only(meant: Sequence[Place], scope: str) -> Place:
    """Return the one that is *meant*; say that nobody said which, or that none is."""
    if len(meant) == 1:
        return meant[0]
    which = "--agent" if scope == "agent" else "--crew"
    there = ", ".join(place.owner or str(place.path) for place in meant[:SHOWN])
    raise click.UsageError(f"Say whose with {which}: there are {there or 'none'}.")


def at_home(app: App, place: Place, sight: Sight) -> tuple[Place, Sight]:
    """Return *place* as the home knows it, if it was named by its path and is there.

    Then it has versions, and a registry says who may, and who leads.
    """
    from crewmem.files.homed import homed

    found = None if place.kept else homed(app.home, place.path)
    if found is None:
        return place, sight
    if found.workspace != app.workspace:
        message = f"That directory is of another workspace: -w {found.workspace}"
        raise click.UsageError(message)
    try:
        return found.place, app.sight
    except AgentMissingError:  # nobody that the registry knows: it writes its own
        return found.place, sight


def scope_of(app: App, chosen: Chosen, tier: str) -> str:
    """Return in which scope a file of *tier* is meant, where nobody said it."""
    if scope := SCOPES.get(tier):
        return scope
    if app.actor.is_operator and chosen.crew and not chosen.agent:
        return "crew"
    if chosen.path and not chosen.agent:
        return _scope_of_path(chosen.path)
    return "agent"


def _scope_of_path(path: str) -> str:
    """Return of which scope the directory is that was named."""
    from pathlib import Path

    from crewmem.files.locate import at_path

    scopes = {place.scope for place in at_path(Path(path), None)}
    return "agent" if len(scopes) > 1 else str(scopes.pop())


def _narrowed(app: App, chosen: Chosen, *, make: bool) -> Chosen:
    """Return *chosen* with what the actor did not have to say, in a home."""
    if not _is_in_home(app, chosen):
        # The crew's root, as it is mounted, is all of its directories.
        return chosen._replace(scope="all") if chosen.scope == "agent" else chosen
    if chosen.scope == "workspace" and app.actor.is_operator:
        if make:
            _ = app.journal  # makes what is missing
        elif not (app.home / "workspaces" / app.workspace).is_dir():
            raise WorkspaceMissingError(app.workspace)
    if app.actor.is_operator or chosen.agent or chosen.crew:
        return chosen
    if chosen.scope == "agent":
        return chosen._replace(agent=app.actor.name, crew=app.sight.crew)
    if chosen.scope == "crew":
        led = sorted(app.sight.led or ())
        return chosen._replace(crew=led[0] if len(led) == 1 else app.sight.crew)
    return chosen


def _is_in_home(app: App, chosen: Chosen) -> bool:
    """Tell whether the directories of the home are meant, be there any or not."""
    from crewmem.cli.places import root

    if chosen.path:
        return False
    try:
        return root(app, chosen) == app.home
    except NoMemoryError:
        return True


def _is_meant(place: Place, sight: Sight, chosen: Chosen) -> bool:
    """Tell whether *place* is the actor's own, where it did not say whose it means."""
    if sight.actor.is_operator or chosen.agent:
        return True
    return place.agent is None or place.agent == sight.actor.name
