"""Edits JSON with comments as text: adds and removes entries, and keeps everything else.

A program's configuration belongs to its user, with its comments, order, indentation and line ends.
So the text is not printed anew. Parsed values know their positions, and an edit changes only the
necessary characters.
"""

import json
import re
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

from crewmem.errors import RefusedError

MAX_DEPTH = 100


@dataclass(slots=True)
class Node:
    """A value and its position in the text.

    Attributes:
        kind: ``object``, ``array`` or ``scalar``.
        start: Position of the first character; *end* is behind the last one.
        members: For an object (name, position of the name, value), for an array ("", position of
            the value, value).
        comma: Position behind a comma after the last member; 0 without one.
    """

    kind: str
    start: int
    end: int = 0
    value: Any = None
    members: "list[tuple[str, int, Node]]" = field(default_factory=list)
    comma: int = 0

    def get(self, name: str) -> "Node | None":
        """Return the member *name* of an object."""
        return next((node for key, _, node in self.members if key == name), None)

    def plain(self) -> Any:
        """Convert the value to a Python value."""
        if self.kind == "object":
            return {name: node.plain() for name, _, node in self.members}
        if self.kind == "array":
            return [node.plain() for _, _, node in self.members]
        return self.value


SPACE = re.compile(r"(?:\s|//[^\n]*|/\*.*?\*/)*", re.DOTALL)
SCALAR = re.compile(r'"(?:[^"\\\n]|\\.)*"|-?\d+(?:\.\d+)?(?:[eE][+-]?\d+)?|true|false|null')
JSON5 = re.compile(r"(?P<name>[A-Za-z_$][\w$]*)(?=\s*:)|'(?P<text>[^'\"\\\n]*)'")
"""Additions of JSON5: names without quotes, and texts in single quotes."""


class _Parser:
    def __init__(self, text: str) -> None:
        self.text = text
        self.at = 0

    def skip(self) -> str:
        match = SPACE.match(self.text, self.at)
        assert match is not None
        self.at = match.end()
        return self.text[self.at : self.at + 1]

    def fail(self, what: str) -> RefusedError:
        line = self.text.count("\n", 0, self.at) + 1
        return RefusedError(f"line {line}: {what}", code="bad-json")

    def parse_value(self, depth: int = 0) -> Node:
        if depth > MAX_DEPTH:
            raise self.fail("it is nested too deeply")
        character = self.skip()
        if character == "{":
            return self.parse_members("object", "}", depth)
        if character == "[":
            return self.parse_members("array", "]", depth)
        return self.parse_scalar()

    def parse_scalar(self) -> Node:
        match = SCALAR.match(self.text, self.at)
        json5 = None if match else JSON5.match(self.text, self.at)
        if json5 is not None:
            start, self.at = self.at, json5.end()
            return Node("scalar", start, self.at, json5["name"] or json5["text"])
        if match is None:
            raise self.fail("this is not JSON")
        start, self.at = self.at, match.end()
        try:
            return Node("scalar", start, self.at, json.loads(match[0]))
        except ValueError:
            raise self.fail("this is not JSON") from None

    def parse_members(self, kind: str, closing: str, depth: int) -> Node:
        node = Node(kind, self.at)
        self.at += 1
        while self.skip() != closing:
            if node.members and not node.comma:
                raise self.fail(f"expected ',' or '{closing}'")
            name, start = "", self.at
            if kind == "object":
                key = self.parse_scalar()
                if not isinstance(key.value, str) or self.skip() != ":":
                    raise self.fail("expected a name in quotes and ':'")
                name = key.value
                if node.get(name) is not None:
                    raise self.fail(f"the name {json.dumps(name)} occurs twice here")
                self.at += 1
            node.members.append((name, start, self.parse_value(depth + 1)))
            node.comma = 0
            if self.skip() == ",":
                self.at += 1
                node.comma = self.at
        self.at += 1
        node.end = self.at
        return node


def parse(text: str) -> Node:
    """Parse JSON with comments, trailing commas, and JSON5 names.

    Raises:
        RefusedError: If the text is anything else; the error names the line.
    """
    parser = _Parser(text)
    parser.at = len(text) - len(text.lstrip("\ufeff"))
    node = parser.parse_value()
    if parser.skip():
        raise parser.fail("there is text after the end")
    return node


