"""Fences of code in text that is shown in part: what is open is closed. Pure."""

from __future__ import annotations

from crewmem.threats.lazy import lazy

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

FENCE = lazy(r"[ \t]*(`{3,}|~{3,})(.*)")

MOST = 80
"""Signs of a fence; a longer one is a line of its own kind, that opens nothing."""


def room_of_fences(text: str) -> str:
    """Return the most that closing the fences of *text* takes; "" if it has none."""
    if "```" not in text and "~~~" not in text:
        return ""
    signs = (each[1] for each in map(FENCE.match, text.split("\n")) if each)
    longest = max((len(each) for each in signs if len(each) <= MOST), default=0)
    return f"{'`' * longest}\n" * 2


def open_fence(lines: Sequence[str]) -> str:
    """Return the fence in which *lines* end; "" for none."""
    fence = ""
    for line in lines:
        if not (found := FENCE.match(line)):
            continue
        signs, rest = found.groups()
        if fence:
            is_end = signs.startswith(fence) and not rest.strip()
            fence = "" if is_end else fence
        elif len(signs) <= MOST and not (signs[0] == "`" and "`" in rest):
            fence = signs
    return fence


def closed(shown: list[str], before: str, after: str) -> list[str]:
    """Return *shown*, which begins in a fence and ends in one, with both as lines."""
    return [*([before] if before else []), *shown, *([after] if after else [])]
