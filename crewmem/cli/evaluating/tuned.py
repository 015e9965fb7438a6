"""Tuning as it is asked for: tried, judged, applied and told."""

from __future__ import annotations

from datetime import timedelta

from crewmem.records import NamedTuple

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from crewmem.cli.app import App
    from crewmem.cli.evaluating.shown import Lay
    from crewmem.cli.output import Line
    from crewmem.evaluation.candidates import Candidate
    from crewmem.evaluation.comparing import Difference
    from crewmem.evaluation.gates import Gate
    from crewmem.evaluation.tune import Tried

JOB = "tune"

APPLIED, WOULD = "applied", "would_apply"


class Tuned(NamedTuple):
    """What came of a candidate.

    Attributes:
        status: applied; would_apply, without --apply; or why it is skipped:
            rate_limited, running, too_few_cases, no_candidate, candidate_failed_gates,
            candidate_regressed, no_objective_improvement or scope_violation.
        reason: The same in a sentence.
        seed: Of what was drawn.
        candidate: The step that was tried; null if none was.
        gates: Of the candidate, over all cases.
        tuning: How each metric differs over the half that is tuned on.
        held_out: The same of the half that was held out.
        snapshot: What can be taken back, if it was applied; null if not.
        baseline: The run as the settings were, if it was applied; null if not.
        run: The run with the candidate, if it was applied; null if not.
    """

    status: str
    reason: str
    seed: int
    candidate: Candidate | None = None
    gates: Sequence[Gate] = ()
    tuning: Sequence[Difference] = ()
    held_out: Sequence[Difference] = ()
    snapshot: str | None = None
    baseline: str | None = None
    run: str | None = None


RECENT = timedelta(hours=24)
"""How old a run may be that says that recall passed its gates."""


def has_passed(app: App) -> bool:
    """Tell whether recall passed all its gates when it was last measured by them."""
    from crewmem.evaluation import run_store

    db = app.truth_to_read
    runs = run_store.newest(db, app.workspace, MANY) if db is not None else []
    gated = [each for each in runs if each.verb == "gate" and not each.is_trial]
    if not gated or app.now - gated[0].at > RECENT:
        return False
    return gated[0].passed and all(each.passed for each in gated[0].gates)


MANY = 50
"""Runs that are looked at."""


def tuned(app: App, suite: str | None, seed: int | None, *, apply: bool) -> Tuned:
    """Try a candidate, and put it in force if that is wanted and it is better."""
    from crewmem.cli.jobs.alone import job

    if seed is None:
        seed = app.now.toordinal()
    if not apply:
        return _told(_tried(app, suite, seed)[0], seed)
    with job(app, JOB) as is_alone:
        if not is_alone:
            return Tuned("running", "another run of it is tuning", seed)
        return _applied(app, suite, seed)


def _applied(app: App, suite: str | None, seed: int) -> Tuned:
    from crewmem.cli.evaluating import tuning
    from crewmem.evaluation import snapshot_store
    from crewmem.evaluation.tune import is_too_soon

    tuning.settle(app)
    last = snapshot_store.in_force(app.truth)
    if last and is_too_soon(last.at, app.now):
        said = f"{last.key} was tuned less than a day ago: one change a day"
        return Tuned("rate_limited", said, seed)
    tried, kept = _tried(app, suite, seed, keeps=True)
    told = _told(tried, seed)
    if not (tried.is_better and tried.candidate):
        return told
    baseline, run = kept
    done = tuning.apply(app, tried.candidate, tried.reason, baseline, run)
    return told._replace(status=APPLIED, snapshot=done.id, baseline=baseline, run=run)


def _tried(
    app: App, suite: str | None, seed: int, *, keeps: bool = False
) -> tuple[Tried, tuple[str | None, str | None]]:
    """Try the candidate of *seed*; keep both runs of one that is better."""
    from crewmem.cli.evaluating.running import (
        How,
        asked,
        in_force,
        keep,
        staged,
        thresholds,
        told,
    )
    from crewmem.cli.evaluating.tuning import by_hand
    from crewmem.evaluation.metric import K
    from crewmem.evaluation.tune import Aim, tune

    values = in_force(app)
    with staged(app, suite) as stage:
        aim = Aim(stage.cases, values, by_hand(app), thresholds(app), K, seed)
        tried = tune(aim, lambda cases, config: asked(app, stage, cases, config))
        step = tried.candidate
        if not (keeps and tried.is_better and step):
            return tried, (None, None)
        was = told(app, stage, How(suite), tried.before, JOB)
        now = told(
            app, stage, How(suite, config={step.key: step.new}), tried.after, JOB
        )
    return tried, (keep(app, was, tried.before).id, keep(app, now, tried.after).id)


def _told(tried: Tried, seed: int) -> Tuned:
    return Tuned(
        WOULD if tried.is_better else tried.status,
        tried.reason,
        seed,
        tried.candidate,
        tried.gates,
        tried.tuning,
        tried.held_out,
    )


def tuned_lines(found: Tuned, lay: Lay) -> Iterator[Line]:
    """Yield what a person reads of a candidate."""
    from crewmem.cli.evaluating.shown import difference_lines, gate_lines

    if step := found.candidate:
        yield [("bold", f"{step.key}: {step.old:g} → {step.new:g}")]
    for name, half in (("tuning", found.tuning), ("held-out", found.held_out)):
        if half:
            yield [("dim", f"the {name} half")]
            yield from difference_lines(half, lay)
    if found.gates:
        yield ""
        yield from gate_lines(found.gates, lay)
        yield ""
    if found.status == APPLIED:
        yield [("good", f"applied, as {found.snapshot}"), f": {found.reason}"]
        yield f"Taken back with: crewmem tune rollback {found.snapshot}"
    elif found.status == WOULD:
        yield [("good", "would be applied"), f": {found.reason}"]
        yield f"Put in force with: crewmem tune run --apply --seed {found.seed}"
    else:
        yield [("warn", f"skipped, {found.status}"), f": {found.reason}"]
