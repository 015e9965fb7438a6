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
from crewmem.evaluation.tune import AppliedConfig, Tuning
from crewmem.text.wording import count


@dataclass(frozen=True, slots=True)
class Evaluations:
    """Stored runs, without their cases, and applied configurations; the newest first."""

    runs: list[Run]
    configs: list[AppliedConfig]


@dataclass(frozen=True, slots=True)
class Captured:
    """A suite made from recalls and votes."""

    suite: str
    cases: list[dict[str, Any]]


suite_option = click.option(
    "--suite",
    default="",
    metavar="FILE",
    help="A file, `sample` or `captured`. Default: the setting eval.suite.",
)


run_options = options.combine(
    suite_option,
    options.choice(
        "--use", ["pull", "push"], default="push", help="Threshold that decides what is shown."
    ),
    click.option(
        "--k",
        type=click.IntRange(1, 50),
        default=5,
        show_default=True,
        help="Number of results that count.",
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
def run(app: App, config: tuple[str, ...], **options: Any) -> None:
    """Run a suite and print what was measured."""
    done = app.home.evaluation.run(config=_parse_config(config), **options)
    _show_run(app, done, is_stored=options["save"])


@eval_.command(answer=Run)
@run_options
@pass_app
def gate(app: App, **options: Any) -> None:
    """Run a suite and judge it by the gates.

    Ends with status 1 when a gate is missed.
    """
    done = app.home.evaluation.run(**options)
    _show_run(app, done)
    if done.verdict == "failed":
        app.exit(1)


@eval_.command(answer=Evaluations)
@click.argument("run_id", metavar="[ID]", required=False, shell_complete=complete_run)
@options.limit(20, maximum=500)
@pass_app
def show(app: App, run_id: str | None, limit: int) -> None:
    """List stored runs and applied configurations, or print a run."""
    app.require_operator("evaluate recall")
    evaluation = app.home.evaluation
    if run_id:
        _show_run(app, evaluation.runs.get_run(run_id), with_cases=True)
        return
    runs, configs = evaluation.runs.list_runs(limit=limit), evaluation.configs.list_configs()
    lines: list[str | Table] = [
        Table(
            runs,
            {
                "ID": lambda each: each.id,
                "AT": lambda each: _minute(each.ts),
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
            "AT": lambda each: _minute(each.ts),
            "SETTING": lambda each: each.parameter,
            "FROM": lambda each: each.old_value,
            "TO": lambda each: each.new_value,
            "ROLLED BACK": lambda each: _minute(each.rolled_back_at),
        }
        lines += ["", "Applied configurations:", Table(configs, columns)]
    app.show(Evaluations(runs, configs), lines)


def _minute(at: str | None) -> str:
    return (at or "")[:16].replace("T", " ")


@eval_.command(answer=Comparison)
@click.argument("before", metavar="BEFORE", shell_complete=complete_run)
@click.argument("after", metavar="AFTER", shell_complete=complete_run)
@pass_app
def compare(app: App, before: str, after: str) -> None:
    """Show what changed between two stored runs.

    A change within the noise is marked `noise`.
    """
    app.require_operator("evaluate recall")
    found = app.home.evaluation.runs.compare(before, after)

    def judge(delta: Delta) -> str:
        if not delta.change:
            return "same"
        return ("better" if delta.is_better else "worse") if delta.is_significant else "noise"

    changes = [each for each in found.deltas if each.before is not None or each.after is not None]
    if not changes:
        app.show(found, [f"{found.before} and {found.after} have no case in common."])
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
    app.show(found, table)


@eval_.command(answer=Captured)
@options.limit(200, maximum=2000)
@pass_app
def capture(app: App, limit: int) -> None:
    """Make the suite `captured` from recalls and votes."""
    name, cases = app.home.evaluation.capture(limit=limit)
    lines = [f"Captured {count(len(cases), 'case')} as the suite '{name}'."]
    if cases:
        lines += app.next_step(app.command("eval run", "--suite", name))
    else:
        lines.append("A case needs a recalled fact that was voted up, or a recall without a hit.")
    app.show(Captured(name, cases), lines)


@eval_.command(answer=Tuning)
@suite_option
@click.option("--apply", is_flag=True, help="Apply the step that holds.")
@click.option(
    "--seed", type=int, default=0, show_default=True, help="Seed of the order of the steps."
)
@pass_app
def tune(app: App, suite: str, apply: bool, seed: int) -> None:
    """Try one step of one setting.

    It tries the relevance thresholds of pull and push, the number of results, and the size of a
    hook's block. The weights of the ranking are trained and stay as they are. A step holds only
    if its gates hold, including that of latency, and no measure of the hits gets worse.
    """
    found = app.home.evaluation.tune(suite, apply=apply, seed=seed)
    lines = [
        f"{each.parameter}: {each.old:g} to {each.new:g}: "
        + (f"skipped, {each.reason}" if each.reason else "holds")
        for each in found.candidates
    ]
    if found.applied:
        undo = app.command("eval rollback")
        lines.append(f"Applied as {found.config_id}. To undo it: {undo}")
    elif found.chosen is not None:
        lines.append("Nothing was applied. Repeat it with --apply.")
    else:
        lines.append(f"Nothing was applied: {found.reason}.")
    app.show(found, lines)


@eval_.command(answer=AppliedConfig)
@click.argument("config_id", metavar="[ID]", required=False)
@pass_app
def rollback(app: App, config_id: str | None) -> None:
    """Return to the settings before the newest configuration.

    With ID, return to the settings that this configuration made.
    """
    found = app.home.evaluation.configs.rollback(config_id)
    now = found.new_value if config_id else found.old_value
    app.show(found, [f"{found.parameter} is {now} again."])


def _parse_config(pairs: tuple[str, ...]) -> dict[str, str]:
    found = {}
    for pair in pairs:
        name, equals, value = pair.partition("=")
        if not equals:
            raise UsageError(f"'{pair}' is not NAME=VALUE", code="bad-config")
        found[name] = value
    return found


def _show_run(app: App, run: Run, *, with_cases: bool = False, is_stored: bool = True) -> None:
    def lines() -> list[str | Table]:
        place = run.id if is_stored else "not stored, as --save was not given"
        found: list[str | Table] = [f"{run.suite} ({run.use}), {run.outcome}: {place}", ""]
        metrics = Table(
            [*run.metrics.items()],
            {
                "METRIC": lambda each: each[0],
                "VALUE": lambda each: _number(each[1].value),
                "95 %": lambda each: _format_interval(each[1]),
                "CASES": lambda each: str(each[1].cases),
            },
        )
        found.append(metrics)
        found += ["", "Gates:"]
        for each in run.gates:
            sign = "at most" if each.is_most else "at least"
            found.append(
                f"  {each.verdict.replace('-', ' '):12}  {each.name} {_number(each.value)}"
                f" ({sign} {each.limit:g})"
            )
        found += [f"  failed        {ref} was shown, and may not be read" for ref in run.violations]
        if with_cases or app.output.verbose:
            columns: dict[str, Callable[[CaseResult], str]] = {
                "CASE": lambda each: each.id,
                "CATEGORY": lambda each: each.category,
                "QUERY": lambda each: each.query,
                "SHOWN": lambda each: ", ".join(each.shown[:3]),
            }
            found += ["", Table(run.results, columns)]
        return found

    app.show(run, lines)


def _format_interval(metric: Metric) -> str:
    if metric.low is None or metric.high is None:
        return ""
    return f"{metric.low:.3f} to {metric.high:.3f}"


def _number(value: float | None) -> str:
    return "n/a" if value is None else f"{value:.3f}" if value < 100 else f"{value:.0f}"
