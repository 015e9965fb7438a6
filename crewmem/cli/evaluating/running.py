"""Running a suite: opened, built, asked, counted and kept."""

from __future__ import annotations

import os
from contextlib import contextmanager

import click

from crewmem import ids
from crewmem.errors import SettingError
from crewmem.evaluation.candidates import KEYS
from crewmem.evaluation.metric import K
from crewmem.records import NamedTuple

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence
    from datetime import datetime

    from crewmem.cli.app import App
    from crewmem.cli.evaluating.suites import Opened
    from crewmem.evaluation.case import Case
    from crewmem.evaluation.evaluate import Config, Means
    from crewmem.evaluation.outcome import Outcome
    from crewmem.evaluation.run import Run
    from crewmem.journal.entry import Draft

NOTHING: Config = {}


class How(NamedTuple):
    """How a suite is run.

    Attributes:
        suite: The suite that was named; None: the usual one.
        k: Places that precision and recall look at.
        config: Settings for this run alone, by key.
        seed: Of the intervals.
    """

    suite: str | None = None
    k: int = K
    config: Config = NOTHING
    seed: int | None = None


class Stage(NamedTuple):
    """What cases are put to, and the cases.

    Attributes:
        cases: As they are asked: what the corpus calls otherwise is named as recall
            answers it.
        app: The world that is asked: a throw-away one where the suite has a corpus.
    """

    opened: Opened
    cases: Sequence[Case]
    means: Means
    app: App


@contextmanager
def staged(app: App, suite: str | None) -> Iterator[Stage]:
    """Yield what the cases of *suite* are put to, and them.

    Raises:
        CrewmemError: If the suite, or its corpus, cannot be used.
        HomeMissingError: If the suite has no corpus, and there is no home either.
    """
    from crewmem.cli.evaluating.building import built
    from crewmem.cli.evaluating.judge import judging
    from crewmem.cli.evaluating.suites import open_suite
    from crewmem.errors.registry import HomeMissingError

    if app.home.is_dir():
        _ = app.truth_to_read  # it is to outlive what is opened for the cases
    opened = open_suite(app, suite)
    cases = opened.suite.cases
    if opened.corpus is None:
        if not app.home.is_dir():
            raise HomeMissingError(app.home)
        with _context(), judging(app, _workspaces(app, cases)) as means:
            yield Stage(opened, cases, means, app)
        return
    with built(app, opened.corpus, _latest(app, cases)) as (world, names):
        named = [_renamed(each, names) for each in cases]
        with judging(world, _workspaces(world, named)) as means:
            yield Stage(opened, named, means, world)


def _latest(app: App, cases: Sequence[Case]) -> datetime:
    """Return when a corpus is remembered: when the latest case is, if all say when."""
    told = [each.now for each in cases if each.now]
    return max(told) if len(told) == len(cases) else app.now


@contextmanager
def _context() -> Iterator[None]:
    """Close what questions open once they are asked."""
    outer = click.get_current_context()
    with click.Context(outer.command, parent=outer) as inner:
        inner.obj = outer.obj
        yield


def _renamed(case: Case, names: Mapping[tuple[str, str], str]) -> Case:
    from crewmem.cli.evaluating.corpus import WORKSPACE, slug

    where = slug(case.workspace) if case.workspace else WORKSPACE
    relevant = (names.get((where, each), each) for each in case.relevant)
    return case._replace(relevant=tuple(dict.fromkeys(relevant)))


def _workspaces(app: App, cases: Sequence[Case]) -> list[str]:
    from crewmem.cli.evaluating.corpus import slug

    told = {slug(each.workspace) if each.workspace else app.workspace for each in cases}
    return sorted(told)


def asked(
    app: App, stage: Stage, cases: Sequence[Case], config: Config
) -> list[Outcome]:
    """Put *cases* to recall with the settings of *config*; tell what was in the way."""
    from crewmem.cli.progress import progress
    from crewmem.evaluation.evaluate import evaluate

    with progress(app.out, doing="Asking", unit="cases") as tick:
        outcomes = evaluate(cases, stage.means, config, tick=tick)
    for each in outcomes:
        if each.trouble:
            app.out.warn(f"case {each.id} could not be asked: {each.trouble}")
    return outcomes


