"""What recurs: pieces that say the same, without what is poison."""

from __future__ import annotations

from datetime import date
from functools import cache

from crewmem.consolidation.item import OBSERVATION, RULE, item_id
from crewmem.consolidation.leaders import OPEN_DAYS, grouped
from crewmem.consolidation.meaning import means
from crewmem.consolidation.normal import normal
from crewmem.consolidation.piece import ENTRY, in_order, poisoned
from crewmem.records import NamedTuple
from crewmem.threats.notice import gravest

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Container, Sequence

    from crewmem.backends.embed import Embedder
    from crewmem.consolidation.frame import Frames
    from crewmem.consolidation.leaders import Relate
    from crewmem.consolidation.piece import Piece
    from crewmem.threats.rule import Scan


class Group(NamedTuple):
    """Pieces that say the same, in order; the first leads.

    Attributes:
        against: Pieces that say the opposite, one a group.
    """

    pieces: tuple[Piece, ...]
    against: tuple[Piece, ...]

    @property
    def days(self) -> list[str]:
        """The days on which it was said, each once, oldest first."""
        return sorted({each.day for each in self.pieces})

    @property
    def recurs(self) -> bool:
        """Tell whether it was said on two days, or by two sources."""
        first = self.pieces[0]
        return any(
            each.day != first.day or each.origin != first.origin for each in self.pieces
        )

    @property
    def is_new(self) -> bool:
        """Tell whether something of it was read just now."""
        return any(each.whole for each in self.pieces)

    @property
    def item_kind(self) -> str:
        """What it would be: a rule where nobody noted it, and it only happened."""
        noted = any(each.source != ENTRY for each in self.pieces)
        return OBSERVATION if noted else RULE

    @property
    def owner(self) -> str:
        """The agent whose it is; "" for the crew's: what two say, and every rule."""
        agents = {each.agent for each in self.pieces}
        is_one = len(agents) == 1 and self.item_kind == OBSERVATION
        return agents.pop() if is_one else ""

    def item_id(self, workspace: str, crew: str) -> str:
        """Return the id of what it would be."""
        text = normal(self.pieces[0].text)
        return item_id(workspace, crew, self.owner, self.item_kind, text)

    def is_open(self, today: str) -> bool:
        """Tell whether somebody may still say it again."""
        return number(today) - number(self.days[-1]) <= OPEN_DAYS


class Grouping(NamedTuple):
    """What says the same.

    Attributes:
        groups: In the order of their first pieces.
        poison: Places that were left out, and the rule of the scanner.
        notice: What a person should know of comparing; "" for nothing.
    """

    groups: list[Group]
    poison: dict[str, str]
    notice: str = ""


@cache
def number(day: str) -> int:
    """Return the number of *day*, as ``2026-05-01``."""
    return date.fromisoformat(day).toordinal()


def groups(
    pieces: Sequence[Piece],
    today: str,
    *,
    scan: Scan,
    may_be_kept: Callable[[Group], bool],
    relate: Relate,
) -> Grouping:
    """Group *pieces*, which are in order, and leave out what is poison.

    What says nothing to anybody any more is neither scanned nor returned: it has not
    recurred in time, or it recurred long ago and is not worth keeping. A year of old
    notes is mostly that. What recurred long ago and is worth it is scanned by who
    judges it, without the notes around it.

    Args:
        pieces: What was noted, and what happened.
        today: The day.
        scan: What looks for hidden instructions and secrets.
        may_be_kept: Tells of what recurs whether it may be worth keeping.
        relate: Says how two texts relate that share most of their words.
    """
    poison: dict[str, str] = {}
    harmless: set[str] = set()
    made = _made(pieces, today, relate)
    while True:
        lasts = lasting(made, today)
        found = [each for each in made if id(each) in lasts or may_be_kept(each)]
        unseen = [
            piece
            for group in found
            if id(group) in lasts
            for piece in group.pieces
            if piece.place not in harmless
        ]
        bad = poisoned(unseen, scan, gravest)
        harmless.update(piece.place for piece in unseen)
        if not bad:
            return Grouping(found, poison)
        poison |= bad
        if any(len(each.pieces) > 1 and _holds(each.pieces, bad) for each in found):
            pieces = [each for each in pieces if each.place not in bad]
            made = _made(pieces, today, relate)
        else:  # nobody else was compared with it for good
            made = [
                _without(each, bad) for each in made if not _holds(each.pieces, bad)
            ]


