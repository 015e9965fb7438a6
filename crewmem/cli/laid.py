"""Noting, in the audit of a person, that what is known of them went into a prompt.

It is done after the prompt is printed, and never fails: where the database is busy, or
cannot be written, nothing is noted. A session a minute would fill the audit: an actor
is noted once a day for each card.
"""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

    from crewmem.cli.app import App
    from crewmem.prompt.assemble import Assembled
    from crewmem.prompt.gather import Subject


def note_laid(app: App, whose: Subject, made: Assembled, slug: str) -> None:
    """Note which cards of the person *slug* were laid in *made*, if any were."""
    from contextlib import suppress

    from crewmem import disk
    from crewmem.errors import BusyError, DataError, NotFoundError, RefusedError

    laid = [*_laid(whose, made, slug)] if whose.own.kept else []
    if not laid or not disk.is_writable(app.home):
        return
    from crewmem.prompt.operator_store import OperatorStore

    with suppress(BusyError, DataError, NotFoundError, RefusedError):
        db = app.truth
        db.set_busy_handler(None)  # the prompt is there: nobody waits for this
        OperatorStore(db, app.workspace).note_laid(
            slug, laid, actor=str(app.actor), now=app.now
        )


def _laid(whose: Subject, made: Assembled, slug: str) -> Iterator[str]:
    """Yield the cards that are in *made*, whole or in part."""
    from crewmem.prompt.block import Block
    from crewmem.prompt.operator_cards import card_of
    from crewmem.prompt.section import Fate

    shown = {
        each.block for each in made.sections if each.fate in {Fate.PLACED, Fate.CUT}
    }
    places = {Block.OPERATOR: whose.shared, Block.PEER: whose.own}
    for block, place in places.items():
        if place and block in shown:
            yield place.ref(card_of(place, slug))
