"""Days: is every daily note called after a real day, and none after a day to come?"""

from __future__ import annotations

from shlex import join

from crewmem.health.check import by_hand
from crewmem.health.finding import passed, skipped, warned
from crewmem.health.inside import NO_TREES

TYPE_CHECKING = False
if TYPE_CHECKING:
    from crewmem.files.contents import Entry
    from crewmem.health.finding import Finding
    from crewmem.health.scene import Scene

NAME = "files.days"
CATEGORY = "files"

EXPECTED = {
    "bad-name": "the name of a real day, as 2026-05-01.md; else no prompt shows it",
    "future": "a day that has been; else it hides the notes before it",
}
"""What is wrong with a note of each flag."""

mend = by_hand


def look(scene: Scene) -> list[Finding]:
    """Name notes that are called after no real day, or after one to come."""
    if not scene.trees:
        return [skipped(NO_TREES)]
    return [
        _finding(entry, flag)
        for tree in scene.trees
        for entry in tree.entries
        for flag in entry.flags
        if flag in EXPECTED
    ] or [passed("every note is called after a day that has been")]


def _finding(entry: Entry, flag: str) -> Finding:
    what = "is no real day" if flag == "bad-name" else "is a day to come"
    target = str(entry.path.with_name("YYYY-MM-DD.md"))
    return warned(
        f"{entry.path.stem} {what}",
        expected=EXPECTED[flag],
        repair=join(["mv", str(entry.path), target]),
        where=str(entry.path),
    )
