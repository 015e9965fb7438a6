"""Timers as systemd user units, made from the templates in ``units/``."""

import contextlib
from collections.abc import Mapping, Sequence
from hashlib import sha256
from pathlib import Path
from string import Template
from typing import NamedTuple

from crewmem.errors import RefusedError, ServiceError
from crewmem.jobs.schedule import JOBS, Job, Schedule
from crewmem.storage.filesystem import make_directory, remove_file, replace_file
from crewmem.storage.programs import join_lines, run_program

TEMPLATES = Path(__file__).with_name("units")

MARK = "# Written by crewmem timers install."
"""Start of each unit file that crewmem writes. It never changes other files."""

MAX_DELAY = 300
"""Maximum random delay, in seconds, of jobs with an interval of an hour or more."""

TEMPORARY = ("/tmp", "/var/tmp")  # noqa: S108 - nothing is written there
"""Directories that ``PrivateTmp`` hides from a service."""


class Unit(NamedTuple):
    """A systemd unit file."""

    name: str
    text: str


class TimerTarget(NamedTuple):
    """The home whose jobs timers run, and how they run them.

    Attributes:
        program: The words that call crewmem; the first is an absolute path.
        home: The home.
        default_home: The default home, whose unit names have no hash.
        zone: Name of the time zone of the schedules; "" for the system's.
        writable: Directories other than the home that jobs write to.
        runs_programs: Whether the language model is a local program of the user.
    """

    program: Sequence[str]
    home: Path
    default_home: Path
    zone: str = ""
    writable: Sequence[Path] = ()
    runs_programs: bool = False

    @property
    def prefix(self) -> str:
        """Prefix of unit names, different for each home."""
        if self.home == self.default_home:
            return "crewmem"
        return f"crewmem-{sha256(str(self.home).encode()).hexdigest()[:8]}"

    def command(self, *words: str) -> list[str]:
        """Return the words that call crewmem on this home."""
        return [*self.program, "--home", str(self.home), *words]


def make_units(target: TimerTarget, jobs: Sequence[Job]) -> list[Unit]:
    """Return a service and a timer for each job, and the unit that logs failures."""
    units = []
    failed = f"{target.prefix}-failed"
    writable = [target.home, *target.writable]
    is_in_tmp = any(path.is_relative_to(tmp) for path in writable for tmp in TEMPORARY)
    closed = _fill(
        "closed",
        writable=" ".join(quote(f"-{path}") for path in writable),
        private_tmp="no" if is_in_tmp else "yes",
    )
    sandbox = _fill("sandbox")
    for job in jobs:
        name = f"{target.prefix}-{job.name}"
        common = {"name": name, "job": job.name, "about": job.about}
        command = target.command("timers", "run", job.name, *(["--quiet"] if job.is_short else []))
        units += [
            Unit(
                f"{name}.service",
                _fill(
                    "service",
                    **common,
                    failed=failed,
                    command=_format_command(command),
                    timeout="15min" if job.is_short else "6h",
                    memory="2G" if job.is_short else "4G",
                    priority=_format_priority(job),
                    sandbox=sandbox,
                    closed=_fill("open") if target.runs_programs else closed,
                ),
            ),
            Unit(
                f"{name}.timer",
                _fill("timer", **common, schedule=_format_schedule(job, target.zone)),
            ),
        ]
    status = target.command("timers", "status")
    text = _fill(
        "failed", name=failed, command=_format_command(status), sandbox=sandbox, closed=closed
    )
    units.append(Unit(f"{failed}@.service", text))
    return units


def list_unit_names(prefix: str) -> list[str]:
    """Return the names of all unit files that `make_units` may make."""
    names = [f"{prefix}-{job}.{kind}" for job in JOBS for kind in ("service", "timer")]
    return [*names, f"{prefix}-failed@.service"]


def quote(word: str) -> str:
    """Return *word* quoted as one argument in a systemd unit.

    Raises:
        RefusedError: If it has control characters.
    """
    if not word.isprintable():
        raise RefusedError(f"{word!r} cannot be written into a systemd unit", code="bad-path")
    escaped = word.replace("\\", "\\\\").replace('"', '\\"').replace("%", "%%")
    return f'"{escaped}"'


