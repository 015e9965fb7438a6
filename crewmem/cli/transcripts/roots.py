"""Where session logs are, and whose they are."""

from __future__ import annotations

import click

from crewmem.cli.command import option
from crewmem.cli.places import as_slug
from crewmem.cli.typed import as_text
from crewmem.records import NamedTuple

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Mapping
    from typing import Any

    from crewmem.cli.app import App
    from crewmem.transcripts.find import Found, Root
    from crewmem.transcripts.formats import Format

    Function = Callable[..., Any]

AUTO = "auto"

HARNESSES = ("openclaw", "claude", "codex", "plain")
"""As in transcripts/formats, which is imported when it is used; a test compares."""


def root_options(function: Function) -> Function:
    """Add the options that say which logs are meant."""
    for add in (
        option(
            "--agent",
            metavar="SLUG",
            callback=as_slug,
            help="Agent whose they are, of those that are nobody's.",
        ),
        option(
            "--root",
            metavar="DIR",
            callback=as_text,
            help="Directory to look in, instead of where programs keep them.",
        ),
        option(
            "--harness",
            type=click.Choice((AUTO, *HARNESSES)),
            default=AUTO,
            help="Program that wrote them; auto knows them by their lines.  [auto]",
        ),
    ):
        function = add(function)
    return function


class Where(NamedTuple):
    """Which logs are meant, as it was typed."""

    harness: str = AUTO
    root: str | None = None
    agent: str | None = None

    @property
    def form(self) -> Format | None:
        """The format that was named, if one was."""
        from crewmem.transcripts.formats import named

        return None if self.harness == AUTO else named(self.harness)


def found(app: App, where: Where) -> Found:
    """Return the logs that are meant.

    Raises:
        PathMissingError: If a directory was named that is not there.
    """
    from crewmem.transcripts.find import find

    return find(_roots(app, where), is_named=where.root is not None)


def _roots(app: App, where: Where) -> list[Root]:
    from crewmem.transcripts.find import Root, is_log
    from crewmem.transcripts.formats import FORMATS, openclaw

    if where.root is not None:
        harness = "" if where.harness == AUTO else where.harness
        return [Root(where.root, harness, is_log, openclaw.agent)]
    environ = app.world.environ
    home = environ.get("HOME", "")
    return [
        Root(folder, each.NAME, each.belongs, each.agent)
        for each in FORMATS
        if where.harness in {AUTO, each.NAME}
        for folder in each.folders(environ, home)
        if folder.startswith("/")
    ]


class Crews(NamedTuple):
    """Who may learn.

    Attributes:
        agents: The crews of each agent of the workspace, its home first.
        off: Those that take no part, and why.
        minutes: How long an agent waits between two readings, where that was set.
    """

    agents: Mapping[str, list[str]]
    off: Mapping[str, str]
    minutes: Mapping[str, int]


def crews(app: App) -> Crews:
    """Return who may learn in the workspace; nobody without a registry."""
    registry = app.registry_to_read if app.home.is_dir() else None
    if registry is None or not registry.has_workspace(app.workspace):
        return Crews({}, {}, {})
    every = registry.agents(app.workspace)
    off: dict[str, str] = {}
    for each in every:
        if not each.memory:
            how = f"crewmem agent set {each.slug} --memory on"
            off[each.slug] = f"its memory is off ({how})"
        elif not each.settings["auto_extract"]:
            off[each.slug] = (
                f"auto_extract is off (crewmem agent set {each.slug} auto_extract=true)"
            )
    return Crews(
        {each.slug: [*each.crews] for each in every},
        off,
        {
            each.slug: int(str(each.settings["extract_interval_minutes"]))
            for each in every
        },
    )
