"""Finding runs that were kept, and telling a person when recall regressed."""

from __future__ import annotations

from crewmem import ids
from crewmem.errors import CrewmemError
from crewmem.errors.evaluation import AmbiguousRunError, EvalRunMissingError

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

    import apsw

    from crewmem.cli.app import App
    from crewmem.evaluation.outcome import Outcome
    from crewmem.evaluation.run import Run

LOOKED_AT = 50
"""Runs that are looked at for what regressed, and for the last that was good."""

FOLDER = "incidents"


def database(app: App) -> apsw.Connection | None:
    """Return the database as it can be read; None if there is none.

    Raises:
        HomeMissingError: If there is no home.
        WorkspaceMissingError: If there is no such workspace.
    """
    from crewmem.cli.journals import open_truth_to_read

    return open_truth_to_read(app)


def found(app: App, name: str) -> tuple[Run, list[Outcome]]:
    """Return the run that *name* names or begins, with its cases.

    Raises:
        EvalRunMissingError: If there is none.
        AmbiguousRunError: If there are several.
    """
    from crewmem.evaluation import run_store

    db = database(app)
    if db is None:
        raise EvalRunMissingError(name)
    run_id = ids.meant(
        name,
        run_store.ids_like(db, app.workspace, name),
        missing=lambda: EvalRunMissingError(name),
        several=lambda several: AmbiguousRunError(name, several),
    )
    kept = run_store.find(db, app.workspace, run_id)
    if kept is None:
        raise EvalRunMissingError(name)
    return kept


def told_of(app: App, run: Run) -> str | None:
    """Write down that recall regressed with *run*, if it did; return where.

    The journal tells of it as eval.regression_detected.
    """
    from crewmem.evaluation import run_store
    from crewmem.evaluation.incident import Past, reasons

    runs = run_store.newest(
        app.truth, app.workspace, LOOKED_AT, suite_hash=run.suite_hash
    )
    usual = [each for each in runs if not each.is_trial and each.verb != "tune"]
    past = [
        Past(each.id, each.missed, each.violations, _p95(each))
        for each in reversed(usual)
    ]
    if run.is_trial or not (why := reasons(past)):
        return None
    return _written(app, run, why, usual)


def _p95(run: Run) -> float | None:
    from crewmem.evaluation.metric import P95

    metric = run.metrics.get(P95)
    return metric.value if metric else None


def _written(app: App, run: Run, why: Sequence[str], usual: Sequence[Run]) -> str:
    from crewmem import disk
    from crewmem.evaluation.incident import Report, name, text

    good = next((each for each in usual if each.passed and each.id != run.id), None)
    report = Report(
        at=app.now,
        workspace=app.workspace,
        run=run.id,
        reasons=why,
        gates=run.gates,
        metrics={key: each.value for key, each in run.metrics.items()},
        good=good.id if good else None,
        config=good.config if good else {},
        way_out=_way_out(app, run, good),
    )
    path = f"{FOLDER}/{name(app.now)}"
    with disk.open_root(app.home) as root:
        disk.make_dirs(root, FOLDER)
        disk.write(root, path, text(report).encode())
    _tell(app, run, why, path)
    return str(app.home / path)


def _way_out(app: App, run: Run, good: Run | None) -> str:
    """Return the command that leads back to where recall was good, as far as one does.

    What was tuned since is rolled back; else it was no setting that was tuned.
    """
    from crewmem.cli.recalling.asking import program

    if run.snapshot and not (good and good.snapshot == run.snapshot):
        return f"{program(app)} tune rollback {run.snapshot}"
    if good:
        return f"{program(app)} eval compare {good.id} {run.id}"
    return f"{program(app)} eval show {run.id} --cases"


def _tell(app: App, run: Run, why: Sequence[str], path: str) -> None:
    from crewmem.journal.entry import Draft

    entry = Draft(
        "eval.regression_detected",
        f"Recall regressed: {'; '.join(why)}",
        severity="error",
        actor_type="system",
        actor_id="eval",
        payload={"run": run.id, "reasons": [*why], "file": path},
    )
    try:
        app.journal.append(app.workspace, [entry], now=app.now)
    except CrewmemError as error:
        app.out.warn(f"the journal does not tell of it: {error}")
