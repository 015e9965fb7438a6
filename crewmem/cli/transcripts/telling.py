"""Telling a person how far reading is, and what could not be read."""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from crewmem.cli.app import App
    from crewmem.transcripts.log import Read
    from crewmem.transcripts.source import Refused

TOLD_MOST = 5
"""Numbers of lines, and paths, that are told of many."""


def ticking(
    tick: Callable[[int, int], None] | None, done: int, total: int
) -> Callable[[int], None] | None:
    """Return what tells a bar how far all is read when one log is, in KiB."""
    if tick is None:
        return None
    return lambda at: tick((done + at) >> 10, max(total, done + at) >> 10)


def bad_lines(path: str, read: Read) -> str:
    """Say which lines of a log could not be read."""
    numbers = [str(number) for number, _ in read.bad[:TOLD_MOST]]
    more = read.skipped - len(numbers)
    listed = ", ".join(numbers) + (f" and {more:,} more" if more else "")
    what = "line" if read.skipped == 1 else "lines"
    return f"{path}: {what} {listed} could not be read: {read.bad[0][1]}"


def tell_refused(app: App, refused: Sequence[Refused]) -> None:
    """Say what was not looked into, of much the first."""
    for each in refused[:TOLD_MOST]:
        app.out.warn(f"{each.path} is left out: {each.why}")
    if len(refused) > TOLD_MOST:
        app.out.warn(f"{len(refused) - TOLD_MOST:,} more files and links are left out")
