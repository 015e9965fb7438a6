"""Preparation of stored texts for a page."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from difflib import unified_diff
from typing import Any, cast

from crewmem.home import Home
from crewmem.text.markdown import OWN_COMMENT, heading_title, parse_blocks

MAX_EMBEDDED = 20_000_000
"""Maximum characters of memory in a page; later texts are shortened."""

MAX_TEXT = 100_000
"""Maximum characters of one text in a page."""

SHORTENED = 200
"""Characters to which texts are shortened once the page is full."""

DIFF_LINES = 400
"""Maximum lines of one diff in a page."""

ITEM_MARK = re.compile(r"^\s*(?:[-*+]|(\d{1,9})[.)])\s+")
BLOCK_MARKS = re.compile(r"^\s*(?:(?:[-*+]|\d{1,9}[.)]|#{1,6})(?:\s+|$)|>\s*)*")
NOT_TEXT = re.compile(r"\s*(?:`{3}.*|~{3}.*|[-|:\s]*)")
"""A line that starts or ends a code block, or separates the head of a table."""

QUOTE_MARK = re.compile(r"^ *> ?", re.MULTILINE)
FENCE = re.compile(r"^\s*(`{3,}|~{3,})[^\n]*\n?(.*?)\n?\s*(?:\1[`~]*)?\s*$", re.DOTALL)


class Texts:
    """Cleans stored texts for display, and limits the size of the page.

    Attributes:
        shortened: Number of texts that were cut.
    """

    def __init__(self, home: Home) -> None:
        self._zone = home.context.zone
        self._scanner = home.context.scanner
        self._left = MAX_EMBEDDED
        self.shortened = 0

    def clean(self, text: str, *, file: str = "") -> str:
        """Return *text* with attacks replaced and secrets redacted, and cut to the limit."""
        # The page shows suspicious passages, so the scanner need not look for them.
        return self.cut(
            self._scanner.make_safe(text, file=file, own_tier=True).text if text else ""
        )

    def clean_all(self, texts: Sequence[tuple[str, str]]) -> list[str]:
        """Clean texts, given as (text, file); for many this is faster than `clean`."""
        suspects = set(self._scanner.find_texts_to_screen([text for text, _ in texts]))
        return [
            self.clean(text, file=file) if index in suspects else self.cut(text)
            for index, (text, file) in enumerate(texts)
        ]

    def cut(self, text: str) -> str:
        """Cut a clean *text* to the limit."""
        limit = MAX_TEXT if self._left > 0 else SHORTENED
        if len(text) > limit:
            self.shortened += 1
            text = f"{text[:limit]}… ({len(text) - limit:,} more characters)"
        self._left -= len(text)
        return text

    def local(self, at: str | None) -> str:
        """Convert a stored time to the home's time zone: ``2026-05-01 09:30``; "" for none."""
        if not at:
            return ""
        try:
            moment = datetime.fromisoformat(at)
            return moment.astimezone(self._zone).strftime("%Y-%m-%d %H:%M")
        except (ValueError, OverflowError):
            return at[:16].replace("T", " ")


@dataclass(frozen=True, slots=True)
class Selection:
    """The scope of a report; empty fields do not restrict it.

    Attributes:
        since: Start of events, recalls and turns; facts and files are always shown.
    """

    since: datetime | None = None
    agent: str | None = None
    crew: str | None = None
    include_restricted: bool = False


EVERYTHING = Selection()


class PageSubject:
    """The scope of a page, and the tools for making its sections.

    Attributes:
        agents: Agents to show; None for all.
        notes: Sentences about what the page leaves out.

    Raises:
        NotFoundError: If the agent or crew of *selection* is not registered.
    """

    def __init__(self, home: Home, selection: Selection = EVERYTHING) -> None:
        self.home, self.selection = home, selection
        self.texts = Texts(home)
        self.notes: list[str] = []
        self.agents: list[str] | None = None
        if selection.agent:
            self.agents = [selection.agent]
            if home.context.has_db:
                home.registry.get_agent(selection.agent)
        elif selection.crew:
            self.agents = []
            if home.context.has_db:
                crew = home.registry.get_crew(selection.crew)
                self.agents = sorted({*crew.agents, *crew.members, *filter(None, [crew.lead])})

    def is_about(self, agent: str | None, crew: str | None = None) -> bool:
        """Return whether the page shows items of *agent* or *crew*."""
        is_crew = bool(crew) and crew == self.selection.crew
        return self.agents is None or agent in self.agents or is_crew


def make_diff(before: str, after: str) -> list[str]:
    """Return the lines of a diff without its header, cut to the limit."""
    lines = [
        line.rstrip("\n")
        for line in unified_diff(before.split("\n"), after.split("\n"), lineterm="", n=2)
    ][2:]
    return cut_diff(lines)


def cut_diff(lines: list[str]) -> list[str]:
    """Cut the lines of a diff to the limit."""
    if len(lines) > DIFF_LINES:
        return [*lines[:DIFF_LINES], f"@@ … {len(lines) - DIFF_LINES:,} more lines @@"]
    return lines


def make_blocks(text: str) -> list[list[Any]]:
    r"""Parse markdown into blocks for the page: kind, level, text, line, number.

    The number is that of an item in a numbered list, else 0. Inline markup stays in the text, and
    HTML counts as text.

    >>> make_blocks("# A\n\n2. b <i>")
    [['heading', 1, 'A', 1, 0], ['item', 1, 'b <i>', 3, 2]]
    """
    blocks: list[list[Any]] = []
    for block in parse_blocks(text):
        content = block.text.strip("\n")
        if OWN_COMMENT.fullmatch(content):
            continue
        kind, shown, number = block.kind, cast(Any, content), 0
        match kind:
            case "heading":
                shown = heading_title(content)
            case "list_item":
                kind = "item"
                mark = ITEM_MARK.match(content)
                number = int(mark[1]) if mark and mark[1] else 0
                shown = _unwrap(content[mark.end() if mark else 0 :])
            case "paragraph":
                shown = _unwrap(content)
            case "quote":
                shown = QUOTE_MARK.sub("", content)
            case "rule":
                shown = ""
            case "table":
                shown = _split_rows(content)
            case _:
                kind = "code"
                fence = FENCE.match(content) if block.kind == "code" else None
                shown = fence[2] if fence else content
        blocks.append([kind, block.level, shown, block.first_line, number])
    return blocks


def _unwrap(text: str) -> str:
    """Remove the indent of each line of a paragraph."""
    return "\n".join(line.strip() for line in text.split("\n"))


def _split_rows(table: str) -> list[list[str]]:
    """Return the cells of a table, without the delimiter row."""
    rows = [_split_cells(line) for line in table.split("\n")]
    return [row for number, row in enumerate(rows) if number != 1]


def _split_cells(line: str) -> list[str]:
    return [cell.strip() for cell in re.split(r"(?<!\\)\|", line.strip().strip("|"))]


def strip_marks(line: str) -> str:
    """Remove block markup from a line of markdown, and join the cells of a table row.

    >>> [strip_marks(line) for line in ("- **A:** b", "> # c", "| d | `e` |", "|---|---|")]
    ['**A:** b', 'c', 'd · `e`', '']
    """
    if NOT_TEXT.fullmatch(line):
        return ""
    if line.lstrip().startswith("|"):
        return " · ".join(filter(None, _split_cells(line)))
    return BLOCK_MARKS.sub("", line).strip()
