"""``crewmem status``."""

from __future__ import annotations

from crewmem.cli.app import App, pass_app
from crewmem.cli.command import option, verb

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence
    from pathlib import Path

    from crewmem.cli.output import Line
    from crewmem.files.place import Place
    from crewmem.health.glance import Glance
    from crewmem.health.overview import Overview
    from crewmem.scope import Sight

SOURCES = {
    "home": "the home",
    "mount": "the crew of this container",
    "own": "the agent's own",
    "path": "as named",
}


@verb
@option(
    "-p",
    "--path",
    metavar="DIR",
    help="Look at this memory directory or crew alone; needs no home.",
)
@pass_app
def status_command(app: App, *, path: str | None) -> None:
    """Show the state of the memory on one screen, and the next step.

    Where memory was found, how much there is, how the indexes stand, what should be
    otherwise, and the one command that helps most. It looks at names and stamps, not
    into files, and writes nothing; doctor looks closer.
    """
    overview = _overview(app, path)
    app.out.record(overview, _lines(overview))


def _overview(app: App, path: str | None) -> Overview:
    from crewmem.health.advice import advice
    from crewmem.health.overview import overview

    source, base = _base(app, path)
    found, sight = _places(app, source, base)
    trouble = _database_trouble(app, found) if source == "home" else ""
    glances = _glances(app, found, sight)
    words, why = advice(
        glances,
        has_base=base is not None,
        writable=_writable(found),
        trouble=trouble,
    )
    return overview(
        glances,
        source=source,
        path=base,
        home=app.home,
        workspace=app.workspace if source in {"home", "none"} else None,
        trouble=trouble,
        step=_command(app, words, base if source == "path" else None),
        why=why,
    )


def _base(app: App, path: str | None) -> tuple[str, Path | None]:
    """Return where memory is, and how it was found."""
    from crewmem.cli.places import looked_in

    base = looked_in(app, path)
    if base is None:
        return "none", None
    if path:
        return "path", base
    if base == app.home:
        return "home", base
    return ("mount" if str(base) == app.world.mount else "own"), base


def _places(app: App, source: str, base: Path | None) -> tuple[list[Place], Sight]:
    from crewmem.files import locate

    sight = app.sight_of_path if source in {"path", "none"} else app.sight
    if base is None:
        return [], sight
    if source != "home":
        found = locate.at_path(base, None)
        return locate.readable(found, sight, named=source == "path"), sight
    is_there = (base / "workspaces" / app.workspace).is_dir()
    if not is_there and not _is_chosen(app):
        return [], sight
    found = locate.in_home(base, app.workspace, None)
    return locate.readable(found, sight, named=False), sight


def _is_chosen(app: App) -> bool:
    """Tell whether somebody chose the workspace: then it has to be there."""
    from crewmem.settings import SETTINGS

    return app.loaded.origin(SETTINGS["workspace"]) != "default"


def _database_trouble(app: App, found: Sequence[Place]) -> str:
    """Return what is wrong with the database; of none, only where there are crews."""
    from crewmem.db.examine import examine
    from crewmem.db.migrate import version
    from crewmem.db.truth import NAME, newer
    from crewmem.errors import CrewmemError, PathMissingError

    path = app.home / NAME
    has_crews = any(place.crew for place in found)
    try:
        schema = examine(path, version, busy_timeout=app.settings.busy_timeout)
    except PathMissingError:
        return f"there is no {path}: nobody is registered" if has_crews else ""
    except CrewmemError as error:
        return str(error)
    if not schema and has_crews:
        return f"{path} is empty: nobody is registered"
    return newer(path, schema)


def _glances(app: App, found: Sequence[Place], sight: Sight) -> list[Glance]:
    from crewmem.health.glance import glance

    settings, caps = app.settings, app.settings.caps
    return [
        glance(
            place,
            sight,
            caps=caps,
            directory_cap=settings.directory_bytes,
            busy_timeout=settings.busy_timeout,
        )
        for place in found
    ]


def _writable(found: Sequence[Place]) -> frozenset[str]:
    from crewmem import disk

    return frozenset(str(each.path) for each in found if disk.is_writable(each.path))


def _command(app: App, words: Sequence[str], named: Path | None) -> str:
    """Spell a command so that it works on the same memory."""
    from shlex import join

    home = app.given.get("home")
    before = ["--home", str(home)] if home else []
    after = ["--path", str(named)] if named and "--path" not in words else []
    return join(["crewmem", *before, *words, *after])


def _lines(seen: Overview) -> Iterator[Line]:
    """Yield what a person reads."""
    from crewmem.cli.shown import percent, size
    from crewmem.health.advice import counted

    if seen.path is None:
        yield [*_label("memory"), f"none found; the home would be {seen.home}"]
    else:
        where = SOURCES[seen.source]
        yield [*_label("memory"), ("path", str(seen.path)), f" ({where})"]
        if whose := _whose(seen):
            yield [*_label("workspace"), whose]
        folders = counted(seen.directories, "directory", "directories")
        text = f"{seen.files:,} ({size(seen.bytes)}) in {folders}"
        if seen.files:
            text += f"; the fullest at {percent(seen.share, seen.bytes)} of its cap"
        yield [*_label("files"), text]
        indexes = [f"{count} {word}" for word, count in seen.indexes.items() if count]
        yield [*_label("index"), ", ".join(indexes) or "none"]
        yield [*_label("search"), f"by {seen.mode}"]
    told = "; ".join(seen.problems)
    yield [*_label("problems"), ("warn", told) if told else ("good", "none")]
    yield [*_label("next"), ("bold", seen.next), ("dim", f"  # {seen.why}")]


def _whose(seen: Overview) -> str:
    from crewmem.health.advice import counted

    counts = [counted(seen.crews, "crew"), counted(seen.agents, "agent")]
    if seen.workspace:
        return f"{seen.workspace}: {', '.join(counts)}"
    return counts[1] if seen.agents else ""


def _label(name: str) -> list[tuple[str, str]]:
    return [("dim", f"{name:11}")]
