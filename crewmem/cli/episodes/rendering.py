"""Episodes as a block that is laid before a model."""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

    from crewmem.cli.app import App
    from crewmem.cli.episodes.whose import Whose
    from crewmem.episodes.hit import Hit
    from crewmem.prompt.budget import Budget

USUAL_CHARS = 2_000
"""Of the block, unless a budget is named."""


def rendered(
    app: App, whose: Whose, hits: Sequence[Hit], budget: Budget | None
) -> tuple[str, list[str]]:
    """Return the block of *hits*, and the ids of those whose text is in it."""
    from crewmem.cli.recalling.asking import program
    from crewmem.cli.scanner import scanner
    from crewmem.prompt.budget import Budget
    from crewmem.prompt.recalled import of_episode
    from crewmem.prompt.render import recalled
    from crewmem.recall.recall import is_own
    from crewmem.recall.shares import shared_out

    agent = whose.agent if app.actor.is_operator else app.actor.name
    order = shared_out(hits, len(hits), is_own=lambda hit: is_own(hit, agent))
    prefix = program(app)
    hints = [
        of_episode(each, now=app.now, agent=agent, program=prefix) for each in order
    ]
    limit = budget or Budget(USUAL_CHARS)
    block = recalled(hints, limit, scan=scanner(app))
    if hints and not block.text:
        app.out.warn(f"no result fits into {limit}")
    return block.text, [order[at].entry_id for at in block.shown]
