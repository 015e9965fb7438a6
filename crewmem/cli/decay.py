"""The command `crewmem decay`."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import click

from crewmem.cli import options
from crewmem.cli.app import App
from crewmem.cli.command import Command, pass_app
from crewmem.cli.output import Table
from crewmem.documents import FadingItem
from crewmem.facts.retention import list_fading
from crewmem.text.wording import count

BAR_WIDTH = 10
"""Width of a retention bar, in characters."""


class Decay(NamedTuple):
    """Fading facts and episodes.

    Attributes:
        updated: Number of episodes whose importance ``--apply`` updated.
    """

    items: list[FadingItem]
    updated: int


@click.command(cls=Command, answer=Decay)
@click.option("--apply", "is_applied", is_flag=True, help="Update the importance of episodes.")
@options.limit(20, maximum=1000)
@options.path
@pass_app
def decay(app: App, is_applied: bool, limit: int) -> None:
    """Show fading facts and episodes, the lowest retention first.

    Retention above 70 % is green, above 30 % yellow, else red. Fading deletes nothing; it lowers
    the rank.
    """
    home = app.home
    updated = 0
    if is_applied:
        app.require_operator("update importance")
        updated = home.episodes.apply_decay()
    fading = [
        *list_fading(home.context, limit=limit),
        *home.episodes.list_fading(limit=limit),
    ]
    items = home.make_safe(fading)
    lines: list[str | Table] = []
    for store, heading in (("facts", "Facts"), ("journal", "Episodes")):
        chosen = [item for item in items if item.store == store]
        if chosen:
            lines += [*[""] * bool(lines), f"{heading}:", _make_fading_table(chosen)]
    if is_applied:
        lines.append(f"Updated the importance of {count(updated, 'episode')}.")
    app.show(Decay(items, updated), lines or ["Nothing fades."], rows=items)


def _draw_bar(retention: float) -> str:
    filled = round(BAR_WIDTH * min(1.0, max(0.0, retention)))
    return "█" * filled + "░" * (BAR_WIDTH - filled)


def _make_fading_table(items: Sequence[FadingItem]) -> Table:
    return Table(
        items,
        {
            "ID": lambda each: each.id,
            "RETENTION": lambda each: _draw_bar(each.retention),
            "NOW": lambda each: f"{each.retention:.0%}",
            "IN 30 D": lambda each: f"{each.in_30_days:.0%}",
            "COLOUR": lambda each: each.color,
            "IMPORTANCE": _format_importance,
            "USES": lambda each: f"{each.uses}",
            "AGE": lambda each: f"{each.age_days:.0f} d",
            "TITLE": lambda each: each.title,
        },
        drop=["COLOUR", "USES", "IN 30 D"],
    )


def _format_importance(item: FadingItem) -> str:
    """Return the importance of an episode now and in 30 days; "" for a fact."""
    if item.importance is None:
        return ""
    return f"{item.importance:.2f} → {item.importance_in_30_days:.2f}"
