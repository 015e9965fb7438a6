"""Which memory directories a command is about: its options, and finding them."""

from __future__ import annotations

import click

from crewmem.cli.command import option
from crewmem.cli.scope_choice import ScopeChoice
from crewmem.records import NamedTuple

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Sequence
    from pathlib import Path
    from typing import Any, TypeVar

    from crewmem.cli.app import App
    from crewmem.errors import CrewmemError
    from crewmem.files.folders import Skipped
    from crewmem.files.place import Place
    from crewmem.scope import Sight

    Function = Callable[..., Any]
    Result = TypeVar("Result")

TIERS = (
    "agent",
    "persona",
    "pins",
    "brief",
    "lessons",
    "daily",
    "peer",
    "crew",
    "topic",
    "learned",
    "user",
    "workspace",
    "other",
)
"""As in files/tiers.py, which is imported only when it is used; a test compares."""


class Chosen(NamedTuple):
    """The directories that were asked for, as they were named."""

    path: str | None
    scope: str | None
    crew: str | None
    agent: str | None


def as_slug(ctx: click.Context, param: click.Parameter, text: str | None) -> str | None:
    """Return *text*, if a crew or an agent can be called that."""
    from crewmem.ids import is_slug

    if text is None or is_slug(text):
        return text
    from crewmem.errors.values import BadNameError

    raise click.BadParameter(f"{text!r} is no name. {BadNameError.hint}", ctx, param)


def place_options(function: Function) -> Function:
    """Add the options that choose memory directories, handed on as ``chosen``."""
    return chosen_by(
        function,
        option("--agent", metavar="SLUG", callback=as_slug, help="Only this agent."),
        option("--crew", metavar="NAME", callback=as_slug, help="Only this crew."),
        scope="How far to look; by default as far as the actor may see.",
    )


def chosen_by(function: Function, *adds: Function, scope: str) -> Function:
    """Hand on as ``chosen`` what is typed for a path, a scope, and options of *adds*.

    These are ``--agent`` and ``--crew``; *scope* is the help of the scope.
    """

    def run(
        *args: Any,
        path: str | None,
        scope: str | None,
        crew: str | None,
        agent: str | None,
        **values: Any,
    ) -> Any:
        return function(*args, chosen=Chosen(path, scope, crew, agent), **values)

    run.__name__, run.__doc__ = function.__name__, function.__doc__
    run.__click_params__ = getattr(function, "__click_params__", [])  # type: ignore[attr-defined]
    for add in (
        *adds,
        option("-S", "--scope", type=ScopeChoice(), help=scope),
        option(
            "-p",
            "--path",
            metavar="DIR",
            help="A .memory directory, its parent, or a crew's root; needs no home.",
        ),
    ):
        run = add(run)
    return run


def places(app: App, chosen: Chosen) -> tuple[list[Place], Sight]:
    """Return the directories that are meant, and what the actor may see there.

    Raises:
        NotFoundError: If there is nothing where it was looked for.
        OutOfScopeError: If what was named is not for the actor.
    """
    from crewmem.files import locate

    wanted, sight = located(app, chosen)
    named = len(wanted) == 1 or bool(chosen.crew or chosen.agent)
    return locate.readable(wanted, sight, named=named), sight


def located(app: App, chosen: Chosen) -> tuple[list[Place], Sight]:
    """Return the directories that are meant, the actor's or not, and its sight.

    What was passed over, and is not closed to the actor, is a warning.

    Raises:
        NotFoundError: If there is nothing where it was looked for.
    """
    from crewmem.files import locate
    from crewmem.scope import Scope

    _require_fit(chosen)
    scope = Scope(chosen.scope) if chosen.scope else None
    base = root(app, chosen)
    skipped: list[Skipped] = []
    if base == app.home and not chosen.path:
        _require_home(app.home)
        sight = app.sight
        found = locate.in_home(
            app.home,
            app.workspace,
            scope,
            crew=chosen.crew,
            agent=chosen.agent,
            skipped=skipped,
        )
    else:
        sight = app.sight_of_path if chosen.path else app.sight
        found = locate.at_path(base, scope, skipped)
    wanted = [place for place in found if _is_wanted(place, chosen)]
    missed = [
        error
        for place, error in skipped
        if _is_wanted(place, chosen) and place.is_open_to(sight)
    ]
    if not wanted:
        _require_found(base, chosen, missed)
    for error in missed:
        app.out.warn(str(error))
    return wanted, sight


