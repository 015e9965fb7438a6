"""Whose prompt a command is about, and where the memory lies that it is made of."""

from __future__ import annotations

import click

from crewmem.cli.places import Chosen, root
from crewmem.errors import CrewmemError, DataError
from crewmem.files import locate, switch
from crewmem.prompt.gather import Subject
from crewmem.records import NamedTuple
from crewmem.scope import Role, Scope

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

    import apsw

    from crewmem.cli.app import App
    from crewmem.files.folders import Skipped
    from crewmem.files.place import Place

RULE = "an agent is given its own prompt, an operator anybody's"
"""Why a prompt is refused."""


def subject(app: App, agent: str | None, crew: str | None, path: str | None) -> Subject:
    """Return whose prompt is wanted: of *agent*, else of who asks.

    Raises:
        NotFoundError: If there is no such agent or crew, or no memory.
        OutOfScopeError: If an agent asks for another's.
    """
    base = root(app, Chosen(path, None, None, None))
    if base == app.home and not path:
        return _in_home(app, _asked_for(app, agent), crew)
    return _in_tree(app, base, agent, crew, named=bool(path))


def _asked_for(app: App, agent: str | None) -> str:
    """Return the agent that is meant.

    Raises:
        OutOfScopeError: If it is not who asks, nor an operator.
    """
    if app.actor.is_operator:
        if agent is None:
            raise click.UsageError("Whose prompt? Name an agent with --agent.")
        return agent
    _require_own(app, agent)
    return app.actor.name


def _require_own(app: App, agent: str | None, *, by_path: bool = False) -> None:
    who = app.sight_of_path.actor if by_path else app.actor
    if not who.is_operator and agent not in {None, who.name}:
        from crewmem.errors.registry import OutOfScopeError

        raise OutOfScopeError(str(who), f"be given the prompt of {agent}", RULE)


# In a home


class _Registered(NamedTuple):
    """What the registry says of an agent.

    Attributes:
        crews: What it belongs to, its home first; none if it is not registered.
        led: What it leads.
        alone: Whether it is the only one of its crew; None if nobody knows.
    """

    crews: Sequence[str] = ()
    led: Sequence[str] = ()
    alone: bool | None = None
    is_off: bool = False


def _in_home(app: App, slug: str, crew: str | None) -> Subject:
    if not app.home.is_dir():
        from crewmem.errors.registry import HomeMissingError

        raise HomeMissingError(app.home)
    known = _registered(app, slug, crew)
    crews, alone = known.crews, known.alone
    if crew and crews and crew not in crews:
        from crewmem.errors.registry import NotAMemberError

        raise NotAMemberError(slug, crew)
    skipped: list[Skipped] = []

    def found(scope: Scope, **of: str | None) -> list[Place]:
        return locate.in_home(app.home, app.workspace, scope, skipped=skipped, **of)

    home_crew = crews[0] if crews else crew
    own = _the(app, found(Scope.AGENT, crew=home_crew, agent=slug), slug)
    if not app.actor.is_operator and not own.is_open_to(app.sight):
        _require_own(app, slug)
    shown = crew or own.crew or ""
    shared = found(Scope.CREW, crew=shown)
    workspace = found(Scope.WORKSPACE)
    for each in skipped:
        app.out.warn(str(each.error))
    return Subject(
        agent=slug,
        crew=shown,
        own=own,
        shared=shared[0] if shared else None,
        workspace=workspace[0] if workspace else None,
        is_lead=shown in known.led,
        is_alone=_is_alone(own.path) if alone is None else alone,
        is_off=known.is_off if crews else bool(switch.off(own)),
    )


def _registered(app: App, slug: str, crew: str | None) -> _Registered:
    """Return what the registry says of *slug*; a broken one is as good as none.

    Raises:
        CrewmemError: If what an agent may see cannot be told.
    """
    if not app.actor.is_operator:
        _ = app.sight  # refuses who is not registered, and who leads nothing
    try:
        db = app.truth_to_read
        return _asked(db, app.workspace, slug, crew) if db else _Registered()
    except DataError as error:
        app.out.warn(f"the registry cannot be read, so files alone decide: {error}")
        return _Registered()


