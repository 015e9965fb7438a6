"""Which days' notes are shown, and what is said when today's are missing. Pure."""

from __future__ import annotations

from datetime import date

from crewmem.prompt.block import Block, text_of
from crewmem.records import NamedTuple

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable

WINDOW_DAYS = 30
"""Older notes are read when they are wanted. The journal is compacted at that age."""

FOLDER = "daily"

AWAY = f"{FOLDER}/archive"
"""Where notes are put away, in a folder for each year."""


class Gap(NamedTuple):
    """That today's notes are missing.

    Attributes:
        last: The last day with notes.
        read: The command that prints them.
    """

    today: date
    last: date
    read: str

    @property
    def days(self) -> int:
        """How long ago it is."""
        return (self.today - self.last).days


def days_of(files: Iterable[str], today: date) -> list[tuple[date, str]]:
    """Return the days up to *today* of which *files* are notes, newest first.

    A name that is no real date is none, and a day that is to come is not yet. Of two
    names of one day, which differ in their ending, it is the usual one.
    """
    found: dict[date, str] = {}
    for file in files:
        folder, _, name = file.partition("/")
        stem, dot, ending = name.rpartition(".")
        if folder != FOLDER or "/" in name or not dot or ending.lower() != "md":
            continue
        try:
            day = date.fromisoformat(stem)
        except ValueError:
            continue
        if day.isoformat() == stem and day <= today:
            found[day] = max(file, found.get(day, ""))  # "md" is above "MD"
    return sorted(found.items(), reverse=True)


def newest_away(files: Iterable[str], today: date) -> tuple[date, str] | None:
    """Return which of *files* has the latest notes that were put away, and their day.

    They lie in ``daily/archive/2026/``. Nobody is shown them; the last day with notes
    may be one of theirs. No other folder is looked into: its name would be said.
    """
    found = []
    for file in files:
        folder, _, name = file.rpartition("/")
        for day, _ in days_of([f"{FOLDER}/{name}"], today):
            if folder in {AWAY, f"{AWAY}/{day.year:04}"}:
                found.append((day, file))
    return max(found, default=None)


def is_recent(day: date, today: date) -> bool:
    """Tell whether notes of *day* are shown."""
    return (today - day).days <= WINDOW_DAYS


def label(day: date, today: date, kind: str = "Daily log") -> str:
    """Return what the notes of *day* are called."""
    ago = (today - day).days
    if ago == 0:
        return f"{kind}: {day} (today)"
    if ago == 1:
        return f"{kind}: {day} (yesterday)"
    return f"{kind}: {day} ({ago} days ago, last day with notes)"


def gap_text(gap: Gap, *, below: bool) -> str:
    """Return the block of a *gap*; *below*: the last notes are in the prompt."""
    if below:
        where = "Its notes are below, and are not of the session that has just ended."
    elif is_recent(gap.last, gap.today):
        where = "Its notes are not below: they did not fit, or could not be read."
    else:
        where = f"It is more than {WINDOW_DAYS} days ago, so its notes are not below."
    ago = "1 day" if gap.days == 1 else f"{gap.days} days"
    body = (
        f"Today is {gap.today}, and there are no notes of today yet.\n"
        f"The last day with notes is {gap.last}, {ago} ago. {where}\n"
        f"Read them: {gap.read}\n"
        "What is below may be out of date: look for what the task needs before you "
        "rely on it.\n"
    )
    return text_of(Block.GAP, body)
