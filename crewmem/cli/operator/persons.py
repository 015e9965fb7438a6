"""What the verbs about persons share: who is meant, where cards are, and stores."""

from __future__ import annotations

from contextlib import contextmanager

import click

from crewmem.cli.command import option
from crewmem.cli.typed import as_text
from crewmem.errors.registry import HomeMissingError

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from typing import Any

    from crewmem.cli.app import App
    from crewmem.cli.output import Line
    from crewmem.files.folders import Skipped
    from crewmem.files.place import Place
    from crewmem.prompt.operator_erase import Eraser
    from crewmem.prompt.operator_erased import Erased
    from crewmem.prompt.operator_fact import FactField
    from crewmem.prompt.operator_observe import Person
    from crewmem.prompt.operator_store import OperatorStore

FIELDS = (
    "role",
    "owns",
    "constraint",
    "process",
    "prefers",
    "tooling",
    "timezone",
    "language",
    "contact",
)
"""As in prompt/operator_fact.py; a test compares."""


def as_user(ctx: click.Context, param: click.Parameter, name: str) -> str:
    """Return *name*, if somebody can be called that."""
    as_text(ctx, param, name)
    if not name.strip() or "\0" in name:
        raise click.BadParameter("It names nobody.", ctx, param)
    return name.strip()


def user_option(function: Callable[..., Any]) -> Callable[..., Any]:
    """Add the option that names a person."""
    return option(
        "--user",
        metavar="NAME",
        required=True,
        callback=as_user,
        help="The person, by the name that turns and sessions give.",
    )(function)


def person(app: App, user: str, what: str) -> Person:
    """Return the person *user*; only operators do *what* with what is known of them.

    Raises:
        OutOfScopeError: If an agent or a lead asks.
    """
    from crewmem.prompt.operator_observe import Person
    from crewmem.prompt.slug import user_slug
    from crewmem.scope import require_operator

    require_operator(app.actor, what)
    return Person(user, user_slug(user, app.workspace))


def directories(app: App, *, complete: bool) -> list[Place]:
    """Return the directories of all crews and agents of the workspace.

    Those that cannot be looked into are a warning, or, with *complete*, a failure.

    Raises:
        HomeMissingError: If there is no home.
        WorkspaceMissingError: If there is no such workspace.
    """
    from crewmem.files import locate
    from crewmem.prompt.operator_cards import FOLDERS

    if not app.home.is_dir():
        raise HomeMissingError(app.home)
    skipped: list[Skipped] | None = None if complete else []
    found = locate.in_home(app.home, app.workspace, None, skipped=skipped)
    for _, error in skipped or ():
        app.out.warn(str(error))
    return [place for place in found if place.scope in FOLDERS]


def store_to_read(app: App) -> OperatorStore | None:
    """Return what is known, as it can be read; None if there is no database."""
    from crewmem.prompt.operator_store import OperatorStore, has_tables

    db = app.truth_to_read
    return OperatorStore(db, app.workspace) if db and has_tables(db) else None


def unnoted(app: App) -> str:
    """Return why it is not noted that somebody looked, or ""; nothing is made for it.

    A home that is only looked at keeps what it has: a database that nobody is
    registered in would hide its agents.
    """
    from crewmem import disk
    from crewmem.errors import CrewmemError

    if not disk.is_writable(app.home):
        return f"{app.home} cannot be written"
    try:
        return "" if app.truth_to_read else f"{app.home} has no database"
    except CrewmemError as error:
        return str(error)


