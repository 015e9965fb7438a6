"""``crewmem eval runs``."""

from __future__ import annotations

from crewmem.cli.app import App, pass_app
from crewmem.cli.command import option, verb

USUAL, MOST = 20, 100
"""Runs that are listed, and at most."""


@verb
@option("-l", "--limit", type=int, metavar="N", help="Most runs, 1 to 100.  [20]")
@pass_app
def runs_command(app: App, *, limit: int | None) -> None:
    """List runs of suites that were kept, newest first.

    eval run --save, eval gate and the nightly job keep them. For operators.
    """
    from crewmem.cli.evaluating.kept import database
    from crewmem.cli.evaluating.shown import COLUMNS, RIGHT, runs_rows
    from crewmem.cli.evaluating.told import told
    from crewmem.cli.output import Table
    from crewmem.evaluation import run_store
    from crewmem.ids import shortest
    from crewmem.scope import require_operator

    require_operator(app.actor, "look into what was measured")
    most = app.clamped("--limit", limit, USUAL, MOST)
    db = database(app)
    runs = run_store.newest(db, app.workspace, most) if db is not None else []
    shown = [told(each) for each in runs]
    names = shortest([each.id for each in runs])
    app.out.listing(shown, Table(COLUMNS, runs_rows(runs, names), RIGHT))
    if not runs:
        app.out.note("No run is kept: crewmem eval run --save keeps one.")
