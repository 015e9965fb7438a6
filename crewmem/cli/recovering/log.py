"""Showing when context was lost, and what was given back."""

from __future__ import annotations

from crewmem import times
from crewmem.cli.output import Table

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping
    from typing import Any

    from crewmem.cli.app import App
    from crewmem.transcripts.loss import Lost

USUAL, MOST = 20, 1_000
"""Losses that are listed, and that are at most."""


def show_log(app: App, given: Mapping[str, Any]) -> None:
    """List losses, newest first."""
    from crewmem.cli.transcripts.standing import database, who
    from crewmem.errors.registry import OutOfScopeError
    from crewmem.transcripts.loss_store import listed

    most = app.clamped("--limit", given["limit"], USUAL, MOST)
    own, agent = who(app), given["agent"]
    if own and agent not in {None, own}:
        rule = "an agent sees its own"
        raise OutOfScopeError(str(app.actor), f"see what {agent} lost", rule)
    db = database(app)
    found: list[Lost] = []
    if db is not None:
        found = listed(
            db,
            app.workspace,
            agent=own or agent,
            session=given["session"],
            limit=most,
        )
    app.out.listing(found, Table(COLUMNS, [_row(each) for each in found]))
    if not found:
        app.out.note("No context was lost, as far as transcripts and hooks tell.")


COLUMNS = ("ID", "LOST", "AGENT", "PROGRAM", "SESSION", "HOW", "TOKENS", "GIVEN BACK")


def _row(each: Lost) -> tuple[str, ...]:
    before = "?" if each.before is None else f"{each.before:,}"
    after = "?" if each.after is None else f"{each.after:,}"
    given = "-"
    if each.recovered_at:
        count = len(each.recovered)
        given = f"{each.tokens or 0:,} tokens of {count:,} things"
    return (
        each.id,
        times.to_text(each.at)[:16],
        each.agent,
        each.harness or "-",
        each.session or "-",
        each.how,
        f"{before} → {after}",
        given,
    )
