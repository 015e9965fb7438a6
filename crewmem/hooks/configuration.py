"""Adds crewmem's entries to the configuration of a program, JSON or TOML, and removes them.

Edits change the text directly, so that the user's comments, order and line ends stay. Afterwards
both texts are parsed and compared: everything except crewmem's own entries must be equal.
"""

import json
import re
import tomllib
from collections.abc import Sequence
from copy import deepcopy
from itertools import dropwhile
from typing import Any

from crewmem.errors import RefusedError
from crewmem.hooks import jsontext
from crewmem.hooks.programs import ConfigEntry


def parse(text: str, format_: str) -> dict[str, Any]:
    """Parse a configuration; return {} for an empty text.

    Args:
        text: Content of the file; it may have a byte order mark.
        format_: ``json``, which may have comments, or ``toml``.

    Raises:
        RefusedError: If it is neither empty nor an object in that format.
    """
    if not _has_text(text):
        return {}
    if format_ == "json":
        values = jsontext.parse(text).to_python()
        if not isinstance(values, dict):
            raise RefusedError("it is not a JSON object", code="bad-shape")
        return values
    try:
        return tomllib.loads(text.removeprefix("\ufeff"))
    except tomllib.TOMLDecodeError as error:
        raise RefusedError(str(error), code="bad-toml") from error


def render_entries(entries: Sequence[ConfigEntry], format_: str) -> str:
    """Return the text of a configuration with only these *entries*."""
    values: dict[str, Any] = {}
    for entry in entries:
        parent = values
        for name in entry.path[:-1]:
            parent = parent.setdefault(name, {})
        parent[entry.path[-1]] = [entry.value] if entry.is_item else entry.value
    if format_ == "json":
        return json.dumps(values, indent=2) + "\n"
    import tomlkit  # slow to import, and only Codex uses TOML

    return tomlkit.dumps(values)


def add_entries(text: str, format_: str, entries: Sequence[ConfigEntry], program: str) -> str:
    """Return *text* with *entries*, which replace crewmem's older ones.

    Raises:
        RefusedError: If anything else would change.
    """
    before = parse(text, format_)
    if all(find_own(before, entry, program) == [entry.value] for entry in entries):
        return text
    text = remove_entries(text, format_, entries, program)
    newline = "\r\n" if "\r\n" in text else "\n"
    if format_ == "json":
        text = text if _has_text(text) else text.rstrip() + "{}\n"
        for entry in entries:
            add = jsontext.add_item if entry.is_item else jsontext.add_member
            text = add(text, entry.path, entry.value)
    else:
        while _has_text(text) and not text.endswith(newline * 2):
            text += newline
        text += render_entries(entries, format_).replace("\n", newline)
    _check_rest(before, parse(text, format_), entries, program)
    return text


def remove_entries(text: str, format_: str, entries: Sequence[ConfigEntry], program: str) -> str:
    """Return *text* without crewmem's entries, and without objects and lists that become empty.

    Raises:
        RefusedError: If anything else would change.
    """
    before = parse(text, format_)
    present = [entry for entry in entries if find_own(before, entry, program)]
    if not present:
        return text
    remove = _remove_json if format_ == "json" else _remove_toml
    removed = remove(text, present, program)
    _check_rest(before, parse(removed, format_), entries, program)
    return removed


def find_value(values: Any, path: Sequence[str]) -> Any:
    """Return the value at *path*; None if there is none."""
    for name in path:
        values = values.get(name) if isinstance(values, dict) else None
    return values


def find_own(values: Any, entry: ConfigEntry, program: str) -> list[Any]:
    """Return crewmem's values at the path of *entry*.

    Of a list these are the groups whose hooks call crewmem; else it is the value at the path, which
    ends with crewmem's name.
    """
    value = find_value(values, entry.path)
    if entry.is_item:
        groups = value if isinstance(value, list) else []
        return [group for group in groups if _is_own_group(group, program)]
    return [] if value is None else [value]


