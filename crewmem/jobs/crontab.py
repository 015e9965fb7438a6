"""Timers as lines of a crontab, in a block of their own among those of others. Pure.

cron knows neither seconds nor time zones, and makes up for nothing that it missed: so
what is due at a time of day is called for every hour, and looks itself whether it is.
"""

from __future__ import annotations

from math import gcd

from crewmem.errors.jobs import BrokenBlockError, UnspeakablePathError
from crewmem.jobs.naming import prefix

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

    from crewmem.jobs.timers import Timers
    from crewmem.settings.whens import When

MINUTE, HOUR, DAY = 60, 3_600, 86_400

QUARTER = 15
"""Minutes: what the offset of any zone from any other is a multiple of."""

IF_DUE = "--if-due"


def block(timers: Timers) -> list[str]:
    """Return the lines of *timers*, with those around them; none for no job.

    Raises:
        UnspeakablePathError: If a path cannot be written there.
    """
    from shlex import join

    lines = []
    for job, when in timers.whens.items():
        for at, wait, *options in _lines(when, timers.zone):
            words = join(timers.run(job, "--quiet", "--strict", *options))
            lines.append(f"{at} {_escaped(f'{wait}{words}')} >/dev/null")
    if not lines:
        return []
    begin, end = _marks(timers.tag)
    about = "crewmem timers install writes these lines, timers remove takes them away"
    return [f"{begin}: {about}", *lines, end]


def put(crontab: bytes, tag: str, lines: list[str]) -> bytes:
    """Return *crontab* with *lines* in the place of those of *tag*, else at its end.

    Every other line stays as it is, where it is.

    Raises:
        BrokenBlockError: If it cannot be told which lines are those of *tag*.
    """
    found = crontab.splitlines(keepends=True)
    place = _place(found, tag)
    fresh = [f"{line}\n".encode() for line in lines]
    if place:
        found[place[0] : place[1]] = fresh
    elif fresh:
        if found and not found[-1].endswith(b"\n"):
            found[-1] += b"\n"
        found += fresh
    return b"".join(found)


def mine(crontab: bytes, tag: str) -> list[str]:
    """Return the lines of *tag* in *crontab*, with those around them.

    Raises:
        BrokenBlockError: If it cannot be told which they are.
    """
    found = crontab.splitlines()
    place = _place(found, tag)
    some = found[place[0] : place[1]] if place else []
    return [line.decode("utf-8", "replace") for line in some]


def _place(lines: list[bytes], tag: str) -> tuple[int, int] | None:
    """Return where the block of *tag* begins, and where what follows it does."""
    begin, end = (each.encode() for each in _marks(tag))
    begins = [at for at, each in enumerate(lines) if each.startswith(begin + b":")]
    ends = [at for at, each in enumerate(lines) if each.rstrip() == end]
    if not begins and not ends:
        return None
    if len(begins) == len(ends) == 1 and begins[0] < ends[0]:
        return begins[0], ends[0] + 1
    raise BrokenBlockError(min([*begins, *ends]) + 1)


def _marks(tag: str) -> tuple[str, str]:
    named = f"{prefix(tag)} timers"
    return f"# BEGIN {named}", f"# END {named}"


def _lines(when: When, zone: str) -> Iterator[tuple[str, ...]]:
    """Yield the time of each line, what goes before its command, and options."""
    if not when.seconds:
        step = QUARTER if zone else MINUTE
        minutes = range(when.minute % step, MINUTE, step)
        yield f"{','.join(map(str, minutes))} * * * *", "", IF_DUE
    elif when.seconds < MINUTE:
        for second in range(0, MINUTE, when.seconds):
            yield "* * * * *", f"sleep {second}; " if second else ""
    elif when.seconds == DAY:
        yield "0 0 * * *", ""
    elif when.seconds % HOUR == 0:
        hours = when.seconds // HOUR
        yield f"0 {_each(hours)} * * *", ""
    elif HOUR % when.seconds == 0:
        yield f"{_each(when.seconds // MINUTE)} * * * *", ""
    else:
        yield f"{_each(gcd(when.seconds // MINUTE, 60))} * * * *", "", IF_DUE


def _each(step: int) -> str:
    return "*" if step == 1 else f"*/{step}"


def _escaped(command: str) -> str:
    """Return *command* so that cron hands it to the shell as it is.

    Raises:
        UnspeakablePathError: If there is no way to.
    """
    if "\\" in command or not command.isprintable():
        raise UnspeakablePathError(command, "a crontab")
    return command.replace("%", "\\%")
