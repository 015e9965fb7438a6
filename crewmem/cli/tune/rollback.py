"""``crewmem tune rollback``."""

from __future__ import annotations

from crewmem.cli.app import App, pass_app
from crewmem.cli.command import argument, verb
from crewmem.records import NamedTuple

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

    from crewmem.evaluation.snapshot import Snapshot


class RolledBack(NamedTuple):
    """What was taken back.

    Attributes:
        snapshots: What is no longer in force, newest first.
        path: The file of tuned settings, which is what it was before them.
    """

    snapshots: Sequence[Snapshot]
    path: str


@verb
@argument(
    "snapshot", required=False, metavar="[SNAPSHOT]", help="Which; else the last."
)
@pass_app
def rollback_command(app: App, *, snapshot: str | None) -> None:
    """Take back what was tuned, and all that was tuned after it.

    The file of tuned settings becomes what it was before, byte for byte. What was taken
    back stays in tune history. For operators.
    """
    from crewmem.cli.evaluating.tuned import JOB
    from crewmem.cli.evaluating.tuning import roll_back, settle
    from crewmem.cli.jobs.alone import job
    from crewmem.errors.disk import LockBusyError
    from crewmem.scope import require_operator
    from crewmem.settings.tuned import FILE

    require_operator(app.actor, "roll back what was tuned")
    with job(app, JOB) as is_alone:
        if not is_alone:
            raise LockBusyError(app.home / "locks" / JOB)
        settle(app)
        done = roll_back(app, snapshot)
    lines = [f"{each.key}: {each.new:g} → {each.old:g}" for each in done]
    app.out.record(RolledBack(done, str(app.home / FILE)), lines)
