"""For whom an import is, as the command line names them."""

from __future__ import annotations

import click

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from crewmem.bundles.reading import Aim
    from crewmem.cli.app import App


def aim_of(app: App, form: str, chosen: dict[str, Any]) -> Aim:
    """Return for whom it is: an agent without a word means itself."""
    from crewmem.bundles.reading import Aim

    crew, agent = chosen["crew"], chosen["agent"]
    if not app.actor.is_operator and crew is None and agent is None:
        agent = app.actor.name
    return Aim(
        crew=_crew(app, crew, agent, is_bundle=form == "crewmem"),
        agent=agent,
        group=chosen["group"],
        person=_person(app, chosen["operator"]),
        with_crew=chosen["with_crew"],
        workspace=app.workspace,
        names=_names(chosen["names"]),
        with_issues=chosen["issues"],
    )


def _names(pairs: tuple[str, ...]) -> dict[str, str]:
    """Return what is called what here."""
    found = dict(pair.partition("=")[::2] for pair in pairs)
    if wrong := [old for old, new in found.items() if not old or not new]:
        raise click.UsageError(f"--map takes OLD=NEW, not {wrong[0]!r}.")
    return found


def _crew(
    app: App, crew: str | None, agent: str | None, *, is_bundle: bool
) -> str | None:
    """Return the crew that is meant, of an agent its home.

    Raises:
        AgentMissingError: If there is no such agent; a bundle may bring it.
        CrewMissingError: If there is no such crew.
    """
    from crewmem.errors import NotFoundError
    from crewmem.errors.registry import AgentMissingError, CrewMissingError
    from crewmem.files import locate
    from crewmem.scope import Scope

    if crew is None and agent is None:
        return None
    registry = app.registry_to_read
    if agent is not None and registry and registry.has_agent(app.workspace, agent):
        home = registry.agent(app.workspace, agent).crew
        if crew not in {None, home}:
            raise click.UsageError(f"The agent {agent} is at home in {home}.")
        return home
    scope = Scope.CREW if agent is None else Scope.AGENT
    try:
        found = locate.in_home(
            app.home, app.workspace, scope, crew=crew, agent=agent, skipped=[]
        )
    except NotFoundError:
        found = []
    if found:
        return found[0].crew
    if is_bundle:
        return crew
    if agent is not None:
        raise AgentMissingError(agent, app.workspace)
    raise CrewMissingError(str(crew), app.workspace)


def _person(app: App, user: str | None) -> str | None:
    from crewmem.prompt.slug import user_slug

    return None if user is None else user_slug(user, app.workspace)
