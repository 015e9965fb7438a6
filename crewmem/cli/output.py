"""Printing: tables and lines for people, JSON for programs.

Results go to standard output, everything else to standard error.
"""

import contextlib
import dataclasses
import json
import re
import sys
from collections.abc import Callable, Iterable, Mapping, Sequence
from datetime import date, datetime
from enum import Enum
from pathlib import Path
from typing import Any, NamedTuple

from crewmem.context import Notice
from crewmem.errors import CrewmemError
from crewmem.ids import shorten_all
from crewmem.text.wording import MARK_END, MARK_START, cut_at_word, unmark
from crewmem.times import format_time

SCHEMA_VERSION = 1
"""Version of the JSON envelope."""

MAX_LINES = 12
"""Maximum lines of a long list without ``-v``."""

MIN_FLEXIBLE = 36
"""Minimum width of the text column. Other columns are left out to keep it."""

MIN_TEXT = 12
"""Width of a column of text that is left on the narrowest terminals."""

NUMBER = r"[<+-]?[\d,.]+ ?(%|ms|d)?|n/a|[-–]?"
"""Matches the cells of a column that is aligned to the right."""

INVISIBLE = (
    "[\x00-\x08\x0b-\x1f\x7f-\x9f\u00ad\u061c\u180e\u200b\u200e\u200f\u2028-\u202e\u2060-\u2069"
    "\ufeff\ufff9-\ufffb\U000e0000-\U000e007f]"
    r"|(?:(?<=[\x00-\x7f])|^)[\u200c\u200d]|[\u200c\u200d](?=[\x00-\x7f\u200c\u200d]|$)"
)
"""Characters that could change how a terminal shows the rest: C0, C1, bidi, zero width, tags.

A joiner between letters of other scripts, or between emoji, is allowed, because it belongs there.
"""


class Table(NamedTuple):
    """Records under headings.

    Attributes:
        columns: Functions that make the cells, by heading. The ids in a column ``ID`` are
            shortened to prefixes that are unique in the table.
        empty: Text to print if there are no records; "" for none.
        drop: Headings of columns to leave out on a narrow terminal, in this order.
        flexible: Heading of the column that is shortened last; by default the last column.
        wraps: Whether the flexible column is wrapped on a terminal instead of shortened.
    """

    records: Sequence[Any]
    columns: Mapping[str, Callable[[Any], str]]
    empty: str = ""
    drop: Sequence[str] = ()
    flexible: str = ""
    wraps: bool = False

    def make_columns(self) -> dict[str, list[str]]:
        """Return the cells by heading, without empty columns."""
        columns = {
            heading: [unmark(visible(make_cell(record), one_line=True)) for record in self.records]
            for heading, make_cell in self.columns.items()
        }
        if "ID" in columns:
            short = shorten_all(columns["ID"])
            columns["ID"] = [short[cell] for cell in columns["ID"]]
        return {heading: cells for heading, cells in columns.items() if any(cells)}


def format_fields(fields: Mapping[str, str]) -> list[str]:
    """Return a line for each field that is not empty, with aligned values."""
    shown = {name: value for name, value in fields.items() if value}
    width = max(map(len, shown), default=0) + 2
    return [f"  {name:{width}}{value}" for name, value in shown.items()]


class Passage(NamedTuple):
    """A text that is indented, and on a terminal wrapped at words."""

    text: str
    indent: str = "    "


Part = str | Table | Passage
Human = Table | Sequence[Part]
"""Output for people: a table, or lines, passages and tables in order."""


def visible(text: str, *, one_line: bool = False) -> str:
    r"""Return stored text with control, bidi and zero-width characters made visible.

    >>> visible("a\x1b[31mb")
    'a\\x1b[31mb'
    """
    if one_line:
        text = " ".join(text.split())
    if text.isprintable():  # printable text has no character of INVISIBLE
        return text
    return re.sub(INVISIBLE, _escape, text)


def _escape(match: re.Match[str]) -> str:
    character = match[0]
    if character in (MARK_START, MARK_END):
        return character
    code = ord(character)
    return f"\\x{code:02x}" if code < 0x100 else f"\\u{code:04x}"


