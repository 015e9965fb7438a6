"""When and by whom something was seen, as its line says it. Pure."""

from __future__ import annotations

import re

from crewmem.records import NamedTuple

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable

DAYS_MOST = 3
"""Days that a line names one by one."""

DAY = r"\d{4}-\d\d-\d\d"

SLUG = r"[a-z0-9-]+"

TAIL = re.compile(
    rf" \(seen (?:by (?P<agents>{SLUG}(?:, {SLUG})*) on |on )?"
    rf"(?:(?P<count>\d{{1,9}}) days, (?P<first>{DAY}) to (?P<last>{DAY})"
    rf"|(?P<days>{DAY}(?:, {DAY})*))"
    r"(?P<entries>(?:; (?:j_[0-9a-hjkmnp-tv-z]{12}))+)\)[ \t\r]*$"
)
"""How a line of ours ends: when it was seen, and the entries that it leads to."""


class Seen(NamedTuple):
    """When something was seen, and by whom.

    Attributes:
        agents: Their slugs, in order; nothing of what is an agent's own.
        total: On how many days.
        first: The first of them, as ``2026-04-14``.
        last: The last one.
        days: All of them, in order, if they are `DAYS_MOST` at most.
    """

    agents: tuple[str, ...]
    total: int
    first: str
    last: str
    days: tuple[str, ...]

    def __str__(self) -> str:
        whose = f"by {', '.join(self.agents)} on " if self.agents else ""
        if self.days:
            return f"seen {whose}{', '.join(self.days)}"
        return f"seen {whose or 'on '}{self.total} days, {self.first} to {self.last}"

    def and_on(self, days: Iterable[str], agents: Iterable[str] = ()) -> Seen:
        """Return this, seen on later *days* as well, and by *agents*."""
        new = sorted({each for each in days if each > self.last})
        total = self.total + len(new)
        last = new[-1] if new else self.last
        named = (*self.days, *new) if self.days and total <= DAYS_MOST else ()
        both = (*sorted({*self.agents, *agents}),)
        return Seen(both, total, self.first, last, named)


def seen_on(days: Iterable[str], agents: Iterable[str]) -> Seen:
    """Return that something was seen on *days*, at least one, by *agents*."""
    every = sorted({*days})
    named = tuple(every) if len(every) <= DAYS_MOST else ()
    return Seen((*sorted({*agents}),), len(every), every[0], every[-1], named)


def read_seen(line: str) -> tuple[Seen, str] | None:
    """Return when a *line* of ours was seen, and its first entry; None of others."""
    found = TAIL.search(line)
    if found is None:
        return None
    agents = tuple(found["agents"].split(", ")) if found["agents"] else ()
    entry = found["entries"][2:].partition("; ")[0]
    if found["days"]:
        return seen_on(found["days"].split(", "), agents), entry
    span = (agents, int(found["count"]), found["first"], found["last"], ())
    return Seen._make(span), entry


def seen_again(line: str, days: Iterable[str], agents: Iterable[str]) -> str:
    """Return a *line* of ours, seen on later *days* as well; others as they are."""
    found, known = TAIL.search(line), read_seen(line)
    if found is None or known is None:
        return line
    now = known[0].and_on(days, agents)
    return f"{line[: found.start()]} ({now}{line[found.start('entries') :]}"
