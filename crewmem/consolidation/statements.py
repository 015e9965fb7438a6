"""What a note says, statement by statement, with where it stands. Pure.

A statement is a list item, a table row, a labelled line or a sentence. Its surroundings tell
more of it than its words: the headings above, the label line above its list, its own label, a
ticked box. This reader keeps them. It is one pass over lines, because consolidation reads every
daily note of a crew.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, replace
from functools import cache

TEXT_MAX = 600
"""Characters of a statement. A longer one is cut into sentences, or left out."""

GROUP_MAX = 400
"""Characters of an item together with the items nested below it."""

SENTENCES_FROM, DIARY_SENTENCES_FROM = 200, 80
"""Characters from which a paragraph or item is taken sentence by sentence; a line with a time of
day before it tells a story, of which at most a sentence lasts. A shorter one is cut before a
telling label only: "Spent an hour on it. Lesson: …"."""


@dataclass(frozen=True, slots=True)
class Statement:
    """A statement of a note.

    Attributes:
        text: Without bullet, box, time, label and emphasis; continued lines joined.
        first_line: Counted from 1.
        headings: Headings above it, the outermost first.
        lead: The label line above its list: ``Key decisions``.
        label: Its own label: ``Decision`` of ``**Decision:** use X``.
        form: item, number, row, quote, paragraph, or group (a lead with its items).
        depth: Nesting of its list; 0 is the outermost.
        box: open or done when it has a box or a tick; else "".
        sign: The sign or emoji that it began with.
        parent: Index of the item that it is nested in; -1 for none.
        stamped: Whether a time of day stood before it.
        bold: Whether its label or all of it was bold.
        is_cut: Whether it is a sentence of a longer text, *follows* whether a later one.
    """

    text: str
    first_line: int
    last_line: int
    headings: tuple[str, ...]
    lead: str = ""
    label: str = ""
    form: str = "paragraph"
    depth: int = 0
    box: str = ""
    sign: str = ""
    parent: int = -1
    stamped: bool = False
    bold: bool = False
    is_cut: bool = False
    follows: bool = False

    @property
    def said(self) -> str:
        """The statement with its label."""
        return f"{self.label}: {self.text}" if self.label else self.text


@cache
def _pattern(name: str) -> re.Pattern[str]:
    return re.compile(PATTERNS[name])


PATTERNS = {
    "item": r"([ \t]*)([-*+•]|\d{1,3}[.)])[ \t]+(.*)",
    "box": r"\[([ xX✓-])\][ \t]*",
    "stamp": (
        r"(?:\*\*|[\[(`])?(?:\d{4}-\d\d-\d\d[T ]?)?(?:[01]?\d|2[0-3]):\d\d(?::\d\d(?:\.\d+)?)?"
        r"(?:\s?[-–]\s?(?:[01]?\d|2[0-3]):\d\d)?"
        r"(?:Z|[+-]\d\d:?\d\d|\s?(?:UTC|GMT|[CEPM]E?S?T|Uhr|[ap]\.?m\.?)(?!\w))?"
        r"(?:\*\*|[\])`])?(?:[ \t]*[—–:|-]+[ \t]*|[ \t]+|$)"
    ),
    "bold_label": r"(?:\*\*|__)([^*_:][^*:]{0,70}?)(?::(?:\*\*|__)|(?:\*\*|__)\s*:)\s*(.*)",
    "all_bold": r"(?:\*\*|__)([^*]{2,90}?):?(?:\*\*|__):?\s*$",
    "label": r"([^\W\d_][\w'’/, -]{1,38}?(?:\s?\([^)]{1,30}\))?):\s+(\S.*)",
    "hashtags": r"(?:^|\s)#([A-Za-zÀ-ɏ][\w-]{2,30})\b",
    "sentence": (
        r"(?<=[.!?])[\"”'»)]?\s+(?=[\"“'«(*`]*[A-ZÀ-ÞΑ-ЯÄÖÜ])|(?<=[。！？])\s*(?=\S)"
        r"|(?<=[a-zà-ÿ\d)`]{3}[.!?])(?<!\betc\.)(?<!\bincl\.)(?<!\bmax\.)(?<!\bmin\.)(?<!\bapprox\.)"
        r"(?<!\bbzw\.)(?<!\bevtl\.)(?<!\binkl\.)\s+(?=[a-zà-ÿ`])"
    ),
    "telling": (
        r"(?<=[.!?])\s+(?=(?:Lessons?(?: learned)?|Decision|Rule|Gotcha|Takeaway|Important|Remember"
        r"|Root cause|Merke|Entscheidung|Regel|Wichtig)\s?:\s)"
    ),
    "separator": r"[|:\-\s+]+$",
    "ruler": r"(?:[-*_=][ \t]*){3,}$",
    "emphasis": r"(\*\*|__)(?=\S)(.+?)(?<=\S)\1",
    "link": r"\[([^\]]+)\]\([^)]*\)",
}

SIGNS = "✅✔☑✓❌✗✘⚠️🚀🎉🔴🟢🟡🟠💡📌🔥⏳🔄📝🎯❗‼⭐🐛🔧🚧✨👉→"
DONE_SIGNS = frozenset("✅✔☑✓")


def read_statements(text: str) -> list[Statement]:
    """Return the statements of a note, in order.

    Headings, code, comments, front matter, rulers, table heads and label lines without text are
    none. Items that are nested below an item name it as their parent.
    """
    return _Reader(text.split("\n")).read()


class _Reader:
    """Reads a note line by line.

    Attributes:
        number: Of the next line, from 0; so it counts from 1 the line that was read last.
        path: The headings above the line.
        lead: The label line above it, such as "Deploys:".
        lead_open: Whether an item stood below the label line.
        stack: Items above the line that it may be nested in: the indent, the index of the
            statement or -1, and the text of a label line.
        fence: What ends the code or comment that the line stands in; "" outside.
    """

    def __init__(self, lines: list[str]) -> None:
        self.lines = lines
        self.number = _after_front_matter(lines)
        self.found: list[Statement] = []
        self.headings: list[tuple[int, str]] = []
        self.path: tuple[str, ...] = ()
        self.lead, self.lead_line, self.lead_open = "", 0, False
        self.stack: list[tuple[int, int, str]] = []
        self.fence = ""

    @property
    def following(self) -> str:
        """The next line; "" at the end."""
        return self.lines[self.number] if self.number < len(self.lines) else ""

    def read(self) -> list[Statement]:
        while self.number < len(self.lines):
            raw = self.following
            self.number += 1
            line = raw.strip()
            if line and not self._skip(line) and not self._read_heading(line):
                if line[0] == "|":
                    self._read_row(line)
                elif item := _pattern("item").match(raw):
                    self._read_item(item)
                elif line[0] == ">":
                    if said := line.lstrip("> ").strip():
                        self._add(said, self.number, self.lead, "quote")
                else:
                    self._read_paragraph(line)
        return self.found

    def _skip(self, line: str) -> bool:
        """Tell whether a line is of code, a comment, a ruler or HTML."""
        if self.fence:
            ends = "-->" in line if self.fence == "-->" else line.startswith(self.fence)
            self.fence = "" if ends else self.fence
        elif line[:3] in ("```", "~~~"):
            self.fence = line[:3]
        elif line.startswith("<!--"):
            self.fence = "" if "-->" in line else "-->"
        elif line[0] in "-*_=" and _pattern("ruler").match(line):
            self.lead, self.stack = "", []
        else:
            return line[0] == "<" and line.endswith(">")
        return True

    def _read_heading(self, line: str) -> bool:
        """Tell whether a line is a heading, and keep it."""
        if line[0] == "#" and line.lstrip("#")[:1] in ("", " ", "\t"):
            level, name = len(line) - len(line.lstrip("#")), line.lstrip("#").strip(" \t#")
        elif line[0] not in "-*+>|" and _is_underline(self.following):
            level, name = (1 if self.following.lstrip()[0] == "=" else 2), line
            self.number += 1
        else:
            return False
        self.headings = [each for each in self.headings if each[0] < level] + [(level, name)]
        self.path = tuple(name for _, name in self.headings)
        self.lead, self.stack = "", []
        return True

    def _read_row(self, line: str) -> None:
        """Read the row of a table; its head is none."""
        self.stack = []
        following = self.following.strip()
        if "|" in following and _pattern("separator").match(following):
            self.number += 1
            return
        cells = [cell.strip() for cell in line.strip("|").split("|")]
        filled = [cell for cell in cells if cell]
        if len(filled) >= 2:
            row = f"{filled[0]}: {', '.join(filled[1:])}"
            self._add(row, self.number, self.lead, "row")

    def _read_item(self, item: re.Match[str]) -> None:
        """Read an item of a list, with the lines that continue it."""
        indent = len(item[1].expandtabs(4))
        while self.stack and self.stack[-1][0] >= indent:
            self.stack.pop()
        start = self.number
        said = item[3].strip()
        while _continues(self.following, indent):
            said += " " + self.following.strip()
            self.number += 1
        if said.startswith(("```", "~~~")):
            self.fence = said[:3]
            return
        self.lead_open = True
        if name := _label_line(said):
            self.stack.append((indent, -1, name))
            return
        lead = next((name for _, _, name in reversed(self.stack) if name), self.lead)
        form = "number" if item[2][0].isdigit() else "item"
        parent = next((index for _, index, _ in reversed(self.stack) if index >= 0), -1)
        statement = _statement(
            said,
            start,
            self.number,
            self.path,
            lead,
            form,
            depth=len(self.stack),
            parent=parent,
        )
        self.stack.append((indent, len(self.found), ""))
        self.found += _split_statement(statement)

    def _read_paragraph(self, line: str) -> None:
        """Read a paragraph, or a label line such as "Deploys:"."""
        self.stack = []
        start = self.number
        name = _label_line(line)
        if not name and line.endswith(":") and len(line) < 90:
            name = line.rstrip(":") if _next_is_item(self.lines, self.number) else ""
        if name:
            self.lead, self.lead_line, self.lead_open = name, self.number, False
            return
        # A labelled line or one that begins with a sign stands by itself.
        said = line
        while _joins(line, self.following):
            said += " " + self.following.strip()
            self.number += 1
        if self.lead and self.lead_open and start > self.lead_line + 1:
            self.lead = ""  # the list below the label line has ended
        paragraph = _statement(said, start, self.number, self.path, self.lead, "paragraph")
        self.found += _split_statement(paragraph)

    def _add(self, said: str, line: int, lead: str, form: str) -> None:
        self.found.append(_statement(said, line, line, self.path, lead, form))


def group_text(statements: list[Statement], index: int) -> str:
    """Return a statement's text with the items nested in it, if that is short enough."""
    children = [each.said for each in statements[index + 1 :] if each.parent == index]
    text = statements[index].text
    if children:
        joined = f"{text.rstrip(':')}: {'; '.join(children)}"
        if len(joined) <= GROUP_MAX:
            return joined
    return text


