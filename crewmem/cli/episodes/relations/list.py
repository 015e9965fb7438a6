"""``crewmem episodes relations list``."""

from __future__ import annotations

import click

from crewmem.cli.app import App, pass_app
from crewmem.cli.command import argument, option, verb
from crewmem.cli.scope_choice import ScopeChoice
from crewmem.cli.typed import as_text

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

    from crewmem.cli.output import Table
    from crewmem.episodes.relations_store import Related

KINDS = ("similar", "supports", "contradicts")
"""As in episodes/relation.py; a test compares."""

USUAL, MOST = 50, 1_000
"""Relations that are listed, and that are at most."""


@verb
@argument(
    "name",
    metavar="ID",
    required=False,
    callback=as_text,
    help="Only those of this entry.",
)
@option("--relation", type=click.Choice(KINDS), help="Only of this kind.")
@option("-l", "--limit", type=int, metavar="N", help="Most relations, 1 to 1000.  [50]")
@option("-S", "--scope", type=ScopeChoice(), help="How far to look.")
@pass_app
def list_command(
    app: App,
    *,
    name: str | None,
    relation: str | None,
    limit: int | None,
    scope: str | None,
) -> None:
    """List relations between entries, newest first.

    Both entries of a relation are such as the actor may see.
    """
    from crewmem.cli.remembered import stores_to_read
    from crewmem.errors.journal import EntryMissingError

    most = app.clamped("--limit", limit, USUAL, MOST)
    reach = app.reach(scope)
    found: list[Related] = []
    if opened := stores_to_read(app):
        seq = opened.journal.find(name, reach).seq if name else None
        found = opened.relations.listed(reach, seq=seq, relation=relation, limit=most)
    elif name:
        raise EntryMissingError(name, app.workspace)
    app.out.listing(found, _table(found))
    if not found:
        app.out.note("There are no relations.")


def _table(found: Sequence[Related]) -> Table:
    from crewmem.cli.output import Table

    return Table(
        ("FROM", "RELATION", "TO", "WEIGHT", "SINCE"),
        [
            (
                each.src_entry_id,
                each.relation,
                each.dst_entry_id,
                f"{each.weight:.2f}",
                each.created_at,
            )
            for each in found
        ],
        right=frozenset({"WEIGHT"}),
    )
