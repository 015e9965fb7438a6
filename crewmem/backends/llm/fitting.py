"""Texts that are cut to what has room, and say so. Pure."""

from __future__ import annotations

MORE = "\n- …"
"""What stands for lines that have no room."""

CUT = "…"
"""What stands for the rest of a line."""


def fitted(text: str, most: int) -> str:
    """Return as many lines of *text* as have room in *most* characters."""
    if len(text) <= most:
        return text
    lines = text[: most - len(MORE) + 1].rpartition("\n")[0]
    return lines + MORE if lines else cut(text, most)


def cut(text: str, most: int) -> str:
    """Return *text*, or as much of it as has room in *most* characters."""
    return text if len(text) <= most else text[: most - len(CUT)] + CUT
