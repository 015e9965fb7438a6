"""Names that completion offers: of workspaces, crews, agents and files, and ids.

Completion scripts know the commands, and names that are the same for everybody; they
ask the program only for the others. What the actor may not read is not offered. What
cannot be read offers nothing: a shell that waits for a TAB has no place for an error.
"""

from __future__ import annotations

import click

from crewmem.errors import CrewmemError

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable

    from crewmem.cli.app import App
    from crewmem.cli.places import Chosen

OPTIONS = {
    "--workspace": "workspace",
    "--crew": "crew",
    "--agent": "agent",
    "--lead": "agent",
    "--as": "actor",
}
"""Options whose value is a name, and of what."""

OPTIONS_OF = {
    ("doctor", "--only"): "check",
    ("memories supersede", "--by"): "memory",
}
"""The same of options that take a name at one command alone."""

ARGUMENTS = {
    **{f"memory {verb}": "file" for verb in ("read", "log", "show", "diff", "restore")},
    **dict.fromkeys(
        (
            "journal get",
            "journal pin",
            "episodes add",
            "episodes relations add",
            "episodes relations list",
        ),
        "entry",
    ),
    **dict.fromkeys(("get", "vote", "forget", "knowledge promote"), "memory"),
    **{
        f"memories {verb}": "memory"
        for verb in ("history", "correct", "supersede", "restore", "done", "drop")
    },
    **{f"memories {verb}": "memory" for verb in ("pin", "purge")},
    **{
        f"proposals {verb}": "proposal"
        for verb in ("show", "diff", "explain", "approve", "reject")
    },
    **{f"memory quarantine {v}": "refused" for v in ("show", "release", "drop")},
    "timers run": "job",
    "config get": "setting",
    "config set": "setting",
    **{
        f"{group} {verb}": group
        for group in ("workspace", "crew", "agent")
        for verb in ("show", "set", "remove")
    },
}
"""Commands whose first argument is the name of something that is there, and of what."""

BOTH = frozenset({"episodes relations add"})
"""Commands whose second argument is of the same kind as the first."""

IDS_MOST = 50
"""Ids that are offered: nobody chooses from more."""


def kind_of(ctx: click.Context, param: click.Parameter) -> str | None:
    """Return of what *param* of the command takes the name; None: of nothing."""
    command = ctx.command_path.partition(" ")[2]
    if isinstance(param, click.Option):
        kinds = (OPTIONS_OF.get((command, o)) or OPTIONS.get(o) for o in param.opts)
        return next(filter(None, kinds), None)
    arguments = [
        each for each in ctx.command.params if each.param_type_name == "argument"
    ]
    if param is arguments[0] or command in BOTH:
        return ARGUMENTS.get(command)
    return None


def known(kind: str) -> tuple[str, ...] | None:
    """Return the names of *kind* where they are the same for everybody, else None."""
    if kind == "setting":
        from crewmem.settings import SETTINGS

        return tuple(SETTINGS)
    if kind == "job":
        from crewmem.jobs.job import NAMES

        return NAMES
    if kind == "check":
        from crewmem.health.checks import CHECKS

        return tuple({n: None for each in CHECKS for n in (each.CATEGORY, each.NAME)})
    return None


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


def _named(app: App, ctx: click.Context, kind: str, incomplete: str) -> Iterable[str]:
    """Name what is there of *kind*; of what has ids the newest that begin so."""
    if (names := known(kind)) is not None:
        return names
    if kind == "file":
        return _files(app, ctx)
    if kind == "entry":
        journal = app.journal_to_read
        reach = app.reach(None)
        return journal.newest_ids(incomplete, reach, IDS_MOST) if journal else []
    if kind == "memory":
        from crewmem.cli.held import memories_to_read, view

        memories = memories_to_read(app)
        return memories.newest_ids(incomplete, view(app), IDS_MOST) if memories else []
    if kind == "proposal":
        return _proposals(app)
    return _refused(app, ctx) if kind == "refused" else _members(app, kind)


def _proposals(app: App) -> list[str]:
    """Name the proposals that wait, as far as the actor may see them."""
    from crewmem.cli.held import memories_to_read, view
    from crewmem.proposals.proposal import is_visible
    from crewmem.proposals.store import Proposals

    memories = memories_to_read(app)
    if memories is None:
        return []
    seen, found = view(app), Proposals(memories.db).of(app.workspace, status="open")
    return [each.id for each in found if is_visible(each, seen, app.actor)][:IDS_MOST]


def _refused(app: App, ctx: click.Context) -> list[str]:
    """Name the texts that wait in quarantine, for operators."""
    from crewmem.cli.memory.quarantine.shown import asked
    from crewmem.cli.places import each_of
    from crewmem.files.quarantine import listed

    done = each_of(app, asked(app, _chosen(ctx), "look into the quarantine"), listed)
    return [each.id for some, _ in done for each in some][:IDS_MOST]


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


def _chosen(ctx: click.Context) -> Chosen:
    """Return what was typed of the places that are meant."""
    from crewmem.cli.places import Chosen

    options = ("path", "scope", "crew", "agent")
    return Chosen(*(ctx.params.get(name) for name in options))


def _files(app: App, ctx: click.Context) -> list[str]:
    """Name the memory files that may be read; by reference, where two are alike."""
    from crewmem import times
    from crewmem.cli.places import places
    from crewmem.files.contents import contents

    found, sight = places(app, _chosen(ctx))
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
