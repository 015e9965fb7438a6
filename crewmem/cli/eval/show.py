"""``crewmem eval show``."""

from __future__ import annotations

from crewmem.cli.app import App, pass_app
from crewmem.cli.command import argument, option, verb


@verb
@argument("run", metavar="RUN", help="The run, as eval runs lists it.")
@option("--cases", is_flag=True, help="Show the cases that came out wrong.")
@pass_app
def show_command(app: App, *, run: str, cases: bool) -> None:
    """Show a run of a suite: its metrics, its gates and its cases.

    For operators.
    """
    from crewmem.cli.evaluating.kept import found
    from crewmem.cli.evaluating.shown import run_lines
    from crewmem.cli.evaluating.told import Shown
    from crewmem.scope import require_operator

    require_operator(app.actor, "look into what was measured")
    kept, outcomes = found(app, run)
    shown = Shown(kept, outcomes)
    app.out.record(shown.record(), run_lines(shown, app.out.laid, with_cases=cases))
