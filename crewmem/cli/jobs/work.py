"""What each job does: the work of the verbs, in one process, without anybody asking."""

from __future__ import annotations

from crewmem.cli.jobs.parts import Outcome, in_each

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable

    from crewmem.cli.app import App
    from crewmem.cli.jobs.parts import Counts

    Work = Callable[[App], Outcome]


def sweep(app: App) -> Outcome:
    """Make one pass, as ``episodes sweep``; where one is being made, that does it."""
    from crewmem.cli.jobs.alone import job
    from crewmem.cli.sweeping.passes import USUAL, Sweeper

    with job(app, "sweep") as is_alone:
        if not is_alone:
            return Outcome()
        done = Sweeper(app, USUAL).sweep(app.now)
    counts = {
        "embedded": done.embedded,
        "failed": done.failed,
        "linked": done.linked,
        "memories": done.memories,
        "files": done.files,
        "chunks": done.chunks,
        "versions": done.versions,
    }
    return Outcome({name: count for name, count in counts.items() if count})


def extract(app: App) -> Outcome:
    """Read on in session logs, as ``transcripts extract``."""
    return in_each(app, lambda inner: _extracted(inner, app.workspace))


def _extracted(app: App, usual: str) -> Counts:
    from crewmem.cli.jobs.alone import job
    from crewmem.cli.transcripts.extracting import JOB, extract_all
    from crewmem.cli.transcripts.extraction import How
    from crewmem.cli.transcripts.roots import Where

    is_usual = app.workspace == usual
    if not is_usual and f"={app.workspace}/" not in app.settings.transcripts_agents:
        return {}  # no log is said to be of it
    with job(app, JOB) as is_alone:
        if not is_alone:
            return {}
        how = How(is_due=True, is_usual=is_usual)
        done = extract_all(app, Where(), how)
    return {
        "learned": len(done.learned),
        "losses": done.losses,
        "letters": done.letters,
        "answered": done.answered,
    }


def housekeeping(app: App) -> Outcome:
    """Drop what is over, and bring in step what is derived."""
    from crewmem.cli.jobs.housekeeping import housekeeping

    return housekeeping(app)


def rollup(app: App) -> Outcome:
    """Sum up all days and weeks that are over, as ``memories rollup --catch-up``."""
    return in_each(app, _rolled_up)


def _rolled_up(app: App) -> Counts:
    from crewmem.cli.memories.rollup import rolled_up

    done = rolled_up(app)
    written = [each for each in done.rolled if each.action != "unchanged"]
    return {"summaries": len(written), "aged": len(done.aged)}


def consolidate(app: App) -> Outcome:
    """Make lasting memory of notes and of what happened, as ``consolidate run``."""
    return in_each(app, _consolidated)


def _consolidated(app: App) -> Counts:
    from crewmem.cli.consolidating.means import JOB
    from crewmem.cli.consolidating.running import TIMER, consolidate_all, skipped
    from crewmem.cli.jobs.alone import job

    with job(app, JOB) as is_alone:
        if not is_alone:
            skipped(app, reason=TIMER)
            return {}
        counts = consolidate_all(app, reason=TIMER).counts
    return {
        "applied": counts["learned"],
        "proposed": counts["proposed"],
        "contradictions": counts["contradictions"],
        "seen_again": counts["seen_again"],
        "archived": counts["archived"],
        "pinned": counts["pinned"] + counts["unpinned"],
    }


def condense(app: App) -> Outcome:
    """Make one memory of those that say much the same, as ``memories condense``."""
    return in_each(app, _condensed)


def _condensed(app: App) -> Counts:
    from crewmem.cli.held import desk
    from crewmem.cli.memories.condense import USUAL, condensed, latest

    opened = desk(app)._replace(is_system=True)
    done = condensed(app, opened, latest(opened, USUAL))
    return {"condensed": sum(each.memory is not None for each in done)}


def nightly(app: App) -> Outcome:
    """Do what is done once a night."""
    from crewmem.cli.jobs.nightly import nightly

    return nightly(app)


def measure(app: App) -> Outcome:
    """Measure recall, as ``eval gate``, where there is a suite.

    That a gate was missed is no failure of the job: it would be tried again at once.
    """
    from crewmem.cli.evaluating.gating import gated
    from crewmem.cli.evaluating.running import How
    from crewmem.cli.evaluating.suites import is_there
    from crewmem.cli.jobs.alone import job

    if not (app.settings.eval_enabled and is_there(app)):
        return Outcome()
    with job(app, "eval") as is_alone:
        if not is_alone:
            return Outcome()
        shown = gated(app, How(), save=True)
    counts = {
        "asked": shown.run.cases,
        "missed": len(shown.run.missed),
        "incidents": int(shown.incident is not None),
    }
    return Outcome({name: count for name, count in counts.items() if count})


def tune(app: App) -> Outcome:
    """Tune recall, as ``tune run --apply``, once it passed its gates last night."""
    from crewmem.cli.evaluating.suites import is_there
    from crewmem.cli.evaluating.tuned import APPLIED, has_passed, tuned

    if not (app.settings.tune_enabled and is_there(app) and has_passed(app)):
        return Outcome()
    done = tuned(app, None, None, apply=True)
    return Outcome({"tuned": 1} if done.status == APPLIED else {})


def backup(app: App) -> Outcome:
    """Export each workspace to where backups are kept."""
    from crewmem.cli.jobs.backup import backup

    return backup(app)


WORK: dict[str, Work] = {
    "sweep": sweep,
    "extract": extract,
    "housekeeping": housekeeping,
    "rollup": rollup,
    "consolidate": consolidate,
    "condense": condense,
    "nightly": nightly,
    "eval": measure,
    "tune": tune,
    "backup": backup,
}
"""What does each job, by its name."""
