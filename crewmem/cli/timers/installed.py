"""What runs the jobs of a home: systemd, cron, or nothing that is known of."""

from __future__ import annotations

from crewmem.errors import CrewmemError
from crewmem.records import NamedTuple

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping

    from crewmem.cli.app import App

SYSTEMD, CRON = "systemd", "cron"


class Installed(NamedTuple):
    """What runs the jobs.

    Attributes:
        scheduler: systemd or cron; None: no timers of this home are installed.
        alive: Of each job that has a timer, whether it waits for its time; None where
            nobody can tell, as with cron.
        trouble: Why not all of it is known; "" if it is.
    """

    scheduler: str | None
    alive: Mapping[str, bool | None]
    trouble: str = ""


def installed(app: App) -> Installed:
    """Look what runs the jobs of the home; nothing is written, and nothing raised."""
    from crewmem.cli.timers.timing import home_tag, only

    tag = home_tag(app, only(app))
    try:
        return _by_systemd(app, tag) or _by_cron(app, tag)
    except CrewmemError as error:
        return Installed(None, {}, str(error))
    except OSError as error:  # where units are is not for this user
        reason = (error.strerror or str(error)).lower()
        return Installed(None, {}, f"{error.filename} cannot be read: {reason}")


def _by_systemd(app: App, tag: str) -> Installed | None:
    from crewmem.backends.systemctl import Systemctl
    from crewmem.cli.timers.systemd import folder
    from crewmem.jobs.job import NAMES
    from crewmem.jobs.naming import prefix

    names = {f"{prefix(tag)}-{job}.timer": job for job in NAMES}
    there = {name: job for name, job in names.items() if (folder(app) / name).exists()}
    if not there:
        return None
    manager = Systemctl(app.world.environ)
    if trouble := manager.trouble():
        return Installed(SYSTEMD, dict.fromkeys(there.values()), trouble)
    shown = manager.shown([*there])
    alive = {
        job: name in shown and shown[name].is_active for name, job in there.items()
    }
    return Installed(SYSTEMD, alive)


def _by_cron(app: App, tag: str) -> Installed:
    from crewmem.backends.crontab import Crontab
    from crewmem.jobs.crontab import mine
    from crewmem.jobs.job import NAMES

    crontab = Crontab(app.world.environ)
    if crontab.trouble():  # there is no cron, or it is not for this user
        return Installed(None, {})
    lines = mine(crontab.read(), tag)
    jobs = [
        job for job in NAMES if any(f" timers run {job} " in each for each in lines)
    ]
    return Installed(CRON if lines else None, dict.fromkeys(jobs))
