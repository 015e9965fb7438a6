"""Names that completion offers: of workspaces, crews, agents, files, and entries' ids.

Completion scripts know the commands and ask the program only for these. Files that
the actor may not read are not offered. What cannot be read offers nothing: a shell
that waits for a TAB has no place for an error.
"""

from __future__ import annotations

import click

from crewmem.errors import CrewmemError

TYPE_CHECKING = False
if TYPE_CHECKING:
    from crewmem.cli.app import App

OPTIONS = {
    "--workspace": "workspace",
    "--crew": "crew",
    "--agent": "agent",
    "--lead": "agent",
    "--as": "actor",
}
"""Options whose value is a name, and of what."""

ARGUMENTS = {
    "memory read": "file",
    **dict.fromkeys(("journal get", "journal pin", "episodes add"), "entry"),
    "config get": "setting",
    "config set": "setting",
    **{
        f"{group} {verb}": group
        for group in ("workspace", "crew", "agent")
        for verb in ("show", "set", "remove")
    },
}
"""Commands whose first argument is the name of something that is there, and of what."""


ENTRIES_MOST = 50
"""Ids of entries that are offered: nobody chooses from more."""


def kind_of(ctx: click.Context, param: click.Parameter) -> str | None:
    """Return of what *param* of the command takes the name; None: of nothing."""
    if isinstance(param, click.Option):
        return next((OPTIONS[name] for name in param.opts if name in OPTIONS), None)
    arguments = [
        each for each in ctx.command.params if each.param_type_name == "argument"
    ]
    if param is not arguments[0]:
        return None
    return ARGUMENTS.get(ctx.command_path.partition(" ")[2])


def offered(ctx: click.Context, param: click.Parameter, incomplete: str) -> list[str]:
    """Return the names that *param* may take and that begin with *incomplete*."""
    from crewmem.cli.app import App, World
    from crewmem.cli.command import GIVEN

    kind = kind_of(ctx, param)
    if kind is None:
        return []
    app = App(ctx.find_object(World) or World(), ctx.meta.get(GIVEN, {}))
    try:
        with ctx:
            names = _named(app, ctx, kind, incomplete)
    except (CrewmemError, OSError, click.UsageError):
        return []
    return sorted({name for name in names if name.startswith(incomplete)})


def _named(app: App, ctx: click.Context, kind: str, incomplete: str) -> list[str]:
    """Name what is there of *kind*; of entries the newest that begin so."""
    if kind == "file":
        return _files(app, ctx)
    if kind == "entry":
        journal = app.journal_to_read
        reach = app.reach(None)
        return journal.newest_ids(incomplete, reach, ENTRIES_MOST) if journal else []
    return _members(app, kind)


def _members(app: App, kind: str) -> list[str]:
    """Name everything of *kind* that is registered, or is on disk."""
    from crewmem.registry import folders, survey

    with folders.opened(app.home) as found:
        registry = app.registry_to_read
        if kind == "workspace":
            return [each.name for each in survey.workspaces(found, registry)]
        crews = survey.crews(found, registry, app.workspace)
        if kind == "crew":
            return [each.name for each in crews]
        slugs = [each.slug for each in survey.agents(found, registry, app.workspace)]
        if kind == "agent":
            return slugs
        leads = [f"lead:{each.lead}" for each in crews if each.lead]
        return [*(f"agent:{slug}" for slug in slugs), *leads]


def _files(app: App, ctx: click.Context) -> list[str]:
    """Name the memory files that may be read; by reference, where two are alike."""
    from crewmem import times
    from crewmem.cli.places import Chosen, places
    from crewmem.files.contents import contents

    options = ("path", "scope", "crew", "agent")
    chosen = Chosen(*(ctx.params.get(name) for name in options))
    found, sight = places(app, chosen)
    today = times.day(app.now, app.zone)
    entries = [
        entry
        for place in found
        for entry in contents(
            place, caps={}, today=today, hidden=place.hidden_tiers(sight)
        )[0]
    ]
    names = [entry.file for entry in entries]
    return [
        entry.file if names.count(entry.file) == 1 else entry.ref for entry in entries
    ]
