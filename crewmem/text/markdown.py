r"""Parse a markdown text into blocks, with exact line numbers and offsets.

Chunking, the security scan and consolidation share this parser. It supports only what they need,
and takes linear time for any input. It is not a renderer, so inline markup stays unchanged.

    >>> [(block.kind, block.first_line, block.text) for block in parse_blocks("# A\n\n- b\n- c")]
    [('heading', 1, '# A'), ('list_item', 3, '- b'), ('list_item', 4, '- c')]
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from itertools import accumulate
from typing import Any

MAX_SETEXT_LINES = 3
"""Maximum lines of a paragraph that an underline makes a heading; after a longer one it is a
rule."""

MAX_FRONT_MATTER_BYTES = 64 * 1024
"""Maximum bytes of front matter that are parsed; YAML is slow."""

OWN_COMMENT = re.compile(r"<!--\s*/?crewmem:[^\n]*?(?:-->|$)", re.MULTILINE)
"""A comment with which crewmem marks a section that it maintains; it is hidden from readers."""


class Lines:
    """The lines of a text, and their offsets.

    Attributes:
        lines: Without their newlines.
        sizes: Of all lines before each, and of all lines last; without newlines.
    """

    __slots__ = ("lines", "sizes", "text")

    def __init__(self, text: str) -> None:
        self.text = text
        self.lines = text.split("\n")
        self.sizes = list(accumulate(map(len, self.lines), initial=0))

    def start(self, number: int) -> int:
        """Return the offset of the first character of a line, counted from 1."""
        return self.sizes[number - 1] + number - 1

    def end(self, number: int) -> int:
        """Return the offset after the last character of a line, without the line end."""
        return self.sizes[number] + number - 1 - self.lines[number - 1].endswith("\r")


@dataclass(slots=True)
class Block:
    """A block of a markdown text.

    Attributes:
        kind: heading, paragraph, list_item, code, table, html, quote, front_matter or
            rule; passages also have table_row and field (of front matter).
        first_line: Counted from 1, like *last_line*, which is included.
        source: The lines of the whole text.
        level: 1 to 6 for headings, depth from 1 for list items, else 0.
        heading: Titles of the headings above, outermost first; a heading includes its own.
    """

    kind: str
    first_line: int
    last_line: int
    source: Lines = field(repr=False)
    level: int = 0
    heading: tuple[str, ...] = ()

    @property
    def start(self) -> int:
        """Offset of the first character of the first line."""
        return self.source.start(self.first_line)

    @property
    def end(self) -> int:
        """Offset after the last character, without the line end."""
        return self.source.end(self.last_line)

    @property
    def text(self) -> str:
        """The text between *start* and *end*, unchanged."""
        return self.source.text[self.start : self.end]


def parse_blocks(text: str) -> list[Block]:
    """Return the blocks of *text* in order. Every line with text is in exactly one block."""
    return _Parser(text).parse()


def is_delimiter_row(line: str) -> bool:
    """Return whether *line* separates the head of a table from its rows, such as ``|---|---|``."""
    return "-" in line and not line.strip("|:- \t\r")


def heading_title(line: str) -> str:
    """Return the title of a heading's text, without its marks.

    >>> heading_title("## Keys ##")
    'Keys'
    """
    title = line.strip()
    if title.startswith("#"):
        title = title.lstrip("#").strip()
        bare = title.rstrip("#")
        if bare != title and (not bare or bare[-1] in " \t"):
            title = bare.rstrip()
        return title
    lines = title.splitlines()
    if len(lines) > 1 and not lines[-1].strip("=- \t"):
        lines.pop()
    return " ".join(part.strip() for part in lines)


class _Parser:
    """Parses the lines; `open` is the block that the next line may continue."""

    def __init__(self, text: str) -> None:
        self.source = Lines(text)
        self.lines = self.source.lines
        self.blocks: list[Block] = []
        self.headings: list[tuple[int, tuple[str, ...]]] = []  # around the line: level and path
        self.path: tuple[str, ...] = ()
        self.indents: list[int] = []  # of the list items around the line
        self.open: Block | None = None
        self.no_comment_end = False

    def parse(self) -> list[Block]:
        done = 0  # lines that are in a block
        after_blank = True
        for number, line in enumerate(self.lines):
            if number < done:
                continue
            if not line or line.isspace():
                self.open = None
                after_blank = True
                continue
            body = line.lstrip(" \t")
            indent = len(line) - len(body)
            if indent and "\t" in line:
                indent = len(line[:indent].expandtabs(4))
            if body[0] in _MARKS:
                done = number + self._add_marked(number, indent, body, after_blank)
            elif "|" in body and self._is_table(number):
                done = number + self._add_table(number)
            else:
                self._add_text(number, indent, after_blank)
            after_blank = False
        return self.blocks

    def _add(self, kind: str, number: int, used: int = 1, level: int = 0) -> Block:
        block = Block(kind, number + 1, number + used, self.source, level, self.path)
        self.blocks.append(block)
        return block

    def _add_text(self, number: int, indent: int, after_blank: bool) -> None:
        """Add a line that begins like prose."""
        if self.open is not None:
            self.open.last_line = number + 1
            return
        if indent < 2:
            self.indents.clear()
        is_code = indent >= 4 and after_blank and not self.indents
        self.open = self._add("code" if is_code else "paragraph", number)

    def _add_marked(self, number: int, indent: int, body: str, after_blank: bool) -> int:
        """Add a line that may begin its own block; return the number of lines used."""
        used = self._add_indented(number, body, after_blank) if indent >= 4 else 0
        used = used or self._add_by_mark(number, indent, body)
        if not used:
            self._add_text(number, indent, after_blank)
        return used or 1

    def _add_by_mark(self, number: int, indent: int, body: str) -> int:
        """Add the block that the first character begins; return its lines, 0 if it begins none."""
        first = body[0]
        used = 0
        if first in "`~":
            used = self._add_fence(number, indent, body)
        elif first == "#":
            used = self._add_heading(number, indent, body)
        elif first in "-*_=":
            used = self._add_dashes(number, body)
        if used:
            return used
        if first == "|" or ("|" in body and self._is_table(number)):
            return self._add_table(number)
        if first == ">":
            return self._add_quote(number)
        if first == "<":
            return self._add_html(number, indent, body)
        return self._add_item(number, indent, body)

    def _add_indented(self, number: int, body: str, after_blank: bool) -> int:
        """Add a line of code, which is indented."""
        if self.open is not None and self.open.kind == "code":
            self.open.last_line = number + 1
            return 1
        if after_blank and not self.indents and not _ITEM.match(body):
            self.open = self._add("code", number)
            return 1
        return 0

    def _add_fence(self, number: int, indent: int, body: str) -> int:
        """Add fenced code."""
        if indent >= 4 and not self.indents:
            return 0
        if used := self._fence_length(number, body):
            self.open = None
            self._add("code", number, used)
        return used

    def _add_heading(self, number: int, indent: int, body: str) -> int:
        level = len(body) - len(body.lstrip("#"))
        if indent >= 4 or level > 6 or body[level : level + 1] not in ("", " ", "\t", "\r"):
            return 0
        self.indents.clear()
        self._enter(self._add("heading", number), level, body)
        return 1

    def _add_dashes(self, number: int, body: str) -> int:
        """Add front matter, the underline of a heading, or a rule."""
        if body[0] == "-" and number == 0 and (used := _front_matter_length(self.lines)):
            self._add("front_matter", 0, used)
            return used
        is_below_text = self.open is not None and self.open.kind == "paragraph"
        if is_below_text and body[0] in "=-" and self._underline(number, body):
            return 1
        if _RULE.match(body):
            self.open = None
            self.indents.clear()
            self._add("rule", number)
            return 1
        return 0

    def _add_quote(self, number: int) -> int:
        if self.open is not None and self.open.kind == "quote":
            self.open.last_line = number + 1
        else:
            self.open = self._add("quote", number)
        return 1

    def _add_html(self, number: int, indent: int, body: str) -> int:
        if self.open is not None and self.open.kind == "html":
            return 0
        if used := self._html_length(number, indent, body):
            block = self._add("html", number, used)
            self.open = None if body.startswith("<!--") else block
        return used

    def _add_item(self, number: int, indent: int, body: str) -> int:
        """Add the first line of a list item."""
        is_below_text = self.open is not None and self.open.kind == "paragraph"
        if not _ITEM.match(body) or (
            is_below_text and body[0].isdigit() and not body.startswith("1")
        ):
            return 0
        indents = self.indents
        while indents and indents[-1] > indent:
            indents.pop()
        if not indents or indents[-1] < indent:
            indents.append(indent)
        self.open = self._add("list_item", number, 1, len(indents))
        return 1

    def _enter(self, block: Block, level: int, line: str) -> None:
        """Make *block* the heading of what follows."""
        headings = self.headings
        while headings and headings[-1][0] >= level:
            headings.pop()
        above = headings[-1][1] if headings else ()
        self.path = block.heading = (*above, heading_title(line))
        block.level = level
        headings.append((level, self.path))
        self.open = None

    def _underline(self, number: int, body: str) -> bool:
        """Make the open paragraph a setext heading, if *body* underlines it."""
        block = self.open
        line = body.rstrip()
        if block is None or line.strip(line[0]):
            return False
        if number + 1 - block.first_line > MAX_SETEXT_LINES:
            return False
        title = "\n".join(self.lines[block.first_line - 1 : number])
        block.last_line = number + 1
        block.kind = "heading"
        self._enter(block, 1 if body[0] == "=" else 2, title)
        self.indents.clear()
        return True

    def _fence_length(self, number: int, body: str) -> int:
        """Return the number of lines of the fenced code at *number*; 0 for none."""
        mark = body[0]
        width = len(body) - len(body.lstrip(mark))
        if width < 3 or (mark == "`" and "`" in body[width:]):
            return 0
        lines = self.lines
        for last in range(number + 1, len(lines)):
            if mark in lines[last]:
                line = lines[last].strip()
                if len(line) >= width and not line.strip(mark):
                    return last - number + 1
        return len(lines) - number - (not lines[-1])

    def _html_length(self, number: int, indent: int, body: str) -> int:
        """Return the number of lines of HTML at *number*; 0 for none."""
        if body.startswith("<!--"):
            if self.no_comment_end:
                return 0
            text, start = self.source.text, self.source.start(number + 1)
            end = text.find("-->", start + 4)
            if end < 0:
                self.no_comment_end = True
                return 0
            return text.count("\n", start, end) + 1
        if indent >= 4 or self.open is not None:
            return 0
        return 1 if re.match(HTML_BLOCK, body[:40]) else 0

    def _is_table(self, number: int) -> bool:
        """Return whether the line after *number* is the delimiter row of a table."""
        if number + 1 >= len(self.lines):
            return False
        line = self.lines[number + 1]
        return "|" in line and is_delimiter_row(line)

    def _add_table(self, number: int) -> int:
        last = number + 1
        while last < len(self.lines) and "|" in self.lines[last]:
            last += 1
        used = last - number
        self.open = None
        self._add("table", number, used)
        return used


HTML_BLOCK = (
    r"(?i)</?(?:address|article|aside|blockquote|body|center|details|dialog|div|dl|dt|dd|fieldset"
    r"|figure|figcaption|footer|form|h[1-6]|head|header|hr|html|iframe|img|li|link|main|meta"
    r"|nav|ol|p|picture|pre|script|section|source|style|summary|table|tbody|td|tfoot|th|thead"
    r"|title|tr|ul|video)(?=[\s/>]|$)|<[!?]"
)
"""The start of a block of HTML."""

_MARKS = frozenset("#`~<-*+_=|>0123456789")
"""Characters that may begin a block other than a paragraph."""

_ITEM = re.compile(r"(?:[-*+]|[0-9]{1,9}[.)])(?:[ \t\r]|\Z)")
"""The mark of a list item."""

_RULE = re.compile(r"([-*_])(?:\s*\1){2,}\s*\Z")
"""The whole of a rule."""


def _front_matter_length(lines: list[str]) -> int:
    """Return the number of lines of YAML front matter, including its marks; 0 for none."""
    if lines[0].strip("\ufeff \t\r") != "---":
        return 0
    size = 0
    has_key = False
    for number, line in enumerate(lines[1:], 2):
        bare = line.rstrip()
        if bare in ("---", "..."):
            return number if has_key or number == 2 else 0
        size += len(line)
        if size > MAX_FRONT_MATTER_BYTES:
            return 0
        if not has_key and bare and not bare.startswith("#"):
            name, colon, _ = bare.partition(":")
            if not colon or not name.strip() or name[0] in "-#*>|[{":
                return 0
            has_key = True
    return 0


def split_front_matter(text: str) -> tuple[dict[str, Any], int]:
    """Return the fields of the YAML front matter and the first line of the body.

    A field that is not YAML, such as ``title: Deploys: how``, is a text; one that is no text either
    is left out. The body begins after the front matter in any case. YAML determines the types of
    dates and numbers.
    """
    if not text.startswith(("---", "\ufeff---")):
        return {}, 1
    lines = text[: MAX_FRONT_MATTER_BYTES * 2].split("\n")
    used = _front_matter_length(lines)
    if not used:
        return {}, 1
    import yaml  # slow to import, and most files have no front matter

    content = "\n".join(lines[1 : used - 1])
    # libyaml, if PyYAML was built with it, is eight times as fast.
    loader = getattr(yaml, "CSafeLoader", yaml.SafeLoader)

    def load(part: str) -> dict[str, Any] | None:
        """Return the fields of *part*; None if it is not YAML."""
        try:
            # Aliases can make a small text huge.
            if "*" in part and any(
                isinstance(event, yaml.AliasEvent) for event in yaml.parse(part, loader)
            ):
                return None
            found = yaml.load(part, loader)  # noqa: S506 - a safe one
        except (yaml.YAMLError, ValueError, TypeError, RecursionError, AttributeError):
            return None
        if not isinstance(found, dict):
            return {}
        return {str(name): value for name, value in found.items()}

    fields = load(content)
    if fields is None:
        fields = {}
        for part in re.split(r"\n(?=\w)", content):
            text_field = re.fullmatch(r"(\w[\w -]*): +(\w.*)", part.rstrip())
            found = load(part)
            if found is None and text_field:
                found = {text_field[1]: text_field[2]}
            fields.update(found or {})
    return fields, used + 1


def passages(text: str) -> list[Block]:
    """Return the passages that the security scan judges and removes as units.

    They are the blocks without rules; tables are split into rows and front matter into fields.
    """
    found: list[Block] = []
    for block in parse_blocks(text):
        if block.kind == "table":
            found += _split_lines(block, "table_row")
        elif block.kind == "front_matter":
            found += _split_lines(block, "field")
        elif block.kind != "rule":
            found.append(block)
    return found


def _split_lines(block: Block, kind: str) -> list[Block]:
    """Split *block* at its lines; continued lines of front matter stay with their field."""
    parts: list[Block] = []
    for number in range(block.first_line, block.last_line + 1):
        line = block.source.lines[number - 1]
        if kind == "field" and line.rstrip() in ("---", "...", "\ufeff---"):
            pass
        elif kind == "field" and parts and line[:1] in (" ", "\t", "-", "#", ""):
            parts[-1].last_line = number
        elif line.strip("|:- \t\r"):
            parts.append(Block(kind, number, number, block.source, 0, block.heading))
    return parts