def _statement(
    said: str,
    first: int,
    last: int,
    path: tuple[str, ...],
    lead: str,
    form: str,
    *,
    depth: int = 0,
    parent: int = -1,
) -> Statement:
    box = sign = label = ""
    stamped = bold = False
    if said[:1] == "[" and (ticked := _pattern("box").match(said)):
        box = "open" if ticked[1] == " " else "done"
        said = said[ticked.end() :]
    while said and (said[0] in SIGNS or (ord(said[0]) > 0x2600 and not said[0].isalnum())):
        sign = sign or said[0]
        said = said[1:].lstrip(" \ufe0f")
    if said[:1] in "0123456789*[(`" and (stamp := _pattern("stamp").match(said)):
        said = said[stamp.end() :]
        stamped = True
    if sign in DONE_SIGNS and not box:
        box = "done"
    if said[:2] in ("**", "__"):
        if match := _pattern("bold_label").match(said):
            label, said, bold = match[1].strip(), match[2].strip(), True
        elif match := _pattern("all_bold").match(said):
            said, bold = match[1].strip(), True
    if not label:
        label, said = _take_label(said)
    if "**" in said or "__" in said:
        said = _pattern("emphasis").sub(r"\2", said)
    if "](" in said:
        said = _pattern("link").sub(r"\1", said)
    return Statement(
        text=" ".join(said.split())[: TEXT_MAX * 4],
        first_line=first,
        last_line=last,
        headings=path,
        lead=lead,
        label=label,
        form=form,
        depth=depth,
        box=box,
        sign=sign,
        parent=parent,
        stamped=stamped,
        bold=bold,
    )