def run_suite(app: App, how: How, verb: str) -> tuple[Run, list[Outcome]]:
    """Run a suite; nothing is kept."""
    with staged(app, how.suite) as stage:
        outcomes = asked(app, stage, stage.cases, how.config)
        return told(app, stage, how, outcomes, verb), outcomes


def told(
    app: App, stage: Stage, how: How, outcomes: Sequence[Outcome], verb: str
) -> Run:
    """Return the run that *outcomes* are of."""
    from crewmem.evaluation import gates as bounds
    from crewmem.evaluation.bootstrap import SEED
    from crewmem.evaluation.metric import by_category, metrics
    from crewmem.evaluation.run import Run

    seed = SEED if how.seed is None else how.seed
    measured = metrics(outcomes, how.k, seed=seed)
    found = bounds.gates(measured, thresholds(app))
    return Run(
        id="",
        workspace=app.workspace,
        at=app.now,
        actor=str(app.actor),
        verb=verb,
        suite=stage.opened.where,
        suite_hash=stage.opened.suite.digest,
        k=how.k,
        seed=seed,
        cases=len(outcomes),
        embedder=_embedder(stage.app),
        config={**in_force(app), **how.config},
        is_trial=bool(how.config),
        metrics=measured,
        categories=by_category(outcomes, how.k, seed=seed),
        gates=found,
        missed=bounds.missed(found),
        violations=sorted({ref for each in outcomes for ref in each.violations}),
        snapshot=_snapshot(app),
    )


def thresholds(app: App) -> dict[str, float]:
    """Return the bounds of the gates, by setting."""
    from crewmem.evaluation.gates import SETTINGS as GATES
    from crewmem.settings import SETTINGS

    return {key: float(app.settings.value(SETTINGS[key])) for key, _ in GATES.values()}


def in_force(app: App) -> dict[str, float]:
    """Return the settings of recall that are tuned, as they are, by key."""
    from crewmem.settings import SETTINGS

    values = {key: app.settings.value(SETTINGS[key]) for key in KEYS}
    return {key: value for key, value in values.items() if not isinstance(value, str)}


def _embedder(app: App) -> str:
    from crewmem.cli.embedding import choice, is_none, stored_model

    if is_none(app):
        return ""
    chosen = choice(app, stored_model=stored_model(app))
    return chosen.embedder.model if chosen.embedder else ""


def _snapshot(app: App) -> str | None:
    from crewmem.evaluation.snapshot_store import in_force as applied

    db = app.truth_to_read if app.home.is_dir() else None
    found = applied(db) if db is not None else None
    return found.id if found else None


def config_of(pairs: Sequence[str]) -> dict[str, float]:
    """Read settings of recall that were typed as KEY=VALUE.

    Raises:
        UsageError: If one of them is none, or may not be that.
    """
    from crewmem.settings import find

    told: dict[str, float] = {}
    for pair in pairs:
        key, equals, text = pair.partition("=")
        if not equals or key not in KEYS:
            names = ", ".join(KEYS)
            message = f"--config takes KEY=VALUE, of {names}; not {pair!r}."
            raise click.UsageError(message)
        try:
            value = find(key, "--config").parse(text, "--config")
        except SettingError as error:
            raise click.UsageError(str(error)) from error
        if not isinstance(value, str):
            told[key] = value
    return told


def keep(app: App, run: Run, outcomes: Sequence[Outcome]) -> Run:
    """Keep *run* and its cases, and tell the journal; return it with its id."""
    from crewmem.evaluation import run_store

    kept = run._replace(id=ids.new("r", os.urandom))
    with app.journal.transaction():
        run_store.keep(app.truth, kept, outcomes)
        app.journal.append(app.workspace, [_entry(app, kept)], now=app.now)
    return kept


def _entry(app: App, run: Run) -> Draft:
    from crewmem.journal.entry import Draft

    missed = f"missed {', '.join(run.missed)}" if run.missed else "no gate missed"
    return Draft(
        "eval.run",
        f"{run.cases} cases of recall: {missed}",
        actor_type="user",
        actor_id=app.actor.name,
        payload={
            "run": run.id,
            "suite": run.suite,
            "metrics": {name: each.value for name, each in run.metrics.items()},
            "missed": list(run.missed),
            "violations": list(run.violations),
        },
    )
