"""Reading what is new of a crew: notes, lessons, entries of the journal, pins."""

from __future__ import annotations

from crewmem import times
from crewmem.consolidation import candidate_store, inputs_store, marks_store
from crewmem.consolidation.entries import TYPES, piece_of
from crewmem.consolidation.marks_store import Marks
from crewmem.consolidation.notes import Wanted, read_notes
from crewmem.consolidation.piece import ENTRY, in_order, known_again
from crewmem.errors import CrewmemError
from crewmem.errors.disk import PathMissingError
from crewmem.records import NamedTuple

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable

    from crewmem.consolidation.candidate import Occurrence
    from crewmem.consolidation.entries import Told
    from crewmem.consolidation.item import Evidence
    from crewmem.consolidation.marks_store import Note
    from crewmem.consolidation.normal import Reader
    from crewmem.consolidation.piece import Piece
    from crewmem.consolidation.sources import Asked, Sources
    from crewmem.files.place import Place


NAMED = 3
"""Notes of days to come that are named: a year that is laid out has hundreds."""


class Inputs(NamedTuple):
    """What was read of a crew.

    Attributes:
        pieces: What is new, and what waited for more and still stands, in order.
        held: All that waited, as it is kept.
        told: The entries that are new.
        entries: These, and those that waited, by their ids.
        marks: How far was read.
        notes: Daily notes that lie there: how search prints them, and what was read.
        troubles: What could not be read, and why.
        read: How many notes, lists of lessons and entries had something new.
    """

    pieces: list[Piece]
    held: list[Occurrence]
    told: list[Told]
    entries: dict[str, Told]
    marks: Marks
    notes: list[tuple[str, Note]]
    troubles: list[str]
    read: int


def inputs(sources: Sources, asked: Asked, reader: Reader) -> Inputs:
    """Read what is new of the crew that was *asked* for, and what still stands."""
    return _Reading(sources, asked, reader).run()


