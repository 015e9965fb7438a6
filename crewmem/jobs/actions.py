"""The action of each job."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping
from contextlib import nullcontext
from datetime import timedelta
from functools import partial
from typing import TYPE_CHECKING

from crewmem.errors import CrewmemError, LockedError
from crewmem.jobs.runner import Action, Outcome, hold_lease
from crewmem.prompt.recall_log import prune_recalls
from crewmem.storage.filesystem import make_directory, remove_leftovers
from crewmem.storage.sqlite import rehearsal
from crewmem.text.wording import describe_counts
from crewmem.times import add_span

if TYPE_CHECKING:
    from crewmem.home import Home

COMPACT_AFTER = timedelta(days=30)
"""Minimum age of entries that are compacted."""

PRUNE_AFTER, KEPT_VERSIONS = timedelta(days=30), 3
"""Minimum age of versions that are deleted, and number of newest versions kept per file."""

MAX_RUNS = 100
"""Number of runs among which the last one of the suite is looked for."""

STEP_COUNTS = {
    "shared": "facts_shared",
    "confirmed": "facts_confirmed",
    "superseded": "facts_superseded",
    "stale": "facts_marked_stale",
    "archived": "facts_archived",
    "correction": "corrections_learned",
    "signal": "signals_found",
}
"""Names of counts in the nightly report, by action of a step."""


def make_actions(home: Home) -> dict[str, Action]:
    """Return the action of each job by name; *home* must have full rights."""
    return {name: partial(run, home) for name, run in RUN.items()}


def run_sweep(home: Home, dry_run: bool) -> Outcome:
    """Embed new texts, refresh indexes, record versions."""
    if dry_run:
        return Outcome(plan=["would embed new texts and refresh indexes"])
    report = home.sweep()
    return Outcome(report.counts, is_skipped=report.result == "skipped-locked")


def run_extract(home: Home, dry_run: bool) -> Outcome:
    """Index session logs and extract facts."""
    report = home.sessions.logs.sync(dry_run=dry_run)
    counts = {
        "logs": report.read,
        "turns": report.turns,
        "facts": len(report.learned),
        "losses": report.losses,
    }
    return make_outcome(counts, dry_run)


def run_housekeeping(home: Home, dry_run: bool) -> Outcome:
    """Delete expired session notes, dangling relations, profiles, and files of killed writers."""
    with rehearsal(home.context.db, dry_run):
        counts = {
            "notes_expired": home.facts.notes.delete_expired(),
            "relations_removed": home.episodes.delete_orphans(),
        }
    if home.context.home is not None and not dry_run:
        now = home.context.now.timestamp()
        counts["files_removed"] = remove_leftovers(home.context.home, now=now)
        counts["profiles_erased"] = home.operators.erase_opted_out()
    return make_outcome(counts, dry_run)


def run_rollup(home: Home, dry_run: bool) -> Outcome:
    """Write the summaries of days and weeks that are over."""
    with rehearsal(home.context.db, dry_run):
        report = home.facts.rollups.write(model=None if dry_run else home.llm)
    changed = [summary for summary in report.summaries if summary.action != "unchanged"]
    return make_outcome({"summaries": len(changed), "facts_aged": len(report.aged)}, dry_run)


def run_consolidate(home: Home, dry_run: bool) -> Outcome:
    """Promote statements that recur in notes, journal and sessions; propose skills."""
    report = home.consolidation.run(dry_run=dry_run)
    counts = {
        "learned": len(report.learned),
        "proposed": len(report.proposed),
        "contradictions": len(report.contradictions),
        "for_review": len(report.review),
        "skills_proposed": len(home.consolidation.propose_skills(dry_run=dry_run)),
    }
    outcome = make_outcome(counts, dry_run)
    outcome.is_skipped = report.status == "skipped-locked"
    return outcome


def run_condense(home: Home, dry_run: bool) -> Outcome:
    """Merge near duplicates among facts."""
    condensing = home.facts.condensing
    with rehearsal(home.context.db, dry_run):
        condensed = condensing.apply(condensing.plan(), model=None if dry_run else home.llm)
    return make_outcome({"condensed": len(condensed)}, dry_run)


def run_nightly(home: Home, dry_run: bool) -> Outcome:
    """Compact, maintain facts, decay, measure, prune; a failed part does not stop the others.

    Of the hosts that share a store, one compacts and maintains facts; all do the rest.
    """
    outcome = Outcome()
    try:
        with nullcontext(True) if dry_run else hold_lease(home.context, "nightly") as is_held:
            if is_held:
                _run_parts(home, ("compact", "maintain"), outcome, dry_run)
    except LockedError:
        raise
    except CrewmemError as error:
        outcome.errors.append(f"lease: {error.message}")
    _run_parts(home, ("decay", "measure", "prune", "forget recalls"), outcome, dry_run)
    return outcome


def _run_parts(home: Home, names: Iterable[str], outcome: Outcome, dry_run: bool) -> None:
    for name in names:
        try:
            part = NIGHTLY[name](home, dry_run)
        except LockedError:
            raise  # the next part would wait just as long
        except CrewmemError as error:
            outcome.errors.append(f"{name}: {error.message}")
        else:
            outcome.counts |= part.counts
            outcome.plan += part.plan


def compact(home: Home, dry_run: bool) -> Outcome:
    """Archive journal entries that no longer matter."""
    plan = home.journal.compaction.plan(COMPACT_AFTER, home.facts.find_evidence)
    archived = plan.entries if dry_run else home.journal.compaction.apply(plan).archived
    return make_outcome({"entries_archived": archived}, dry_run)


def maintain(home: Home, dry_run: bool) -> Outcome:
    """Share, confirm, supersede and age facts."""
    plan = home.facts.nightly.plan()
    if dry_run:
        lines = [f"{step.action} {step.id} {step.title} ({step.rule})" for step in plan]
        return Outcome(plan=[line.replace("  ", " ") for line in lines])
    return Outcome(Counter(STEP_COUNTS[step.action] for step in home.facts.nightly.apply(plan)))


def decay(home: Home, dry_run: bool) -> Outcome:
    """Reduce the importance of episodes by their age."""
    with rehearsal(home.context.db, dry_run):
        return make_outcome({"importances_changed": home.episodes.apply_decay()}, dry_run)


def measure(home: Home, dry_run: bool) -> Outcome:
    """Measure health."""
    if not dry_run:
        home.health.measure_all()
    return Outcome()


def prune(home: Home, dry_run: bool) -> Outcome:
    """Delete old versions of files."""
    before = add_span(home.context.now, -PRUNE_AFTER)
    plan = home.memory.plan_prune(keep=KEPT_VERSIONS, before=before)
    pruned = len(plan.versions)
    if pruned and not dry_run:
        pruned = home.memory.prune(plan).versions
    return make_outcome({"versions_pruned": pruned}, dry_run)


def forget_recalls(home: Home, dry_run: bool) -> Outcome:
    """Delete old recalls from the log."""
    with rehearsal(home.context.db, dry_run):
        return make_outcome({"recalls_pruned": prune_recalls(home.context)}, dry_run)


def run_eval(home: Home, dry_run: bool) -> Outcome:
    """Evaluate recall. A missed gate is a failure; a gate without cases is not."""
    if dry_run:
        return Outcome(plan=["would run the suite of the setting eval.suite"])
    run = home.evaluation.run()
    outcome = Outcome({"suites_run": 1})
    missed = [f"{gate.name} {gate.value:.2f}" for gate in run.gates if gate.verdict == "failed"]
    missed += [f"{name} may not be read" for name in run.violations]
    unmeasured = [gate.name for gate in run.gates if gate.verdict == "not-measured"]
    if run.verdict == "failed":
        show = home.context.command("eval show", run.id)
        outcome.errors.append(f"missed gates: {', '.join(missed)}; see: {show}")
    elif unmeasured:
        outcome.plan.append(f"not measured, because cases are missing: {', '.join(unmeasured)}")
    return outcome


def run_tune(home: Home, dry_run: bool) -> Outcome:
    """Tune recall if the last run of the job ``eval`` passed, or one like it."""
    suite = home.evaluation.load().name
    runs = [
        each
        for each in home.evaluation.runs.list_runs(limit=MAX_RUNS)
        if (each.suite, each.use) == (suite, "push") and not each.config
    ]
    if not runs or runs[0].verdict != "passed":
        reason = "the suite was not run" if not runs else f"the last run is {runs[0].outcome}"
        return Outcome(plan=[f"nothing is tuned: {reason}"])
    tuning = home.evaluation.tune(apply=not dry_run)
    return make_outcome({"settings_tuned": int(tuning.applied)}, dry_run)


def run_backup(home: Home, dry_run: bool) -> Outcome:
    """Write a bundle."""
    context = home.context
    directory = context.settings.file("backup_dir")
    assert directory is not None, "the job is planned only with this setting"
    if dry_run:
        return Outcome(plan=[f"would write a bundle to {directory}"])
    make_directory(directory)
    day = context.today
    from crewmem.transfer.exporter import Exporter  # the sweep, twice a minute, does not need it

    bundle = directory / f"{context.workspace}-{day}.tar.gz"
    Exporter(home).write(bundle, include_restricted=True)
    return Outcome({"bundles": 1})


def make_outcome(counts: Mapping[str, int], dry_run: bool) -> Outcome:
    """Return an outcome with *counts*, without zeros: as the plan with *dry_run*."""
    counts = {name: count for name, count in counts.items() if count}
    return Outcome(plan=describe_counts(counts)) if dry_run else Outcome(counts)


RUN = {
    "sweep": run_sweep,
    "extract": run_extract,
    "housekeeping": run_housekeeping,
    "rollup": run_rollup,
    "consolidate": run_consolidate,
    "condense": run_condense,
    "nightly": run_nightly,
    "eval": run_eval,
    "tune": run_tune,
    "backup": run_backup,
}
"""The action of each job."""

NIGHTLY = {
    "compact": compact,
    "maintain": maintain,
    "decay": decay,
    "measure": measure,
    "prune": prune,
    "forget recalls": forget_recalls,
}
"""The parts of the nightly job."""
