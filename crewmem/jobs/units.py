"""Timers as units of systemd, for its manager of one user. Pure."""

from __future__ import annotations

from crewmem.errors.jobs import UnspeakablePathError
from crewmem.jobs.job import NAMES, find
from crewmem.jobs.naming import prefix
from crewmem.records import NamedTuple
from crewmem.settings.whens import DAYS

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from crewmem.jobs.timers import Timers
    from crewmem.settings.whens import When

MARK = "# Written by crewmem timers install. Changes belong into systemctl --user edit."
"""The first line of each file: what lacks it is somebody else's."""

HOUR, DAY = 3_600, 86_400

DELAY = 300
"""Most seconds that what comes every hour or seldomer is put off by."""

TIMEOUT, TIMEOUT_LOW = "15min", "6h"
"""How long a run may take: one that hangs would hold up all that follow."""

TEMPORARY = ("/tmp", "/var/tmp")  # noqa: S108 - nothing is written there
"""Where nothing may lie that a service with a ``/tmp`` of its own needs."""

HARDENING = (
    ("What it starts gains no rights by set-uid or capabilities.", "NoNewPrivileges"),
    ("It has no business with how programs of old were run.", "LockPersonality"),
    (
        "It asks for no real-time priority, which could stall the host.",
        "RestrictRealtime",
    ),
    ("It makes no file that gives its rights to whoever runs it.", "RestrictSUIDSGID"),
)
"""What holds whatever is run, with the reason."""

CLOSED = (
    (
        "Code that is written at run time is nobody's but an attacker's.",
        "MemoryDenyWriteExecute",
    ),
    ("It makes no containers.", "RestrictNamespaces"),
    ("What the host is called is none of its business.", "ProtectHostname"),
)
"""What programs of the person's may not bear: compilers at run time, sandboxes."""


class Unit(NamedTuple):
    """A file of systemd's.

    Attributes:
        name: Of the file.
        text: What it holds.
    """

    name: str
    text: str


def units(timers: Timers) -> list[Unit]:
    """Return the files of *timers*, by job the service and then the timer.

    Raises:
        UnspeakablePathError: If a path cannot be written there.
    """
    found = []
    for job, when in timers.whens.items():
        named = f"{prefix(timers.tag)}-{job}"
        found.append(Unit(f"{named}.service", _text(_service(timers, job))))
        found.append(Unit(f"{named}.timer", _text(_timer(timers, job, when))))
    if found:
        name = f"{prefix(timers.tag)}-failed@.service"
        found.append(Unit(name, _text(_failed(timers))))
    return found


def names(tag: str) -> list[str]:
    """Return the names of all files that timers of *tag* may have."""
    beginning = prefix(tag)
    each = [
        f"{beginning}-{job}.{kind}" for job in NAMES for kind in ("service", "timer")
    ]
    return [*each, f"{beginning}-failed@.service"]


def is_ours(text: str) -> bool:
    """Tell whether a file that holds *text* was written by crewmem."""
    return text.startswith(f"{MARK}\n")


def quoted(word: str) -> str:
    """Return *word* as one argument of a command line of systemd's.

    Raises:
        UnspeakablePathError: If it has a control character, or is no text.
    """
    if not word.isprintable():
        raise UnspeakablePathError(word, "a unit of systemd")
    escaped = word.replace("\\", "\\\\").replace('"', '\\"').replace("%", "%%")
    return f'"{escaped}"'


def _text(lines: Iterator[str]) -> str:
    return "\n".join([MARK, *lines, ""])


def _exec(words: Sequence[str], *plain: str) -> str:
    """Return the line that starts *words*, and behind them words that systemd reads."""
    line = " ".join([*map(quoted, words), *plain])
    # Without the colon systemd would put variables in the place of $NAME.
    return f"ExecStart={':' if '$' in line else ''}{line}"


def _service(timers: Timers, job: str) -> Iterator[str]:
    about = find(job).about
    yield "[Unit]"
    yield f"Description=crewmem {job}: {about}"
    yield "Documentation=man:crewmem-timers-run(1)"
    yield f"OnFailure={prefix(timers.tag)}-failed@{job}.service"
    yield ""
    yield "[Service]"
    yield "Type=oneshot"
    yield "# With --strict it fails as well when only a part of it does."
    options = ["--strict"] if find(job).low else ["--strict", "--quiet"]
    yield _exec(timers.run(job, *options))
    yield "# Keys of services, and whatever else only the environment tells."
    yield "EnvironmentFile=-%E/crewmem/environment"
    yield from _pace(job)
    yield from _hardening(timers)


