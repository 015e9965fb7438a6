"""``crewmem agent set``."""

from __future__ import annotations

import click

from crewmem.cli.app import App, pass_app
from crewmem.cli.command import argument, option, verb
from crewmem.cli.registered import (
    as_pairs,
    described,
    require_change,
    settings_of,
    to_change,
)
from crewmem.cli.typed import as_text

TYPE_CHECKING = False
if TYPE_CHECKING:
    from crewmem.registry.member import Agent


@verb
@argument("slug", help="Which agent.")
@argument(
    "pairs",
    nargs=-1,
    metavar="[KEY=VALUE]...",
    callback=as_pairs,
    help="Settings to change; KEY= is the default again.",
)
@option("--memory", type=click.Choice(["on", "off"]), help="Switch its memory.")
@option(
    "--description",
    metavar="TEXT",
    callback=as_text,
    help="What it does; '' for nothing.",
)
@pass_app
def set_command(
    app: App,
    *,
    slug: str,
    pairs: dict[str, str],
    memory: str | None,
    description: str | None,
) -> None:
    """Change an agent: its memory, description and settings.

    An agent whose memory is off is skipped by prompts, recall, sweeps, extraction
    and consolidation, which say so, and a write to its memory is refused. Its
    directory says so as well, for containers and backups that have no home. All is
    changed, or nothing.

    Settings, with their defaults: auto_extract=true, auto_recall=true,
    recall_max_tokens=2000, recall_min_relevance=0.7, recall_max_results=5,
    extract_interval_minutes=5, memory_walk_depth=0.
    """
    from crewmem.cli.members import show
    from crewmem.errors.registry import AgentMissingError
    from crewmem.registry.change import change_agent
    from crewmem.registry.choices import AGENT_SETTINGS
    from crewmem.scope import require_operator

    require_operator(app.actor, "change agents")
    require_change(pairs=pairs, memory=memory, description=description)
    settings = settings_of(pairs, AGENT_SETTINGS)
    with to_change(app, AgentMissingError(slug, app.workspace)) as registry:
        changed = change_agent(
            registry,
            app.workspace,
            slug,
            memory=None if memory is None else memory == "on",
            description=described(app, description),
            settings=settings,
        )
    if memory is not None:
        _tell_directory(app, changed)
    if memory == "on":
        _look_again(app, slug)
    show(app, changed)


def _tell_directory(app: App, changed: Agent) -> None:
    """Let the agent's directory say it as well, for where there is no home."""
    from crewmem.errors import CrewmemError, NotFoundError
    from crewmem.files.locate import in_home
    from crewmem.files.switch import switch
    from crewmem.scope import Scope

    crew, slug = changed.crew, changed.slug
    try:
        for place in in_home(
            app.home, changed.workspace, Scope.AGENT, crew=crew, agent=slug
        ):
            switch(place, on=changed.memory)
    except NotFoundError:
        return  # its files are gone, or not here yet
    except CrewmemError as error:
        app.out.warn(f"a container that has no home does not know of it: {error}")


def _look_again(app: App, slug: str) -> None:
    """Let the next sweep embed what it has passed over while the memory was off."""
    from crewmem.cli.remembered import all_stores
    from crewmem.episodes.sweep import look_again
    from crewmem.errors import CrewmemError
    from crewmem.memories.embed import look_again as look_again_at_memories
    from crewmem.memories.embedding_store import Embeddable
    from crewmem.vectors import FILE

    if not (app.home / FILE).exists():
        return
    try:
        stores = all_stores(app)
        look_again(stores, app.workspace, slug)
        held = Embeddable(stores.journal.db, app.workspace)
        look_again_at_memories(held, stores.vectors, slug)
    except CrewmemError as error:
        app.out.warn(f"crewmem episodes sweep --all is due: {error}")
