"""What consolidation is run with, and plans are carried out: alone, as the system."""

from __future__ import annotations

import os
from contextlib import contextmanager

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

    from crewmem.cli.app import App
    from crewmem.consolidation.means import Means
    from crewmem.files.written import Means as Pen

JOB = "consolidate"
"""What its lock is called; who approves a plan holds it as well."""


@contextmanager
def alone(app: App) -> Iterator[None]:
    """Hold the lock of the job, and wait for who holds it.

    Raises:
        LockBusyError: If it takes longer than the setting busy_timeout.
    """
    from crewmem import disk
    from crewmem.cli.jobs.alone import LOCKS

    with disk.open_root(app.home) as root:
        disk.make_dirs(root, LOCKS)
        timeout = app.settings.busy_timeout
        with disk.lock(root, f"{LOCKS}/{JOB}", timeout=timeout):
            yield


def means(app: App, *, dry_run: bool = False) -> Means:
    """Return what plans are carried out with, as the system."""
    from crewmem import times
    from crewmem.consolidation.means import Means
    from crewmem.episodes.relations_store import Relations

    journal = (app.journal_to_read if dry_run else None) or app.journal
    return Means(
        home=app.home,
        workspace=app.workspace,
        journal=journal,
        relations=Relations(journal.db),
        pen=_pen(app, dry_run=dry_run),
        now=app.now,
        today=times.day(app.now, app.zone).isoformat(),
        randomness=os.urandom,
    )


def _pen(app: App, *, dry_run: bool) -> Pen:
    """Return what files are written with: as nobody, and indexed at the end."""
    from crewmem.cli.writing import means as writing
    from crewmem.consolidation.proposed import BY
    from crewmem.files.place import MEMORY, Place
    from crewmem.scope import Actor, Role, Scope, Sight

    place = Place(app.home / "workspaces" / app.workspace / MEMORY, Scope.WORKSPACE)
    sight = Sight(actor=Actor(Role.OPERATOR, JOB))
    pen = writing(app, place._replace(kept=True), sight=sight, dry_run=dry_run)
    return pen._replace(by=BY, indexes=False)
