"""How scopes are typed: apart from `places`, which few commands on entries need."""

from __future__ import annotations

import click

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

SCOPES = {
    "agent": "agent",
    "own": "agent",
    "crew": "crew",
    "workspace": "workspace",
    "all": "all",
    "both": "all",
}
"""What is accepted for a scope; ``own`` and ``both`` are what other tools say."""


class ScopeChoice(click.Choice[str]):
    """A scope, or a word for it that other tools use and help does not show."""

    def __init__(self) -> None:
        super().__init__(["agent", "crew", "workspace", "all"])

    def convert(
        self,
        value: Any,
        param: click.Parameter | None,
        ctx: click.Context | None,
    ) -> str:
        """Return the scope that *value* is a word for."""
        return super().convert(SCOPES.get(value, value), param, ctx)
