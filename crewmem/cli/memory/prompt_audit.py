"""Noting, in the audit of a person, that what is known of them went into a prompt.

It is done after the prompt is printed, and never fails: where the database is busy
nothing is noted, and where there is none to be written that is said before. A session a
minute would fill the audit: an actor is noted once a day for each card.
"""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from crewmem.cli.app import App
    from crewmem.prompt.assemble import Assembled
    from crewmem.prompt.gather import Subject


def cards_laid(app: App, whose: Subject, made: Assembled, slug: str) -> list[str]:
    """Return which cards of the person *slug*, of the home, were laid in *made*.

    Where that cannot be noted it is said that nobody will know of it.
    """
    from crewmem.cli.operator.persons import unnoted

    cards = [*_laid(app, whose, made, slug)]
    if cards and (why := unnoted(app)):
        app.out.warn(f"that it was laid is not noted: {why}")
        return []
    return cards


def note_laid(app: App, cards: Sequence[str], slug: str) -> None:
    """Note that *cards* of the person *slug* were laid."""
    from contextlib import suppress

    from crewmem.errors import BusyError, DataError, NotFoundError, RefusedError
    from crewmem.prompt.operator_store import OperatorStore

    with suppress(BusyError, DataError, NotFoundError, RefusedError):
        db = app.truth
        db.set_busy_handler(None)  # the prompt is there: nobody waits for this
        OperatorStore(db, app.workspace).note_laid(
            slug, cards, actor=str(app.actor), now=app.now
        )


def _laid(app: App, whose: Subject, made: Assembled, slug: str) -> Iterator[str]:
    """Yield the cards that are in *made*, whole or in part, as the home names them."""
    from crewmem.files.homed import homed
    from crewmem.prompt.block import Block
    from crewmem.prompt.operator_cards import card_of
    from crewmem.prompt.section import Fate

    shown = {
        each.block for each in made.sections if each.fate in {Fate.PLACED, Fate.CUT}
    }
    places = {Block.OPERATOR: whose.shared, Block.PEER: whose.own}
    for block, place in places.items():
        if place is None or block not in shown:
            continue
        if place.kept:
            yield place.ref(card_of(place, slug))
        elif found := homed(app.home, place.path):
            yield found.place.ref(card_of(found.place, slug))
