"""How commands answer: a table on a terminal, plain text in a pipe, JSON if asked.

Results go to stdout, all else to stderr. Text that was stored passes `visible`
here, so no command has to think of it.
"""

from __future__ import annotations

import sys
from contextlib import suppress

from crewmem.cli.text import visible
from crewmem.records import NamedTuple

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence
    from typing import Any, TextIO

    from crewmem.errors import CrewmemError

    Line = str | Sequence[str | tuple[str, str]]

SCHEMA = 1
"""Of the JSON envelope. Fields are added under it, never changed or taken away."""

STYLES = {
    "bold": "1",
    "dim": "2",
    "match": "1;33",
    "path": "36",
    "good": "32",
    "warn": "33",
    "bad": "31",
}
"""ANSI codes by what is meant."""


class Table(NamedTuple):
    """Rows of text under column names; *right* names the columns of numbers."""

    columns: Sequence[str]
    rows: Sequence[Sequence[str]]
    right: frozenset[str] = frozenset()


class Output:
    """Where a command's answer and its warnings go.

    Attributes:
        format: ``table``, ``plain``, ``json`` or ``jsonl``.
        verbose: Whether `detail` is said; what is quiet is not.
        warnings: What was said so far; part of the JSON answer.
        environ: The environment, which may say how wide a terminal is.
    """

    def __init__(
        self,
        *,
        format: str = "plain",
        color: bool = False,
        quiet: bool = False,
        verbose: bool = False,
        stdout: TextIO | None = None,
        stderr: TextIO | None = None,
        given: Mapping[str, Any] | None = None,
        environ: Mapping[str, str] | None = None,
    ) -> None:
        self.format, self.color = format, color
        self.quiet, self.verbose = quiet, verbose and not quiet
        self.stdout, self.stderr = stdout or sys.stdout, stderr or sys.stderr
        self.warnings: list[str] = []
        self.environ = environ or {}
        self._given = given or {}

    @property
    def is_json(self) -> bool:
        """Tell whether a program reads the answer."""
        return self.format in {"json", "jsonl"}

    def warn(self, warning: str) -> None:
        """Say that something was not as it should be, once, and go on."""
        if warning in self.warnings:
            return
        self.warnings.append(warning)
        if not self.is_json and not self.quiet:
            self._say(warning)

    def note(self, text: str) -> None:
        """Say something that helps a person and is not part of the answer."""
        if not self.is_json and not self.quiet:
            from crewmem.cli.spelled import spelled

            self._tell(f"{visible(spelled(text, self._given))}\n")

    def detail(self, text: str) -> None:
        """Say what was done on the way, to who asked for it."""
        if self.verbose:
            self.note(text)

    def record(self, data: object, lines: Iterable[Line]) -> None:
        """Answer with one thing."""
        if self.is_json:
            self._json({"data": data}, [data])
        else:
            self.lines(lines)

    def listing(
        self, data: Sequence[object], table: Table, *, cursor: str | None = None
    ) -> None:
        """Answer with a list; *cursor* is where the next page begins."""
        if self.is_json:
            self._json({"data": data, "next": cursor}, data)
        elif table.rows:
            self.lines(self.laid(table))

    def laid(self, table: Table) -> Iterable[Line]:
        """Return the lines of *table*: as a terminal has room for, or as for a pipe."""
        if self.format != "table":
            return aligned(table)
        from crewmem.cli.folding import columns
        from crewmem.cli.grid import laid

        return laid(table, columns(self.stdout, self.environ))

    def folded(self, lines: Iterable[Line], indent: int = 0) -> Iterable[Line]:
        """Return *lines*, broken between words where a terminal is too narrow for them.

        What is broken goes on behind *indent* columns.
        """
        if self.format != "table":
            return lines
        from crewmem.cli.folding import columns, folded

        return folded(lines, columns(self.stdout, self.environ), indent)

    def listing_lines(self, data: Sequence[object], lines: Iterable[Line]) -> None:
        """Answer with a list that a person reads as *lines*."""
        if self.is_json:
            self._json({"data": data, "next": None}, data)
        else:
            self.lines(lines)

    def document(self, content: bytes, *, raw: bool) -> None:
        """Print a file as it is; on a terminal, unless *raw*, made visible."""
        if raw or not self.stdout.isatty():
            self._bytes(content)
            return
        text = visible(content.decode("utf-8", "replace"), keep="\n\t")
        self._write(self.stdout, text if text.endswith("\n") else f"{text}\n")

    def _bytes(self, content: bytes) -> None:
        buffer = getattr(self.stdout, "buffer", None)
        if buffer is None:  # a stream of text only
            self._write(self.stdout, content.decode("utf-8", "replace"))
            return
        self.stdout.flush()
        try:
            buffer.write(content)
        except BrokenPipeError:
            raise
        except OSError as error:
            raise _unprinted(error) from error

    def found(
        self,
        mode: str,
        hits: Sequence[object],
        lines: Iterable[Line],
        more: Mapping[str, object] | None = None,
    ) -> None:
        """Answer with what was found, how it was asked, and what *more* to tell."""
        if self.is_json:
            data = {"mode": mode, "hits": hits, **(more or {})}
            self._json({"data": data, "next": None}, hits)
        else:
            self.lines(lines)

    def lines(self, lines: Iterable[Line]) -> None:
        """Print *lines*, each a text or pieces of (style, text)."""
        self._write(self.stdout, "".join(f"{self.styled(line)}\n" for line in lines))

    def styled(self, line: Line) -> str:
        """Return *line* with its styles, if colours are wanted, and nothing else."""
        if isinstance(line, str):
            return visible(line)
        return "".join(
            visible(piece) if isinstance(piece, str) else self._piece(*piece)
            for piece in line
        )

    def _piece(self, style: str, text: str) -> str:
        if not (self.color and style and text):
            return visible(text)
        return f"\x1b[{STYLES[style]}m{visible(text)}\x1b[0m"

    def text(self, text: str) -> None:
        """Print *text* as it is: for what is not stored text, or was asked for raw."""
        self._write(self.stdout, text)

    def block(self, text: str) -> None:
        """Print what is laid before a model: on a terminal as lines, else as it is.

        What acts on a terminal is spelled out in it.
        """
        if self.stdout.isatty():
            self.lines(text.splitlines())
        else:
            self.text(text)

    @staticmethod
    def _write(stream: TextIO, text: str) -> None:
        try:
            stream.write(text)
        except BrokenPipeError:
            raise
        except OSError as error:
            raise _unprinted(error) from error

    def _say(self, warning: str) -> None:
        self._tell(self.styled([("warn", "warning: "), warning]) + "\n")

    def _tell(self, text: str) -> None:
        """Write beside the answer: where nobody can be told, the answer stands."""
        with suppress(OSError):
            self.stderr.write(text)

    def _json(self, envelope: Mapping[str, object], each: Sequence[object]) -> None:
        from crewmem.encode import encoded

        if self.format == "jsonl":
            self._write(self.stdout, "".join(f"{encoded(one)}\n" for one in each))
        else:
            whole = {"schema": SCHEMA, **envelope, "warnings": self.warnings}
            self._write(self.stdout, f"{encoded(whole)}\n")
        if not self.quiet:
            for warning in self.warnings:
                self._say(warning)


def aligned(table: Table) -> list[str]:
    """Return the lines of *table*, columns aligned, two spaces between them."""
    rows = [[visible(cell) for cell in row] for row in (table.columns, *table.rows)]
    widths = [max(map(width, column)) for column in zip(*rows, strict=True)]
    return [
        "  ".join(
            " " * (wide - width(cell)) + cell
            if column in table.right
            else cell + " " * (wide - width(cell))
            for cell, wide, column in zip(row, widths, table.columns, strict=True)
        ).rstrip()
        for row in rows
    ]


def width(text: str) -> int:
    """Return how many columns of a terminal *text* takes."""
    if text.isascii():
        return len(text)
    from unicodedata import combining, east_asian_width

    return sum(
        0 if combining(each) else 2 if east_asian_width(each) in "WF" else 1
        for each in text
    )


def _unprinted(error: OSError) -> CrewmemError:
    from crewmem.errors.cli import UnprintedError

    return UnprintedError((error.strerror or str(error)).lower())
