"""Backups: each workspace as a bundle of a day, of which the newest stay.

A bundle is whole or not there, so one that is there is good; it is never written again.
It holds everything, also what is restricted and what is known of persons: what a backup
lacks is lost. What was erased leaves it with the oldest that holds it.
"""

from __future__ import annotations

import re
from pathlib import Path

from crewmem.cli.jobs.parts import in_each

TYPE_CHECKING = False
if TYPE_CHECKING:
    from crewmem.cli.app import App
    from crewmem.cli.jobs.parts import Counts, Outcome
    from crewmem.disk import Directory

END = ".tar.gz"

DAY = r"\d{4}-\d\d-\d\d"


def backup(app: App) -> Outcome:
    """Export each workspace that is meant, unless that was done today.

    Raises:
        BackupDirMissingError: If the settings name no directory for it.
    """
    from crewmem.errors.jobs import BackupDirMissingError

    if not app.settings.backup_dir:
        raise BackupDirMissingError
    return in_each(app, _backed_up, folders=True)


def _backed_up(app: App) -> Counts:
    from crewmem import disk, times
    from crewmem.cli.timers.timing import home_tag
    from crewmem.jobs.naming import prefix

    beginning = f"{prefix(home_tag(app))}-{app.workspace}-"
    name = f"{beginning}{times.day(app.now, app.zone).isoformat()}{END}"
    folder = Path(app.settings.backup_dir) / app.workspace
    with disk.make_root(folder) as root:
        _tidy(root, folder, beginning)
        if (folder / name).exists():
            return {}
        _export(app, str(folder / name))
        gone = _rotated(folder, beginning, app.settings.backup_keep)
        for each in gone:
            disk.remove(root, each)
    return {"backups": 1, "rotated": len(gone)}


def _export(app: App, out: str) -> None:
    from crewmem.bundles.gather import Wanted
    from crewmem.cli.exporting import ONLY, exported

    wanted = Wanted(
        sight=app.sight,
        crew=None,
        agent=None,
        scope=None,
        with_persons=True,
        with_restricted=True,
        limit=app.settings.max_file_bytes,
    )
    for warning in exported(app, out, ONLY, wanted)[1]:
        app.out.warn(warning)


def _tidy(root: Directory, folder: Path, beginning: str) -> None:
    """Remove what a run that was killed has left; no other is going on."""
    from crewmem import disk

    for each in folder.iterdir():
        if each.name.startswith(f".{beginning}") and disk.is_temporary(each.name):
            disk.discard(root, each.name)


def _rotated(folder: Path, beginning: str, keep: int) -> list[str]:
    """Return the backups of a workspace that are older than the newest *keep*."""
    pattern = re.compile(f"{re.escape(beginning)}{DAY}{re.escape(END)}")
    names = sorted(each.name for each in folder.iterdir())
    mine = [name for name in names if pattern.fullmatch(name)]
    return mine[:-keep]