def _holds(pieces: Sequence[Piece], places: Container[str]) -> bool:
    return any(each.place in places for each in pieces)


def _without(group: Group, places: Container[str]) -> Group:
    """Return *group*, which nothing at *places* is against."""
    if not _holds(group.against, places):
        return group
    against = [each for each in group.against if each.place not in places]
    return group._replace(against=tuple(against))


def joined(
    made: Grouping, today: str, embed: Callable[[], Embedder | None], frames: Frames
) -> Grouping:
    """Return *made*, with groups as one that say the same in other words.

    Those that still may recur are compared; the earlier one leads.
    """
    waiting = [each for each in made.groups if each.is_open(today)]
    leaders = [each.pieces[0] for each in waiting]
    found = means([(each.text, each.form) for each in leaders], embed, frames)
    more: dict[int, list[Group]] = {}
    against: dict[int, list[Piece]] = {}
    for at, first in found.same.items():
        days = number(waiting[at].days[0]) - number(waiting[first].days[-1])
        if days <= OPEN_DAYS:
            more.setdefault(id(waiting[first]), []).append(waiting[at])
    for one, other in found.against:
        against.setdefault(id(waiting[one]), []).append(leaders[other])
        against.setdefault(id(waiting[other]), []).append(leaders[one])
    gone = {id(each) for some in more.values() for each in some}
    groups = [
        _with(each, more.get(id(each), ()), against.get(id(each), ()))
        for each in made.groups
        if id(each) not in gone
    ]
    return made._replace(groups=groups, notice=found.notice)


def _with(group: Group, more: Sequence[Group], against: Sequence[Piece]) -> Group:
    pieces = [piece for each in (group, *more) for piece in each.pieces]
    denied = [piece for each in (group, *more) for piece in each.against]
    return Group(tuple(sorted(pieces, key=in_order)), (*denied, *against))


def lasting(
    made: Sequence[Group], today: str, waiting: Container[int] = ()
) -> frozenset[int]:
    """Return the ids of groups of which nothing is settled yet.

    Those may still recur, or are among the ids of *waiting*; or they say the opposite
    of one that does: who was contradicted is not in the right since the other one has
    not said it again. Both are settled together.
    """
    lasts = {id(each) for each in made if each.is_open(today) or id(each) in waiting}
    disputed = [each for each in made if each.against]
    denied = {
        id(piece) for each in disputed if id(each) in lasts for piece in each.against
    }
    if not denied:
        return frozenset(lasts)
    leading = {
        id(piece) for each in disputed if id(each) in lasts for piece in each.pieces
    }
    for each in disputed:
        told = not leading.isdisjoint(map(id, each.against))
        if told or not denied.isdisjoint(map(id, each.pieces)):
            lasts.add(id(each))
    return frozenset(lasts)


def _made(pieces: Sequence[Piece], today: str, relate: Relate) -> list[Group]:
    """Return the groups that recur, that still may, or that contradict others."""
    last = number(today) - OPEN_DAYS
    found = grouped([(number(each.day), each.form) for each in pieces], relate)
    return [
        Group(
            tuple([pieces[at] for at in places]),
            tuple(
                [
                    pieces[found.groups[other][0]]
                    for other in found.against.get(which, ())
                ]
            ),
        )
        for which, places in enumerate(found.groups)
        if len(places) > 1
        or number(pieces[places[0]].day) >= last
        or which in found.against
    ]
