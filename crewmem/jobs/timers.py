"""The timers of a home: their state, installation and removal."""

from __future__ import annotations

import getpass
import shlex
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING

from crewmem.config import find_user_directory
from crewmem.errors import CrewmemError, ServiceError
from crewmem.jobs import cron, systemd
from crewmem.jobs.schedule import list_jobs
from crewmem.jobs.systemd import TimerTarget, Unit
from crewmem.storage.programs import find_crewmem

if TYPE_CHECKING:
    from crewmem.home import Home

LINGER = Path("/var/lib/systemd/linger")
"""Directory with a file for each user whose units run without a login."""

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


@dataclass(frozen=True, slots=True)
class TimersChange:
    """Result of installing or removing timers.

    Attributes:
        scheduler: ``systemd``, ``cron``, "systemd and cron", or "" if neither is available.
        jobs: Jobs whose timers were installed or removed.
        files: Names of the unit files that were written or removed.
        command: Command line for other schedulers, to run once a minute.
        problems: Why systemd and cron are not available.
    """

    scheduler: str
    jobs: list[str]
    files: list[str]
    command: str
    problems: list[str]


def make_target(home: Home) -> TimerTarget:
    """Return the program, the paths and the settings that the timers of *home* use."""
    assert home.context.home is not None
    backup = home.settings.file("backup_dir")
    return TimerTarget(
        find_crewmem(),
        home.context.home,
        find_user_directory("data"),
        zone=home.settings["timezone"],
        writable=[find_user_directory("cache"), *([backup] if backup else [])],
        runs_programs=home.settings["llm"] in PROGRAM_MODELS,
    )


class Timers:
    """The timers of a home.

    Attributes:
        jobs: Names of the jobs that need a timer.
        command: Command line for other schedulers, to run once a minute.
    """

    def __init__(self, home: Home) -> None:
        self._context = home.context
        self._target, self._jobs = make_target(home), list_jobs(home.settings)
        self._run_all_due = self._target.command("timers", "run", "--all-due")
        self.jobs = [job.name for job in self._jobs]
        self.command = shlex.join(self._run_all_due)
        self._prefix = self._target.prefix
        self._systemd = systemd.Systemd(home.context.environ)
        self._crontab = cron.Crontab(home.context.environ)

    @cached_property
    def _units(self) -> list[Unit]:
        return systemd.make_units(self._target, self._jobs)

    @cached_property
    def _block(self) -> list[str]:
        return cron.make_block(self._prefix, [*self._run_all_due, "--quiet"])

    def find_state(self) -> TimerState:
        """Return the state of the installed timers, of systemd or else of cron."""
        installed = self._systemd.list_timers(self._prefix)
        if installed:
            missing = tuple(name for name in self.jobs if name not in installed)
            return TimerState("systemd", missing, self._systemd.find_problem())
        try:
            crontab = self._crontab.read()
            if cron.has_block(crontab, self._prefix):
                return TimerState("cron", problem=cron.find_problem(crontab, self._prefix))
        except CrewmemError:  # no cron, or a damaged block
            pass
        return TimerState("")

    @property
    def retries(self) -> bool:
        """Whether a failed job is tried again before its next due time.

        A unit of systemd runs only at the times of its timer.
        """
        return not self._systemd.list_timers(self._prefix)

    def find_scheduler(self) -> tuple[str, list[str]]:
        """Return systemd, else cron, else ""; and the problems of those that cannot be used."""
        problem_of = {"systemd": self._systemd.find_problem()}
        if problem_of["systemd"]:
            problem_of["cron"] = self._crontab.find_problem()
        scheduler = next((name for name, problem in problem_of.items() if not problem), "")
        return scheduler, [f"{name}: {problem}" for name, problem in problem_of.items() if problem]

    def render(self, scheduler: str) -> list[str]:
        """Return the texts that `install` would write; with "" those of both schedulers."""
        texts = []
        if scheduler != "cron":
            for unit in self._units:
                texts += [f"# {self._systemd.directory / unit.name}", unit.text]
        return texts if scheduler == "systemd" else texts + self._block

    def install(self, scheduler: str | None = None) -> TimersChange:
        """Install the timers with *scheduler*, by default with systemd or else cron."""
        self._context.access.require_operator("install timers")
        problems: list[str] = []
        if scheduler is None:
            scheduler, problems = self.find_scheduler()
        files = []
        if scheduler == "systemd":
            self._systemd.install(self._units, self._prefix)
            files = [unit.name for unit in self._units]
            if not (LINGER / getpass.getuser()).exists():
                self._context.warn(
                    "timers-stop-at-logout",
                    "systemd stops the timers when you log out, until you log in again",
                    "loginctl enable-linger",
                )
        elif scheduler == "cron":
            before = self._crontab.read()
            after = cron.add_block(before, self._prefix, self._block)
            if after != before:
                self._crontab.write(after)
        jobs = self.jobs if scheduler else []
        return TimersChange(scheduler, jobs, files, self.command, problems)

    def remove(self) -> TimersChange:
        """Remove the timers of both schedulers."""
        self._context.access.require_operator("remove timers")
        jobs = self._systemd.list_timers(self._prefix)
        files = self._systemd.remove(self._prefix)
        schedulers = ["systemd"] if files else []
        try:
            before = self._crontab.read()
        except ServiceError:  # without cron there is nothing to remove
            before = b""
        if cron.has_block(before, self._prefix):
            self._crontab.write(cron.remove_block(before, self._prefix))
            schedulers.append("cron")
            jobs = jobs or self.jobs
        return TimersChange(" and ".join(schedulers), jobs, files, self.command, [])
