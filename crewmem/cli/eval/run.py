"""``crewmem eval run``."""

from __future__ import annotations

from crewmem.cli.app import App, pass_app
from crewmem.cli.command import option, verb
from crewmem.cli.evaluating.options import how, suite_options

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any


@verb
@suite_options
@option("--save", is_flag=True, help="Keep the run and what came of its cases.")
@option("--cases", is_flag=True, help="Show the cases that came out wrong.")
@option("--strict", is_flag=True, help="End with 1 when there are warnings.")
@pass_app
def run_command(
    app: App, *, save: bool, cases: bool, strict: bool, **given: Any
) -> None:
    """Measure recall with a suite of questions.

    Each case of the suite is put to the real recall, as crewmem recall answers it for
    the agent of the case, at its time. All see one state of the home, and nothing is
    counted by asking. A suite that has a corpus beside it, corpus.jsonl, is asked in a
    home that holds that corpus and is thrown away.

    A case is a line of JSON: {"id", "query", "relevant": [refs], "should_inject",
    "category", "agent", "now"}; with "recovery": {"agent", "session"} and "expect":
    [texts] it is one of recover, with "promotion": [ids] and "should_promote" one of
    knowledge maintain. A ref is what recall answers with; a file without lines is any
    passage of it. Lines that begin with # are left out.

    Without --suite it is the one of the setting eval.suite, else eval/suite.jsonl of
    the home; eval capture makes one. For operators.
    """
    from crewmem.cli.evaluating.running import keep, run_suite
    from crewmem.cli.evaluating.shown import run_lines
    from crewmem.cli.evaluating.told import Shown
    from crewmem.scope import require_operator

    require_operator(app.actor, "measure recall")
    run, outcomes = run_suite(app, how(given), "run")
    if save:
        run = keep(app, run, outcomes)
    shown = Shown(run, outcomes)
    app.out.record(shown.record(), run_lines(shown, app.out.laid, with_cases=cases))
    if save:
        app.out.note(f"Kept as {run.id}: crewmem eval show {run.id}")
    app.strictly(strict=strict)
