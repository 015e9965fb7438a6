"""``crewmem timers remove``."""

from __future__ import annotations

from crewmem.cli.app import App, pass_app
from crewmem.cli.command import option, verb
from crewmem.cli.timers.changed import Changed, carry_out, changes_of


@verb
@option("--dry-run", is_flag=True, help="Only say what would be removed.")
@pass_app
def remove_command(app: App, *, dry_run: bool) -> None:
    """Remove the timers of this home from systemd and the crontab.

    Nothing else in the crontab is touched. What jobs did stays, and they can still be
    run by hand. For operators.
    """
    from crewmem.scope import require_operator

    require_operator(app.actor, "remove timers")
    todo = changes_of(app, None, by_cron=False, dry_run=dry_run)
    done = Changed(None, [], todo.told, dry_run)
    carry_out(app, done, todo)