class _Reading:
    """One look at a crew."""

    def __init__(self, sources: Sources, asked: Asked, reader: Reader) -> None:
        self._sources, self._asked, self._reader = sources, asked, reader
        self._pieces: list[Piece] = []
        self._marks = Marks({}, [], {}, [])
        self._places: dict[str, int] = {}
        self._notes: dict[tuple[str, str], Note] = {}
        self._gone: list[tuple[str, str]] = []
        self._there: list[tuple[str, Note]] = []
        self._ahead: list[str] = []
        self._troubles: list[str] = []
        self._told: list[Told] = []
        self._read = 0

    def run(self) -> Inputs:
        """Read, and return what there is."""
        sources = self._sources
        held = self._held()
        standing = {each.evidence: each.evidence for each in held}
        for place in sources.places:
            agent = place.agent or ""
            if agent not in sources.off:
                self._read_place(place, standing, is_read=self._is_read(agent))
        pins = self._entries()
        waited = self._verify(standing)
        form = self._reader.form
        old = [known_again(each, form(each.quote)) for each in standing.values()]
        marks = Marks(self._places, pins, self._notes, self._gone)
        return Inputs(
            _unique(self._pieces, old),
            held,
            self._told,
            {**waited, **{each.id: each for each in self._told}},
            marks,
            self._there,
            [*_waiting(self._ahead), *self._troubles],
            self._read,
        )

    def _is_read(self, agent: str) -> bool:
        """Tell whether what *agent*, "" for the crew, noted is read."""
        only = self._asked.agent
        return agent not in self._sources.off and only in {"", agent}

    def _held(self) -> list[Occurrence]:
        """Return what waits for more, of places and agents that take part."""
        sources, crew = self._sources, self._asked.crew
        prefixes = tuple(place.ref("") for place in sources.places)
        return [
            each
            for each in candidate_store.occurrences(sources.db, sources.workspace, crew)
            if each.evidence.agent not in sources.off
            and (
                each.evidence.source == ENTRY or each.evidence.ref.startswith(prefixes)
            )
        ]

    # Notes

    def _read_place(
        self, place: Place, standing: dict[Evidence, Evidence], *, is_read: bool
    ) -> None:
        """Read *place*, or only look whether what waits still stands there."""
        sources, prefix = self._sources, place.ref("")
        known = marks_store.notes(sources.db, sources.workspace, prefix)
        held = [each for each in standing if each.ref.startswith(prefix)]
        if not held and not is_read:
            return
        asked = self._asked
        since = times.day(asked.since, sources.zone).isoformat() if asked.since else ""
        wanted = Wanted(asked.today, since, sources.limit)
        try:
            found = read_notes(place, known, held, wanted, self._reader)
        except PathMissingError:
            return  # nobody has noted anything there yet
        except CrewmemError as error:
            self._troubles.append(f"{place.path} was not read: {error}")
            return
        standing.update(found.moved)
        for each in found.lost:
            standing.pop(each, None)
        if not is_read:
            return
        self._pieces += found.pieces
        self._notes.update({(prefix, key): note for key, note in found.notes.items()})
        self._gone += [(prefix, key) for key in found.gone]
        self._there += [(place.ref(path), note) for path, note in found.days]
        self._ahead += found.ahead
        self._troubles += found.troubles
        self._read += found.read

    # The journal

    def _entries(self) -> list[str]:
        """Take the entries that are new; return the pinned ones that were read."""
        sources, asked = self._sources, self._asked
        db, workspace, crew = sources.db, sources.workspace, asked.crew
        agents = sorted({place.agent for place in sources.places if place.agent})
        before = {
            agent: marks_store.place(db, workspace, crew, agent)
            for agent in ("", *agents)
            if self._is_read(agent)
        }
        newest = inputs_store.newest(db)
        after = min(before.values(), default=newest)
        found = inputs_store.entries(db, workspace, crew, agents, after=after)
        if asked.since:
            again = inputs_store.since(db, workspace, crew, agents, asked.since)
            before = dict.fromkeys(before, 0)
            known = {each.id for each in again}
            found = [*again, *(each for each in found if each.id not in known)]
        for each in found:
            whose = each.agent if each.agent in agents else ""
            # What is added just now is left to the next run, by its place.
            if before.get(whose, newest) < each.seq <= newest and each.is_input:
                self._take(each)
        self._places = dict.fromkeys(before, newest)
        return self._pinned(agents, before)

    def _pinned(self, agents: list[str], before: dict[str, int]) -> list[str]:
        """Take entries that were pinned since; return all that were read."""
        sources, crew = self._sources, self._asked.crew
        db, workspace = sources.db, sources.workspace
        read = marks_store.pins(db, workspace, crew)
        taken = {each.id for each in self._told}
        kept: list[str] = []
        for each in inputs_store.pinned(db, workspace, crew, agents):
            whose = each.agent if each.agent in agents else ""
            if whose not in before and each.id not in read:
                continue
            kept.append(each.id)
            is_known = each.entry_type in TYPES and each.seq <= before.get(whose, 0)
            if each.id not in read and each.id not in taken and not is_known:
                self._take(each)
        return kept

    def _take(self, told: Told) -> None:
        self._told.append(told)
        self._read += 1
        piece = piece_of(told, self._reader, self._sources.zone)
        if piece:
            self._pieces.append(piece)

    # What waited

    def _verify(self, standing: dict[Evidence, Evidence]) -> dict[str, Told]:
        """Leave out entries that no longer say what they said; return the others."""
        held = [each for each in standing if each.source == ENTRY]
        if not held:
            return {}
        sources = self._sources
        ids = {each.ref for each in held}
        found = inputs_store.by_id(sources.db, sources.workspace, ids)
        for each in held:
            now = found.get(each.ref)
            if now is None or now.sha256 != each.sha256:
                del standing[each]
        return found


def _unique(new: Iterable[Piece], old: Iterable[Piece]) -> list[Piece]:
    """Return all of both in order; what was read again is there once."""
    kept = {(each.place, each.sha256, each.text): each for each in old}
    places = {place for place, _, _ in kept}
    fresh = []
    for each in new:
        if each.place in places:
            digest = each.evidence().sha256
            if (each.place, digest, each.text) in kept:
                continue
        fresh.append(each)
    return sorted([*kept.values(), *fresh], key=in_order)


def _waiting(ahead: list[str]) -> list[str]:
    """Return what is said of notes whose day is still to come: one line for all."""
    if not ahead:
        return []
    if len(ahead) == 1:
        return [f"{ahead[0]} was not read: its day is still to come"]
    named = ", ".join(ahead[:NAMED])
    more = f" and {left:,} more" if (left := len(ahead) - NAMED) > 0 else ""
    said = f"{len(ahead):,} notes were not read: their days are still to come"
    return [f"{said}: {named}{more}"]
