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
day before it tells a story, of which at most a sentence lasts."""


@dataclass(slots=True)
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
    lines = text.split("\n")
    found: list[Statement] = []
    headings: list[tuple[int, str]] = []
    path: tuple[str, ...] = ()
    lead, lead_line, lead_open = "", 0, False
    stack: list[tuple[int, int, str]] = []  # indent, index of the statement or -1, label line
    fence = ""
    number, count = _after_front_matter(lines), len(lines)
    while number < count:
        raw = lines[number]
        line = raw.strip()
        number += 1
        if fence:
            if fence in line if fence == "-->" else line.startswith(fence):
                fence = ""
            continue
        if not line:
            continue
        first = line[0]
        if first == "#" and line.lstrip("#")[:1] in ("", " ", "\t"):
            level = len(line) - len(line.lstrip("#"))
            headings = [each for each in headings if each[0] < level]
            headings.append((level, line.lstrip("#").strip(" \t#")))
            path = tuple(name for _, name in headings)
            lead, stack = "", []
            continue
        if first in "`~" and line[:3] in ("```", "~~~"):
            fence = line[:3]
            continue
        if line.startswith("<!--"):
            fence = "" if "-->" in line else "-->"
            continue
        if first in "-*_=" and _pattern("ruler").match(line):
            lead, stack = "", []
            continue
        if first == "<" and line.endswith(">"):
            continue
        if number < count and first not in "-*+>|" and _is_underline(lines[number]):
            level = 1 if lines[number].lstrip()[0] == "=" else 2
            headings = [each for each in headings if each[0] < level] + [(level, line)]
            path = tuple(name for _, name in headings)
            lead, stack = "", []
            number += 1
            continue
        if first == "|":
            stack = []
            following = lines[number].strip() if number < count else ""
            if "|" in following and _pattern("separator").match(following):
                number += 1
                continue
            cells = [cell.strip() for cell in line.strip("|").split("|")]
            filled = [cell for cell in cells if cell]
            if len(filled) >= 2:
                row = f"{filled[0]}: {', '.join(filled[1:])}"
                found.append(_statement(row, number, number, path, lead, "row", 0))
            continue

        item = _pattern("item").match(raw)
        if item:
            indent = len(item[1].expandtabs(4))
            while stack and stack[-1][0] >= indent:
                stack.pop()
            start = number
            said = item[3].strip()
            while number < count and _continues(lines[number], indent):
                said += " " + lines[number].strip()
                number += 1
            if said.startswith(("```", "~~~")):
                fence = said[:3]
                continue
            form = "number" if item[2][0].isdigit() else "item"
            parent = next((index for _, index, _ in reversed(stack) if index >= 0), -1)
            own_lead = next((name for _, _, name in reversed(stack) if name), lead)
            if name := _label_line(said):
                stack.append((indent, -1, name))
                lead_open = True
                continue
            statement = _statement(said, start, number, path, own_lead, form, len(stack))
            statement.parent = parent
            lead_open = True
            stack.append((indent, len(found), ""))
            found += _split_statement(statement)
            continue

        if first == ">":
            said = line.lstrip("> ").strip()
            if said:
                found.append(_statement(said, number, number, path, lead, "quote", 0))
            continue
        stack = []
        start = number
        name = _label_line(line)
        if not name and line.endswith(":") and len(line) < 90 and _next_is_item(lines, number):
            name = line.rstrip(":")
        if name:
            lead, lead_line, lead_open = name, number, False
            continue
        # A labelled line or one that begins with a sign stands by itself.
        said = line
        while number < count and _joins(line, lines[number]):
            said += " " + lines[number].strip()
            number += 1
        if lead and lead_open and start > lead_line + 1:
            lead = ""  # the list below the label line has ended
        found += _split_statement(_statement(said, start, number, path, lead, "paragraph", 0))
    return found


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
    said: str, first: int, last: int, path: tuple[str, ...], lead: str, form: str, depth: int
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
        " ".join(said.split())[: TEXT_MAX * 4],
        first,
        last,
        path,
        lead,
        label,
        form,
        depth,
        box,
        sign,
        -1,
        stamped,
        bold,
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
    if len(statement.text) < limit:
        return [statement]
    sentences = [each for each in _pattern("sentence").split(statement.text) if each.strip()]
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
