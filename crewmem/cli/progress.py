"""Showing a person at a terminal how far long work has come."""

from __future__ import annotations

import time
from contextlib import contextmanager, suppress

from crewmem.cli.text import visible

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from rich.progress import Progress, TaskID

    from crewmem.cli.output import Output

MANY = 200
"""Files from which on a bar is shown: fewer are done before one is read, and loading
what draws it would take longer than they do."""

WIDTH = 79
"""Characters of a line that is taken away again: one that wraps would leave some."""

PAUSE = 0.1
"""Seconds between two drawings: each takes a millisecond, and a file less."""


@contextmanager
def progress(
    out: Output, *, doing: str = "Indexing", unit: str = "files"
) -> Iterator[Callable[[int, int], None] | None]:
    """Yield what is told how much is done, and of how much; None if nobody looks.

    The bar is on stderr, and gone when the work is done, or was interrupted.
    """
    if out.quiet or out.is_json or not out.stderr.isatty():
        yield None
        return
    bar = _Bar(out, doing, unit)
    try:
        yield bar.tick
    finally:
        bar.end()


@contextmanager
def waiting(out: Output, said: str) -> Iterator[None]:
    """Show *said* on stderr for as long as it takes, if somebody looks.

    For one thing that takes long and does not tell how far it has come. The line is
    gone when it is done, or was interrupted, on any terminal.
    """
    if out.quiet or out.is_json or not out.stderr.isatty():
        yield
        return
    line = visible(said)[:WIDTH]
    _drawn(out, line)
    try:
        yield
    finally:
        _drawn(out, f"\r{' ' * len(line)}\r")


def _drawn(out: Output, text: str) -> None:
    """Write *text* at once; where nobody can be told, the work goes on."""
    with suppress(OSError):
        out.stderr.write(text)
        out.stderr.flush()


class _Bar:
    """A bar that is drawn when there is much to do.

    It is drawn by whoever works, not by a thread: nothing runs beside a database that
    is being written, and an interruption finds one stack.
    """

    def __init__(self, out: Output, doing: str, unit: str) -> None:
        self.out, self.doing, self.unit = out, doing, unit
        self.drawn: Progress | None = None
        self.task: TaskID | None = None
        self.last = 0.0

    def tick(self, done: int, total: int) -> None:
        """Draw that *done* of *total* are done, unless it was drawn just now."""
        if total < MANY:
            return
        now = time.monotonic()
        if self.drawn and done < total and now - self.last < PAUSE:
            return
        self.last = now
        if self.drawn is None:
            self.drawn = _started(self.out, self.unit)
        if self.task is None:
            self.task = self.drawn.add_task(self.doing, total=total)
        self.drawn.update(self.task, completed=done, total=total, refresh=True)

    def end(self) -> None:
        """Take the bar away."""
        if self.drawn:
            self.drawn.stop()


def _started(out: Output, unit: str) -> Progress:
    from rich.console import Console
    from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn

    # rich would look at the environment by itself, and takes bold for no colour.
    console = Console(
        file=out.stderr,
        color_system="standard" if out.color else None,
        force_terminal=True,
        highlight=False,
    )
    drawn = Progress(
        TextColumn("{task.description}"),
        BarColumn(),
        MofNCompleteColumn(),
        TextColumn(unit),
        console=console,
        auto_refresh=False,
        transient=True,
        redirect_stdout=False,
        redirect_stderr=False,
    )
    drawn.start()
    return drawn
