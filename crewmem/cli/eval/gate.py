"""``crewmem eval gate``."""

from __future__ import annotations

from crewmem.cli.app import App, pass_app
from crewmem.cli.command import option, verb
from crewmem.cli.evaluating.options import how, suite_options

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator
    from typing import Any

    from crewmem.cli.evaluating.shown import Lay
    from crewmem.cli.evaluating.told import Shown
    from crewmem.cli.output import Line


@verb
@suite_options
@option("--no-save", is_flag=True, help="Keep nothing of it.")
@pass_app
def gate_command(app: App, *, no_save: bool, **given: Any) -> None:
    """Measure recall, and end with 1 when it misses a gate.

    The gates are settings: eval.max_false_injection, eval.min_precision,
    eval.min_recovery, eval.max_p95_ms and eval.max_tokens. One of which no case says
    anything is not measured, and does not fail. What was laid before who may not read
    it fails in any case.

    The run is kept, if the home can be written. Three in a row that miss a gate, what
    was laid before who may not read it, and recall that is a quarter slower twice are
    written down in incidents of the home, once, with the last good settings and the
    command that leads back. For operators.
    """
    from crewmem.cli.evaluating.gating import gated
    from crewmem.scope import require_operator

    require_operator(app.actor, "measure recall")
    shown = gated(app, how(given), save=not no_save)
    app.out.record(shown.record(), _lines(shown, app.out.laid))
    if shown.incident:
        app.out.warn(f"recall regressed: {shown.incident}")
    app.conclude(ok=shown.run.passed)


def _lines(shown: Shown, lay: Lay) -> Iterator[Line]:
    from crewmem.cli.evaluating.shown import judged_lines, troubles

    yield from judged_lines(shown.run, lay)
    if missed := troubles(shown.run):
        yield [("bad", f"missed: {', '.join(missed)}")]
    else:
        yield [("good", "no gate was missed")]