def to_plain(value: Any) -> Any:
    """Convert a record to values that JSON can represent.

    Fields of dataclasses and named tuples whose names begin with ``_`` are left out. A final ``_``
    is removed; it only avoids a reserved word, such as ``class``.
    """
    if isinstance(value, str):
        return value.value if isinstance(value, Enum) else value
    if value is None or isinstance(value, bool | int):
        return value
    if isinstance(value, float):
        return round(value, 6) if value == value and abs(value) != float("inf") else None
    if isinstance(value, dict):
        return {str(key): to_plain(item) for key, item in value.items()}
    if dataclasses.is_dataclass(value) and not isinstance(value, type):
        names = [field.name for field in dataclasses.fields(value)]
        return {
            n.removesuffix("_"): to_plain(getattr(value, n)) for n in names if not n.startswith("_")
        }
    if isinstance(value, tuple) and hasattr(value, "_fields"):
        return {n.removesuffix("_"): to_plain(getattr(value, n)) for n in value._fields}
    if isinstance(value, list | tuple):
        return [to_plain(item) for item in value]
    if isinstance(value, set | frozenset):
        return sorted(to_plain(item) for item in value)
    if isinstance(value, datetime):
        return format_time(value)
    if isinstance(value, date | Path):
        return str(value)
    raise TypeError(f"no JSON form for {type(value).__name__}")


def dump_json(value: Any) -> str:
    """Return *value* as one line of JSON in ASCII."""
    return json.dumps(to_plain(value)).replace("\\u0002", "").replace("\\u0003", "")


