"""The fields that a markdown file may begin with, between dashes. Pure."""

from __future__ import annotations

import re

from crewmem.files.fences import line_end

KEY = (
    r"""(?m)^[ \t]*+(?:-[ \t]++)*+(?:[\w.-]++|"[^"\n]*+"|'[^'\n]*+'):(?!\S)"""
    r"""|^[ \t]*+(?:\#.*|(?:---|\.\.\.)[ \t]*+$)"""
)
"""What of a line is not its value: list marks and a key, a comment, the dashes."""

LAST = r"\n(?:---|\.\.\.)[ \t]*+(?![^\n])"
"""The line that ends front matter."""


def front_matter_end(text: str) -> int:
    """Return where the front matter ends of *text*, which begins with a newline.

    It is the newline after its last line; 0 where there is none. A rule across the
    page is told from it by the next line, which must be a field, and by its end.
    """
    if not text.startswith("\n---"):
        return 0
    first = line_end(text, 1)
    last = re.compile(LAST).search(text, first)
    if text[1:first].rstrip(" \t") != "---" or last is None:
        return 0
    return last.end() if re.compile(KEY).match(text, first + 1) else 0


def shown(chunk: str) -> tuple[str, int]:
    """Return *chunk*, which begins with dashes, as fields that can stand in one line.

    Returns:
        The text, with as many lines before each field as there were; and where in it
        the first field begins.
    """
    _, *fields = chunk.split("\n")
    if fields and fields[-1].strip() in {"---", "..."}:
        fields.pop()
    *before, last = fields or [""]
    ends = (each if each.endswith(":") else f"{each};" for each in before)
    return "\n".join(("---", *ends, last)), len("---\n")


def values(fields: str) -> str:
    """Return the values of YAML-like *fields*; a line without a key is all value."""
    return " ".join(re.sub(KEY, " ", fields).split())
