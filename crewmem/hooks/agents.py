"""Finds or creates the agent whose memory an agent program uses."""

from pathlib import Path

from crewmem.errors import NotFoundError, UsageError
from crewmem.home import Home
from crewmem.hooks.programs import Program
from crewmem.registry.store import DEFAULT_CREW
from crewmem.storage.sqlite import transaction


def find_project_agents(home: Home, project: Path | None) -> list[str]:
    """Return the slugs of the workspace's agents that work in *project*."""
    if project is None:
        return []
    agents = home.registry.find_agents_in(project)
    return [slug for workspace, slug in agents if workspace == home.context.workspace]


def plan_agent(
    home: Home | None, program: Program, project: Path | None, *, agent: str, new: str
) -> tuple[str, list[str]]:
    """Return the agent whose memory a program uses, and what must be created, such as its crew.

    Args:
        home: None if it does not exist yet.
        agent: The agent named by the user; "" for none.
        new: Name of the agent to create in an empty workspace.

    Raises:
        UsageError: If the user must name one of several agents.
        NotFoundError: If the agent does not exist and the user must choose its crew.
    """
    slugs = [each.slug for each in home.registry.list_agents()] if home else []
    if home and not agent:
        for candidates in (find_project_agents(home, project), slugs):
            if len(candidates) == 1:
                return candidates[0], []
        if slugs and program.name not in slugs:
            option = ("--project", str(project)) if project is not None else ()
            raise UsageError(
                f"there are {len(slugs)} agents; name the one whose memory {program.title} uses",
                code="agent-missing",
                hint=home.context.command(
                    "hooks install", program.name, *option, "--agent", slugs[0]
                ),
            )
        agent = program.name if slugs else new
    slug = agent or new
    if slug in slugs:
        return slug, []
    crews = home.registry.list_crews() if home else []
    if home and len(crews) > 1:
        raise NotFoundError(
            f"there is no agent '{slug}'",
            code="agent-not-found",
            hint=home.context.command("agent add", slug, "--crew", crews[0].name),
        )
    return slug, [*([] if crews else [f"crew {DEFAULT_CREW}"]), f"agent {slug}"]


def make_agent(home: Home, slug: str, project: Path | None) -> None:
    """Create the agent, and its crew, if missing; add *project* to its projects."""
    registry = home.registry
    with transaction(home.context.db):  # installations in other projects may run at the same time
        if registry.find_membership(slug) is None:
            registry.add_agent(slug, description="Made by crewmem hooks install")
        if project is not None and slug not in find_project_agents(home, project):
            registry.set_agent(slug, projects=[*registry.get_agent(slug).projects, project])
