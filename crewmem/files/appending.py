"""How text is appended to a memory file: line ends, list items, lessons."""

import re
from datetime import datetime

from crewmem.errors import RefusedError
from crewmem.files.decoding import BINARY, CP1252, UTF_16, decode
from crewmem.files.tiers import MAX_LESSONS
from crewmem.security.scanner import Scanner
from crewmem.text.markdown import passages

LAST_PASSAGE = 4_000
"""Bytes at the end of a file that are read to find its last passage."""

BOM = b"\xef\xbb\xbf"
LINE_END = r"\r\n?|\n"
ITEM = r"([ \t]*)((?:[-*+]|\d{1,9}[.)])[ \t]+)(?=\S)"
FENCE = r"[ \t]*(`{3,}|~{3,})"
STANDALONE = r"[ \t]*(#{1,6}\s|<!--|---+\s*$|\*\*\*+\s*$)"
"""A heading, a comment or a rule: a line that never continues a list item."""


def format_note(text: str, at: datetime) -> str:
    """Return a line of a daily note: ``- 09:30 — text``; further lines are indented."""
    first, *more = re.split(LINE_END, text.strip("\r\n"))
    first = re.sub(r"^[-*+]\s+", "", first.strip())
    lines = [f"- {at:%H:%M} — {first}", *(f"  {line}" if line.strip() else "" for line in more)]
    return "\n".join(lines)


def append_text(before: bytes, text: str, scanner: Scanner) -> bytes:
    """Return *before* with the lines of *text* appended, indented below list items.

    If the last passage and *text* together would be an attack, a blank line separates them: else
    appending to a released passage, or releasing one, would hide both.
    """
    text = indent_items(text)
    head = before[-LAST_PASSAGE:].decode("utf-8", "replace").rstrip()
    makes_attack = any(
        passage.start < len(head) < passage.end and scanner.has_attack(passage.text)
        for passage in passages(f"{head}\n{text}")
    )
    return join_lines(before, text, line_ends=2 if makes_attack else 1)


def join_lines(before: bytes, text: str, *, line_ends: int = 1) -> bytes:
    """Return *before* with the lines of *text* appended after *line_ends* line ends.

    The line ends are the most common ones of *before*, or of *text* if *before* is empty. Damaged
    characters of *before* stay as they are.

    Raises:
        RefusedError: If *text* is not text, or *before* is binary or has another encoding, in which
            *text* could not be read.
    """
    if "\0" in text:
        raise RefusedError("the text has a NUL character, so it is not text", code="not-text")
    problem = decode(before)[1]
    if problem == BINARY:
        raise RefusedError(
            "the file is binary, so nothing can be appended to it: write it whole with"
            " --mode replace",
            code="not-text",
        )
    if problem == UTF_16 or (problem == CP1252 and not text.isascii()):
        raise RefusedError(
            f"nothing can be appended to the file, because {problem}: an operator can repair it, or"
            " write it whole with --mode replace",
            code="not-text",
            command="doctor --fix --only files.odd",
        )
    ending = line_end(before or text.encode("utf-8", "replace"))
    lines = re.sub(LINE_END, "\n", text).strip("\n")
    more = f"{lines}\n".replace("\n", ending).encode("utf-8", "surrogateescape")
    head = before.rstrip(b"\r\n")
    if not head or head == BOM:
        return head + more
    return head + line_ends * ending.encode() + more


def line_end(content: bytes) -> str:
    """Return the most common line end of *content*."""
    windows, lines = content.count(b"\r\n"), content.count(b"\n")
    return "\r\n" if 2 * windows > lines else "\n"


def indent_items(text: str) -> str:
    """Return *text* with continuation lines of list items indented below the item.

    Lines after an item belong to it until a blank line, and so does a fenced block.
    """
    lines: list[str] = []
    indent = fence = ""
    for line in re.split(LINE_END, text):
        opened = re.match(FENCE, line)
        item = None
        if not fence:
            item = re.match(ITEM, line)
            if item:
                indent = " " * len(item[0].expandtabs(4))
            elif not line.strip() or re.match(STANDALONE, line):
                indent = ""
            if opened:
                fence = opened[1]
        elif opened and opened[1].startswith(fence) and not line[opened.end() :].strip():
            fence = ""
        is_below = indent and line.strip() and not item and not line.startswith((" ", "\t"))
        lines.append(indent + line if is_below else line)
    return "\n".join(lines)


def count_lessons(content: bytes) -> int:
    """Return the number of entries in a list of lessons."""
    return len(re.findall(rb"(?m)^[-*+][ \t]", content))


def drop_oldest_lessons(content: bytes) -> bytes:
    """Return a list of lessons with its oldest entries removed down to MAX_LESSONS."""
    starts = [match.start() for match in re.finditer(rb"(?m)^[-*+][ \t]", content)]
    over = len(starts) - MAX_LESSONS
    return content[: starts[0]] + content[starts[over] :] if over > 0 else content
