"""``crewmem tune history``."""

from __future__ import annotations

from crewmem.cli.app import App, pass_app
from crewmem.cli.command import option, verb

USUAL, MOST = 20, 100
"""Snapshots that are listed, and at most."""


@verb
@option("-l", "--limit", type=int, metavar="N", help="Most of them, 1 to 100.  [20]")
@pass_app
def history_command(app: App, *, limit: int | None) -> None:
    """List what was tuned, newest first.

    Settings are of the home, whichever workspace they were tuned in. For operators.
    """
    from crewmem import times
    from crewmem.cli.output import Table
    from crewmem.errors.registry import HomeMissingError
    from crewmem.evaluation import snapshot_store
    from crewmem.scope import require_operator

    require_operator(app.actor, "look into what was tuned")
    most = app.clamped("--limit", limit, USUAL, MOST)
    if not app.home.is_dir():
        raise HomeMissingError(app.home)
    db = app.truth_to_read
    found = snapshot_store.newest(db, most) if db is not None else []
    rows = [
        (
            each.id,
            times.to_text(each.at),
            each.state,
            f"{each.key} {each.old:g} → {each.new:g}",
            each.reason,
        )
        for each in found
    ]
    columns = ("SNAPSHOT", "TIME", "STATE", "SETTING", "WHY")
    app.out.listing(found, Table(columns, rows))
    if not found:
        app.out.note("Nothing was tuned yet: crewmem tune run --apply does.")