def _label_line(line: str) -> str:
    """Return the label of a line that is only a label: ``**Key decisions:**``; else ""."""
    if line[:2] in ("**", "__") and (match := _pattern("all_bold").match(line)):
        inner = line.rstrip(" ").rstrip("*_ ")
        if inner.endswith(":") or line.rstrip().endswith(":"):
            return match[1].strip()
        return match[1].strip() if len(match[1].split()) <= 4 and match[1][-1] not in ".!" else ""
    if line.endswith(":") and 2 < len(line) <= 60 and len(line.split()) <= 6:
        return line.rstrip(":").strip("*_ ")
    return ""


def _next_is_item(lines: list[str], number: int) -> bool:
    following = next((each for each in lines[number : number + 2] if each.strip()), "")
    return _pattern("item").match(following) is not None


def _continues(line: str, indent: int) -> bool:
    """Tell whether *line* continues the item above, which is indented by *indent*."""
    said = line.lstrip(" \t")
    if not said or len(line) - len(said) <= indent or said[0] in "#|>":
        return False
    if said.startswith(("```", "~~~")):
        return False
    return _pattern("item").match(line) is None


def _joins(line: str, following: str) -> bool:
    """Tell whether a paragraph that *line* began goes on in *following*."""
    said = following.strip()
    if not said or said[0] in "#|><" or said.startswith(("```", "~~~", "**", "__")):
        return False
    if said[0] in SIGNS or ord(said[0]) > 0x2600 or _pattern("item").match(following):
        return False
    if line.startswith(("**", "__")) or len(line) < 40:
        return False  # short lines are lines, not wrapped prose
    return not _is_underline(following) and line[-1] not in ".:!?"


