"""How the health of memory is shown to a person: bars, inputs, and days in a line."""

from __future__ import annotations

import os
from contextlib import suppress
from itertools import groupby

from crewmem.health.upkeep import whole
from crewmem.records import NamedTuple

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from crewmem.cli.app import App
    from crewmem.cli.output import Line
    from crewmem.health.health import Health
    from crewmem.health.metric import Input, Judged
    from crewmem.health.snapshot_store import Snapshot

    Piece = str | tuple[str, str]

STYLES = {"red": "bad", "yellow": "warn", "green": "good", None: "dim"}
"""Of bands. What they say stands there in numbers and lengths as well."""


class Marks(NamedTuple):
    """What is drawn with.

    Attributes:
        heights: Of a day in a line of days, from 0 to 100; the last fills a bar.
        nothing: A day of which nothing was kept, or that nothing could be judged of.
        arrow: From the first to the last.
    """

    heights: str
    nothing: str
    arrow: str


BLOCKS, ASCII = Marks("▁▂▃▄▅▆▇█", "·", "→"), Marks("_.:-=+*#", " ", "to")
"""As terminals have them, and for those that have nothing but ASCII."""

BAR = 20
"""Columns of a bar, which is full at 100."""

WIDE = 84
"""Columns from which on there is room for what a metric asks, too."""

ENDS = 50
"""Columns from which on there is room for the first and the last score of a line."""

NAME = 14
"""Columns of the name of a metric."""

USUAL_WIDTH, LEAST_WIDTH = 80, 30
"""Columns of a terminal that does not tell them, and of the narrowest that is used."""


def lines(app: App, health: Health) -> Iterator[Line]:
    """Yield what a person reads of *health*."""
    width, marks = columns(app), marks_of(app)
    yield [("bold", _of(health)), f", {health.date}: ", *_told(health)]
    if health.history is not None:
        yield from _history(app, health.history, width, marks)
        if health.actions is None:  # what is now was not asked for
            return
    for each in health.metrics:
        yield _metric(each, width, marks)
        if health.actions is not None:
            yield from map(_input, each.inputs)
    if health.left_out:
        yield f"Left out, for their memory is off: {', '.join(health.left_out)}."
    if health.actions is not None:
        yield from _actions(health)


def _of(health: Health) -> str:
    if health.crew:
        return f"crew {health.crew}"
    return f"workspace {health.workspace}" if health.workspace else "this tree"


def columns(app: App) -> int:
    """Return how many columns the terminal has, as far as anybody says."""
    typed, told = app.world.environ.get("COLUMNS", ""), 0
    with suppress(OSError, ValueError, AttributeError):
        told = os.get_terminal_size(app.out.stdout.fileno()).columns
    with suppress(ValueError):
        told = int(typed)
    return max(told, LEAST_WIDTH) if told > 0 else USUAL_WIDTH


def marks_of(app: App) -> Marks:
    """Return what the output can be drawn with."""
    encoding = getattr(app.out.stdout, "encoding", None) or "utf-8"
    try:
        "".join(BLOCKS).encode(encoding)
    except (UnicodeEncodeError, LookupError):
        return ASCII
    return BLOCKS


def _told(health: Health) -> list[Piece]:
    """Return the score, and by how many metrics it is if not by all."""
    if health.score is None:
        return [("dim", "n/a, there is nothing to judge by")]
    told: list[Piece] = [("bold", f"{whole(health.score)}"), " "]
    told.append((STYLES[health.band], health.band or ""))
    judged = sum(each.score is not None for each in health.metrics)
    if judged < len(health.metrics):
        told.append(("dim", f", by {judged} of {len(health.metrics)} metrics"))
    return told


def _metric(each: Judged, width: int, marks: Marks) -> Line:
    from crewmem.health.metric import band

    name = f"  {each.name:{NAME}}"
    if each.score is None:
        return [name, ("dim", f"n/a  {each.why or '--explain tells why'}")]
    full = round(BAR * each.score / 100)
    bar = marks.heights[-1] * full + marks.nothing * (BAR - full)
    told = f"  {each.share or 0:4.0%}"
    if width >= WIDE:
        told += f"  {each.question}"
    style = STYLES[band(each.score)]
    return [name, f"{whole(each.score):3}  ", (style, bar), ("dim", told)]


def _input(one: Input) -> list[Piece]:
    if one.value is None:
        number = "-"
    elif isinstance(one.value, float):
        number = f"{one.value:,.2f}"
    else:
        number = f"{one.value:,}"
    return [("dim", f"    {number:>9}  {one.about}")]


