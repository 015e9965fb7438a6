"""Commands of `crewmem eval`."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import click

from crewmem.cli import options
from crewmem.cli.app import App
from crewmem.cli.command import Group, pass_app
from crewmem.cli.completers import complete_run
from crewmem.cli.output import Table
from crewmem.errors import UsageError
from crewmem.evaluation.metrics import CaseResult, Delta, Metric
from crewmem.evaluation.run import Comparison, Run
from crewmem.evaluation.suite import Suite, parse_suite
from crewmem.evaluation.tune import AppliedConfig, Tuning
from crewmem.text.wording import count
from crewmem.times import format_minute


@dataclass(frozen=True, slots=True)
class Evaluations:
    """Stored runs, without their cases, and applied configurations; the newest first."""

    runs: list[Run]
    configs: list[AppliedConfig]


@dataclass(frozen=True, slots=True)
class CapturedSuite:
    """A suite made from recalls and votes."""

    suite: str
    cases: list[dict[str, Any]]


suite_option = click.option(
    "--suite",
    default="",
    type=options.PATH,
    metavar="FILE|-",
    help="A file, `sample` or `captured`. Default: the setting eval.suite.",
)


def read_suite(app: App, suite: str) -> str | Suite:
    """Return the suite on standard input for ``-``, else the name."""
    if suite != "-":
        return suite
    with app.open_input(suite) as stream:
        return parse_suite(suite, stream)


run_options = options.combine(
    suite_option,
    options.choice("--use", ["pull", "push"], default="push", help="Relevance threshold to apply."),
    click.option(
        "--k",
        type=options.IntegerRange(1, 50),
        default=5,
        show_default=True,
        help="Number of results to judge.",
    ),
)
"""Options of the commands that run a suite."""


@click.group("eval", cls=Group)
def eval_() -> None:
    """Measure and tune recall."""


@eval_.command(answer=Run)
@run_options
@click.option("--save", is_flag=True, help="Store the run.")
@click.option(
    "--config", "config", multiple=True, metavar="NAME=VALUE", help="Use this setting in this run."
)
@pass_app
def run(app: App, suite: str, config: tuple[str, ...], **options: Any) -> None:
    """Run a suite and print its metrics."""
    result = app.home.evaluation.run(
        read_suite(app, suite), config=_parse_config(config), **options
    )
    _show_run(app, result, is_stored=options["save"])


@eval_.command(answer=Run)
@run_options
@pass_app
def gate(app: App, suite: str, **options: Any) -> None:
    """Run a suite and check its gates.

    Ends with status 1 if a gate is missed.
    """
    result = app.home.evaluation.run(read_suite(app, suite), **options)
    _show_run(app, result)
    if result.verdict == "failed":
        app.exit(1)


@eval_.command(answer=Evaluations)
@click.argument("run_id", metavar="[ID]", required=False, shell_complete=complete_run)
@options.limit(20, maximum=500)
@pass_app
def show(app: App, run_id: str | None, limit: int) -> None:
    """List stored runs and applied configurations, or print a run."""
    app.require_operator("evaluate recall")
    evaluation, zone = app.home.evaluation, app.home.context.zone
    if run_id:
        _show_run(app, evaluation.runs.get_run(run_id), with_cases=True)
        return
    runs, configs = evaluation.runs.list_runs(limit=limit), evaluation.configs.list_configs()
    lines: list[str | Table] = [
        Table(
            runs,
            {
                "ID": lambda each: each.id,
                "AT": lambda each: format_minute(each.ts, zone),
                "SUITE": lambda each: each.suite,
                "USE": lambda each: each.use,
                "VERDICT": lambda each: each.outcome,
            },
            f"No runs. {app.command('eval run', '--suite', 'sample', '--save')} makes one.",
        )
    ]
    if configs:
        columns: dict[str, Callable[[AppliedConfig], str]] = {
            "ID": lambda each: each.id,
            "AT": lambda each: format_minute(each.ts, zone),
            "SETTING": lambda each: each.parameter,
            "FROM": lambda each: each.old_value,
            "TO": lambda each: each.new_value,
            "ROLLED BACK": lambda each: format_minute(each.rolled_back_at or "", zone),
        }
        lines += ["", "Applied configurations:", Table(configs, columns)]
    app.show(Evaluations(runs, configs), lines)


@eval_.command(answer=Comparison)
@click.argument("before", metavar="BEFORE", shell_complete=complete_run)
@click.argument("after", metavar="AFTER", shell_complete=complete_run)
@pass_app
def compare(app: App, before: str, after: str) -> None:
    """Show what changed between two stored runs.

    A change that is not significant is marked `noise`.
    """
    app.require_operator("evaluate recall")
    comparison = app.home.evaluation.runs.compare(before, after)

    def judge(delta: Delta) -> str:
        if not delta.change:
            return "same"
        return ("better" if delta.is_better else "worse") if delta.is_significant else "noise"

    changes = [
        delta for delta in comparison.deltas if delta.before is not None or delta.after is not None
    ]
    if not changes:
        app.show(
            comparison, [f"{comparison.before} and {comparison.after} have no case in common."]
        )
        return
    table = Table(
        changes,
        {
            "METRIC": lambda each: each.metric,
            "BEFORE": lambda each: _number(each.before),
            "AFTER": lambda each: _number(each.after),
            "CHANGE": lambda each: "" if each.change is None else f"{each.change:+.3f}",
            "": judge,
        },
    )
    app.show(comparison, table)


@eval_.command(answer=CapturedSuite)
@options.limit(200, maximum=2000)
@pass_app
def capture(app: App, limit: int) -> None:
    """Make the suite `captured` from recalls and votes."""
    name, cases = app.home.evaluation.capture(limit=limit)
    lines = [f"Captured {count(len(cases), 'case')} as the suite '{name}'."]
    if cases:
        lines += app.next_step(app.command("eval run", "--suite", name))
    else:
        lines.append("A case needs a recalled fact that was voted up, or a recall without hits.")
    app.show(CapturedSuite(name, cases), lines)


@eval_.command(answer=Tuning)
@suite_option
@click.option("--apply", is_flag=True, help="Apply the step that passes.")
@click.option(
    "--seed", type=int, default=0, show_default=True, help="Random seed for the order of the steps."
)
@pass_app
def tune(app: App, suite: str, apply: bool, seed: int) -> None:
    """Find one step of one setting that improves recall.

    It tries the relevance thresholds of pull and push, the number of results, and the size of a
    hook's block. It does not change the trained weights of the ranking. A step passes if its
    gates pass, a metric gets better and no other gets worse; latency only has its gate.
    """
    tuning = app.home.evaluation.tune(read_suite(app, suite), apply=apply, seed=seed)
    lines = [
        f"{step.parameter}: {step.old:g} to {step.new:g}: "
        + (f"skipped, {step.reason}" if step.reason else "passes")
        for step in tuning.candidates
    ]
    if tuning.applied:
        undo = app.command("eval rollback")
        lines.append(f"Applied as {tuning.config_id}. To undo it: {undo}")
    elif tuning.chosen is not None:
        lines.append("Nothing was applied. Repeat it with --apply.")
    else:
        lines.append(f"Nothing was applied: {tuning.reason}.")
    app.show(tuning, lines)


@eval_.command(answer=AppliedConfig)
@click.argument("config_id", metavar="[ID]", required=False)
@pass_app
def rollback(app: App, config_id: str | None) -> None:
    """Return to the settings before the newest configuration.

    With ID, return to the settings that this configuration made.
    """
    restored = app.home.evaluation.configs.rollback(config_id)
    now = restored.new_value if config_id else restored.old_value
    app.show(restored, [f"{restored.parameter} is {now} again."])


def _parse_config(pairs: tuple[str, ...]) -> dict[str, str]:
    config = {}
    for pair in pairs:
        name, equals, value = pair.partition("=")
        if not equals:
            raise UsageError(f"'{pair}' is not NAME=VALUE", code="bad-config")
        config[name] = value
    return config


def _show_run(app: App, run: Run, *, with_cases: bool = False, is_stored: bool = True) -> None:
    def lines() -> list[str | Table]:
        stored = run.id if is_stored else "not stored, because --save was not given"
        parts: list[str | Table] = [f"{run.suite} ({run.use}), {run.outcome}: {stored}", ""]
        metrics = Table(
            [*run.metrics.items()],
            {
                "METRIC": lambda each: each[0],
                "VALUE": lambda each: _number(each[1].value),
                "95 %": lambda each: _format_interval(each[1]),
                "CASES": lambda each: str(each[1].cases),
            },
        )
        parts.append(metrics)
        parts += ["", "Gates:"]
        for each in run.gates:
            sign = "at most" if each.is_most else "at least"
            parts.append(
                f"  {each.verdict.replace('-', ' '):12}  {each.name} {_number(each.value)}"
                f" ({sign} {each.limit:g})"
            )
        parts += [
            f"  failed        {ref} was shown to an actor that may not read it"
            for ref in run.violations
        ]
        if with_cases or app.output.verbose:
            columns: dict[str, Callable[[CaseResult], str]] = {
                "CASE": lambda each: each.id,
                "CATEGORY": lambda each: each.category,
                "QUERY": lambda each: each.query,
                "SHOWN": lambda each: ", ".join(each.shown[:3]),
            }
            parts += ["", Table(run.results, columns)]
        return parts

    app.show(run, lines)


def _format_interval(metric: Metric) -> str:
    if metric.low is None or metric.high is None:
        return ""
    return f"{metric.low:.3f} to {metric.high:.3f}"


def _number(value: float | None) -> str:
    return "n/a" if value is None else f"{value:.3f}" if value < 100 else f"{value:.0f}"
