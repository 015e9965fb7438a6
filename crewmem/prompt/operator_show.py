"""Showing what is known of a person: their cards, the evidence, and who looked."""

from __future__ import annotations

from crewmem.prompt.operator_cards import Line, cards, lines_of
from crewmem.prompt.operator_store import Looked, looked
from crewmem.records import NamedTuple

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence
    from datetime import datetime
    from pathlib import Path

    from crewmem.files.place import Place
    from crewmem.prompt.operator_store import OperatorStore
    from crewmem.scope import Scope

AUDIT_MOST = 100
"""Most times that are told of when somebody looked, the newest."""


class Shown(NamedTuple):
    """A card of a person, with the evidence for it.

    Attributes:
        ref: Its name, whatever directory is asked.
        scope: crew for an operator model, agent for a peer card.
        owner: Whose it is, as crew or crew/agent.
        path: The card on disk.
        bytes: Its size.
        lines: What it says, the oldest established first.
    """

    ref: str
    scope: Scope
    owner: str
    path: Path
    bytes: int
    lines: tuple[Line, ...]


class Known(NamedTuple):
    """What is known of a person.

    Attributes:
        slug: What stands for the person.
        opted_out: Whether they are not observed.
        opted_out_at: Since when.
        cards: Their cards, by crew and agent.
        audit: Who wrote, read or erased it, newest first; this time not among them.
    """

    slug: str
    opted_out: bool
    opted_out_at: datetime | None
    cards: tuple[Shown, ...]
    audit: tuple[Looked, ...]

    @property
    def is_nothing(self) -> bool:
        """Tell whether the person was never observed, and decided nothing."""
        return not (self.cards or self.audit or self.opted_out)


def show(store: OperatorStore | None, places: Sequence[Place], slug: str) -> Known:
    """Return what is known of the person *slug* in *places*.

    Without a database it is what the cards say.
    """
    consent = store.consent(slug) if store else None
    evidence = store.facts(slug) if store else []
    audit = looked(store.db, store.workspace, slug, limit=AUDIT_MOST) if store else []
    return Known(
        slug=slug,
        opted_out=bool(consent and consent.opted_out),
        opted_out_at=consent.opted_out_at if consent else None,
        cards=tuple(
            Shown(
                ref=each.ref,
                scope=each.place.scope,
                owner=each.place.owner,
                path=each.place.path / each.file,
                bytes=len(each.content),
                lines=tuple(lines_of(each, evidence)),
            )
            for each in cards(places, slug)
        ),
        audit=tuple(audit),
    )
