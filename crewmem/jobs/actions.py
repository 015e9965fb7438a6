"""What each job does to a home."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Mapping
from contextlib import AbstractContextManager, nullcontext
from datetime import timedelta
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

from crewmem.errors import CrewmemError, LockedError
from crewmem.jobs.runner import Action, Outcome, hold_lease
from crewmem.prompt.recall_log import prune_recalls
from crewmem.storage.filesystem import make_directory, remove_leftovers
from crewmem.storage.sqlite import rehearsal
from crewmem.text.wording import describe_counts
from crewmem.times import add_span, local_day

if TYPE_CHECKING:
    from crewmem.home import Home

COMPACT_AFTER = timedelta(days=30)
"""Age from which entries are compacted."""

PRUNE_AFTER, KEPT_VERSIONS = timedelta(days=30), 3
"""Age from which versions are deleted, and how many of each file stay however old."""

DONE = {
    "shared": "facts_shared",
    "confirmed": "facts_confirmed",
    "superseded": "facts_superseded",
    "stale": "facts_marked_stale",
    "archived": "facts_archived",
    "correction": "corrections_learned",
    "signal": "signals_found",
}
"""What the nightly job did to facts, by the action of a step."""


def make_actions(home: Home) -> dict[str, Action]:
    """Return the action of each job by name; *home* is a `Home` as the system sees it."""

    def act(function: Callable[[Home, Outcome, bool], None], *, dry_run: bool) -> Outcome:
        outcome = Outcome()
        function(home, outcome, dry_run)
        outcome.counts = {name: number for name, number in outcome.counts.items() if number}
        return outcome

    return {name: partial(act, run) for name, run in RUN.items()}


def run_sweep(home: Home, outcome: Outcome, dry_run: bool) -> None:
    """Embed what is new, refresh indexes, record versions."""
    if dry_run:
        outcome.plan.append("would embed what is new and refresh indexes")
        return
    report = home.sweep()
    outcome.counts |= report.counts
    outcome.is_skipped = report.result == "skipped-locked"


def run_extract(home: Home, outcome: Outcome, dry_run: bool) -> None:
    """Index session logs and extract facts."""
    report = home.sessions.sync(dry_run=dry_run)
    counts = {
        "logs": report.read,
        "turns": report.turns,
        "facts": len(report.learned),
        "losses": report.losses,
    }
    _put(outcome, counts, dry_run)


def run_housekeeping(home: Home, outcome: Outcome, dry_run: bool) -> None:
    """Expire session notes; delete relations without ends, and files of killed writers."""
    with rehearsal(home.context.db) if dry_run else nullcontext():
        counts = {
            "notes_expired": home.facts.notes.delete_expired(),
            "relations_removed": home.episodes.delete_orphans(),
        }
    if home.context.home is not None and not dry_run:
        now = home.context.now.timestamp()
        counts["files_removed"] = remove_leftovers(home.context.home, now=now)
    _put(outcome, counts, dry_run)


def run_rollup(home: Home, outcome: Outcome, dry_run: bool) -> None:
    """Write the summaries of days and weeks that are over."""
    report = home.facts.rollups.write(model=None if dry_run else home.llm, dry_run=dry_run)
    changed = [each for each in report.summaries if each.action != "unchanged"]
    counts = {"summaries": len(changed), "facts_aged": len(report.aged)}
    _put(outcome, counts, dry_run)


def run_consolidate(home: Home, outcome: Outcome, dry_run: bool) -> None:
    """Promote what recurs in notes, journal and sessions; propose repeated procedures."""
    report = home.consolidation.run(dry_run=dry_run)
    outcome.is_skipped = report.status == "skipped-locked"
    counts = {
        "learned": len(report.learned),
        "contradictions": len(report.contradictions),
        "for_review": len(report.review),
        "skills_proposed": len(home.propose_skills(dry_run=dry_run)),
    }
    _put(outcome, counts, dry_run)


def run_condense(home: Home, outcome: Outcome, dry_run: bool) -> None:
    """Merge near duplicates among facts."""
    plan = home.facts.condensing.plan()
    if dry_run:
        _put(outcome, {"clusters": len(plan)}, dry_run)
        return
    outcome.counts["condensed"] = len(home.facts.condensing.apply(plan, model=home.llm))


def run_nightly(home: Home, outcome: Outcome, dry_run: bool) -> None:
    """Compact, decay, maintain shared facts, measure, prune; a failed part stops no other.

    Of the hosts that share a store, one compacts and maintains facts, and each does the rest.
    """

    def compact() -> Mapping[str, int]:
        plan = home.journal.plan_compaction(COMPACT_AFTER, home.facts.find_evidence)
        if dry_run:
            return {"entries_archived": plan.entries}
        return {"entries_archived": home.journal.compact(plan).archived}

    def rehearse() -> AbstractContextManager[None]:
        return rehearsal(home.context.db) if dry_run else nullcontext()

    def decay() -> Mapping[str, int]:
        with rehearse():
            return {"importances_changed": home.episodes.apply_decay()}

    def maintain() -> Mapping[str, int]:
        plan = home.facts.nightly.plan()
        if dry_run:
            outcome.plan += [
                f"{step.action} {step.id} {step.title} ({step.rule})".replace("  ", " ")
                for step in plan
            ]
            return {}
        return Counter(DONE[step.action] for step in home.facts.nightly.apply(plan))

    def measure() -> Mapping[str, int]:
        if not dry_run:
            home.health.measure_all()
        return {}

    def prune() -> Mapping[str, int]:
        before = add_span(home.context.now, -PRUNE_AFTER)
        plan = home.memory.plan_prune(keep=KEPT_VERSIONS, before=before)
        if dry_run or not plan.versions:
            return {"versions_pruned": len(plan.versions)}
        return {"versions_pruned": home.memory.prune(plan).versions}

    def forget_recalls() -> Mapping[str, int]:
        with rehearse():
            return {"recalls_pruned": prune_recalls(home.context)}

    counts: dict[str, int] = {}

    def run_parts(*parts: Callable[[], Mapping[str, int]]) -> None:
        for part in parts:
            try:
                counts.update(part())
            except LockedError:
                raise  # the next part would wait as long
            except CrewmemError as error:
                outcome.errors.append(f"{part.__name__.replace('_', ' ')}: {error.message}")

    try:
        with nullcontext(True) if dry_run else hold_lease(home.context, "nightly") as is_held:
            if is_held:
                run_parts(compact, maintain)
    except LockedError:
        raise
    except CrewmemError as error:
        outcome.errors.append(f"lease: {error.message}")
    run_parts(decay, measure, prune, forget_recalls)
    _put(outcome, counts, dry_run)


def run_eval(home: Home, outcome: Outcome, dry_run: bool) -> None:
    """Measure recall with the suite; a missed gate is a failure, one without cases is none."""
    if dry_run:
        outcome.plan.append("would run the suite of the setting eval.suite")
        return
    run = home.evaluation.run()
    outcome.counts["suites_run"] = 1
    missed = [f"{gate.name} {gate.value:.2f}" for gate in run.gates if gate.verdict == "failed"]
    missed += [f"{name} may not be read" for name in run.violations]
    unmeasured = [gate.name for gate in run.gates if gate.verdict == "not-measured"]
    if run.verdict == "failed":
        show = home.context.command("eval show", run.id)
        outcome.errors.append(f"missed gates: {', '.join(missed)}; see: {show}")
    elif unmeasured:
        outcome.plan.append(f"not measured, for want of cases: {', '.join(unmeasured)}")


def run_tune(home: Home, outcome: Outcome, dry_run: bool) -> None:
    """Tune recall, only after a gate that passed."""
    runs = home.evaluation.runs.list_runs(limit=1)
    if not runs or runs[0].verdict != "passed":
        reason = "no suite was run" if not runs else f"the last run is {runs[0].outcome}"
        outcome.plan.append(f"nothing is tuned: {reason}")
        return
    tuning = home.evaluation.tune(apply=not dry_run)
    _put(outcome, {"settings_tuned": int(tuning.applied)}, dry_run)


def run_backup(home: Home, outcome: Outcome, dry_run: bool) -> None:
    """Write a bundle."""
    if dry_run:
        outcome.plan.append(f"would write a bundle to {home.context.settings['backup_dir']}")
        return
    context = home.context
    directory = Path(context.settings["backup_dir"]).expanduser()
    make_directory(directory)
    day = local_day(context.now, context.zone)
    home.transfer.export(directory / f"{context.workspace}-{day}.tar.gz", include_restricted=True)
    outcome.counts["bundles"] = 1


def _put(outcome: Outcome, counts: Mapping[str, int], dry_run: bool) -> None:
    """Store what was done, or with *dry_run* would be done."""
    if dry_run:
        outcome.plan += describe_counts({name: n for name, n in counts.items() if n})
    else:
        outcome.counts |= counts


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
"""What runs each job."""
