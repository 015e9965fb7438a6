"""Take one setting out of the text of a configuration file, and nothing else.

The text is cut where the setting stands. What came out is then read, and has to be
what was meant; so the ways to cut are simply tried.
"""

from __future__ import annotations

import re
import tomllib
from typing import TYPE_CHECKING, Any

from crewmem.errors.settings import ConfigShapeError
from crewmem.settings.config_file import MARK, parsed
from crewmem.settings.places import places

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence
    from pathlib import Path

    from crewmem.settings.places import Place


def unset(text: str, key: str, *, path: Path | str) -> str:
    """Return *text*, which stands at *path*, without *key*, if it has it.

    Raises:
        ConfigSyntaxError: If *text* is not TOML.
        ConfigShapeError: If *key* stands in it in a form that cannot be cut out, as
            in an array of tables.
    """
    parsed(text, path)
    mark = MARK if text.startswith(MARK) else ""
    old, keys = text.removeprefix(mark), tuple(key.split("."))
    wanted = _without(old, keys)
    if wanted == _without(old, ()):
        return text
    for place in places(old):
        if place.path == keys and not place.is_header:
            for start, end in _cuts(old, place):
                new = old[:start] + old[end:]
                if _says(new, wanted):
                    return mark + new
    raise ConfigShapeError(path, key)


def _cuts(text: str, place: Place) -> Iterator[tuple[int, int]]:
    """Yield from where to where to cut, the best first."""
    line = text.rfind("\n", 0, place.at) + 1
    below = text.find("\n", place.end) + 1
    yield line, below or len(text)
    if comma := re.compile(r"\s*,\s*").match(text, place.end):
        yield place.at, comma.end()
    before = text[: place.at].rstrip()
    if before.endswith(","):
        yield len(before) - 1, place.end
    yield place.at, place.end


def _says(text: str, wanted: dict[str, Any]) -> bool:
    try:
        return _without(text, ()) == wanted
    except ValueError:
        return False


def _without(text: str, keys: Sequence[str]) -> dict[str, Any]:
    """Return what *text* says but for *keys*, and for tables that hold nothing.

    Floats are text here, for nan is not nan.
    """
    data: Any = tomllib.loads(text, parse_float=str)
    table = data
    for key in keys[:-1]:
        table = table.get(key, {}) if isinstance(table, dict) else {}
    if keys and isinstance(table, dict):
        table.pop(keys[-1], None)
    return {key: value for key, value in data.items() if value != {}}
