"""``crewmem timers show``."""

from __future__ import annotations

import click

from crewmem import times
from crewmem.cli.app import App, pass_app
from crewmem.cli.command import option, verb
from crewmem.records import NamedTuple

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator
    from datetime import datetime

    from crewmem.cli.output import Line
    from crewmem.jobs.timers import Timers


INSTALLED = "Have them run by systemd or cron: crewmem timers install"

OFF = "Every job is off: crewmem config list names the settings timers.*"


class Planned(NamedTuple):
    """A job that timers run.

    Attributes:
        job: Its name.
        when: How often, or when, as its setting says.
        next_due: When it is due next; now, if it is due.
        about: What it does.
        command: What is called for it, word by word.
    """

    job: str
    when: str
    next_due: datetime | None
    about: str
    command: list[str]


class File(NamedTuple):
    """A file of systemd's, or lines of a crontab.

    Attributes:
        path: Where it is, or would be; "" for lines of a crontab.
        text: What it holds.
    """

    path: str
    text: str


class Shown(NamedTuple):
    """What timers would be installed.

    Attributes:
        jobs: The jobs, in the order in which --all-due runs them.
        files: What systemd or cron is given, if that was asked for.
    """

    jobs: list[Planned]
    files: list[File]


@verb
@option("--systemd", is_flag=True, help="Print the units of systemd.")
@option("--cron", is_flag=True, help="Print the lines of a crontab.")
@pass_app
def show_command(app: App, *, systemd: bool, cron: bool) -> None:
    """Show the jobs, or the files that systemd or cron has of them.

    When each is due is a setting, as timers.sweep; off leaves a job out. The job backup
    is there once backup_dir says where to. Days and times of day are of the setting
    timezone. Nothing is asked and nothing is written.
    """
    from crewmem.cli.timers.timing import timers

    if systemd and cron:
        raise click.UsageError("--systemd and --cron do not go together.")
    made = timers(app)
    files = _units(app, made) if systemd else _crontab(made) if cron else []
    shown = Shown(_jobs(app, made), files)
    app.out.record(shown, _lines(app, shown, as_files=systemd or cron))
    if not (systemd or cron):
        app.out.note(INSTALLED if shown.jobs else OFF)


def _jobs(app: App, made: Timers) -> list[Planned]:
    from crewmem.cli.timers.timing import kept
    from crewmem.jobs.job import find
    from crewmem.jobs.schedule import next_due
    from crewmem.settings.whens import spelled

    known = kept(app)
    return [
        Planned(
            job=name,
            when=spelled(when),
            next_due=next_due(when, known.last(name), app.now, app.zone),
            about=find(name).about,
            command=made.run(name),
        )
        for name, when in made.whens.items()
    ]


def _units(app: App, made: Timers) -> list[File]:
    from crewmem.cli.timers.systemd import folder
    from crewmem.jobs.units import units

    return [File(str(folder(app) / each.name), each.text) for each in units(made)]


def _crontab(made: Timers) -> list[File]:
    from crewmem.jobs.crontab import block

    lines = block(made)
    return [File("", "\n".join([*lines, ""]))] if lines else []


def _lines(app: App, shown: Shown, *, as_files: bool) -> Iterator[Line]:
    from crewmem.cli.output import Table

    if as_files:
        for number, each in enumerate(shown.files):
            if each.path:
                yield from ([""] if number else [])
                yield [("path", f"# {each.path}")]
            yield from each.text.rstrip("\n").split("\n")
        return
    rows = [
        (each.job, each.when, clock(app, each.next_due), each.about)
        for each in shown.jobs
    ]
    yield from app.out.laid(Table(("JOB", "WHEN", "NEXT", "WHAT"), rows))


def clock(app: App, at: datetime | None) -> str:
    """Spell an instant for a person, in the zone of days; "-" for none."""
    if at is None:
        return "-"
    if at == app.now:
        return "now"
    return times.local(at, app.zone).isoformat(" ", "minutes")[:16]
