"""Printing: tables and lines for people, JSON for programs.

Results go to standard output, everything else to standard error.
"""

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
from crewmem.text.wording import cut_at_word
from crewmem.times import format_time

SCHEMA_VERSION = 1
"""Version of the JSON envelope."""

MIN_FLEXIBLE = 36
"""Minimum width of the text column. Other columns are left out to keep it."""

MATCH_START, MATCH_END = "\x02", "\x03"
"""Marks around matched words in snippets: emphasis on terminals, absent from JSON."""

INVISIBLE = (
    "[\x00-\x08\x0b-\x1f\x7f-\x9f\u00ad\u061c\u180e\u200b\u200e\u200f\u2028-\u202e\u2060-\u2069"
    "\ufeff\ufff9-\ufffb\U000e0000-\U000e007f]"
    r"|(?:(?<=[\x00-\x7f])|^)[\u200c\u200d]|[\u200c\u200d](?=[\x00-\x7f\u200c\u200d]|$)"
)
"""Characters that could change how a terminal shows the rest: C0, C1, bidi, zero width, tags.

A joiner between letters of other scripts, or between emoji, is allowed: writing needs it.
"""


class Table(NamedTuple):
    """Records under headings.

    Attributes:
        columns: Functions that make the cells, by heading. Cells under ``ID`` are ids; they are
            shortened as far as they stay unique in the table.
        empty: Text to print if there are no records; "" for none.
        drop: Headings of columns to leave out on a narrow terminal, in this order.
        right: Headings of columns to align to the right.
        flexible: Heading of the column that is shortened last; by default the last column.
    """

    records: Sequence[Any]
    columns: Mapping[str, Callable[[Any], str]]
    empty: str = ""
    drop: Sequence[str] = ()
    right: Sequence[str] = ()
    flexible: str = ""

    def make_rows(self) -> list[list[str]]:
        """Return the cells of each record."""
        rows = [
            [unmark(visible(cell(each), one_line=True)) for cell in self.columns.values()]
            for each in self.records
        ]
        if "ID" in self.columns:
            at = [*self.columns].index("ID")
            short = shorten_all([row[at] for row in rows])
            for row in rows:
                row[at] = short[row[at]]
        return rows


Human = Table | Sequence[str | Table]
"""Output for people: a table, or lines and tables in order."""


def visible(text: str, *, one_line: bool = False) -> str:
    r"""Return stored text with control, bidi and zero-width characters made visible.

    >>> visible("a\x1b[31mb")
    'a\\x1b[31mb'
    """
    if one_line:
        text = " ".join(text.split())
    if text.isprintable():  # then it has no character of INVISIBLE
        return text
    return re.sub(INVISIBLE, _escape, text)


def _escape(match: re.Match[str]) -> str:
    character = match[0]
    if character in (MATCH_START, MATCH_END):
        return character
    code = ord(character)
    return f"\\x{code:02x}" if code < 0x100 else f"\\u{code:04x}"


def to_plain(value: Any) -> Any:
    """Convert a record to values that JSON can represent.

    Fields of dataclasses and named tuples whose names begin with ``_`` are left out.
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
        return {n: to_plain(getattr(value, n)) for n in names if not n.startswith("_")}
    if isinstance(value, tuple) and hasattr(value, "_fields"):
        return {name: to_plain(getattr(value, name)) for name in value._fields}
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


def unmark(text: str) -> str:
    """Return *text* without the marks around matched words."""
    return text.replace(MATCH_START, "").replace(MATCH_END, "")


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
        """Tell whether people read the answer."""
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
            if more:
                self.print(f"More: {more}")
        self.warn(warnings)

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
        """Print an error on standard error, with secrets redacted."""
        from crewmem.security.records import map_texts  # it loads the scanner's rules
        from crewmem.security.secrets import redact

        names = ("code", "message", "hint", "details")
        record = map_texts({name: getattr(error, name) for name in names}, redact)
        if not self.is_human:
            sys.stderr.write(dump_json({"schema": SCHEMA_VERSION, "error": record}) + "\n")
            return
        sys.stderr.write(f"crewmem: {visible(record['message'])}\n")
        if record["hint"]:
            sys.stderr.write(f"hint: {visible(record['hint'])}\n")

    def _show_human(self, human: Human) -> None:
        parts: Sequence[str | Table] = [human] if isinstance(human, Table) else human
        for part in parts:
            if isinstance(part, Table):
                self._show_table(part)
            elif self.is_terminal and self.color and MATCH_START in part:
                text = visible(part)
                self.print(text.replace(MATCH_START, "\x1b[1m").replace(MATCH_END, "\x1b[0m"))
            else:
                self.print(unmark(visible(part)))

    def _show_table(self, table: Table) -> None:
        rows = table.make_rows()
        if not rows:
            if table.empty:
                self.print(table.empty)
            return
        if self.is_terminal:
            self._draw_table(table, rows)
            return
        headings = [*table.columns]
        widths = _measure(headings, rows)
        for row in [headings, *rows]:
            cells = [
                cell.rjust(width) if heading in table.right else cell.ljust(width)
                for cell, width, heading in zip(row, widths, headings, strict=True)
            ]
            self.print("  ".join(cells).rstrip())

    def _draw_table(self, table: Table, rows: list[list[str]]) -> None:
        """Draw *table* with rich, within the width of the terminal."""
        import shutil  # it imports compression modules

        from rich import box  # only for terminals: importing takes longer than drawing
        from rich.console import Console
        from rich.table import Table as RichTable
        from rich.text import Text

        width = shutil.get_terminal_size().columns
        headings = [*table.columns]
        for heading in table.drop if self.verbose == 0 else ():
            widths = _measure(headings, rows)
            flexible = headings.index(_find_flexible(table, headings))
            widths[flexible] = min(widths[flexible], MIN_FLEXIBLE)
            if sum(widths) + 3 * len(widths) <= width + 1:  # 3 characters between two columns
                break
            index = headings.index(heading)
            headings.pop(index)
            rows = [row[:index] + row[index + 1 :] for row in rows]
        widths = _measure(headings, rows)
        flexible = headings.index(_find_flexible(table, headings))
        room = widths[flexible] + width + 1 - sum(each + 3 for each in widths)
        for row in rows:
            row[flexible] = cut_at_word(row[flexible], max(room, 2))
        drawn = RichTable(box=box.SIMPLE_HEAD, pad_edge=False, padding=(0, 2, 0, 0), expand=False)
        for index, heading in enumerate(headings):
            drawn.add_column(
                heading,
                justify="right" if heading in table.right else "left",
                no_wrap=index != flexible,  # rich shortens only columns that it may wrap
                min_width=None if index == flexible else widths[index],
            )
        for row in rows:
            drawn.add_row(*(Text(cell, overflow="ellipsis", no_wrap=True) for cell in row))
        Console(no_color=not self.color, highlight=False, width=width).print(drawn)


def _measure(headings: Sequence[str], rows: Sequence[Sequence[str]]) -> list[int]:
    """Return the width of each column."""
    return [max(map(len, column)) for column in zip(headings, *rows, strict=True)]


def _find_flexible(table: Table, headings: Sequence[str]) -> str:
    """Return the column to shorten: the table's choice, or the last one if that was left out."""
    return table.flexible if table.flexible in headings else headings[-1]
