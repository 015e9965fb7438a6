"""``crewmem memory prune``."""

from __future__ import annotations

import click

from crewmem.cli.app import App, pass_app
from crewmem.cli.command import option, verb

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator
    from datetime import datetime

    from crewmem.cli.output import Line
    from crewmem.files.prune import Pruned

MOST = 1_000_000
"""Versions of a file that can be kept at most, as by the setting."""


@verb
@option(
    "--keep",
    type=click.IntRange(1, MOST),
    metavar="N",
    help="Versions of a file that stay, the newest.  [versions.keep, 3]",
)
@option(
    "--older-than",
    metavar="TIME",
    help="Only what was written before, as 30d.  [versions.days, 30d]",
)
@option("--dry-run", is_flag=True, help="Only say what would be dropped.")
@pass_app
def prune_command(
    app: App, *, keep: int | None, older_than: str | None, dry_run: bool
) -> None:
    """Drop old versions of memory files.

    Of every file of the workspace the newest versions stay, however old they are, and
    what is young stays as well. Contents that no version keeps any more go with them,
    also those that a process left behind that was killed. The plan comes first;
    interrupted and run again it comes to the same. Only one runs at a time; a second
    ends at once.
    """
    from datetime import timedelta

    from crewmem import times
    from crewmem.cli.jobs.alone import job, tell_running
    from crewmem.files.prune import Pruned
    from crewmem.scope import require_operator

    require_operator(app.actor, "prune versions")
    keep = app.settings.versions_keep if keep is None else keep
    age = timedelta(days=app.settings.versions_days)
    before = app.instant("--older-than", older_than) or times.before(app.now, age)
    if dry_run:
        done = _looked(app, keep, before)
        app.out.record(done, [*_plan_lines(app, done), "Nothing was changed."])
        return
    with job(app, "memory.prune") as is_alone:
        if is_alone:
            _run(app, keep, before)
            return
        tell_running(app, "memory.prune")
        app.out.record(Pruned(app.workspace, keep, before, 0, (), 0, 0), [])


def _looked(app: App, keep: int, before: datetime) -> Pruned:
    from crewmem.files.kept import Kept
    from crewmem.files.prune import Plan, plan, planned
    from crewmem.files.version_store import VersionStore

    journal = app.journal_to_read
    found = Plan(keep, before, {}, (), 0)
    if journal:
        store = VersionStore(journal.db, app.workspace)
        found = plan(store, Kept(app.home), keep=keep, before=before)
    return planned(app.workspace, found)


def _run(app: App, keep: int, before: datetime) -> None:
    from crewmem.cli.memory.shown import size
    from crewmem.cli.progress import progress
    from crewmem.files.kept import Kept
    from crewmem.files.prune import plan, planned, prune
    from crewmem.files.version_store import VersionStore

    if app.journal_to_read is None:  # or there is no such workspace
        app.out.record(_looked(app, keep, before), ["There are no versions yet."])
        return
    journal, contents = app.journal, Kept(app.home)
    store = VersionStore(journal.db, app.workspace)
    found = plan(store, contents, keep=keep, before=before)
    if not app.out.is_json:
        app.out.lines(_plan_lines(app, planned(app.workspace, found)))
    with progress(app.out, doing="Dropping", unit="contents") as tick:
        done = prune(store, contents, journal, found, now=app.now, tell=tick)
    said = [f"Dropped {_counts(done)}, {size(done.bytes)}."]
    app.out.record(done, said if done.versions or done.contents else [])


def _plan_lines(app: App, found: Pruned) -> Iterator[Line]:
    from crewmem import times

    before = times.to_text(found.before)
    if not (found.versions or found.contents):
        yield f"There is nothing to drop from before {before}."
        return
    yield (
        f"To be dropped, of what was written before {before}: {_counts(found)}. "
        f"The newest {found.keep} of each file stay."
    )
    if app.out.verbose:
        for each in found.files:
            yield f"  {each.ref}: {each.versions:,}"


def _counts(found: Pruned) -> str:
    from crewmem.health.advice import counted

    return (
        f"{counted(found.versions, 'version', 'versions')} of "
        f"{counted(len(found.files), 'file', 'files')}, "
        f"{counted(found.contents, 'content', 'contents')} that nothing keeps"
    )
