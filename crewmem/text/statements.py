"""Split a note or a turn of a session into statements with their surroundings. Pure.

A statement is a list item, a table row, a labelled line or a sentence. Its surroundings say more
than its words: the headings above, the label line above its list, its own label, a ticked box. The
text is read in one pass, because consolidation reads every daily note of a crew.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, replace
from functools import cache
from itertools import takewhile, zip_longest
from pathlib import Path
from typing import NamedTuple

from crewmem.text.markdown import Block, parse_blocks
from crewmem.text.word_lists import read_word_lists

FIRST_WIDE = 0x2FFF
"""First character of scripts that do not separate words by spaces."""

FIRST_SIGN = "\u2100"
"""First character of arrows, symbols and emoji, and of the scripts after them."""

DONE_SIGNS = ("✅", "✔", "☑", "✓")
CROSSES = ("❌", "🚫", "⛔", "✗", "✘", "✖")

MAX_LABEL = 6
"""Maximum words of a label line. A label before text on its line has fewer."""

MIN_WRAPPED = 60
"""Minimum characters of a line of prose that begins with bold words and is continued below it."""

REDACTED = re.compile(r"\[redacted: [^\]]*\]")
"""The replacement of a redacted secret."""

MAX_REMARK = 5
"""Maximum words of a remark in parentheses, such as "(il y a 3 jours)", that is no statement."""

MIN_WORDS_PER_SECRET = 10
"""Minimum words per redacted secret in a statement that is meaningful without it."""

MAX_TEXT = 600
"""Maximum characters of a statement. A longer one is split into sentences, or left out."""

MIN_SPLIT_LENGTH = 200
"""Minimum characters of a paragraph or item that is split into sentences. A shorter text is split
only before a significant label: "Spent an hour on it. Lesson: …"."""


@dataclass(frozen=True, slots=True)
class Statement:
    """A statement of a note.

    Attributes:
        text: The text without bullet, checkbox, time, label and emphasis, on one line.
        first_line: Counted from 1.
        headings: Headings above it, the outermost first.
        lead: The label line above its list: ``Key decisions``.
        label: Its own label: ``Decision`` of ``**Decision:** use X``.
        form: item, number, row, quote, paragraph, or group (a lead with its items).
        box: "open" or "done" for a checkbox, "ticked" or "crossed" for such a sign; else "".
        parent: Index of the item that contains it; -1 for none.
        sentence: Number of the sentence in a longer text, from 1; 0 if it is the whole text.
    """

    text: str
    first_line: int = 1
    last_line: int = 1
    headings: tuple[str, ...] = ()
    lead: str = ""
    label: str = ""
    form: str = "paragraph"
    box: str = ""
    parent: int = -1
    sentence: int = 0

    @property
    def topic(self) -> str:
        """The label line or heading directly above it; "" for none."""
        return self.lead or "".join(self.headings[-1:])

    @property
    def is_listed(self) -> bool:
        """Whether it is an item of a list, whose subject may be above it."""
        return self.form in ("item", "number")

    @property
    def full_text(self) -> str:
        """The statement with its label."""
        return f"{self.label}: {self.text}" if self.label else self.text


ITEM = r"\s*([-*+•]|\d{1,9}[.)])\s+(.*)"
BOX = r"\[([ xX✓-])\][ \t]*"
STAMP = (
    r"(?:\*\*|[\[(`])?(?:\d{4}-\d\d-\d\d[T ]?)?(?:[01]?\d|2[0-3]):\d\d(?::\d\d(?:\.\d+)?)?"
    r"(?:\s?[-–]\s?(?:[01]?\d|2[0-3]):\d\d)?"
    r"(?:Z|[+-]\d\d:?\d\d|\s?(?:UTC|GMT|[CEPM]E?S?T|Uhr|[ap]\.?m\.?)(?!\w))?"
    r":?(?:\*\*|[\])`])?(?:[ \t]*[—–:|-]+[ \t]*|[ \t]+|$)"
)
BOLD_LABEL = r"(?:\*\*|__)([^*_:：][^*:：]{0,70}?)(?:[:：](?:\*\*|__)|(?:\*\*|__)\s*[:：])\s*(.*)"
ALL_BOLD = r"(?:\*\*|__)([^*]{2,90}?)[:：]?(?:\*\*|__)[:：]?\s*$"
LABEL = r"([^\W\d_][\w'’/, -]{1,38}?(?:\s?\([^)]{1,30}\))?)(?::\s+|：\s*)(\S.*)"
COLONS = (":", "：")
SEPARATOR = r"[|:\-\s+]+$"
EMPHASIS = r"(\*\*|(?<!\w)__(?![a-z_]+__))(?=\S)(.+?)(?<=\S)\1"  # __init__ is a name
ITALIC = r"(?<![^\s(\"'„“])\*(?=[^\s*])([^*]+?)(?<=\S)\*(?![\w*])"
LINK = r"\[([^\]]+)\]\([^)]*\)"

WORDS = Path(__file__).with_name("statement_words.txt")


@cache
def _words(name: str) -> tuple[str, ...]:
    """Return a list of ``statement_words.txt``, the longest first."""
    listed = (each.replace("_", " ") for each in read_word_lists(WORDS)[name])
    return tuple(sorted(listed, key=lambda each: (-len(each), each)))


@cache
def _sentence_end() -> re.Pattern[str]:
    abbreviations = "".join(rf"(?<!\b{each}\.)" for each in _words("abbreviation"))
    titles = "".join(rf"(?<!\b{each.title()}\.)" for each in _words("title"))
    return re.compile(
        rf"(?<=[.!?]){titles}(?<!\b[A-ZÀ-ÞΑ-Я]\.)"
        r"[\"”'»)]?\s+(?=[\"“'«(*`]*[A-ZÀ-ÞΑ-ЯÄÖÜ])|(?<=[。！？])\s*(?=\S)"
        rf"|(?<=[a-zà-ÿ\d)`-]{{2}}[.!?]){abbreviations}\s+(?=[a-zà-ÿ`])"
    )


@cache
def _significant_label() -> re.Pattern[str]:
    return re.compile(rf"(?<=[.!?])\s+(?=(?:{'|'.join(_words('telling'))})\s?:\s)")


@cache
def _reason() -> re.Pattern[str]:
    return re.compile(rf"(?i)(?:{'|'.join(_words('reason'))})\b|(?:reason|why):")


def read_statements(
    text: str, *, split_length: int = MIN_SPLIT_LENGTH, joins_lines: bool = True
) -> list[Statement]:
    """Return the statements of a text, in order.

    Headings, code, comments, front matter, rules, table heads and label lines without text are not
    statements. A nested item has the item above as its parent.

    Args:
        text: Markdown text.
        split_length: Minimum characters of a paragraph or item that is split into sentences.
        joins_lines: Whether a paragraph may span lines; otherwise each line is one.
    """
    reader = _Reader(split_length, joins_lines)
    blocks = parse_blocks(text)
    for block, following in zip_longest(blocks, blocks[1:]):
        reader.read(block, is_before_item=following is not None and following.kind == "list_item")
    return reader.found


class _Item(NamedTuple):
    """A list item that may contain others.

    Attributes:
        statement: Index of its statement; -1 for a label line.
        label: Text of a label line; "" for a statement.
    """

    level: int
    statement: int = -1
    label: str = ""


class _Reader:
    """Reads a text block by block.

    Attributes:
        found: The statements read so far.
        lead: The label line above, such as "Deploys:".
        lead_open: Whether an item followed the label line.
        after_rule: Whether a rule followed the last heading; it ends the heading's section.
        stack: Items above that may contain the next one, the outermost first.
    """

    def __init__(self, split_length: int, joins_lines: bool) -> None:
        self.split_length, self.joins_lines = split_length, joins_lines
        self.found: list[Statement] = []
        self.lead, self.lead_open = "", False
        self.stack: list[_Item] = []
        self.after_rule = False

    def read(self, block: Block, *, is_before_item: bool) -> None:
        """Read a block.

        Args:
            is_before_item: Whether a list item follows.
        """
        lines = block.text.split("\n")
        if block.kind == "list_item":
            self._read_item(block, lines, is_before_item=is_before_item)
            return
        if block.kind in ("code", "html", "front_matter"):
            if not self.lead_open:
                self.lead = ""  # it was the label of this block
            return
        self.stack = []
        if block.kind in ("heading", "rule"):
            self.lead = ""
            self.after_rule = block.kind == "rule"
        elif block.kind == "paragraph":
            self._read_paragraph(block, lines, block.first_line, is_before_item=is_before_item)
        else:
            form = "quote" if block.kind == "quote" else "row"
            contents = _read_table(lines) if form == "row" else _read_quote(lines)
            for number, content in enumerate(contents, block.first_line):
                if content:
                    self._add(block, content, number, number, self.lead, form)

    def _read_item(self, block: Block, lines: list[str], *, is_before_item: bool) -> None:
        """Read a list item, with the lines that continue it."""
        while self.stack and self.stack[-1].level >= block.level:
            self.stack.pop()
        item = re.match(ITEM, lines[0])
        used = 1 + sum(1 for _ in takewhile(lambda line: line[:1] in " \t", lines[1:]))
        content = " ".join(filter(None, map(str.strip, [item[2] if item else "", *lines[1:used]])))
        self.lead_open = True
        if name := _label_line(content):
            self.stack.append(_Item(block.level, label=name))
        elif content:
            above = self.stack[::-1]
            lead = next((each.label for each in above if each.label), self.lead)
            parent = next((each.statement for each in above if each.statement >= 0), -1)
            form = "number" if item and item[1][0].isdigit() else "item"
            last = block.first_line + used - 1
            self.stack.append(_Item(block.level, statement=len(self.found)))
            self._add(block, content, block.first_line, last, lead, form, parent=parent)
        if lines[used:]:  # a paragraph without a blank line before it
            self.stack = []
            self._read_paragraph(
                block, lines[used:], block.first_line + used, is_before_item=is_before_item
            )

    def _read_paragraph(
        self, block: Block, lines: list[str], first: int, *, is_before_item: bool
    ) -> None:
        """Read the lines of a paragraph, which may be label lines such as "Deploys:"."""
        number = 0
        while number < len(lines):
            start, line = number, lines[number].strip()
            number += 1
            if line[0] == "<" and line[-1] == ">":
                continue
            if item := re.match(ITEM, line):  # a list that begins at another number
                self.lead_open = True
                form = "number" if item[1][0].isdigit() else "item"
                self._add(block, item[2], first + start, first + start, self.lead, form)
                continue
            name = _label_line(line)
            if not name and is_before_item and number == len(lines):
                name = _read_announcement(line)
            if name:
                self.lead, self.lead_open = name, False
                continue
            # A labelled line, or one that begins with a symbol, is a statement by itself.
            content = line
            while number < len(lines) and self.joins_lines and _joins(line, lines[number]):
                content += " " + lines[number].strip()
                number += 1
            if self.lead_open:
                self.lead = ""  # the list below the label line has ended
            self._add(block, content, first + start, first + number - 1, self.lead, "paragraph")

    def _add(
        self,
        block: Block,
        content: str,
        first: int,
        last: int,
        lead: str,
        form: str,
        *,
        parent: int = -1,
    ) -> None:
        """Add a statement; a long item or paragraph is split into sentences."""
        cleaned = _clean(content)
        statement = Statement(
            text=cleaned.text[: MAX_TEXT * 4],
            first_line=first,
            last_line=last,
            headings=() if self.after_rule else block.heading,
            lead=lead,
            label=cleaned.label,
            form=form,
            box=cleaned.box,
            parent=parent,
        )
        is_whole = form in ("row", "quote")
        self.found += [statement] if is_whole else split_statement(statement, self.split_length)


class _Cleaned(NamedTuple):
    """The text of a statement, and what was taken from it; see `Statement`."""

    text: str
    label: str
    box: str


def _clean(content: str) -> _Cleaned:
    """Take the checkbox, signs, the time, the label, emphasis and links from a statement."""
    box = label = ""
    if content[:1] == "[" and (ticked := re.match(BOX, content)):
        box = "open" if ticked[1] == " " else "done"
        content = content[ticked.end() :]
    ends_done = content.rstrip("\ufe0f").endswith(DONE_SIGNS)
    if not box and (ends_done or content.startswith(DONE_SIGNS)):
        box = "ticked"
    elif not box and content.startswith(CROSSES):
        box = "crossed"
    while content and _is_sign(content[0]):
        content = content[1:].lstrip(" \ufe0f")
    if ends_done:
        content = content.rstrip("".join(DONE_SIGNS) + " \ufe0f")
    if content[:1] in "0123456789*[(`" and (stamp := re.match(STAMP, content)):
        content = content[stamp.end() :]
    if content[:2] in ("**", "__"):
        if match := re.match(BOLD_LABEL, content):
            label, content = match[1].strip(), match[2].strip()
        elif match := re.match(ALL_BOLD, content):
            content = match[1].strip()
    if not label:
        label, content = _take_label(content)
    if "**" in content or "__" in content:
        content = re.sub(EMPHASIS, r"\2", content)
    if "*" in content:
        content = re.sub(ITALIC, r"\1", content)
    if "](" in content:
        content = re.sub(LINK, r"\1", content)
    return _Cleaned(" ".join(content.split()), label, box)


def _read_table(lines: list[str]) -> list[str]:
    """Return the text of each line of a table; "" for the head and the line below it.

    >>> _read_table(["| Gate | Opens | Closes |", "|---|---|---|", "| North | 6 | 22 |"])
    ['', '', 'North: Opens: 6; Closes: 22']
    """
    rows = [[cell.strip() for cell in line.strip().strip("|").split("|")] for line in lines]
    heads: list[str] = []
    texts: list[str] = []
    for number, (line, cells) in enumerate(zip(lines, rows, strict=True)):
        if re.match(SEPARATOR, line.strip()):
            heads = rows[number - 1] if number else []
            texts[-1:] = ["", ""] if number else [""]
            continue
        named = len(cells) > 2 and len(heads) == len(cells)  # otherwise the values speak
        values = [
            f"{head}: {cell}" if named and head else cell
            for head, cell in zip_longest(heads[1:], cells[1:], fillvalue="")
            if cell
        ]
        parts = [part for part in (cells[0], "; ".join(values)) if part]
        texts.append(": ".join(parts) if sum(map(bool, cells)) > 1 else "")
    return texts


def _read_quote(lines: list[str]) -> list[str]:
    """Return the text of each line of a quotation; a line that the next ones continue has theirs.

    >>> _read_quote(["> The gauge at the pier is read at noon and", "> at midnight.", "> Kim"])
    ['The gauge at the pier is read at noon and at midnight.', '', 'Kim']
    """
    contents = [each.strip("> ") for each in lines]
    start = 0
    for number in range(1, len(contents)):
        before, content = contents[number - 1] or contents[start], contents[number]
        if before and content and _joins(before, content):
            contents[start] += f" {content}"
            contents[number] = ""
        else:
            start = number
    return contents


def _is_sign(letter: str) -> bool:
    """Return whether a character is an arrow, a symbol or an emoji."""
    return letter == "ℹ" or (letter >= FIRST_SIGN and not letter.isalnum())


def _read_announcement(line: str) -> str:
    """Return the text of a line before a list that ends with a colon or is bold; else ""."""
    if len(line) < 90 and (line.endswith(COLONS) or re.match(ALL_BOLD, line)):
        return re.sub(EMPHASIS, r"\2", line).rstrip("".join(COLONS))
    return ""


def _label_line(line: str) -> str:
    """Return the label of a line that is only a label, such as ``**Key decisions:**``; else ""."""
    if line[:2] in ("**", "__") and (match := re.match(ALL_BOLD, line)):
        inner = line.rstrip(" ").rstrip("*_ ")
        if inner.endswith(COLONS) or line.rstrip().endswith(COLONS):
            return match[1].strip()
        return match[1].strip() if len(match[1].split()) <= 4 and match[1][-1] not in ".!" else ""
    if line.endswith(COLONS) and 2 < len(line) <= 60 and count_words(line) <= MAX_LABEL:
        return re.sub(EMPHASIS, r"\2", line[:-1].strip("_ ")).strip("*_ ")
    return ""


def _joins(line: str, following: str) -> bool:
    """Return whether the paragraph of *line* continues in *following*."""
    content = following.strip()
    if content.startswith(("#", "|", ">", "<", "**", "__")):
        return False
    if content[0] >= FIRST_SIGN or re.match(ITEM, following):
        return False
    if content[0] in "0123456789[(" and re.match(STAMP, content):
        return False  # the next entry of a diary
    is_wrapped = len(line) >= MIN_WRAPPED and (content[0].islower() or content[0] in "`(")
    if len(line) < 40 or (line.startswith(("**", "__")) and not is_wrapped):
        return False  # short lines and labelled ones are separate lines, not wrapped prose
    return line[-1] not in ".:!?。：！？"


def split_statement(statement: Statement, split_length: int = 0) -> list[Statement]:
    """Split a long statement into sentences, each with the surroundings of the whole.

    A sentence that gives a reason stays with the one before it, and so does one in parentheses.

    >>> text = "Add a login page. We use Lucia for that. Because it is small. The page is empty."
    >>> [each.text for each in split_statement(Statement(text))]
    ['Add a login page.', 'We use Lucia for that. Because it is small.', 'The page is empty.']
    """
    cut = _significant_label() if len(statement.text) < split_length else _sentence_end()
    sentences: list[str] = []
    for each in filter(str.strip, cut.split(statement.text)):
        if sentences and (_reason().match(each) or _is_open(sentences[-1])):
            sentences[-1] += f" {each}"
        else:
            sentences.append(each)
    if len(sentences) < 2:
        return [statement]
    found = [replace(statement, text=sentences[0], sentence=1)]
    for number, text in enumerate(sentences[1:], 2):
        label, content = _take_label(text)
        found.append(replace(found[0], text=content, label=label, sentence=number))
    return found


def _is_open(text: str) -> bool:
    """Return whether a parenthesis in a text is not closed."""
    return text.count("(") > text.count(")")


def count_words(text: str) -> int:
    """Count words; in scripts without spaces, two characters count as one word.

    >>> count_words("GO LIVE 🚀"), count_words("证书每年更新")
    (2, 4)
    """
    words = sum(word.isalnum() or any(map(str.isalnum, word)) for word in text.split())
    if text.isascii():
        return words
    return words + sum(ord(letter) > FIRST_WIDE for letter in text if letter.isalnum()) // 2


def is_meaningful(text: str) -> bool:
    """Return whether a text has meaning without its redacted secrets.

    >>> is_meaningful("The staging password is [redacted: named-value].")
    False
    """
    rest, secrets = REDACTED.subn(" ", text)
    return count_words(rest) >= MIN_WORDS_PER_SECRET * secrets


def is_remark(text: str) -> bool:
    """Return whether a text is only a short remark in parentheses.

    >>> is_remark("(7 min ago)"), is_remark("(The lamp stays on at night)")
    (True, False)
    """
    return text.startswith("(") and text.endswith(")") and count_words(text) <= MAX_REMARK


def measure_width(text: str) -> int:
    """Count characters; one of a script without spaces counts as two.

    >>> measure_width("GO LIVE"), measure_width("证书每年更新")
    (7, 12)
    """
    return len(text) if text.isascii() else len(text) + sum(ord(each) > FIRST_WIDE for each in text)


def split_sentences(text: str) -> list[str]:
    """Return the sentences of a paragraph."""
    return [each for each in _sentence_end().split(text) if each.strip()]


def _take_label(content: str) -> tuple[str, str]:
    """Return the label at the start of a text, or "", and the rest."""
    if any(colon in content[:50] for colon in COLONS) and (match := re.match(LABEL, content)):
        if "http" not in match[1] and count_words(match[1]) < MAX_LABEL:
            return match[1].strip(), match[2].strip()
    return "", content
