"""Change one setting in the text of a configuration file, and nothing else.

The text is edited where the value stands, so that comments, order and line ends
stay. What came out is then read, and has to be what was meant.
"""

from __future__ import annotations

import json
import tomllib
from typing import TYPE_CHECKING, Any

from crewmem.errors.settings import ConfigShapeError
from crewmem.settings.config_file import MARK, parsed
from crewmem.settings.kinds import spelled
from crewmem.settings.places import places

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

    from crewmem.settings.kinds import Value
    from crewmem.settings.places import Place


def changed(text: str, key: str, value: Value, *, path: Path | str) -> str:
    """Return *text*, which stands at *path*, with *key* set to *value*.

    Raises:
        ConfigSyntaxError: If *text* is not TOML.
        ConfigShapeError: If *key* stands in it in a form that cannot be edited in
            place, as in an array of tables.
    """
    parsed(text, path)
    mark = MARK if text.startswith(MARK) else ""
    old, keys = text.removeprefix(mark), key.split(".")
    try:
        new = _edited(old, keys, _spelled(value))
        is_meant = _value(new, keys) == value and _rest(new, keys) == _rest(old, keys)
    except (ValueError, TypeError, RecursionError) as error:
        raise ConfigShapeError(path, key) from error
    if not is_meant:
        raise ConfigShapeError(path, key)
    return mark + new


def _edited(text: str, keys: Sequence[str], value: str) -> str:
    found = list(places(text))
    for place in found:
        if place.path == tuple(keys) and not place.is_header:
            return text[: place.start] + value + text[place.end :]
    if text and not text.endswith("\n"):
        text += _newline(text)
    *table, key = keys
    if table:
        return _in_table(text, found, tuple(table), f"{key} = {value}")
    return _at_the_top(text, found, f"{key} = {value}")


def _at_the_top(text: str, found: Sequence[Place], line: str) -> str:
    """Add *line* after the keys that are of no table."""
    if top := _section(found):
        return _below(text, top, line)
    if found:
        return _above(text, found[0], line)
    return text + line + _newline(text)


def _in_table(
    text: str, found: Sequence[Place], table: tuple[str, ...], line: str
) -> str:
    """Add *line* to *table* in the way in which the text has that table."""
    for number, place in enumerate(found):
        if place.path == table and place.is_header:
            return _below(text, [place, *_section(found[number + 1 :])], line)
        if place.path == table:
            return _inside(text, place, line)
    if dotted := [each for each in _section(found) if each.path[: len(table)] == table]:
        return _below(text, dotted, f"{'.'.join(table)}.{line}")
    newline = _newline(text)
    space = newline if text.strip() else ""
    return f"{text}{space}[{'.'.join(table)}]{newline}{line}{newline}"


def _section(found: Sequence[Place]) -> list[Place]:
    """Return the places before the first header."""
    headers = (n for n, place in enumerate(found) if place.is_header)
    return list(found[: next(headers, len(found))])


def _below(text: str, section: Sequence[Place], line: str) -> str:
    """Add *line* below the last of *section*, as far from the margin."""
    last = max(section, key=lambda place: place.end)
    at = text.index("\n", last.end) + 1
    margin = text[text.rfind("\n", 0, last.at) + 1 : last.at]
    return f"{text[:at]}{margin}{line}{_newline(text)}{text[at:]}"


def _above(text: str, header: Place, line: str) -> str:
    """Add *line* above *header* and the comment that belongs to it."""
    newline = _newline(text)
    lines = text[: header.at].split("\n")[:-1]
    while lines and lines[-1].lstrip().startswith("#"):
        del lines[-1]
    at = sum(len(each) + 1 for each in lines)
    return f"{text[:at]}{line}{newline}{newline}{text[at:]}"


def _inside(text: str, place: Place, pair: str) -> str:
    """Add *pair* to the inline table at *place*."""
    inner = text[place.start + 1 : place.end - 1]
    held = inner.rstrip()
    comma = ", " if held else " "
    rest = inner[len(held) :] or " "
    return f"{text[: place.start]}{{{held}{comma}{pair}{rest}}}{text[place.end :]}"


def _newline(text: str) -> str:
    return "\r\n" if text.partition("\n")[0].endswith("\r") else "\n"


def _spelled(value: Value) -> str:
    """Spell *value* as TOML does."""
    if not isinstance(value, str):
        return spelled(value)
    # JSON's escapes are TOML's, but for the one control character it lets pass.
    return json.dumps(value, ensure_ascii=False).replace("\x7f", "\\u007f")


def _value(text: str, keys: Sequence[str]) -> object:
    return _table(tomllib.loads(text), keys[:-1]).get(keys[-1])


def _rest(text: str, keys: Sequence[str]) -> dict[str, object]:
    """Return what *text* says but for *keys*; floats as text, for nan is not nan."""
    rest = tomllib.loads(text, parse_float=str)
    _table(rest, keys[:-1]).pop(keys[-1], None)
    return rest


def _table(data: dict[str, Any], names: Sequence[str]) -> dict[str, Any]:
    for name in names:
        data = data.setdefault(name, {})
        if not isinstance(data, dict):
            raise TypeError(name)
    return data
