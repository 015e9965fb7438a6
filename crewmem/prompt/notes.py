"""The daily notes of a prompt: today's, and those of the last day before."""

from __future__ import annotations

from crewmem.prompt.days import Gap, days_of, is_recent, label, newest_away
from crewmem.prompt.files import section_of
from crewmem.records import NamedTuple

TYPE_CHECKING = False
if TYPE_CHECKING:
    from datetime import date

    from crewmem.prompt.files import Tree
    from crewmem.prompt.section import Section

TODAY_FLOOR = 25
"""Percent of a tier that other files leave to today's notes."""


class Notes(NamedTuple):
    """What there is of a daily log.

    Attributes:
        earlier: Of the last day before today that can be shown.
        day: That day.
        gap: That today's are missing, if earlier ones are known.
    """

    today: Section | None
    earlier: Section | None
    day: date | None
    gap: Gap | None

    @property
    def label(self) -> str:
        """What the earlier notes are called, if they are of the last day there is."""
        if self.gap is None or self.earlier is None:
            return ""
        return self.earlier.label if self.gap.last == self.day else ""

    @property
    def sections(self) -> list[Section]:
        """What is shown of them, in order."""
        return [each for each in (self.today, self.earlier) if each]


def notes_of(tree: Tree, now: date, kind: str = "Daily log") -> Notes:
    """Return today's notes, those of the last earlier day, and what is missing.

    *now* is today, where the agent is.
    """
    today = earlier = shown = last = None
    for day, file in days_of(tree.files, now):
        known, note = len(tree.troubles), None
        if is_recent(day, now):
            note = section_of(
                tree,
                file,
                label(day, now, kind),
                keeps_end=True,
                is_note=True,
                floor=TODAY_FLOOR if day == now else 0,
            )
            is_known = note is not None or len(tree.troubles) > known
        else:
            is_known = tree.files[file].bytes > 0
        if day == now:
            today = note
            continue
        if is_known and last is None:
            last = day, file
        if note or not is_recent(day, now):
            earlier, shown = note, day
            break
    gap = None
    if today is None and (found := _last(tree, now, last)):
        day, file = found
        gap = Gap(now, day, tree.command(file))
    return Notes(today, earlier, shown, gap)


def _last(
    tree: Tree, now: date, last: tuple[date, str] | None
) -> tuple[date, str] | None:
    """Return the last day with notes, put away or not, and their file.

    *last* is that of those that were not.
    """
    away = newest_away(tree.files, now)
    if away and tree.files[away[1]].bytes and (last is None or away[0] > last[0]):
        return away
    return last
