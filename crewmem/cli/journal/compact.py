"""``crewmem journal compact``."""

from __future__ import annotations

from collections import Counter

from crewmem import disk, times
from crewmem.cli.app import App, pass_app
from crewmem.cli.command import option, verb
from crewmem.cli.output import Table

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator
    from datetime import datetime

    from crewmem.cli.output import Line
    from crewmem.journal.compact import Plan
    from crewmem.journal.store import Journal

LOCK = "locks/journal.compact"

AGE = "30d"
"""What is older is looked up rather than read; as was published."""


@verb
@option(
    "--older-than",
    metavar="TIME",
    help="Only what happened before, as 30d.  [30d]",
)
@option("--dry-run", is_flag=True, help="Only say what would be archived.")
@pass_app
def compact_command(app: App, *, older_than: str | None, dry_run: bool) -> None:
    """Archive old entries that nothing needs, and sum them up.

    Entries of severity info and notice become one entry for each crew, day and type,
    which counts them; they themselves go to the archive, where journal get finds them
    as they were. Never touched are warnings and errors, what is pinned or permanent,
    what recall finds or is tagged for it, summaries, approvals and checkpoints, and
    what a memory, a rule or an open proposal rests on. An entry that is not what was
    written ends the run. The plan comes first; interrupted and run again it comes to
    the same.
    """
    from crewmem.errors.disk import LockBusyError
    from crewmem.journal.compact import Compacted
    from crewmem.scope import require_operator

    require_operator(app.actor, "compact the journal")
    before = _before(app, older_than)
    journal = app.journal_to_read
    if journal is None or dry_run:
        _show_plan(app, journal, before, dry_run=dry_run)
        return
    with disk.open_root(app.home) as root:
        disk.make_dirs(root, LOCK.rpartition("/")[0])
        try:
            with disk.lock(root, LOCK, timeout=0):
                _run(app, before)
        except LockBusyError:
            done = Compacted(app.workspace, before, running=True)
            app.out.record(done, ["It is running already; nothing was done."])


def _before(app: App, older_than: str | None) -> datetime:
    """Return the time before which entries are old, which is never later than now."""
    age = times.span(AGE)
    before = app.instant("--older-than", older_than) or times.before(app.now, age)
    if before <= app.now:
        return before
    app.out.warn("--older-than is not over yet; it was taken as now")
    return app.now


def _show_plan(
    app: App, journal: Journal | None, before: datetime, *, dry_run: bool
) -> None:
    from crewmem.cli.journal.guarding import guards
    from crewmem.journal.compact import Compacted, Plan, plan

    found = Plan(before)
    if journal:
        found = plan(journal, app.workspace, before, guards(journal, app.workspace))
    done = Compacted(
        app.workspace, before, found.groups, kept=found.kept, dry_run=dry_run
    )
    app.out.record(done, [*_plan_lines(app, found), "Nothing was changed."])


def _run(app: App, before: datetime) -> None:
    from crewmem.cli.journal.guarding import guards
    from crewmem.cli.journal.shown import entries
    from crewmem.cli.progress import progress
    from crewmem.journal.compact import compact, plan

    journal = app.journal
    kept = guards(journal, app.workspace)
    found = plan(journal, app.workspace, before, kept)
    if not app.out.is_json:
        app.out.lines(_plan_lines(app, found))
    with progress(app.out, doing="Compacting", unit="entries") as tick:
        done = compact(journal, app.workspace, found, kept, now=app.now, tell=tick)
    said = f"Archived {entries(done.entries)}; added {done.added:,} in their place."
    app.out.record(done, app.out.folded([said] if done.entries else []))


def _plan_lines(app: App, found: Plan) -> Iterator[Line]:
    """Yield what is to be archived, as broad as a terminal has room for."""
    before, *rest = _said(found)
    yield from app.out.folded([before])
    if not found.groups:
        return
    total: Counter[str] = Counter()
    days: Counter[str] = Counter()
    for group in found.groups:
        total[group.entry_type] += group.entries
        days[group.entry_type] += 1
    rows = [(kind, f"{days[kind]:,}", f"{total[kind]:,}") for kind in sorted(total)]
    right = frozenset({"GROUPS", "ENTRIES"})
    yield from app.out.laid(Table(("TYPE", "GROUPS", "ENTRIES"), rows, right))
    yield from app.out.folded(rest)


def _said(found: Plan) -> Iterator[str]:
    """Yield what is said before the table, and behind it."""
    from crewmem import times
    from crewmem.cli.journal.shown import entries

    before = times.to_text(found.before)
    kept = f" {entries(found.kept)} from then left alone." if found.kept else ""
    if not found.groups:
        yield f"There is nothing to archive from before {before}.{kept}"
        return
    yield f"To be archived, of what happened before {before}:"
    yield f"{entries(found.entries)} into {len(found.groups):,}.{kept}"