def _pace(job: str) -> Iterator[str]:
    if find(job).low:
        yield "# Whoever works at the host goes first."
        yield from (
            "Nice=19",
            "IOSchedulingClass=best-effort",
            "IOSchedulingPriority=7",
        )
    else:
        yield "# It comes 2,880 times a day: only what it says itself is worth a line."
        yield from ("SyslogLevel=notice", "LogLevelMax=notice")
    yield "# A run that hangs would hold up all that follow."
    yield f"TimeoutStartSec={TIMEOUT_LOW if find(job).low else TIMEOUT}"


def _hardening(timers: Timers) -> Iterator[str]:
    """Yield what the service may not do; only what a user's manager can enforce."""
    yield ""
    yield "# Memory is its owner's business."
    yield "UMask=0077"
    for reason, setting in HARDENING:
        yield f"# {reason}"
        yield f"{setting}=yes"
    yield "# Calls of other machines' programs are a way around the filter of calls."
    yield "SystemCallArchitectures=native"
    yield "# Embedders and language models are asked over the network, nothing else is."
    yield "RestrictAddressFamilies=AF_UNIX AF_INET AF_INET6"
    if timers.is_open:
        yield "# llm_command runs a program that may write, compile and sandbox."
        return
    for reason, setting in CLOSED:
        yield f"# {reason}"
        yield f"{setting}=yes"
    yield "# It needs what a service needs, nothing that is an administrator's, and is"
    yield "# told so where it asks for more."
    yield "SystemCallFilter=@system-service"
    yield "SystemCallFilter=~@privileged @resources"
    yield "SystemCallErrorNumber=EPERM"
    yield from _writable(timers)


def _writable(timers: Timers) -> Iterator[str]:
    """Yield where it may write. SQLite needs a place for what it sorts as well."""
    yield "# Nothing is written but the home, and where backups go."
    yield from ("ProtectSystem=strict", "ProtectHome=read-only")
    paths = [timers.home, *timers.writable]
    is_shared = any(
        path.startswith(f"{folder}/")
        for path in (*paths, timers.program[0])
        for folder in TEMPORARY
    )
    if is_shared:
        paths += TEMPORARY
    yield f"ReadWritePaths={' '.join(quoted(f'-{path}') for path in paths)}"
    if not is_shared:
        yield "# What others leave in /tmp is not for it, nor the other way around."
        yield "PrivateTmp=yes"


def _timer(timers: Timers, job: str, when: When) -> Iterator[str]:
    yield "[Unit]"
    yield f"Description=When crewmem {job} is due: {find(job).about}"
    yield "Documentation=man:crewmem-timers-install(1)"
    yield ""
    yield "[Timer]"
    if (calendar := _calendar(when, timers.zone)) and find(job).low:
        yield f"OnCalendar={calendar}"
        yield "# What was missed while the host was off is made up for."
        yield "Persistent=true"
        yield "# Not all at once, here or on other hosts."
        yield f"RandomizedDelaySec={_delay(when)}s"
    else:
        yield f"OnActiveSec={when.seconds}s"
        yield f"OnUnitActiveSec={when.seconds}s"
        yield "# systemd would put it off by up to a minute."
        yield "AccuracySec=1s"
    yield ""
    yield "[Install]"
    yield "WantedBy=timers.target"


def _calendar(when: When, zone: str) -> str:
    """Return *when* in systemd's words; "" for a span that no calendar has."""
    if not when.seconds:
        day = "" if when.weekday is None else f"{DAYS[when.weekday].capitalize()} "
        time = f"{when.minute // 60:02}:{when.minute % 60:02}:00"
        return f"{day}*-*-* {time} {zone}".strip()
    minutes = when.seconds // 60
    if when.seconds == DAY:
        return "*-*-* 00:00:00 UTC"
    if when.seconds % HOUR == 0:
        return f"*-*-* 00/{when.seconds // HOUR}:00:00 UTC"
    if minutes and HOUR % when.seconds == 0:
        return f"*-*-* *:00/{minutes}:00 UTC"
    return ""


def _delay(when: When) -> int:
    return min(DELAY, when.seconds // 10) if when.seconds else DELAY


def _failed(timers: Timers) -> Iterator[str]:
    yield "[Unit]"
    yield "Description=Telling that crewmem %i failed"
    yield "Documentation=man:crewmem-timers-status(1)"
    yield "# A sweep may fail 2,880 times a day: it is told once in an hour."
    yield from ("StartLimitIntervalSec=1h", "StartLimitBurst=1")
    yield ""
    yield "[Service]"
    yield "Type=oneshot"
    if timers.on_failure:
        yield "# As timers.on_failure says; the job is the last word."
        yield _exec(timers.on_failure, "%i")
    else:
        yield "# The log is told which jobs fail; timers.on_failure names a program."
        yield _exec(timers.command("timers", "status", "--bad"))
    yield "SyslogLevel=err"
    yield "# Whoever is told this late need not be told at all."
    yield "TimeoutStartSec=5min"
