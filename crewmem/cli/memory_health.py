"""The command `crewmem memory health`."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import timedelta

import click

from crewmem.cli import options
from crewmem.cli.app import App
from crewmem.cli.command import Command, pass_app
from crewmem.health.history import Snapshot, draw_plot, draw_sparkline, fill_days
from crewmem.health.metrics import HALF_LIFE_DAYS, WEIGHTS, Health

BAR = 20
"""Width of a metric's bar, in characters."""

MAX_ADVICE = 3


@dataclass(frozen=True, slots=True)
class HealthAnswer:
    """Health, and its snapshots with ``--history``.

    Attributes:
        advice: Commands that would raise the score, the most effective first.
    """

    health: Health
    advice: list[str]
    history: list[Snapshot]


@click.command("health", cls=Command, answer=HealthAnswer)
@options.crew
@options.explain
@options.path
@click.option(
    "--history",
    type=options.SPAN_TYPE,
    is_flag=False,
    flag_value="30d",
    help="Draw the snapshots of the last SPAN, by default 30d.",
)
@click.option("--measure", is_flag=True, help="Measure now and store a snapshot.")
@click.option(
    "--min", "minimum", type=options.NumberRange(0, 100), help="End with status 1 below this score."
)
@pass_app
def memory_health(
    app: App,
    crew: str | None,
    explain: bool,
    history: timedelta | None,
    measure: bool,
    minimum: float | None,
) -> None:
    """Show the quality of the stored memory.

    Shows the newest snapshot. Measures if there is none, or with --measure.

    Freshness: how recent episodes are. Coverage: how much is indexed. Coherence: whether episodes
    form themes. Efficiency: whether recalls show what is relevant, once. Reachability: how many
    episodes are related to others.
    """
    monitor = app.home.health
    if crew is not None:
        app.home.registry.get_crew(crew)
    health = monitor.measure(crew or "") if measure or explain else monitor.load(crew or "")
    is_first = health is None
    if health is None:
        health = monitor.measure(crew or "")
    snapshots: list[Snapshot] = []
    today = app.home.context.today
    if history is not None:
        snapshots = monitor.list_snapshots(crew or "", today - history)
    advice = monitor.list_advice(health)[:MAX_ADVICE]
    record = HealthAnswer(health, advice, snapshots)

    def show() -> list[str]:
        lines = _format_health(health, explain=explain)
        if is_first and not measure:
            lines.append("Measured now, because there was no snapshot.")
        if explain:
            lines += app.next_step(*advice) if advice else ["No command would raise the score now."]
        elif health.level in ("red", "yellow"):
            wanted = ("--crew", crew) if crew else ()
            lines += app.next_step(app.command("memory health --explain", *wanted))
        if history is not None:
            days = fill_days(snapshots, today - history, today)
            lines += ["", *_format_history(days, plot=app.output.verbose > 0)]
        return lines

    app.show(record, show, rows=snapshots or [record])
    if minimum is not None and (health.score is None or health.score < minimum):
        app.exit(1)


def _format_health(health: Health, *, explain: bool) -> list[str]:
    whose = f"crew {health.crew}" if health.crew else f"workspace {health.workspace}"
    score = "n/a" if health.score is None else f"{health.score:.0f} of 100, {health.level}"
    lines = [f"Health of {whose} on {health.date}: {score}", ""]
    for metric in health.metrics:
        bar = "" if metric.value is None else "█" * round(metric.value / 100 * BAR)
        value = "n/a" if metric.value is None else f"{metric.value:.0f}"
        share = f"{metric.weight * 100:.3g}%" if metric.value is not None else "–"
        lines.append(f"{metric.name:<13} {value:>4}  {bar:<{BAR}}  weight {share}")
        if explain and metric.inputs:
            known = {key: value for key, value in metric.inputs.items() if value is not None}
            shown = (f"{key.replace('_', ' ')}: {value}" for key, value in known.items())
            lines.append("              " + ", ".join(shown))
    ages = [metric.inputs.get("median_age_days") for metric in health.metrics]
    if age := max((age for age in ages if age is not None and age > HALF_LIFE_DAYS), default=None):
        lines += ["", f"Half of the episodes are older than {age:.0f} days."]
    if health.score is None:
        lines += ["", "Too little is stored to measure any metric."]
    elif health.missing:
        missing = ", ".join(health.missing)
        lines += ["", f"Not measurable: {missing}; the others share their weight."]
    return lines


def _format_history(days: Sequence[Snapshot | None], *, plot: bool) -> list[str]:
    if not any(days):
        return ["There is no snapshot in that time."]
    lines = []
    for name in ("score", *WEIGHTS):
        values = [None if day is None else getattr(day, name) for day in days]
        last = next((value for value in reversed(values) if value is not None), None)
        shown = "n/a" if last is None else f"{last:.0f}"
        lines.append(f"{name:<13} {shown:>4}  {draw_sparkline(values)}")
    if plot:
        lines += ["", *draw_plot([None if day is None else day.score for day in days])]
    return lines
