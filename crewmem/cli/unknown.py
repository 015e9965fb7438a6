"""What is said of a command that is not there: where it is, or the nearest."""

from __future__ import annotations

import click

from crewmem.cli.table import HIDDEN, TABLE

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator
    from typing import Any

    from crewmem.cli.table import Table


class UnknownCommandError(click.UsageError):
    """There is no command of that name."""

    def __init__(self, name: str, known: dict[str, Any], ctx: click.Context) -> None:
        from difflib import get_close_matches

        nearest = get_close_matches(name, known, n=1)
        message = f"There is no command {name!r}."
        if elsewhere := elsewhere_of(ctx.info_name or "", name):
            message += f" Did you mean {' or '.join(elsewhere)}?"
        elif nearest:
            message += f" Did you mean {nearest[0]}?"
        super().__init__(message, ctx)


OTHER = {"memory": "memories", "memories": "memory"}
"""Files, and what is held to be true: who means the one may well type the other."""

WORDS = {
    "add": "remember",
    "ask": "recall",
    "audit": "journal list",
    "backup": "export",
    "cleanup": "timers run housekeeping",
    "compact": "memories condense",
    "context": "recall",
    "create": "remember",
    "delete": "forget",
    "dump": "export",
    "gc": "timers run housekeeping",
    "ingest": "import",
    "list": "memories list",
    "migrate": "import",
    "query": "search",
    "session-end": "scratch digest",
    "session-start": "recall",
    "show": "get",
    "summarize": "memories rollup",
    "sync": "export",
    "think": "recall",
    "timeline": "journal list",
}
"""What Engram, OtterCamp and Beads call what a command here does."""


def elsewhere_of(group: str, name: str) -> list[str]:
    """Return the commands that somebody meant who looked for *name* in *group*."""
    if name in TABLE or name in HIDDEN:
        return [f"crewmem {name}"]
    if group in PLAIN:
        return []
    if name in WORDS:
        return [f"crewmem {WORDS[name]}"]
    found = [f"crewmem {each}" for each in _named(TABLE, name)]
    other = f"crewmem {OTHER.get(group, group)} {name}"
    return [other] if other in found else found[:2]


PLAIN = frozenset({"workspace", "crew", "agent", "config", "timers", "embedder"})
"""Groups in which a word such as ``delete`` says nothing of memories."""


def _named(table: Table, name: str, before: str = "") -> Iterator[str]:
    """Yield the commands below *table* that are called *name*."""
    for each, told in table.items():
        if each == name:
            yield f"{before}{each}"
        elif isinstance(told, tuple):
            yield from _named(told[1], name, f"{before}{each} ")