def _is_underline(line: str) -> bool:
    stripped = line.strip()
    return len(stripped) >= 3 and stripped[0] in "=-" and not stripped.strip(stripped[0])


def _split_statement(statement: Statement) -> list[Statement]:
    """Return the sentences of a long statement, each with what is known of the whole."""
    limit = DIARY_SENTENCES_FROM if statement.stamped else SENTENCES_FROM
    cut = _pattern("telling" if len(statement.text) < limit else "sentence")
    sentences = [each for each in cut.split(statement.text) if each.strip()]
    if len(sentences) < 2:
        return [statement]
    found = [replace(statement, text=sentences[0], is_cut=True)]
    for text in sentences[1:]:
        label, said = _take_label(text)
        found.append(replace(found[0], text=said, label=label, follows=True))
    return found


def _take_label(said: str) -> tuple[str, str]:
    """Return the label that a text begins with, or "", and the rest."""
    if ":" in said[:50] and (match := _pattern("label").match(said)):
        if "http" not in match[1] and match[1].count(" ") < 5:
            return match[1].strip(), match[2].strip()
    return "", said


def _after_front_matter(lines: list[str]) -> int:
    if lines and lines[0].strip("\ufeff \r") == "---":
        for number, line in enumerate(lines[1:60], 1):
            if line.strip() in ("---", "..."):
                return number + 1
    return 0
