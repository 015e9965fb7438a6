"""Keeping how far was read, and what waits, once it is decided what becomes of it."""

from __future__ import annotations

from datetime import timedelta

from crewmem import times
from crewmem.consolidation import candidate_store, marks_store
from crewmem.consolidation.candidate import (
    APPLIED,
    OPEN,
    PROPOSED,
    REJECTED,
    Occurrence,
)
from crewmem.consolidation.groups import number
from crewmem.consolidation.leaders import OPEN_DAYS
from crewmem.records import NamedTuple

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Collection, Iterator, Mapping, Sequence
    from datetime import datetime

    import apsw

    from crewmem.consolidation.candidate import Candidate
    from crewmem.consolidation.item import Gathered, Item, Outcome
    from crewmem.consolidation.marks_store import Marks
    from crewmem.consolidation.piece import Piece

KEPT_MOST = 64
"""Places of a candidate that are kept, its first and the latest: more of them move no
signal any more."""


class Waits(NamedTuple):
    """What is kept for later runs.

    Attributes:
        candidate: As it is kept while it waits.
        pieces: What says it; nothing where a model drew it.
        item: What it would be; None if it is not worth it, or not yet.
        against: Places that say the opposite.
        is_open: Whether it waits to be said again.
    """

    candidate: Candidate
    pieces: Sequence[Piece]
    item: Item | None
    against: Sequence[str] = ()
    is_open: bool = False


class Kept(NamedTuple):
    """What a run has to keep.

    Attributes:
        today: The day on which it read.
        marks: How far it read.
        held: The occurrences that are kept now.
        waits: What waits from now on, before it is decided what becomes of the items.
    """

    workspace: str
    crew: str
    today: str
    marks: Marks
    held: Sequence[Occurrence]
    waits: Sequence[Waits]


def keep(
    db: apsw.Connection, gathered: Gathered, outcome: Outcome, now: datetime
) -> None:
    """Keep how far *gathered* was read, and what waits; call it inside a transaction.

    What was applied or rejected is settled; what waits in a proposal keeps its
    evidence; and so does what has no room, for 30 days more than it would have.
    """
    kept = gathered.marks
    if not isinstance(kept, Kept):
        return
    workspace, crew = kept.workspace, kept.crew
    before = {each.id: each for each in candidate_store.candidates(db, workspace, crew)}
    waits, done = _sorted(kept, outcome, before, now)
    wanted = {place for each in waits for place in _occurrences(each)}
    held = {*kept.held}
    candidate_store.drop_occurrences(db, workspace, crew, held - wanted)
    candidate_store.keep_occurrences(db, workspace, crew, wanted - held)
    new = [*(each.candidate for each in waits), *done]
    still = {each.id for each in new}
    gone = [
        each.id
        for each in before.values()
        if each.status == OPEN and each.id not in still
    ]
    candidate_store.let_go(db, workspace, crew, gone)
    candidate_store.keep(
        db, workspace, crew, [each for each in new if _is_news(each, before)]
    )
    marks_store.keep(db, workspace, crew, kept.marks)


def _is_news(candidate: Candidate, before: Mapping[str, Candidate]) -> bool:
    """Tell whether what is known of *candidate* changes.

    What was settled stays so, though somebody has said it again.
    """
    known = before.get(candidate.id)
    if known is None or candidate.status in {APPLIED, REJECTED}:
        return True
    return known.status not in {APPLIED, REJECTED} and known != candidate


def settle(
    db: apsw.Connection,
    workspace: str,
    crew: str,
    ids: Collection[str],
    *,
    status: str,
    now: datetime,
) -> None:
    """Say that candidates with these *ids* were applied or rejected, by a person.

    Call it inside a transaction.
    """
    at = times.to_text(now)
    found = [
        each
        for each in candidate_store.candidates(db, workspace, crew)
        if each.id in ids
    ]
    done = [each._replace(status=status, changed_at=at) for each in found]
    candidate_store.keep(db, workspace, crew, done)
    held = candidate_store.occurrences(db, workspace, crew)
    over = [each for each in held if each.candidate in ids]
    candidate_store.drop_occurrences(db, workspace, crew, over)


def _sorted(
    kept: Kept, outcome: Outcome, before: dict[str, Candidate], now: datetime
) -> tuple[list[Waits], list[Candidate]]:
    """Return what waits, and what is settled."""
    statuses = {
        **dict.fromkeys(outcome.proposed, PROPOSED),
        **dict.fromkeys(outcome.rejected, REJECTED),
        **dict.fromkeys(outcome.applied, APPLIED),
    }
    waits: list[Waits] = []
    over: list[Waits] = []
    done: list[Candidate] = []
    for each in kept.waits:
        status = statuses.get(each.candidate.id, OPEN)
        known = before.get(each.candidate.id)
        is_same = known is not None and known.status == status
        since = known.changed_at if is_same and known else times.to_text(now)
        if known is not None and known.status == PROPOSED and each.item is None:
            status, since = PROPOSED, known.changed_at
        candidate = each.candidate._replace(status=status, changed_at=since)
        if status in {APPLIED, REJECTED}:
            done.append(candidate)
        elif status == PROPOSED or (
            each.pieces and _is_open(each, candidate, kept, now)
        ):
            waits.append(each._replace(candidate=candidate))
        elif each.pieces:
            over.append(each._replace(candidate=candidate))
    return [*waits, *_disputed(over, waits)], done


def _disputed(over: Sequence[Waits], waits: Sequence[Waits]) -> Iterator[Waits]:
    """Yield what would be let go, and contradicts something that *waits*."""
    denied = {place for each in waits for place in each.against}
    leading = {piece.place for each in waits for piece in each.pieces if each.against}
    for each in over:
        places = {piece.place for piece in each.pieces}
        if not (denied.isdisjoint(places) and leading.isdisjoint(each.against)):
            yield each


def _is_open(waits: Waits, candidate: Candidate, kept: Kept, now: datetime) -> bool:
    """Tell whether *candidate* may still come again, or began to wait lately."""
    if number(kept.today) - number(candidate.last_day) <= OPEN_DAYS:
        return True
    if waits.item is None:
        return False
    since = times.from_text(candidate.changed_at)
    return now - since <= timedelta(days=OPEN_DAYS)


def _occurrences(waits: Waits) -> Iterator[Occurrence]:
    """Yield the places that are kept of what waits."""
    pieces = waits.pieces
    if len(pieces) > KEPT_MOST:
        pieces = [pieces[0], *pieces[1 - KEPT_MOST :]]
    for each in pieces:
        yield Occurrence(waits.candidate.id, each.evidence())
