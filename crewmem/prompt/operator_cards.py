"""The cards of a person: looked for in every directory of a workspace, and read."""

from __future__ import annotations

import os

from crewmem import disk
from crewmem.errors.disk import NotADirectoryPathError, PathMissingError
from crewmem.files.folders import open_place
from crewmem.prompt.operator_card import fields_of
from crewmem.records import NamedTuple
from crewmem.scope import Scope

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator
    from datetime import datetime

    from crewmem.files.place import Place
    from crewmem.prompt.operator_fact import FactField
    from crewmem.prompt.operator_store import Evidence

FOLDERS = {Scope.CREW: "users", Scope.AGENT: "peers"}
"""Where the cards are, by whose directory it is."""

READ_MOST = 1 << 20
"""Most bytes of a card that is read: who writes one by hand may go over the cap."""


class Card(NamedTuple):
    """A card that is there.

    Attributes:
        file: Its path below the directory.
    """

    place: Place
    file: str
    content: bytes

    @property
    def ref(self) -> str:
        """Its name, whatever directory is asked."""
        return self.place.ref(self.file)


class Line(NamedTuple):
    """What a card says of a person.

    Attributes:
        field: What it is about.
        value: What is so.
        quote: What the person said; null for what was not observed, but written.
        observed_at: When that was handed in.
        observed_by: Who handed it in.
    """

    field: FactField
    value: str
    quote: str | None
    observed_at: datetime | None
    observed_by: str | None


def card_of(place: Place, slug: str) -> str:
    """Return the path, below *place*, of the card of the person *slug*."""
    return f"{FOLDERS[place.scope]}/{slug}.md"


def cards(places: Iterable[Place], slug: str) -> Iterator[Card]:
    """Yield the cards of the person *slug* in *places*, of crews and agents."""
    for place in places:
        file = card_of(place, slug)
        try:
            with open_place(place) as root:
                content = disk.read(root, file, limit=READ_MOST)
        except (PathMissingError, NotADirectoryPathError):
            continue
        yield Card(place, file, content)


def lines_of(card: Card, known: Iterable[Evidence]) -> list[Line]:
    """Return what *card* says, each line with its evidence if there is some.

    Where a line was changed by hand, what was said is no evidence for it.
    """
    evidence = {each.field: each for each in known if each.card == card.ref}
    found: list[Line] = []
    for field, value in fields_of(card.content).items():
        each = evidence.get(field)
        if each and each.value == value:
            line = Line(field, value, each.quote, each.observed_at, each.observed_by)
        else:
            line = Line(field, value, None, None, None)
        found.append(line)
    return found


def listed(root: int, folder: str) -> list[str]:
    """Return the names in *folder* below *root*, hidden ones too; none without one."""
    try:
        with disk.open_directory(root, folder) as opened:
            return sorted(os.listdir(opened))  # noqa: PTH208 - of a descriptor
    except (PathMissingError, NotADirectoryPathError):
        return []