def _actions(health: Health) -> Iterator[Line]:
    if health.actions:
        yield "What would raise it, each by about so many points:"
    else:
        yield "No command would raise it."
    for each in health.actions or ():
        yield [
            ("good", f"{f'+{each.points:.1f}':>7}  "),
            ("bold", each.command),
            ("dim", f"  # {each.why}"),
        ]
    yield from _left(health)


def _left(health: Health) -> Iterator[Line]:
    """Say of what is not green, and no command raises, what it moves with."""
    from crewmem.health.metric import GREEN
    from crewmem.health.metrics import METRICS

    scores = {each.name: each.score for each in health.metrics}
    raised = {name for each in health.actions or () for name in each.metrics}
    names: dict[str, list[str]] = {}
    for metric in METRICS:
        score = scores.get(metric.NAME)
        if metric.NAME in raised:
            continue
        if metric.MOVES and score is not None and score < GREEN:
            names.setdefault(metric.MOVES, []).append(metric.NAME)
    for moves, some in names.items():
        one = len(some) == 1
        moved = f"{' and '.join(some)} {'moves' if one else 'move'} with {moves}"
        yield [("dim", f"{moved[0].upper()}{moved[1:]}: no command does that.")]


# Days


def _history(
    app: App, days: Sequence[Snapshot], width: int, marks: Marks
) -> Iterator[Line]:
    """Yield a line of days for the score and each metric; in a pipe, a row a day."""
    from crewmem.health.snapshot_store import METRICS

    if not days:
        yield [("dim", "nothing was kept in that time")]
        return
    if app.out.format != "table":
        yield from _rows(days)
        return
    ends = f"  {{}} {marks.arrow} {{}}" if width >= ENDS else ""
    room = width - NAME - 2 - len(ends.format(100, 100))
    for name in ("score", *METRICS):
        scores = squeezed(_by_day(days, name), room)
        yield _drawn(name, scores, marks, _ends(days, name, ends))
    first, last = days[0].snapshot_date, days[-1].snapshot_date
    yield [("dim", f"  {'':{NAME}}{first} to {last}")]


def _drawn(name: str, scores: Sequence[float | None], marks: Marks, ends: str) -> Line:
    from crewmem.health.metric import band

    line: list[Piece] = [f"  {name:{NAME}}"]
    for style, some in groupby(scores, lambda one: STYLES[band(one)]):
        line.append((style, "".join(height(one, marks) for one in some)))
    return [*line, ends]


def _ends(days: Sequence[Snapshot], name: str, spelled: str) -> str:
    """Return the first and the last score that are known, as they are *spelled*."""
    known = [each for day in days if (each := getattr(day, name)) is not None]
    return spelled.format(whole(known[0]), whole(known[-1])) if known else ""


def height(score: float | None, marks: Marks) -> str:
    """Return the character whose height is *score*."""
    if score is None:
        return marks.nothing
    heights = marks.heights
    return heights[min(len(heights) - 1, int(len(heights) * score / 100))]


def squeezed(scores: Sequence[float | None], room: int) -> list[float | None]:
    """Return *scores* as at most *room* means of days that follow one another."""
    if len(scores) <= room:
        return [*scores]
    found: list[float | None] = []
    for at in range(room):
        some = scores[at * len(scores) // room : (at + 1) * len(scores) // room]
        known = [each for each in some if each is not None]
        found.append(sum(known) / len(known) if known else None)
    return found


def _by_day(days: Sequence[Snapshot], name: str) -> list[float | None]:
    """Return the score *name* of each day from the first to the last."""
    from datetime import date

    scores = {
        date.fromisoformat(each.snapshot_date): getattr(each, name) for each in days
    }
    first, last = min(scores).toordinal(), max(scores).toordinal()
    return [scores.get(date.fromordinal(day)) for day in range(first, last + 1)]


def _rows(days: Sequence[Snapshot]) -> list[str]:
    from crewmem.cli.output import Table, aligned
    from crewmem.health.snapshot_store import METRICS

    rows = [
        (
            each.snapshot_date,
            *(
                "-" if score is None else f"{score:.1f}"
                for score in (each.score, *(getattr(each, name) for name in METRICS))
            ),
        )
        for each in days
    ]
    names = ("SCORE", *(name.upper() for name in METRICS))
    return aligned(Table(("DATE", *names), rows, frozenset(names)))