def _is_own_group(value: Any, program: str) -> bool:
    """Return whether all hooks of a group call crewmem."""
    hooks = value.get("hooks") if isinstance(value, dict) else None
    if not isinstance(hooks, list) or not hooks:
        return False
    commands = [str(hook.get("command")) if isinstance(hook, dict) else "" for hook in hooks]
    return all("crewmem" in each and f" hook {program}" in f" {each} " for each in commands)


def _has_text(text: str) -> bool:
    return bool(text.strip("\ufeff \t\r\n"))


def _check_rest(before: Any, after: Any, entries: Sequence[ConfigEntry], program: str) -> None:
    if _without_own(before, entries, program) != _without_own(after, entries, program):
        raise RefusedError("the edit would change more than crewmem's entries", code="bad-shape")


def _without_own(values: Any, entries: Sequence[ConfigEntry], program: str) -> Any:
    """Return a copy of *values* without crewmem's entries and the empty parents that they leave."""
    rest = deepcopy(values)
    for entry in entries:
        own = find_own(rest, entry, program)
        if entry.is_item and own:
            groups = find_value(rest, entry.path)
            groups[:] = [group for group in groups if group not in own]
        elif own:
            del find_value(rest, entry.path[:-1])[entry.path[-1]]
        for length in range(len(entry.path), 0, -1):
            if find_value(rest, entry.path[:length]) in ({}, []):
                del find_value(rest, entry.path[: length - 1])[entry.path[length - 1]]
    return rest


def _remove_json(text: str, entries: Sequence[ConfigEntry], program: str) -> str:
    for entry in entries:
        values = find_value(jsontext.parse(text).to_python(), entry.path)
        if entry.is_item:
            own = [i for i, value in enumerate(values) if _is_own_group(value, program)]
            for index in reversed(own):
                text = jsontext.remove_member(text, entry.path, index)
            if len(own) < len(values):
                continue
        text = jsontext.remove_member(text, entry.path)
        for length in range(len(entry.path) - 1, 0, -1):
            if find_value(jsontext.parse(text).to_python(), entry.path[:length]):
                break
            text = jsontext.remove_member(text, entry.path[:length])
    return text


def _remove_toml(text: str, entries: Sequence[ConfigEntry], program: str) -> str:
    """Remove crewmem's tables with the comments in them.

    Comments at the end of a table stay, because they describe what follows.

    Raises:
        RefusedError: If an entry shares a table with other values.
    """
    body = text.removeprefix("\ufeff")
    own = {".".join(entry.path) for entry in entries}
    tables, name = [""], ""
    for part in re.split(r"(?m)^(?=[ \t]*\[)", body):
        header = part.lstrip("[ \t").partition("]")[0].strip()
        if name in own and header.startswith(f"{name}."):
            tables[-1] += part
        else:
            tables.append(part)
            name = header
    rest = "".join(
        _find_trailing_comments(table) if _is_own_table(table, entries, program) else table
        for table in tables
    )
    if any(find_own(parse(rest, "toml"), entry, program) for entry in entries):
        raise RefusedError("crewmem's entries share a table with others", code="bad-shape")
    return text[: len(text) - len(body)] + rest


def _is_own_table(table: str, entries: Sequence[ConfigEntry], program: str) -> bool:
    """Return whether a table contains only entries of crewmem."""
    try:
        values = tomllib.loads(table)
    except tomllib.TOMLDecodeError:
        return False
    has_own = any(find_own(values, entry, program) for entry in entries)
    return has_own and not _without_own(values, entries, program)


def _find_trailing_comments(table: str) -> str:
    """Return the comments at the end of a table, with the blank lines between and after them."""
    lines = table.splitlines(keepends=True)
    end = max(number for number, line in enumerate(lines, 1) if line.strip()[:1] not in ("", "#"))
    return "".join(dropwhile(lambda line: not line.strip(), lines[end:]))