def add_member(text: str, path: Sequence[str], value: Any) -> str:
    """Add the member at *path* to an object; missing objects on the way are created.

    Raises:
        RefusedError: If a value on the way is not an object.
    """
    node, missing = _descend(parse(text), path)
    if not missing:
        raise RefusedError(f"{'.'.join(path)} is there already", code="bad-shape")
    for name in reversed(missing[1:]):
        value = {name: value}
    return _insert(text, node, json.dumps(missing[0]) + ": ", value)


def add_item(text: str, path: Sequence[str], value: Any) -> str:
    """Append *value* to the array at *path*; missing objects on the way are created.

    Raises:
        RefusedError: If the value at *path* is not an array.
    """
    node = find(parse(text), path)
    if node is None:
        return add_member(text, path, [value])
    if node.kind != "array":
        raise RefusedError(f"{'.'.join(path)} is not a list", code="bad-shape")
    return _insert(text, node, "", value)


def find(node: Node, path: Sequence[str]) -> Node | None:
    """Return the node at *path*; None if there is none.

    Raises:
        RefusedError: If a value on the way is not an object.
    """
    found, missing = _descend(node, path)
    return None if missing else found


def _descend(node: Node, path: Sequence[str]) -> tuple[Node, Sequence[str]]:
    """Return the last existing node on the way to *path*, and the missing names."""
    for depth, name in enumerate(path):
        if node.kind != "object":
            raise RefusedError(
                f"{'.'.join(path[:depth]) or 'it'} is not an object", code="bad-shape"
            )
        inner = node.get(name)
        if inner is None:
            return node, path[depth:]
        node = inner
    return node, ()


def remove_member(text: str, path: Sequence[str], position: int | None = None) -> str:
    """Remove the member at *path* from its object, or item *position* of the array there."""
    root = parse(text)
    parent = find(root, path if position is not None else path[:-1])
    assert parent is not None
    if position is None:
        position = [name for name, _, _ in parent.members].index(path[-1])
    _, start, node = parent.members[position]
    if len(parent.members) == 1:
        inner = text[parent.start + 1 : parent.end - 1]
        cut = text[parent.start + 1 : start] + text[max(node.end, parent.comma) : parent.end - 1]
        rest = "" if not cut.strip() and inner.strip() else cut
        return text[: parent.start + 1] + rest + text[parent.end - 1 :]
    if position == len(parent.members) - 1:
        previous = parent.members[position - 1][2]
        # If a comma follows the last member, the comma before that member stays instead.
        if parent.comma:
            comma = _skip_to_comma(text, previous.end)
            return text[:comma] + text[parent.comma :]
        return text[: previous.end] + text[node.end :]
    return text[:start] + text[parent.members[position + 1][1] :]


def _skip_to_comma(text: str, at: int) -> int:
    parser = _Parser(text)
    parser.at = at
    parser.skip()
    return parser.at + 1


def _insert(text: str, parent: Node, label: str, value: Any) -> str:
    """Insert a last member, on a line of its own unless the object is on one line."""
    newline, unit = _newline(text), _unit(text)
    outer = _indent_at(text, parent.start)
    body = text[parent.start : parent.end]
    if parent.members and "\n" not in body and parent.start != 0:
        shown = label + json.dumps(value, ensure_ascii=False)
        at = parent.comma or parent.members[-1][2].end
        return text[:at] + (" " if parent.comma else ", ") + shown + text[at:]
    indent = outer + unit
    if parent.members and "\n" in body:
        indent = _indent_at(text, parent.members[-1][1])
    shown = newline + indent + label + _format(value, indent, unit, newline)
    if not parent.members:
        inner = text[parent.start + 1 : parent.end - 1].rstrip()
        return text[: parent.start + 1] + inner + shown + newline + outer + text[parent.end - 1 :]
    if parent.comma:
        return text[: parent.comma] + shown + "," + text[parent.comma :]
    end = parent.members[-1][2].end
    return text[:end] + "," + shown + text[end:]


def _format(value: Any, indent: str, unit: str, newline: str) -> str:
    shown = json.dumps(value, indent=unit, ensure_ascii=False)
    return shown.replace("\n", newline + indent)


def _newline(text: str) -> str:
    return "\r\n" if "\r\n" in text else "\n"


def _indent_at(text: str, at: int) -> str:
    """Return the indentation of the line that contains *at*."""
    line = text[text.rfind("\n", 0, at) + 1 : at]
    return line[: len(line) - len(line.lstrip(" \t"))]


def _unit(text: str) -> str:
    """Return one level of the text's indentation; by default two spaces."""
    return min(re.findall(r"\n([ \t]+)[\w\"{[]", text), key=len, default="  ")
