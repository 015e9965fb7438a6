"""Options of the commands that run a suite."""

from __future__ import annotations

import click

from crewmem.cli.command import option
from crewmem.cli.typed import as_text

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Any, TypeVar

    from crewmem.cli.evaluating.running import How

    Function = TypeVar("Function", bound=Callable[..., Any])

K_MOST = 100
"""Places that precision and recall may look at."""


def suite_options(function: Function) -> Function:
    """Add the options of what is run, and how it is counted, which `how` reads."""
    for add in (
        option(
            "--config",
            metavar="KEY=VALUE",
            multiple=True,
            help="A setting of recall, for this run alone.",
        ),
        option(
            "--seed",
            type=click.IntRange(0),
            metavar="SEED",
            help="Of the draws that intervals are told by.",
        ),
        option(
            "--k",
            "k",
            type=click.IntRange(1, K_MOST),
            default=5,
            metavar="K",
            help="Places that precision and recall look at.  [5]",
        ),
        option(
            "--suite",
            metavar="SUITE",
            callback=as_text,
            help="A file of cases, a directory of a public set, or sample.",
        ),
    ):
        function = add(function)
    return function


def how(given: dict[str, Any]) -> How:
    """Return how a suite is to be run, as it was *given*."""
    from crewmem.cli.evaluating.running import How, config_of

    return How(
        suite=given["suite"],
        k=given["k"],
        config=config_of(given["config"]),
        seed=given["seed"],
    )