@contextmanager
def eraser(app: App, slug: str, *, dry_run: bool = False) -> Iterator[Eraser]:
    """Return what erases the person *slug*, while nobody else observes or erases.

    For a dry run nothing is opened to write.

    Raises:
        WorkspaceMissingError: If there is no such workspace.
    """
    from crewmem.files.history import History
    from crewmem.prompt.operator_erase import Eraser
    from crewmem.prompt.operator_erased import alone
    from crewmem.prompt.operator_store import OperatorStore

    places = directories(app, complete=True)
    if dry_run and (store := store_to_read(app)) and (journal := app.journal_to_read):
        history = History(store.db, journal, app.home, app.workspace)
        yield Eraser(store, history, places, slug, app.home, journal, app.now)
        return
    with alone(app.home, app.settings.busy_timeout):
        history = History(app.truth, app.journal, app.home, app.workspace)
        store = OperatorStore(app.truth, app.workspace)
        yield Eraser(store, history, places, slug, app.home, app.journal, app.now)


def finish(
    app: App,
    user: str,
    found: Eraser,
    planned: Erased,
    field: FactField | None = None,
    *,
    what: str,
    yes: bool,
    dry_run: bool,
) -> None:
    """Finish an erasing that was killed at its very end, as `erase` does.

    The database knows nothing any more, so that nothing is *planned*; older ones may.

    Raises:
        PersonUnknownError: If they know nothing either: a name may be misspelled.
    """
    from crewmem.errors.operators import PersonUnknownError

    left = found.with_left(planned, field)
    if not left.changed:
        if not dry_run:
            found.settle()
        raise PersonUnknownError(user, app.workspace, field or "")
    erase(
        app,
        user,
        left,
        lambda: found.finish(left, field),
        what=f"{what} in older databases",
        yes=yes,
        dry_run=dry_run,
    )


def erase(
    app: App,
    user: str,
    planned: Erased,
    do: Callable[[], Erased],
    *,
    what: str,
    yes: bool,
    dry_run: bool,
) -> None:
    """Erase what is *planned*, if somebody confirms it, and answer with that.

    Args:
        app: Whose answer.
        user: The person, as they were named.
        planned: What would be erased.
        do: Erases it.
        what: What is asked, as "Erasing all that is known of 'ada'".
        yes: Whether it is confirmed.
        dry_run: Whether it is only told.
    """
    from crewmem.cli.confirm import confirmed

    if planned.cards and (kept := _kept_elsewhere(app)):
        app.out.warn(kept)
    if dry_run:
        app.out.record(planned, erased_lines(planned, user))
    elif confirmed(app, f"{what} ({_counted(planned)})", yes=yes):
        app.out.record(done := do(), erased_lines(done, user))
    else:
        nothing = planned._replace(dry_run=False, changed=False)
        app.out.record(nothing, ["Nothing was erased."])
        app.conclude(ok=False)


def _kept_elsewhere(app: App) -> str:
    """Say of backups that they hold what is erased here; "" if there are none.

    A bundle is never written again, and a copy of one may be anywhere.
    """
    from pathlib import Path

    if not app.settings.backup_dir:
        return ""
    folder = Path(app.settings.backup_dir) / app.workspace
    names = sorted(each.name for each in folder.glob("*.tar.gz"))
    if not names:
        return ""
    what = "1 backup" if len(names) == 1 else f"{len(names)} backups"
    return (
        f"{what} in {folder}, up to {names[-1]}, may hold it still, for a backup is "
        "never changed: remove them when there is a newer one"
    )


def erased_lines(done: Erased, user: str) -> Iterator[Line]:
    """Yield what a person reads of what was erased, or would be."""
    what = f"The field {done.field}" if done.field else "All that is known"
    verb = "would be" if done.dry_run else "is"
    if done.cards or done.facts or done.versions:
        where = "" if done.cards else " in older databases"
        told = f" {verb} erased{where}: {_counted(done)}."
        yield [what, " of ", ("bold", user), told]
    else:
        yield f"Nothing is known of {user}."
    if done.opted_out:
        yield f"Nothing of {user} {verb} observed from now on."


def _counted(done: Erased) -> str:
    counts = {
        "card": len(done.cards),
        "quote": done.facts,
        "version": done.versions,
        "refused text": done.quarantined,
    }
    return ", ".join(
        f"{number:,} {thing}" + ("" if number == 1 else "s")
        for thing, number in counts.items()
        if number or thing == "card"
    )
