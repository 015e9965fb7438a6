"""Edits the text of JSON with comments: adds and removes entries, and keeps everything else.

Comments, order, indentation and line ends of a user's configuration must stay. Therefore it is not
serialized again: parsed values know their positions, and an edit changes only the necessary
characters.
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
        start: Position of the first character.
        end: Position after the last character.
        value: Value of a scalar.
        members: Of an object (name, position of the name, node), of an array ("", position of
            the item, node).
        comma: Position after a trailing comma; 0 without one.
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

    def to_python(self) -> Any:
        """Convert the node to a Python value."""
        if self.kind == "object":
            return {name: node.to_python() for name, _, node in self.members}
        if self.kind == "array":
            return [node.to_python() for _, _, node in self.members]
        return self.value


SPACE = re.compile(r"(?:\s|//[^\n]*|/\*.*?\*/)*", re.DOTALL)
SCALAR = re.compile(r'"(?:[^"\\\n]|\\.)*"|-?\d+(?:\.\d+)?(?:[eE][+-]?\d+)?|true|false|null')
JSON5 = re.compile(r"(?P<name>[A-Za-z_$][\w$]*)(?=\s*:)|'(?P<text>[^'\"\\\n]*)'")
"""Syntax of JSON5: names without quotes, and strings in single quotes."""


class _Parser:
    def __init__(self, text: str) -> None:
        self.text = text
        self.at = 0  # position of the next character

    def skip_space(self) -> str:
        """Skip white space and comments; return the next character, "" at the end."""
        match = SPACE.match(self.text, self.at)
        assert match is not None
        self.at = match.end()
        return self.text[self.at : self.at + 1]

    def make_error(self, message: str) -> RefusedError:
        line = self.text.count("\n", 0, self.at) + 1
        return RefusedError(f"line {line}: {message}", code="bad-json")

    def parse_value(self, depth: int = 0) -> Node:
        if depth > MAX_DEPTH:
            raise self.make_error("it is nested too deeply")
        character = self.skip_space()
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
            raise self.make_error("this is not JSON")
        start, self.at = self.at, match.end()
        try:
            return Node("scalar", start, self.at, json.loads(match[0]))
        except ValueError:
            raise self.make_error("this is not JSON") from None

    def parse_members(self, kind: str, closing: str, depth: int) -> Node:
        node = Node(kind, self.at)
        self.at += 1
        while self.skip_space() != closing:
            if node.members and not node.comma:
                raise self.make_error(f"expected ',' or '{closing}'")
            name, start = "", self.at
            if kind == "object":
                key = self.parse_scalar()
                if not isinstance(key.value, str) or self.skip_space() != ":":
                    raise self.make_error("expected a name in quotes and ':'")
                name = key.value
                if node.get(name) is not None:
                    raise self.make_error(f"the name {json.dumps(name)} occurs twice here")
                self.at += 1
            node.members.append((name, start, self.parse_value(depth + 1)))
            node.comma = 0
            if self.skip_space() == ",":
                self.at += 1
                node.comma = self.at
        self.at += 1
        node.end = self.at
        return node


def parse(text: str) -> Node:
    """Parse JSON with comments, trailing commas, and the JSON5 syntax of names and strings.

    Raises:
        RefusedError: If the text is invalid; the error names the line.
    """
    parser = _Parser(text)
    parser.at = len(text) - len(text.lstrip("\ufeff"))
    node = parser.parse_value()
    if parser.skip_space():
        raise parser.make_error("there is text after the end")
    return node


def add_member(text: str, path: Sequence[str], value: Any) -> str:
    """Add a member at *path*; missing objects on the path are created.

    Raises:
        RefusedError: If it exists, or a value on the path is not an object.
    """
    node, missing = _descend(parse(text), path)
    if not missing:
        raise RefusedError(f"{'.'.join(path)} already exists", code="bad-shape")
    for name in reversed(missing[1:]):
        value = {name: value}
    return _insert(text, node, json.dumps(missing[0]) + ": ", value)


def add_item(text: str, path: Sequence[str], value: Any) -> str:
    """Append *value* to the array at *path*; missing objects on the path are created.

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
        RefusedError: If a value on the path is not an object.
    """
    last, missing = _descend(node, path)
    return None if missing else last


def _descend(node: Node, path: Sequence[str]) -> tuple[Node, Sequence[str]]:
    """Return the last existing node on *path*, and the names of the missing ones."""
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
    """Remove the member at *path*; with *position*, that item of the array at *path*."""
    root = parse(text)
    parent = find(root, path if position is not None else path[:-1])
    assert parent is not None
    if position is None:
        position = [name for name, _, _ in parent.members].index(path[-1])
    _, start, node = parent.members[position]
    if len(parent.members) == 1:
        rest = text[parent.start + 1 : start] + text[max(node.end, parent.comma) : parent.end - 1]
        if not rest.strip():  # no comments
            rest = ""
        return text[: parent.start + 1] + rest + text[parent.end - 1 :]
    if position == len(parent.members) - 1:
        previous = parent.members[position - 1][2]
        # If there is a trailing comma, remove it, and keep the comma before the member.
        if parent.comma:
            comma = _skip_to_comma(text, previous.end)
            return text[:comma] + text[parent.comma :]
        return text[: previous.end] + text[node.end :]
    return text[:start] + text[parent.members[position + 1][1] :]


def _skip_to_comma(text: str, at: int) -> int:
    """Return the position after the comma that follows *at*."""
    parser = _Parser(text)
    parser.at = at
    parser.skip_space()
    return parser.at + 1


def _insert(text: str, parent: Node, label: str, value: Any) -> str:
    """Insert a last member, on a separate line unless the members of *parent* share a line.

    Args:
        label: The name of the member with a colon; "" in an array.
    """
    newline, unit = _find_newline(text), _find_indent_unit(text)
    outer = _find_indent(text, parent.start)
    body = text[parent.start : parent.end]
    if parent.members and "\n" not in body and parent.start != 0:
        member = label + json.dumps(value, ensure_ascii=False)
        at = parent.comma or parent.members[-1][2].end
        return text[:at] + (" " if parent.comma else ", ") + member + text[at:]
    indent = outer + unit
    if parent.members and "\n" in body:
        indent = _find_indent(text, parent.members[-1][1])
    member = newline + indent + label + _format(value, indent, unit, newline)
    if not parent.members:
        inner = text[parent.start + 1 : parent.end - 1].rstrip()
        return text[: parent.start + 1] + inner + member + newline + outer + text[parent.end - 1 :]
    if parent.comma:
        return text[: parent.comma] + member + "," + text[parent.comma :]
    end = parent.members[-1][2].end
    return text[:end] + "," + member + text[end:]


def _format(value: Any, indent: str, unit: str, newline: str) -> str:
    text = json.dumps(value, indent=unit, ensure_ascii=False)
    return text.replace("\n", newline + indent)


def _find_newline(text: str) -> str:
    return "\r\n" if "\r\n" in text else "\n"


def _find_indent(text: str, at: int) -> str:
    """Return the indentation of the line that contains the position *at*."""
    line = text[text.rfind("\n", 0, at) + 1 : at]
    return line[: len(line) - len(line.lstrip(" \t"))]


def _find_indent_unit(text: str) -> str:
    """Return the smallest indentation in the text; two spaces if there is none."""
    return min(re.findall(r"\n([ \t]+)[\w\"{[]", text), key=len, default="  ")