def _require_home(home: Path) -> None:
    """Say that a home is not there, rather than what it does not hold."""
    if home.is_dir():
        return
    from crewmem.errors.disk import NotADirectoryPathError
    from crewmem.errors.registry import HomeMissingError

    missing = not (home.exists() or home.is_symlink())
    raise HomeMissingError(home) if missing else NotADirectoryPathError(home)


def _require_fit(chosen: Chosen) -> None:
    """Refuse a scope that what was named is never in: nothing could be found."""
    narrow = "--agent" if chosen.agent else "--crew" if chosen.crew else ""
    outside = {"--agent": ("crew", "workspace"), "--crew": ("workspace",)}
    if chosen.scope in outside.get(narrow, ()):
        message = f"{narrow} names nothing that is in --scope {chosen.scope}."
        raise click.UsageError(message)


def _require_found(base: Path, chosen: Chosen, missed: Sequence[CrewmemError]) -> None:
    """Say why no directory is left, if something was named or passed over."""
    if missed:
        raise missed[0]
    if chosen.path and (chosen.crew or chosen.agent):
        folders = [("crews", chosen.crew), ("agents", chosen.agent)]
        names = [part for each in folders if each[1] for part in each]
        from crewmem.errors.files import MemoryDirMissingError

        raise MemoryDirMissingError(base, [base.joinpath(*map(str, names))])


def root(app: App, chosen: Chosen) -> Path:
    """Return the directory that is looked in: named, or the first usual one."""
    from pathlib import Path

    if chosen.path == "":
        raise click.UsageError("--path names no directory: it is empty.")
    if chosen.path:
        return Path(chosen.path)
    if app.is_home_named:
        return app.home
    from crewmem.cli.user import user_home
    from crewmem.errors.disk import NotReadableError
    from crewmem.files import locate

    person = Path(user_home(app.world.environ))
    try:
        return locate.usual(app.home, Path(app.world.mount), person)
    except NotReadableError as error:
        error.hint = "Name another home with --home, or a directory with --path."
        raise


def looked_in(app: App, path: str | None) -> Path | None:
    """Return the directory at *path*, else the first usual one; None if there is none.

    Raises:
        NotReadableError: If that may not be known.
    """
    from crewmem.errors.files import NoMemoryError

    try:
        base = root(app, Chosen(path, None, None, None))
    except NoMemoryError:
        return None
    return base if path or base.is_dir() else None


def beginnings(app: App, chosen: Chosen) -> tuple[Path, Path]:
    """Return from where a file's path goes on: from here, or from what was chosen.

    What was chosen stands for both where the working directory was removed.
    """
    from pathlib import Path

    base = root(app, chosen).absolute()
    try:
        return Path.cwd(), base
    except FileNotFoundError:
        return base, base


def _is_wanted(place: Place, chosen: Chosen) -> bool:
    return (chosen.agent is None or place.agent == chosen.agent) and (
        chosen.crew is None or place.crew in {None, chosen.crew}
    )


def each_of(
    app: App, found: Sequence[Place], do: Callable[[Place], Result]
) -> list[Result]:
    """Do something in each place; where some fail and others do not, warn of those.

    Raises:
        NothingReadError: If all of several fail; of one alone, its own failure.
    """
    from crewmem.errors import CrewmemError
    from crewmem.files.folders import joined

    done: list[Result] = []
    failures: list[CrewmemError] = []
    for place in found:
        try:
            done.append(do(place))
        except CrewmemError as error:
            failures.append(error)
    if failures and not done:
        raise joined(failures)
    for failure in failures:
        app.out.warn(str(failure))
    return done
