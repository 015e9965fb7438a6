"""What the verbs of workspaces, crews and agents take, and what they open."""

from __future__ import annotations

from contextlib import contextmanager, suppress

import click

from crewmem import disk
from crewmem.cli.members import adding
from crewmem.db import truth
from crewmem.errors import CrewmemError, NotFoundError, SettingError
from crewmem.errors.registry import (
    AgentMissingError,
    CrewMissingError,
    HomeMissingError,
    WorkspaceMissingError,
)
from crewmem.registry import folders, layout, survey

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from crewmem.cli.app import App
    from crewmem.registry.choices import Choice
    from crewmem.registry.member import Member
    from crewmem.registry.store import Registry

# What was typed


def as_pairs(
    ctx: click.Context, param: click.Parameter, words: Sequence[str]
) -> dict[str, str]:
    """Return what was typed as KEY=VALUE, the last of each key."""
    for word in words:
        if not word.partition("=")[1]:
            raise click.BadParameter(f"{word!r} is not KEY=VALUE.", ctx, param)
    return {word.partition("=")[0]: word.partition("=")[2] for word in words}


def settings_of(
    pairs: Mapping[str, str], known: Mapping[str, Choice]
) -> dict[str, object]:
    """Read settings that were typed as KEY=VALUE; what cannot be is a wrong line."""
    from crewmem.registry.choices import ORIGIN, parsed

    try:
        return parsed(pairs, known)
    except SettingError as error:
        said = str(error).removeprefix(f"{ORIGIN}: ")
        raise click.UsageError(f"{said}. {error.hint}".rstrip()) from error


def require_change(**given: object) -> None:
    """Refuse a ``set`` that sets nothing."""
    if all(value is None or value in ((), {}) for value in given.values()):
        raise click.UsageError("Nothing to change was named.")


def described(app: App, description: str | None) -> str | None:
    """Return *description* as it is kept: agents read it, so it is scanned as texts.

    Raises:
        UnsafeTextError: If it looks like an attack or a secret.
    """
    if description:
        from crewmem.cli.scanner import scanner
        from crewmem.memories.safe import require_safe

        require_safe("the description", description, scanner(app))
    return description


# The registry, and what is on disk


def to_add(app: App) -> Registry:
    """Return the registry to add to; the first write makes the home."""
    disk.make_root(app.home).close()
    return app.registry


def begun(app: App, member: Member) -> None:
    """Record the pages that *member* was given as the first versions of these files.

    What else is there, as of a tree that was restored, the next sweep records.
    """
    pages_begun(
        app, {name: page.encode() for name, page in layout.files(member).items()}
    )


def pages_begun(app: App, pages: Mapping[str, bytes]) -> None:
    """Record *pages*, by their paths below the home, as first versions."""
    from functools import cache

    from crewmem.files.begin import begin_all
    from crewmem.files.history import History

    def history_of(workspace: str) -> History:
        return History(app.truth, app.journal, app.home, workspace)

    by = str(app.actor)
    begin_all(app.home, pages, cache(history_of), by=by, now=app.now)


@contextmanager
def to_change(app: App, missing: NotFoundError) -> Iterator[Registry]:
    """Open the registry for a change of what is there, which makes nothing.

    Args:
        app: Whose registry.
        missing: The failure where there is no database, so nothing is registered.
    """
    with hinted(app):
        if not app.home.is_dir():
            raise HomeMissingError(app.home)
        if not (app.home / truth.NAME).exists():
            raise missing
        yield app.registry


@contextmanager
def hinted(app: App) -> Iterator[None]:
    """Say of what is missing in the registry that it is on disk, if it is."""
    try:
        yield
    except NotFoundError as error:
        with suppress(CrewmemError), folders.opened(app.home) as found:
            if member := _on_disk(found, error):
                command = adding(app, member)
                error.hint = f"It is on disk, but not registered: {command}"
        raise


def _on_disk(found: folders.Folders, missing: NotFoundError) -> Member | None:
    """Return what is *missing* from the registry, as it is on disk."""
    if isinstance(missing, AgentMissingError):
        return survey.agent(found, None, missing.workspace, missing.slug)
    if isinstance(missing, CrewMissingError):
        return survey.crew(found, None, missing.workspace, missing.name)
    if isinstance(missing, WorkspaceMissingError):
        return survey.workspace(found, None, missing.name)
    return None


@contextmanager
def surveyed(app: App) -> Iterator[folders.Folders]:
    """Open the directories of the home, and warn of those that cannot be read."""
    with folders.opened(app.home) as found:
        try:
            yield found
        finally:
            for each in found.unread:
                app.out.warn(each)
