"""How bash and zsh spell things. Pure."""

from __future__ import annotations


def quoted(text: str) -> str:
    """Return *text* in single quotes."""
    return "'" + text.replace("'", "'\\''") + "'"


def pattern(text: str) -> str:
    """Return *text* as a pattern in which only a star is not itself."""
    return "*".join(quoted(part) if part else "" for part in text.split("*"))
