"""The little of YAML that front matter and ``okf.yaml`` are written in. Pure.

Maps, lists and texts, by indentation, and lists in brackets. What is more than that
(anchors, tags, blocks of text, maps in braces) is refused, not guessed at.
"""

from __future__ import annotations

import json
import re
from collections import deque

from crewmem.records import NamedTuple

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

DEEPEST = 8
"""Levels that are read; ``okf.yaml`` has three."""

LINE_MOST = 1 << 16
"""Most characters of a line: what it holds is taken apart piece by piece."""

KEY = re.compile(r"""([\w.-]+|"[^"\n]*"|'[^'\n]*'):(?=\s|$)\s*""")

NOT_READ = frozenset("&*!|>{%@`")
"""What a value of the more of YAML begins with."""

NOTHING = frozenset({"", "~", "null", "Null", "NULL"})

Value = None | str | list["Value"] | dict[str, "Value"]


class YamlError(ValueError):
    """A text is not of the YAML that is read; the message names the line."""


class Line(NamedTuple):
    """A line with something in it."""

    number: int
    indent: int
    text: str


def parsed(text: str) -> dict[str, Value]:
    """Return the map that *text* spells; numbers and dates are texts as they stand.

    Raises:
        YamlError: If it spells something else.
    """
    lines = deque(_lines(text))
    if not lines:
        return {}
    first = lines[0]
    value = _block(lines, first.indent, 0)
    if lines:
        raise _error(lines[0], "it is indented in a way that fits nothing")
    if not isinstance(value, dict):
        raise _error(first, "it is no field")
    return value


def _lines(text: str) -> Iterator[Line]:
    for number, raw in enumerate(text.splitlines(), 1):
        bare = raw.strip()
        if not bare or bare.startswith("#") or bare in {"---", "..."}:
            continue
        if len(raw) > LINE_MOST:
            raise YamlError(f"line {number}: it is too long")
        indent = len(raw) - len(raw.lstrip(" "))
        if raw[indent] == "\t":
            raise YamlError(f"line {number}: it is indented by a tab")
        yield Line(number, indent, bare)


def _block(lines: deque[Line], indent: int, depth: int) -> Value:
    """Take the lines of one *indent* from *lines*; return what they spell."""
    if depth > DEEPEST:
        raise _error(lines[0], "it is nested too deeply")
    if lines[0].text == "-" or lines[0].text.startswith("- "):
        return _list(lines, indent, depth)
    return _map(lines, indent, depth)


def _list(lines: deque[Line], indent: int, depth: int) -> Value:
    items: list[Value] = []
    while lines and lines[0].indent == indent and lines[0].text.startswith("-"):
        first = lines.popleft()
        text = first.text[1:].lstrip()
        if not text:
            items.append(_below(lines, indent, depth))
        elif KEY.match(text):
            inner = indent + len(first.text) - len(text)
            lines.appendleft(Line(first.number, inner, text))
            items.append(_map(lines, inner, depth + 1))
        else:
            items.append(_scalar(text, first))
    return items


def _map(lines: deque[Line], indent: int, depth: int) -> Value:
    found: dict[str, Value] = {}
    while lines and lines[0].indent == indent:
        line = lines.popleft()
        match = KEY.match(line.text)
        if match is None:
            raise _error(line, "it is no field")
        key = match[1].strip("\"'")
        if key in found:
            raise _error(line, f"it has {key!r} twice")
        rest = line.text[match.end() :]
        if rest and not rest.startswith("#"):
            found[key] = _scalar(rest, line)
        else:
            found[key] = _below(lines, indent, depth, is_map=True)
    return found


def _below(
    lines: deque[Line], indent: int, depth: int, *, is_map: bool = False
) -> Value:
    """Return what stands below a key or a dash; None where nothing does."""
    if not lines:
        return None
    is_list = is_map and lines[0].indent == indent and lines[0].text[:1] == "-"
    if lines[0].indent > indent or is_list:
        return _block(lines, lines[0].indent, depth + 1)
    return None


def _scalar(text: str, line: Line) -> Value:
    if text[0] == "[":
        return _bracketed(text, line)
    if text[0] in "\"'":
        value, rest = _quoted(text, line)
        if rest and not rest.startswith("#"):
            raise _error(line, "something follows the end of a text")
        return value
    if text[0] in NOT_READ:
        raise _error(line, f"a value that begins with {text[0]} is not read")
    plain = re.split(r"\s#", text, maxsplit=1)[0].rstrip()
    return None if plain in NOTHING else plain


def _quoted(text: str, line: Line) -> tuple[str, str]:
    """Return the text in quotes that *text* begins with, and what follows."""
    if text[0] == "'":
        found = re.match(r"'((?:[^']|'')*)'", text)
        if found:
            return found[1].replace("''", "'"), text[found.end() :].lstrip()
    elif found := re.match(r'"(?:[^"\\]|\\.)*"', text):
        try:
            return str(json.loads(found[0])), text[found.end() :].lstrip()
        except ValueError as error:
            raise _error(line, "a text has an escape that is not read") from error
    raise _error(line, "a text has no end")


def _bracketed(text: str, line: Line) -> Value:
    items: list[Value] = []
    rest = text[1:].lstrip()
    while rest and rest[0] != "]":
        if rest[0] in "\"'":
            item, rest = _quoted(rest, line)
        else:
            found = re.match(r"[^,\[\]{}\"']+", rest)
            if found is None:
                raise _error(line, "a list in it is not read")
            item, rest = found[0].strip(), rest[found.end() :]
        items.append(item)
        if rest[:1] == ",":
            rest = rest[1:].lstrip()
        elif rest[:1] != "]":
            raise _error(line, "a list has no end")
    if rest[:1] != "]":
        raise _error(line, "a list has no end")
    return items


def _error(line: Line, reason: str) -> YamlError:
    return YamlError(f"line {line.number}: {reason}")
