"""The tools in ``tools.json``, and the check of their arguments."""

import json
from collections.abc import Mapping
from functools import cache
from pathlib import Path
from typing import Any

from crewmem.errors import UsageError

WRITING = frozenset({"remember", "note"})
"""Tools that a read-only server does not offer."""

TYPES = {"string": str, "integer": int, "boolean": bool}


@cache
def load_tools() -> list[dict[str, Any]]:
    text = Path(__file__).with_name("tools.json").read_text(encoding="utf-8")
    tools: list[dict[str, Any]] = json.loads(text)
    return tools


def list_tools(*, read_only: bool) -> list[dict[str, Any]]:
    return [tool for tool in load_tools() if not read_only or tool["name"] not in WRITING]


def check_arguments(tool: Mapping[str, Any], arguments: object) -> dict[str, Any]:
    """Check arguments against the tool's schema and return them.

    Raises:
        UsageError: If an argument is missing or unknown, or has a wrong type or value.
    """
    if arguments is None:
        arguments = {}
    if not isinstance(arguments, dict):
        raise UsageError("the arguments are not an object", code="bad-arguments")
    schema = tool["inputSchema"]
    properties = schema["properties"]
    for name in schema.get("required", ()):
        if name not in arguments:
            raise UsageError(f"'{name}' is missing", code="bad-arguments")
    checked = {}
    for name, value in arguments.items():
        if name not in properties:
            raise UsageError(
                f"there is no argument '{name}'; arguments are {', '.join(properties)}",
                code="bad-arguments",
            )
        if value is not None:
            checked[name] = _check_value(name, value, properties[name])
    return checked


def _check_value(name: str, value: Any, schema: Mapping[str, Any]) -> Any:
    expected = schema["type"]
    if isinstance(value, float) and value.is_integer():
        value = int(value)  # in a JSON schema, 5.0 is an integer
    is_boolean = isinstance(value, bool)
    if not isinstance(value, TYPES[expected]) or (expected == "integer" and is_boolean):
        raise UsageError(f"'{name}' must be of type {expected}", code="bad-arguments")
    if isinstance(value, str) and not value.isascii():
        try:
            value.encode()
        except UnicodeEncodeError as error:
            raise UsageError(f"'{name}' is not valid Unicode", code="bad-arguments") from error
    if expected == "integer" and not schema["minimum"] <= value <= schema["maximum"]:
        raise UsageError(
            f"'{name}' is {value}; it must be from {schema['minimum']} to {schema['maximum']}",
            code="bad-arguments",
        )
    if "enum" in schema and value not in schema["enum"]:
        raise UsageError(
            f"'{name}' must be one of {', '.join(schema['enum'])}", code="bad-arguments"
        )
    return value
