"""``crewmem knowledge signals``."""

from __future__ import annotations

from crewmem.cli.app import App, pass_app
from crewmem.cli.command import option, verb

TYPE_CHECKING = False
if TYPE_CHECKING:
    from crewmem.knowledge.signals import Signal


@verb
@option("--record", is_flag=True, help="Keep them as patterns that are shared.")
@pass_app
def signals_command(app: App, *, record: bool) -> None:
    """Show what several agents came across in the last seven days.

    That is names in the entities of what they remembered, however they are spelled;
    names that are everywhere are left out. With --record each is kept as a pattern
    for the narrowest circle that holds its agents, and confirmed when it is met again.
    For operators.
    """
    from crewmem.cli.output import Table
    from crewmem.scope import require_operator

    require_operator(app.actor, "look into what all agents hold")
    found = signalled(app, is_kept=record)
    rows = [
        (
            each.entity,
            ", ".join(each.agents),
            str(len(each.memories)),
            f"{each.quality:.1f}",
            each.pattern or "-",
        )
        for each in found
    ]
    columns = ("ENTITY", "AGENTS", "MEMORIES", "QUALITY", "PATTERN")
    app.out.listing(found, Table(columns, rows, frozenset({"MEMORIES", "QUALITY"})))
    if not found:
        app.out.note("No two agents came across the same.")


def signalled(app: App, *, is_kept: bool) -> list[Signal]:
    """Return what several agents came across; with *is_kept* each is a pattern then."""
    from crewmem.cli.held import desk_there
    from crewmem.cli.scanner import scanner
    from crewmem.cli.sharing import taking_part
    from crewmem.journal.tokenizer import tokenizer
    from crewmem.knowledge.signals import record, signals

    opened = desk_there(app, to_read=not is_kept)
    if opened is None:
        return []
    opened, crews_of = opened._replace(is_system=True), taking_part(app)
    found = signals(opened, lambda slug: bool(crews_of(slug)))
    if not is_kept:
        return found
    return record(
        opened,
        found,
        crews_of=crews_of,
        scan=scanner(app),
        tokenize=tokenizer(app.truth),
    )