class Output:
    """Prints the answer of one command.

    Attributes:
        format: ``table``, ``json`` or ``jsonl``.
        quiet: Whether to print only the answer, without warnings, progress and next step.
        verbose: Level of additional detail.
        color: Whether colour is allowed.
    """

    def __init__(self, *, format: str, quiet: bool, verbose: int, color: bool) -> None:
        self.format = format
        self.quiet = quiet
        self.verbose = verbose
        self.color = color
        self.is_terminal = sys.stdout.isatty()

    @property
    def is_human(self) -> bool:
        """Whether the answer is for people."""
        return self.format == "table"

    def show(
        self,
        data: Any,
        human: Human | Callable[[], Human],
        *,
        next: str | None = None,
        more: str = "",
        rows: Iterable[Any] | None = None,
        warnings: Sequence[Notice] = (),
    ) -> None:
        """Print the answer.

        Args:
            data: A record, or a list of them, for JSON.
            human: Output for people, or a function that makes it.
            next: Cursor of the next page.
            more: The command that prints the next page, for people.
            rows: The records that ``jsonl`` prints; by default *data*, or its items.
            warnings: Warnings to print.
        """
        if self.format == "json":
            envelope = {"schema": SCHEMA_VERSION, "data": data, "next": next}
            self.print(dump_json({**envelope, "warnings": list(warnings)}))
            return
        if self.format == "jsonl":
            if rows is None:
                is_record = hasattr(data, "_fields")  # a named tuple is a record, not a list
                rows = data if isinstance(data, list | tuple) and not is_record else [data]
            for row in rows:
                self.print(dump_json(row))
        else:
            self._show_human(human() if callable(human) else human)
            if more and not self.quiet:
                self.print(f"More: {more}")
        self.warn(warnings)

    def limit(self, lines: Sequence[str]) -> list[str]:
        """Return the first lines and how many more there are, or with ``-v`` all lines."""
        more = len(lines) - MAX_LINES
        if self.verbose or more <= 0:
            return [*lines]
        return [*lines[:MAX_LINES], f"and {more:,} more; -v lists all"]

    def print(self, text: str = "") -> None:
        """Print one line unchanged."""
        sys.stdout.write(text + "\n")

    def write(self, text: str) -> None:
        """Print stored text, with invisible characters made visible, without a final line break."""
        sys.stdout.write(visible(text))

    def warn(self, warnings: Iterable[Notice]) -> None:
        """Print warnings on standard error."""
        if self.quiet:
            return
        for notice in warnings:
            hint = f" ({notice.hint})" if notice.hint else ""
            sys.stderr.write(f"warning: {visible(notice.message, one_line=True)}{hint}\n")

    def error(self, error: CrewmemError) -> None:
        """Print an error on standard error, with secrets redacted.

        If it cannot be printed, the exit status still tells of it.
        """
        from crewmem.security.secrets import redact  # only for an error
        from crewmem.text.records import map_texts

        names = ("code", "message", "hint", "details")
        record = map_texts({name: getattr(error, name) for name in names}, redact)
        text = f"crewmem: {visible(record['message'])}\n"
        if record["hint"]:
            text += f"hint: {visible(record['hint'])}\n"
        if not self.is_human:
            text = dump_json({"schema": SCHEMA_VERSION, "error": record}) + "\n"
        with contextlib.suppress(OSError):
            sys.stderr.write(text)

    def _show_human(self, human: Human) -> None:
        parts: Sequence[Part] = [human] if isinstance(human, Table) else human
        for part in parts:
            if isinstance(part, Table):
                self._show_table(part)
                continue
            text = visible(part.text if isinstance(part, Passage) else part)
            if isinstance(part, Passage):
                text = self._wrap(text, part.indent) if self.is_terminal else part.indent + text
            if self.is_terminal and self.color:
                self.print(text.replace(MARK_START, "\x1b[1m").replace(MARK_END, "\x1b[0m"))
            else:
                self.print(unmark(text))

    def _wrap(self, text: str, indent: str) -> str:
        import shutil  # it imports compression modules
        import textwrap

        wrapper = textwrap.TextWrapper(
            shutil.get_terminal_size().columns,
            initial_indent=indent,
            subsequent_indent=indent,
            break_long_words=False,
            break_on_hyphens=False,
        )
        return "\n".join(wrapper.fill(line) for line in text.split("\n"))

    def _show_table(self, table: Table) -> None:
        columns = table.make_columns()
        if not columns:
            if table.empty:
                self.print(table.empty)
        elif self.is_terminal:
            self._draw_table(table, columns)
        else:
            aligned = []
            for heading, cells in columns.items():
                width = max(map(len, [heading, *cells]))
                align = str.rjust if _are_numbers(cells) else str.ljust
                aligned.append([align(cell, width) for cell in (heading, *cells)])
            for row in zip(*aligned, strict=True):
                self.print("  ".join(row).rstrip())

    def _draw_table(self, table: Table, columns: dict[str, list[str]]) -> None:
        """Draw *table* with rich, within the width of the terminal."""
        import shutil  # it imports compression modules

        from rich import box  # only for terminals: importing takes longer than drawing
        from rich.console import Console
        from rich.table import Table as RichTable
        from rich.text import Text

        width = shutil.get_terminal_size().columns
        widths = {heading: max(map(len, (heading, *cells))) for heading, cells in columns.items()}
        flexible = table.flexible if table.flexible in columns else [*columns][-1]

        def find_available_width() -> int:
            """Return the width left for the flexible column; columns are 3 characters apart."""
            total = sum(widths[heading] + 3 for heading in columns)
            return widths[flexible] + width + 1 - total

        for heading in table.drop if self.verbose == 0 else ():
            if find_available_width() >= min(widths[flexible], MIN_FLEXIBLE):
                break
            columns.pop(heading, None)
            flexible = flexible if flexible in columns else [*columns][-1]
        least = max(width // 3, MIN_TEXT) if table.wraps else MIN_TEXT
        while find_available_width() < min(widths[flexible], least):
            others = [heading for heading in columns if heading not in ("ID", flexible)]
            if not others:
                break
            longest = max(others, key=lambda heading: widths[heading])
            room = widths[longest] - MIN_TEXT
            if room <= 0:
                del columns[others[-1]]
                continue
            missing = min(widths[flexible], least) - find_available_width()
            widths[longest] -= min(room, missing)
            columns[longest] = [cut_at_word(cell, widths[longest]) for cell in columns[longest]]
        available = max(find_available_width(), 2)
        drawing = RichTable(box=box.SIMPLE_HEAD, pad_edge=False, padding=(0, 2, 0, 0), expand=False)
        for heading, cells in columns.items():
            drawing.add_column(
                heading,
                justify="right" if _are_numbers(cells) else "left",
                no_wrap=heading != flexible,  # rich shortens only columns that it may wrap
                min_width=None if heading == flexible else widths[heading],
            )
        if not table.wraps:
            columns[flexible] = [cut_at_word(cell, available) for cell in columns[flexible]]
        for row in zip(*columns.values(), strict=True):
            drawing.add_row(
                *(Text(cell, overflow="ellipsis", no_wrap=not table.wraps) for cell in row)
            )
        Console(no_color=not self.color, highlight=False, width=width).print(drawing)


def _are_numbers(cells: Sequence[str]) -> bool:
    return all(re.fullmatch(NUMBER, cell) for cell in cells)
