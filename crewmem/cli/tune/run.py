"""``crewmem tune run``."""

from __future__ import annotations

import click

from crewmem.cli.app import App, pass_app
from crewmem.cli.command import option, verb
from crewmem.cli.typed import as_text


@verb
@option("--apply", is_flag=True, help="Put the candidate in force, if it is better.")
@option(
    "--seed",
    type=click.IntRange(0),
    metavar="SEED",
    help="Of what is drawn: one step of one setting.  [of the day]",
)
@option(
    "--suite",
    metavar="SUITE",
    callback=as_text,
    help="A file of cases, a directory of a public set, or sample.",
)
@pass_app
def run_command(app: App, *, apply: bool, seed: int | None, suite: str | None) -> None:
    """Try a step of a setting of recall, and tell whether it is better.

    The settings are recall_min_relevance (0.60 to 0.95), recall_max_results (1 to 10),
    recall_max_chars (500 to 8,000), recall_words_weight (0.5 to 2.0) and
    recall_prior_weight (0 to 0.5); scope and sensitivity are never touched, nor is what
    a person has set. Half of the suite is tuned on, the other half is held out.

    With --apply the candidate takes the place of what is, at most once a day, when all
    gates hold and are measured, no metric is worse beyond noise, and one is better, on
    both halves. It lies below the configuration file: what is set there wins. tune
    history lists what was applied, tune rollback takes it back. For operators.
    """
    from crewmem.cli.evaluating.tuned import tuned, tuned_lines
    from crewmem.scope import require_operator

    require_operator(app.actor, "tune recall")
    found = tuned(app, suite, seed, apply=apply)
    app.out.record(found, tuned_lines(found, app.out.laid))
