"""What is said of a command that is not there: where it is, or the nearest."""

from __future__ import annotations

import click

from crewmem.cli.table import TABLE

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any


class UnknownCommandError(click.UsageError):
    """There is no command of that name."""

    def __init__(self, name: str, known: dict[str, Any], ctx: click.Context) -> None:
        from difflib import get_close_matches

        nearest = get_close_matches(name, known, n=1)
        message = f"There is no command {name!r}."
        if elsewhere := _elsewhere(ctx.info_name or "", name):
            message += f" Did you mean crewmem {elsewhere}?"
        elif nearest:
            message += f" Did you mean {nearest[0]}?"
        super().__init__(message, ctx)


OTHER = {"memory": "memories", "memories": "memory"}
"""Files, and what is held to be true: who means the one may well type the other."""


def _elsewhere(group: str, name: str) -> str:
    """Return where the command *name* is that somebody looked for in *group*."""
    if group not in OTHER:
        return ""
    other: Any = TABLE[OTHER[group]]
    if name in other[1]:
        return f"{OTHER[group]} {name}"
    return name if name in TABLE else ""
