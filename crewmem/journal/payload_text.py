"""The words of a payload: its values, not its keys and punctuation. Pure."""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping

DEEPEST = 64
"""Levels of a payload. Nobody nests deeper on purpose, and readers of JSON give up."""

WORDS_MOST = 64 << 10
"""Characters of a payload that can be searched: beyond it is a log, not an event. Who
adds more is told."""


class TooDeepError(ValueError):
    """A payload is nested deeper than `DEEPEST`; the caller says whose it is."""


def payload_text(payload: Mapping[str, object]) -> str:
    """Return the values in *payload*, in order, each in a line.

    Texts and numbers are; true, false and null tell nothing without their key.

    Raises:
        TooDeepError: If it is nested too deep.
    """
    found: list[str] = []
    _collect(payload, found, 0)
    text = "\n".join(found)
    return text[:WORDS_MOST].replace("\0", " ")


def is_cut(text: str) -> bool:
    """Tell whether *text*, which `payload_text` returned, may lack the end of it."""
    return len(text) >= WORDS_MOST


def _collect(value: object, found: list[str], depth: int) -> None:
    if isinstance(value, str):
        found.append(value)
    elif isinstance(value, dict | list | tuple):
        if depth >= DEEPEST:
            raise TooDeepError
        for each in value.values() if isinstance(value, dict) else value:
            _collect(each, found, depth + 1)
    elif isinstance(value, int | float) and not isinstance(value, bool):
        found.append(str(value))
