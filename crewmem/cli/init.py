"""``crewmem init``."""

from __future__ import annotations

from crewmem.cli.app import App, pass_app
from crewmem.cli.command import option, verb

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator
    from typing import BinaryIO

    from crewmem.cli.output import Line
    from crewmem.registry.init import Sampled

QUESTION = "memory search where is the deploy key"
"""What the sample crew answers."""


@verb
@option("--sample", is_flag=True, help="Put a sample crew in it, to try things out.")
@option("--dry-run", is_flag=True, help="Only say what would be made.")
@pass_app
def init_command(app: App, *, sample: bool, dry_run: bool) -> None:
    """Make a home for crewmem, with a sample crew if asked.

    That is a directory with a database, crewmem.db, and a first workspace. What is
    there is left alone, so that it can be run again at any time.
    """
    from crewmem.cli.registered import pages_begun
    from crewmem.registry.init import init, init_sample, make_home
    from crewmem.scope import require_operator

    require_operator(app.actor, "make a home")
    if dry_run:
        _foresee(app, sample=sample)
        return
    is_new = make_home(app.home)
    has_new = init(app.registry, app.home, app.workspace, now=app.now)
    sampled = None
    if sample:
        sampled = init_sample(
            app.registry,
            app.home,
            app.workspace,
            now=app.now,
            add_journal=lambda lines: _imported(app, lines),
            add_memories=lambda lines: _remembered(app, lines),
            begun=lambda pages: pages_begun(app, pages),
        )
        for file in sampled.kept:
            app.out.warn(f"{app.home / file} was there and is not the sample's")
    _show(app, is_new=is_new, has_new=has_new, sampled=sampled)


def _foresee(app: App, *, sample: bool) -> None:
    """Say what would be made; nothing is."""
    from crewmem.registry.init import plan_sample

    is_new = not app.home.is_dir()
    registry = None if is_new else app.registry_to_read
    has_new = registry is None or not registry.has_workspace(app.workspace)
    sampled = None
    if sample:
        sampled = plan_sample(registry, app.home, app.workspace, now=app.now)
        for file in sampled.kept:
            app.out.warn(f"{app.home / file} is there and is not the sample's")
    _show(app, is_new=is_new, has_new=has_new, sampled=sampled, dry_run=True)


def _imported(app: App, lines: BinaryIO) -> int:
    from crewmem.journal.importing import import_entries

    return import_entries(app.journal, app.workspace, lines, now=app.now).added


def _remembered(app: App, lines: BinaryIO) -> int:
    from crewmem.cli.held import desk
    from crewmem.memories.importing import import_memories

    return import_memories(desk(app), lines).added


def _next(app: App, sampled: Sampled | None) -> str:
    """Return the command to go on with, for the home and workspace at hand."""
    from shlex import quote

    home = app.given.get("home")
    workspace = app.given.get("workspace")
    words = ["crewmem"]
    words += ["--home", quote(home)] if home else []
    words += ["-w", workspace] if workspace else []
    return " ".join([*words, QUESTION if sampled else "crew add NAME --lead AGENT"])


def _show(
    app: App,
    *,
    is_new: bool,
    has_new: bool,
    sampled: Sampled | None,
    dry_run: bool = False,
) -> None:
    data = {
        "home": app.home,
        "workspace": app.workspace,
        "made": is_new or has_new,
        "sample": sampled,
        "next": _next(app, sampled),
        "dry_run": dry_run,
    }
    lines = _lines(
        app, is_new=is_new, has_new=has_new, sampled=sampled, dry_run=dry_run
    )
    app.out.record(data, lines)


def _lines(
    app: App, *, is_new: bool, has_new: bool, sampled: Sampled | None, dry_run: bool
) -> Iterator[Line]:
    made, added = ("Would make", "Would add") if dry_run else ("Made", "Added")
    if is_new:
        yield f"{made} a home at {app.home}"
    elif has_new:
        yield f"{made} workspace {app.workspace} in the home at {app.home}"
    elif not sampled:
        yield f"The home at {app.home} is there already; nothing was changed."
    if sampled:
        names = ", ".join(
            f"{slug} (lead)" if slug == sampled.lead else slug
            for slug in sampled.agents
        )
        kept = (
            f"{sampled.files} memory files, {sampled.entries} entries of its journal, "
            f"{sampled.memories} memories"
        )
        yield f"{added} crew {sampled.crew}: {names}; {kept}."
    if not dry_run:
        yield ["Next: ", ("bold", _next(app, sampled))]
    elif is_new or has_new or sampled:
        yield "Nothing was made."
