"""The completion script for bash, 3.2 and later. Pure."""

from __future__ import annotations

from crewmem.cli.shells.sh import pattern, quoted
from crewmem.cli.shells.tree import Node, arguments, below, spelled, values

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
        "GLOBALS": _names(spelled(root.options)),
        **below(root, _case),
    }


def _case(node: Node, words: Iterable[tuple[str, str]]) -> str:
    return f"    {quoted(node.path)}) own='{_names(words)}' ;;"


def _names(words: Iterable[tuple[str, str]]) -> str:
    return " ".join(name for name, _ in words)
