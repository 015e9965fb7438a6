"""The completion script for bash, 3.2 and later. Pure."""

from __future__ import annotations

from crewmem.cli.shells.sh import pattern, quoted
from crewmem.cli.shells.tree import Node, Slot, arguments, values

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable


def blanks(root: Node) -> dict[str, str]:
    """Return what fills the blanks of the template, by name."""
    nodes = list(root.walk())
    return {
        "COMMANDS": " | \\\n".join(
            f"    {quoted(node.path)}" for node in nodes if node.path
        ),
        "OPTIONS_TAKE": "\n".join(
            f"    {' | '.join(map(pattern, places))}) takes={quoted(option.taken)} ;;"
            for places, option in values(root)
        ),
        "ARGUMENTS_TAKE": "\n".join(
            f"    {pattern(place)}) takes={quoted(taken)} ;;"
            for place, taken in arguments(root)
        ),
        "COMMANDS_OF": "\n".join(
            _case(node, [each.name for each in node.nodes])
            for node in nodes
            if node.nodes
        ),
        "OPTIONS": "\n".join(
            _case(node, _names(node.options))
            for node in nodes
            if node.path and node.options
        ),
        "GLOBALS": " ".join(_names(root.options)),
    }


def _case(node: Node, words: Iterable[str]) -> str:
    return f"    {quoted(node.path)}) own='{' '.join(words)}' ;;"


def _names(options: Iterable[Slot]) -> list[str]:
    return [name for option in options for name in option.names]
