"""All commands, and JSON Schemas of their answers, generated from the record types."""

import dataclasses
import types
import typing
from collections.abc import Mapping, Sequence
from collections.abc import Set as AbstractSet
from datetime import date, datetime
from enum import Enum
from pathlib import Path
from typing import Any, Literal, Union

import click

from crewmem.cli.main import COMMANDS, make_root
from crewmem.cli.output import SCHEMA_VERSION

SIMPLE: dict[Any, dict[str, Any]] = {
    str: {"type": "string"},
    int: {"type": "integer"},
    float: {"type": "number"},
    bool: {"type": "boolean"},
    type(None): {"type": "null"},
    datetime: {"type": "string", "format": "date-time"},
    date: {"type": "string", "format": "date"},
    Path: {"type": "string"},
    Any: {},
    object: {},
}


def make_schema(answer: Any, title: str) -> dict[str, Any]:
    """Return the JSON Schema of the envelope around *answer*."""
    if isinstance(answer, types.FunctionType):
        answer = answer()  # imports its record only here
    definitions: dict[str, Any] = {}
    data = describe_type(answer, definitions)
    notice = {
        "type": "object",
        "properties": {name: {"type": "string"} for name in ("code", "message", "hint")},
    }
    schema: dict[str, Any] = {
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "title": title,
        "type": "object",
        "properties": {
            "schema": {"const": SCHEMA_VERSION},
            "data": data,
            "next": {"type": ["string", "null"]},
            "warnings": {"type": "array", "items": notice},
        },
        "required": ["schema", "data", "next", "warnings"],
    }
    if definitions:
        schema["$defs"] = dict(sorted(definitions.items()))
    return schema


def describe_type(kind: Any, definitions: dict[str, Any]) -> dict[str, Any]:
    """Return the schema of a type; those of records are added to *definitions*."""
    if kind in SIMPLE:
        return dict(SIMPLE[kind])
    origin, arguments = typing.get_origin(kind), typing.get_args(kind)
    if origin in (Union, types.UnionType):
        return {"anyOf": [describe_type(argument, definitions) for argument in arguments]}
    if origin is Literal:
        return {"enum": list(arguments)}
    if origin in (list, tuple, Sequence, set, frozenset, AbstractSet):
        if origin is tuple and arguments and arguments[-1] is not Ellipsis:
            items = [describe_type(argument, definitions) for argument in arguments]
            return {"type": "array", "prefixItems": items}
        return {"type": "array", "items": describe_type(arguments[0], definitions)}
    if origin in (dict, Mapping):
        return {"type": "object", "additionalProperties": describe_type(arguments[1], definitions)}
    if kind in (list, tuple):
        return {"type": "array"}
    if kind is dict:
        return {"type": "object"}
    if isinstance(kind, type) and issubclass(kind, Enum):
        return {"enum": [member.value for member in kind]}
    if isinstance(kind, type) and (dataclasses.is_dataclass(kind) or hasattr(kind, "_fields")):
        return _describe_record(kind, definitions)
    raise TypeError(f"no JSON Schema for {kind!r}")


def _describe_record(record: Any, definitions: dict[str, Any]) -> dict[str, Any]:
    name = record.__name__
    if name not in definitions:
        definitions[name] = {}  # a record may contain itself
        hints = typing.get_type_hints(record)
        if dataclasses.is_dataclass(record):
            names = [field.name for field in dataclasses.fields(record)]
        else:
            names = list(record._fields)
        names = [field for field in names if not field.startswith("_")]
        properties = {
            field.removesuffix("_"): describe_type(hints[field], definitions) for field in names
        }
        text = (record.__doc__ or "").strip().splitlines()
        definitions[name] = {
            "type": "object",
            "description": text[0] if text else "",
            "properties": properties,
            "required": list(properties),
        }
    return {"$ref": f"#/$defs/{name}"}


def get_all_commands() -> dict[str, Any]:
    """Import and return every command of the first level by name."""
    root = make_root()
    context = click.Context(root, info_name="crewmem")
    return {name: root.get_command(context, name) for name in COMMANDS}


def walk_commands(
    commands: Mapping[str, click.Command], prefix: str = ""
) -> list[tuple[str, click.Command]]:
    """List every command that is not a group, by its whole name, in order."""
    found = []
    for name, command in sorted(commands.items()):
        path = f"{prefix} {name}".strip()
        if isinstance(command, click.Group):
            found += walk_commands(list_subcommands(command), path)
        else:
            found.append((path, command))
    return found


def list_subcommands(group: click.Group) -> dict[str, click.Command]:
    """Return the commands of a group by name, also those that it imports when they are invoked."""
    context = click.Context(group)
    found = {name: group.get_command(context, name) for name in group.list_commands(context)}
    return {name: command for name, command in found.items() if command is not None}


def make_schemas(commands: Mapping[str, click.Command]) -> dict[str, dict[str, Any]]:
    """Return the schema of each command that answers in JSON, by file name."""
    return {
        f"{path.replace(' ', '-')}.json": make_schema(answer, f"crewmem {path}")
        for path, command in walk_commands(commands)
        if (answer := getattr(command, "answer", None)) is not None
    }
