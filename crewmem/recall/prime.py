"""The start of a session: the most important of what there is to remember."""

from __future__ import annotations

from crewmem.recall.index import Line, listed, of_file
from crewmem.records import NamedTuple

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence
    from datetime import datetime, tzinfo

    from crewmem.files.place import Place


class Primed(NamedTuple):
    """What a session starts with.

    Attributes:
        lines: Most important first.
        hidden: What more there is: files that were not looked into, and lines.
        warnings: What a person should know of it.
    """

    lines: list[Line]
    hidden: int
    warnings: list[str]


def prime(
    places: Sequence[Place],
    entries: Sequence[Line],
    *,
    most: int,
    now: datetime,
    zone: tzinfo,
    agent: str | None = None,
) -> Primed:
    """Return up to *most* lines of the files in *places* and of *entries*.

    Args:
        places: Where files are.
        entries: Lines of the journal, and of memories.
        most: Most lines.
        now: The time.
        zone: Of days.
        agent: Whose session it is: its own comes before what is as important.
    """
    files, warnings = listed(places, now=now, zone=zone, agent=agent)
    waiting, ready = list(files), sorted(entries, key=_order)
    lines: list[Line] = []
    while (waiting or ready) and len(lines) < most:
        if waiting and (not ready or waiting[0].weight >= ready[0].weight):
            ready = sorted([*ready, *of_file(waiting.pop(0))], key=_order)
        else:
            lines.append(ready.pop(0))
    return Primed(lines, len(waiting) + len(ready), warnings)


def _order(line: Line) -> tuple[float, float, str]:
    return -line.weight, -line.at.timestamp(), line.ref
