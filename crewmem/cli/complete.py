"""What TAB offers for references and ids."""

from collections.abc import Callable
from typing import Any

import click
from click.shell_completion import CompletionItem

from crewmem.cli.command import get_invocation
from crewmem.errors import CrewmemError

MOST = 200
"""Most values that are offered."""

Complete = Callable[[click.Context, click.Parameter, str], list[CompletionItem]]


def _complete_from(list_values: Callable[[Any, str], list[tuple[str, str]]]) -> Complete:
    """Return a completion that offers values of a home; none when it cannot be opened."""

    def complete(
        ctx: click.Context, param: click.Parameter, incomplete: str
    ) -> list[CompletionItem]:
        try:
            values = list_values(get_invocation(ctx).app.home, incomplete)
        except CrewmemError:
            return []
        found = [(value, text) for value, text in values if value.startswith(incomplete)]
        return [CompletionItem(value, help=text) for value, text in found[:MOST]]

    return complete


complete_file = _complete_from(
    lambda home, _: [(info.file, info.tier) for info in home.memory.list_files()]
)
"""Completes the reference of a memory file."""

complete_fact = _complete_from(
    lambda home, _: [(fact.id, fact.title) for fact in home.facts.list(limit=MOST).facts]
)
"""Completes the id of a fact."""

complete_review_item = _complete_from(
    lambda home, _: [(item.id, item.title) for item in home.review.list_items(limit=MOST).items]
)
"""Completes the id of a review item."""
