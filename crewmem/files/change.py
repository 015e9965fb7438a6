"""How a memory file is changed: what it holds, as bytes, before and after. Pure.

What was there is never decoded: bytes that are not UTF-8 stay as they are.
"""

from __future__ import annotations

import re

from crewmem.errors.files import NotTextError

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable

    Change = Callable[[bytes], bytes]
    """Makes of what a file holds, b"" for one that is not there, what it will."""

ITEM = re.compile(r"([ \t]*)((?:[-*+]|\d{1,9}[.)])[ \t]+)(?=\S)")
"""The start of an item of a list."""

APART = re.compile(r"[ \t]*(#{1,6}\s|<!--|---+\s*$|\*\*\*+\s*$)")
"""A line that goes on nothing: a heading, a comment, a rule."""

FENCE = re.compile(r"[ \t]*(`{3,}|~{3,})")

MARK = re.compile(r"[ \t]*(?:[-*+]|\d{1,9}[.)])[ \t]+")

WIDE = (b"\xff\xfe", b"\xfe\xff")
"""How texts in UTF-16 begin."""

BOM = b"\xef\xbb\xbf"


def appended(text: str) -> Change:
    """Return the change that adds *text* in lines of its own.

    The lines of an item of a list are indented, so that it stays one item.
    """
    ending = line_end(text.encode("utf-8", "replace"))
    return lambda before: joined(before, whole_items(text), ending)


def replaced(text: str) -> Change:
    """Return the change after which a file says *text* and nothing else."""

    def change(before: bytes) -> bytes:
        body = text.rstrip("\r\n")
        if not body:
            return b""
        ending = line_end(before) if b"\n" in before or b"\r" in before else None
        typed = line_end(text.encode("utf-8", "replace"))
        return _encoded(body, ending or typed)

    return change


def noted(text: str, stamp: str) -> Change:
    """Return the change that adds *text* to a daily note, as one item, *stamped*."""
    return item(f"- {stamp} — ", text)


def item(mark: str, text: str) -> Change:
    """Return the change that adds *text* as one item that begins with *mark*."""
    body = text.strip("\r\n")
    if found := MARK.match(body):
        body = body[found.end() :]
    body = body.lstrip()
    first, *more = body.splitlines() or [""]
    rest = [f"  {line}" if line.strip() else "" for line in more]
    return lambda before: joined(before, "\n".join([f"{mark}{first}", *rest]))


def exact(content: bytes) -> Change:
    """Return the change after which a file holds *content*."""
    return lambda _: content


def joined(before: bytes, text: str, ending: str = "\n") -> bytes:
    """Return *before* and *text*, with exactly one line's end between them.

    Lines end as they do in *before*; where nothing was, as *ending* says.

    Raises:
        NotTextError: If *before* is no text that UTF-8 could be added to.
    """
    if before[:2] in WIDE or b"\0" in before:
        raise NotTextError
    head = before.rstrip(b"\r\n")
    ending = line_end(before) if before else ending
    more = _encoded(text.strip("\r\n"), ending)
    if not head or head == BOM:
        return head + more
    return head + ending.encode() + more


def holds(content: bytes, text: bytes) -> bool:
    """Tell whether *text* stands in *content* as lines of their own.

    So whoever was interrupted in adding it can do so again. What says nothing stands
    everywhere.
    """

    def lines(some: bytes) -> bytes:
        unix = some.removeprefix(BOM).replace(b"\r\n", b"\n").strip(b"\n")
        return b"\n%s\n" % unix

    return not text.strip() or lines(text) in lines(content)


def line_end(content: bytes) -> str:
    """Return how most lines of *content* end."""
    windows, all_of_it = content.count(b"\r\n"), content.count(b"\n")
    if all_of_it:
        return "\r\n" if 2 * windows > all_of_it else "\n"
    return "\r" if b"\r" in content else "\n"


def _encoded(text: str, ending: str) -> bytes:
    lines = text.replace("\r\n", "\n").replace("\r", "\n")
    return f"{lines}\n".replace("\n", ending).encode("utf-8", "surrogateescape")


def whole_items(text: str) -> str:
    """Return *text* with the further lines of each item of a list indented.

    What follows an item without a blank line is of it, and so is a fenced block.
    """
    lines: list[str] = []
    indent: str | None = None
    fence = ""
    for line in text.replace("\r\n", "\n").split("\n"):
        opened = FENCE.match(line)
        if fence:
            lines.append(_under(indent, line))
            if (
                opened
                and opened[1].startswith(fence)
                and not line[opened.end() :].strip()
            ):
                fence = ""
            continue
        if found := ITEM.match(line):
            indent = " " * len(found[0].expandtabs(4))
        elif not line.strip() or APART.match(line):
            indent = None
        if opened:
            fence = opened[1]
        lines.append(line if found else _under(indent, line))
    return "\n".join(lines)


def _under(indent: str | None, line: str) -> str:
    """Return *line* below an item, unless it is indented already."""
    if not indent or not line.strip() or line.startswith((" ", "\t")):
        return line
    return indent + line