def _asked(
    db: apsw.Connection, workspace: str, slug: str, crew: str | None
) -> _Registered:
    from crewmem.registry.crews_store import crews_of, led_by, size_of, without_memory

    crews = crews_of(db, workspace, slug)
    if not crews:
        return _Registered()
    return _Registered(
        crews=crews,
        led=led_by(db, workspace, slug),
        alone=size_of(db, workspace, crew or crews[0]) == 1,
        is_off=slug in without_memory(db, workspace),
    )


def _the(app: App, found: Sequence[Place], slug: str) -> Place:
    if not found:
        from crewmem.errors.registry import AgentMissingError

        raise AgentMissingError(slug, app.workspace)
    if len(found) > 1:
        crews = ", ".join(str(each.crew) for each in found)
        raise click.UsageError(f"{slug} is in {crews}: name one with --crew.")
    return found[0]


def _is_alone(own: Path) -> bool:
    """Tell by what is beside it whether *own* is of the only agent of a crew."""
    from crewmem.files.folders import names
    from crewmem.files.place import place_at

    agents = own.parent.parent
    return len(names(agents.parent, agents.name, place_at(own), [])) == 1


# In a tree that was named, or that a container has


def _in_tree(
    app: App, base: Path, agent: str | None, crew: str | None, *, named: bool
) -> Subject:
    who = app.sight_of_path.actor if named else app.actor
    _require_own(app, agent, by_path=named)
    skipped: list[Skipped] = []
    found = locate.at_path(base, Scope.ALL, skipped)
    for each in skipped:
        app.out.warn(str(each.error))
    agents = [each for each in found if each.scope is Scope.AGENT]
    own = _own(agents, agent or _guessed(app, agents, named=named), base)
    slug = own.agent or agent or ("" if who.is_operator else who.name)
    slug = slug or switch.off(own)
    _require_own(app, slug or None, by_path=named)
    shared = next((each for each in found if each.scope is Scope.CREW), None)
    return Subject(
        agent=slug,
        crew=own.crew or crew or "",
        own=own,
        shared=shared,
        workspace=_workspace_above(own.path),
        is_lead=who.role is Role.LEAD and who.name == slug,
        is_alone=own.path.parent.parent.name == "agents" and _is_alone(own.path),
        is_off=_is_off(app, own),
        named=named,
    )


def _is_off(app: App, own: Place) -> bool:
    """Tell whether *own* is of an agent whose memory is off.

    Of the home's the registry knows; a tree that lies elsewhere says it itself.
    """
    from crewmem.files.homed import homed
    from crewmem.registry.crews_store import without_memory

    found = homed(app.home, own.path)
    if found is None or found.place.agent is None:
        return bool(switch.off(own))
    try:
        db = app.truth_to_read
    except CrewmemError as error:
        app.out.warn(f"the registry cannot be read, so files alone decide: {error}")
        db = None
    if db is None:
        return bool(switch.off(own))
    return found.place.agent in without_memory(db, found.workspace)


def _guessed(app: App, agents: Sequence[Place], *, named: bool) -> str | None:
    """Return the agent that is meant where none was named; None: the only one.

    Raises:
        OutOfScopeError: If the only one is not who asks.
    """
    who = app.sight_of_path.actor if named else app.actor
    if len(agents) == 1:
        _require_own(app, agents[0].agent, by_path=named)
        return None
    if who.is_operator:
        raise click.UsageError("Whose prompt? Name an agent with --agent.")
    return who.name


def _own(agents: Sequence[Place], slug: str | None, base: Path) -> Place:
    for each in agents:
        if slug in {None, each.agent} or each.agent is None:
            return each
    tried = base / "agents" / (slug or "")
    from crewmem.errors.files import MemoryDirMissingError

    raise MemoryDirMissingError(base, [tried])


def _workspace_above(own: Path) -> Place | None:
    """Return the workspace's memory, where *own* lies in the layout of a home."""
    from crewmem.files.folders import is_below
    from crewmem.files.place import MEMORY, Place

    parts = own.absolute().parts
    if parts[-3:-2] != ("agents",) or parts[-5:-4] != ("crews",):
        return None
    above = own.absolute().parents[4]
    place = Place(above / MEMORY, Scope.WORKSPACE, below=1)
    return place if is_below(above, (MEMORY,), place, []) else None
