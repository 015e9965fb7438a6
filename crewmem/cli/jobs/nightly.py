"""What is done once a night: compacted, faded, promoted, measured and pruned.

Each part takes the lock of its verb, so that a person may do the same at that moment;
whoever comes second leaves it to the first.
"""

from __future__ import annotations

from datetime import timedelta

from crewmem import times
from crewmem.cli.jobs.parts import Part, in_parts, within, workspaces

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from crewmem.cli.app import App
    from crewmem.cli.jobs.parts import Counts, Outcome


def nightly(app: App) -> Outcome:
    """Do all of it, in each workspace that is meant."""
    return in_parts(_parts(app))


def _parts(app: App) -> Iterator[Part]:
    """Yield the parts in their order: what one leaves behind the next looks at."""
    names = workspaces(app)

    def each(what: str, act: Callable[[App], Counts]) -> Iterator[Part]:
        for name in names:
            called = f"{what} of {name}" if len(names) > 1 else what
            yield Part(called, lambda name=name: act(within(app, name)))  # type: ignore[misc]

    yield from each("compact", compacted)
    yield Part("decay", lambda: faded(app))
    yield from each("knowledge", maintained)
    yield from each("signals", signalled)
    yield Part("health", lambda: measured(app))
    yield from each("prune", pruned)
    yield Part("recalls", lambda: forgotten(app))


def compacted(app: App) -> Counts:
    """Archive old entries that nothing needs, as ``journal compact``."""
    from crewmem.cli.jobs.alone import held
    from crewmem.cli.journal.compact import AGE, LOCK
    from crewmem.cli.journal.guarding import guards
    from crewmem.journal.compact import compact, plan

    before = times.before(app.now, times.span(AGE))
    with held(app, LOCK, "journal compact") as lock:
        if lock is None:
            return {}
        journal = app.journal
        kept = guards(journal, app.workspace)
        found = plan(journal, app.workspace, before, kept)
        if not found.groups:
            return {}
        done = compact(journal, app.workspace, found, kept, now=app.now)
    return {"compacted": done.entries}


def faded(app: App) -> Counts:
    """Compute importance anew, and count what was delivered, as ``decay --apply``.

    Episodes are not counted: all are computed, whether that changes them or not.
    """
    from crewmem.cli.decaying import decayed
    from crewmem.cli.jobs.alone import job

    with job(app, "decay") as is_alone:
        return {"settled": decayed(app).memories} if is_alone else {}


def maintained(app: App) -> Counts:
    """Promote what agents agree on, and let fade the rest: ``knowledge maintain``."""
    from crewmem.cli.knowledge.maintaining import maintained

    return {"steps": len(maintained(app))}


def signalled(app: App) -> Counts:
    """Keep what several agents came across, as ``knowledge signals --record``."""
    from crewmem.cli.knowledge.signals import signalled

    before = app.truth.total_changes()
    kept = signalled(app, is_kept=True)
    # One that was met today already is looked at, and left as it is.
    return {"signals": len(kept) if app.truth.total_changes() > before else 0}


def measured(app: App) -> Counts:
    """Keep today's health of every crew and workspace: ``memory health --measure``."""
    from crewmem.cli.measuring import measure_all

    before = app.truth.total_changes()
    done = measure_all(app, app.now)
    # What was measured today already, and is as it was, is not kept again.
    return {"measured": len(done) if app.truth.total_changes() > before else 0}


def pruned(app: App) -> Counts:
    """Drop versions of memory files that are past retention: ``memory prune``."""
    from crewmem.cli.jobs.alone import job
    from crewmem.files.kept import Kept
    from crewmem.files.prune import plan, planned, prune
    from crewmem.files.version_store import VersionStore

    before = times.before(app.now, timedelta(days=app.settings.versions_days))
    with job(app, "memory.prune") as is_alone:
        if not is_alone:
            return {}
        journal, contents = app.journal, Kept(app.home)
        store = VersionStore(journal.db, app.workspace)
        found = plan(store, contents, keep=app.settings.versions_keep, before=before)
        wanted = planned(app.workspace, found)
        if not (wanted.versions or wanted.contents):
            return {}
        done = prune(store, contents, journal, found, now=app.now)
    return {"pruned": done.versions + done.contents}


def forgotten(app: App) -> Counts:
    """Drop what was asked and answered long ago."""
    from crewmem.journal.recalls_store import drop_old

    if app.truth_to_read is None:
        return {}
    only = app.workspace if app.given.get("workspace") else None
    return {"recalls": drop_old(app.truth, app.now, only)}
