"""The timers of a home: what they run, and whether they are installed and work."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from crewmem.config import find_user_directory
from crewmem.errors import CrewmemError
from crewmem.jobs import cron, systemd
from crewmem.jobs.schedule import list_jobs
from crewmem.jobs.systemd import TimerTarget
from crewmem.storage.programs import find_crewmem

if TYPE_CHECKING:
    from crewmem.home import Home

PROGRAM_MODELS = ("claude", "codex", "gemini", "command")
"""Language models that are local programs of the user."""


@dataclass(frozen=True, slots=True)
class TimerState:
    """The scheduler of a home's jobs.

    Attributes:
        scheduler: systemd or cron; "" if no timers are installed.
        missing: Jobs without a timer.
        problem: Why the timers do not run; "" if they do.
    """

    scheduler: str
    missing: tuple[str, ...] = ()
    problem: str = ""


def find_target(home: Home) -> TimerTarget:
    """Return what the timers of this home run."""
    assert home.context.home is not None
    backup = home.settings["backup_dir"]
    writable = [find_user_directory("cache")]
    return TimerTarget(
        find_crewmem(),
        home.context.home,
        find_user_directory("data"),
        zone=home.settings["timezone"],
        writable=[*writable, *([Path(backup).expanduser().absolute()] if backup else [])],
        runs_programs=home.settings["llm"] in PROGRAM_MODELS,
    )


def find_timers(home: Home) -> TimerState:
    """Return what runs the jobs of this home: systemd timers, a cron line, or nothing."""
    prefix = find_target(home).prefix
    wanted = [job.name for job in list_jobs(home.settings)]
    environ = home.context.environ
    manager = systemd.Systemd(environ)
    installed = manager.list_timers(prefix)
    if installed:
        missing = tuple(name for name in wanted if name not in installed)
        return TimerState("systemd", missing, manager.find_problem())
    try:
        crontab = cron.Crontab(environ).read()
        if cron.has_block(crontab, prefix):
            gone = cron.find_missing_program(crontab, prefix)
            return TimerState("cron", problem=f"{gone} is not there" if gone else "")
    except CrewmemError:  # no cron, or a damaged block
        return TimerState("")
    return TimerState("")
