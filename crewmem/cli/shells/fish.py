"""The completion script for fish. Pure."""

from __future__ import annotations

from crewmem.cli.shells.tree import Node, arguments, below, spelled, values

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable


def blanks(root: Node) -> dict[str, str]:
    """Return what fills the blanks of the template, by name."""
    nodes = list(root.walk())
    return {
        "COMMANDS": " ".join(quoted(node.path) for node in nodes if node.path),
        "OPTIONS_TAKE": "\n".join(
            f"        case {' '.join(map(quoted, places))}\n"
            f"            echo {quoted(option.taken)}"
            for places, option in values(root)
        ),
        "ARGUMENTS_TAKE": "\n".join(
            f"        case {quoted(place)}\n            echo {quoted(taken)}"
            for place, taken in arguments(root)
        ),
        "GLOBALS": _described(spelled(root.options)),
        **below(root, _case),
    }


def quoted(text: str) -> str:
    """Return *text* in single quotes."""
    escaped = text.replace("\\", "\\\\").replace("'", "\\'")
    return f"'{escaped}'"


def _case(node: Node, words: Iterable[tuple[str, str]]) -> str:
    return (
        f"        case {quoted(node.path)}\n"
        f"            printf '%s\\t%s\\n' \\\n{_described(words)}"
    )


def _described(words: Iterable[tuple[str, str]]) -> str:
    return " \\\n".join(
        f"                {word} {quoted(about)}" for word, about in words
    )
