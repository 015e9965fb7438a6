"""``crewmem episodes relations add``."""

from __future__ import annotations

import click

from crewmem.cli.app import App, pass_app
from crewmem.cli.command import argument, option, verb
from crewmem.cli.typed import Number, as_text

KINDS = ("contradicts", "supports")
"""What a person may say; ``similar`` is found by sweeps."""


@verb
@argument("src", metavar="FROM", callback=as_text, help="Entry that it leads from.")
@argument("dst", metavar="TO", callback=as_text, help="Entry that it leads to.")
@option(
    "--relation",
    type=click.Choice(KINDS),
    default="contradicts",
    help="What one says of the other.  [contradicts]",
)
@option(
    "--weight",
    type=Number(0, 1),
    default=1.0,
    metavar="W",
    help="How much, 0 to 1.  [1]",
)
@pass_app
def add_command(app: App, *, src: str, dst: str, relation: str, weight: float) -> None:
    """Say that one entry contradicts or supports another.

    Operators may, and the lead between entries of its crew. What is said already stays
    as it is.
    """
    from crewmem.cli.remembered import stores
    from crewmem.episodes.relate import relate
    from crewmem.errors.journal import EntryMissingError

    if (journal := app.journal_to_read) is None:
        raise EntryMissingError(src, app.workspace)
    ends = [journal.find(name, app.reach(None)) for name in (src, dst)]
    made = relate(stores(app), ends[0], ends[1], relation, weight, app.actor, app.now)
    verb = "says" if made.is_new else "says already"
    app.out.record(
        made,
        [f"{made.src_entry_id} {verb}: {made.relation} {made.dst_entry_id}."],
    )