class Systemd:
    """The user's systemd manager.

    Attributes:
        directory: Directory of the user's units.
    """

    def __init__(self, environ: Mapping[str, str]) -> None:
        self._environ = {**environ, "LC_ALL": "C", "SYSTEMD_PAGER": ""}
        config = environ.get("XDG_CONFIG_HOME") or Path(environ.get("HOME") or "~", ".config")
        self.directory = Path(config, "systemd", "user").expanduser()

    def find_problem(self) -> str:
        """Return why systemd cannot be used, or ""."""
        try:
            self._ask("show-environment")
        except ServiceError as error:
            return error.message
        return ""

    def install(self, units: Sequence[Unit], prefix: str) -> None:
        """Write and start units; remove the units of disabled jobs.

        Raises:
            ServiceError: If systemd does not answer; nothing was written.
            RefusedError: If crewmem did not write an existing unit file; nothing was written.
        """
        self._ask("show-environment")
        names = [unit.name for unit in units]
        for name in names:
            path = self.directory / name
            if path.exists() and not path.read_text(errors="replace").startswith(MARK):
                raise RefusedError(
                    f"{path} was not written by crewmem",
                    code="foreign-unit",
                    hint=f"move it away: mv {path} {path}.old",
                )
        self._remove([name for name in self._list_installed(prefix) if name not in names])
        make_directory(self.directory)
        for unit in units:
            replace_file(self.directory / unit.name, unit.text.encode(), mode=0o644)
        self._ask("daemon-reload")
        self._ask("enable", "--now", *(name for name in names if name.endswith(".timer")))

    def remove(self, prefix: str) -> list[str]:
        """Stop and delete the units; return their names."""
        installed = self._list_installed(prefix)
        self._remove(installed)
        if installed:
            self._ask("daemon-reload")
        return installed

    def list_timers(self, prefix: str) -> list[str]:
        """Return the names of the jobs that have a timer."""
        return [
            name.removeprefix(f"{prefix}-").removesuffix(".timer")
            for name in self._list_installed(prefix)
            if name.endswith(".timer")
        ]

    def _list_installed(self, prefix: str) -> list[str]:
        installed = []
        for name in list_unit_names(prefix):
            with contextlib.suppress(OSError):
                if (self.directory / name).read_text(errors="replace").startswith(MARK):
                    installed.append(name)
        return installed

    def _remove(self, names: Sequence[str]) -> None:
        timers = [name for name in names if name.endswith(".timer")]
        if timers:
            with contextlib.suppress(ServiceError):  # delete the files even if systemd complains
                self._ask("disable", "--now", *timers)
        for name in names:
            remove_file(self.directory, name)

    def _ask(self, *words: str) -> None:
        command = ["systemctl", "--user", "--no-ask-password", *words]
        process = run_program(command, environ=self._environ)
        if process.returncode:
            reason = join_lines(process.stderr)[:300]
            raise ServiceError(f"systemctl failed: {reason}", code="systemd-failed")


def _fill(template: str, **values: str) -> str:
    text = (TEMPLATES / f"{template}.unit").read_text(encoding="utf-8")
    return Template(text).substitute(values)


def _format_command(words: Sequence[str]) -> str:
    line = " ".join(map(quote, words))
    # Without the colon systemd would expand $NAME.
    return f":{line}" if "$" in line else line


def _format_priority(job: Job) -> str:
    if job.is_short:
        return (
            "# It runs 2,880 times a day, so log only its own messages.\n"
            "SyslogLevel=notice\nLogLevelMax=notice"
        )
    return (
        "# Interactive work has priority.\n"
        "Nice=19\nIOSchedulingClass=best-effort\nIOSchedulingPriority=7"
    )


def _format_schedule(job: Job, zone: str) -> str:
    schedule = job.schedule
    calendar = _format_calendar(schedule, zone)
    if job.is_short or not calendar:
        assert schedule.every is not None
        seconds = int(schedule.every.total_seconds())
        return (
            f"OnActiveSec={seconds}s\nOnUnitActiveSec={seconds}s\n"
            "# By default systemd may delay it by up to a minute.\nAccuracySec=1s"
        )
    delay = MAX_DELAY
    if schedule.every is not None:
        delay = min(delay, int(schedule.every.total_seconds()) // 10)
    return (
        f"OnCalendar={calendar}\n"
        "# Catch up on runs that were missed while the host was off.\nPersistent=true\n"
        f"# Spread the jobs of this and of other hosts.\nRandomizedDelaySec={delay}s"
    )


def _format_calendar(schedule: Schedule, zone: str) -> str:
    """Return a schedule in systemd's calendar format; "" if it cannot express the interval."""
    if schedule.every is None:
        days = ("Mon", "Tue", "Wed", "Thu", "Fri", "Sat", "Sun")
        day = "" if schedule.weekday is None else f"{days[schedule.weekday]} "
        hours, minutes = divmod(schedule.minute, 60)
        return f"{day}*-*-* {hours:02}:{minutes:02}:00 {zone}".strip()
    seconds = int(schedule.every.total_seconds())
    if seconds % 3600 == 0 and 24 % (seconds // 3600) == 0:
        return f"*-*-* 00/{seconds // 3600}:00:00 UTC"
    if seconds % 60 == 0 and 60 % (seconds // 60) == 0:
        return f"*-*-* *:00/{seconds // 60}:00 UTC"
    return ""
