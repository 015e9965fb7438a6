"""Measuring recall, keeping the run, and telling when it regressed."""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from crewmem.cli.app import App
    from crewmem.cli.evaluating.running import How
    from crewmem.cli.evaluating.told import Shown


def gated(app: App, how: How, *, save: bool) -> Shown:
    """Run a suite against its gates; keep the run if that is wanted, and possible."""
    from crewmem.cli.evaluating.kept import told_of
    from crewmem.cli.evaluating.running import keep, run_suite
    from crewmem.cli.evaluating.told import Shown
    from crewmem.cli.recalling.counted import can_count

    run, outcomes = run_suite(app, how, "gate")
    incident = None
    if save and app.home.is_dir() and can_count(app):
        run = keep(app, run, outcomes)
        incident = told_of(app, run)
    elif save:
        app.out.warn("the run is not kept: this home is only read, or is not there")
    return Shown(run, outcomes, incident)
