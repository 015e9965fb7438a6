"""Reading what is new in the notes and lessons of a memory directory.

A note grows while its day lasts, and is edited later. So what was read is known line by
line: a line that is new is read once, one that moved keeps its evidence, and one that
was changed or taken out is evidence no more. A file of the same stamp is not opened.
"""

from __future__ import annotations

import time

from crewmem import disk
from crewmem.consolidation import lines
from crewmem.consolidation.marks_store import UNREAD, Note
from crewmem.consolidation.normal import says_something
from crewmem.consolidation.observation import is_broken, may_be_broken, too_long
from crewmem.consolidation.piece import (
    DAILY,
    LESSON,
    Piece,
    decoded,
    digest_of,
    place_of,
)
from crewmem.digests import sha256
from crewmem.errors import CrewmemError
from crewmem.files.contents import day_of
from crewmem.files.folders import open_place
from crewmem.files.listing import ODD, unpack
from crewmem.files.walk import visible, walk
from crewmem.records import NamedTuple

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping, Sequence

    from crewmem.consolidation.item import Evidence
    from crewmem.consolidation.lines import Line
    from crewmem.consolidation.normal import Form, Reader
    from crewmem.files.listing import Stamp
    from crewmem.files.place import Place

FOLDER, ARCHIVE, LESSONS = "daily", "daily/archive/", "lessons.md"

TICK_NS = 2_000_000_000
"""How old a change must be for its stamp to be trusted: the coarsest clock of a file
system that is in use ticks every two seconds."""


class Wanted(NamedTuple):
    """What is to be read.

    Attributes:
        today: The day, in the operator's zone. Later notes wait for theirs.
        since: Read notes from this day on again; "" for none.
        limit: Most bytes of a file that is read.
    """

    today: str
    since: str
    limit: int


class Notes(NamedTuple):
    """What was read of a directory.

    Attributes:
        pieces: What is new, or was asked for again.
        notes: What is to be remembered of files that were read, by their keys.
        gone: Keys of files that are no longer there.
        moved: What stands elsewhere now, by what it was: the evidence as it is.
        lost: Evidence that no longer stands.
        days: Of every note that was read ever: its path and its mark.
        ahead: Notes whose day is still to come, which wait for it.
        troubles: What could not be read, and why.
        read: How many files had something new.
    """

    pieces: list[Piece]
    notes: dict[str, Note]
    gone: list[str]
    moved: dict[Evidence, Evidence]
    lost: list[Evidence]
    days: list[tuple[str, Note]]
    ahead: list[str]
    troubles: list[str]
    read: int


class _Found(NamedTuple):
    """A file as it lies there.

    Attributes:
        key: By which it is known: a note that was put away keeps its own.
        path: Below the memory directory.
        day: That it is of; "" of a list of lessons.
    """

    key: str
    path: str
    day: str
    stamp: Stamp


def read_notes(
    place: Place,
    known: Mapping[str, Note],
    held: Sequence[Evidence],
    wanted: Wanted,
    reader: Reader,
) -> Notes:
    """Read what is new in the notes and lessons of *place*.

    Args:
        place: The memory directory.
        known: What was read of it before, by key.
        held: Evidence that stands in it, as far as anybody waits for more.
        wanted: What is to be read.
        reader: Reads what lines say.
    """
    return _Reading(place, known, held, wanted, reader).run()


class _Reading:
    """One look at a directory."""

    def __init__(
        self,
        place: Place,
        known: Mapping[str, Note],
        held: Sequence[Evidence],
        wanted: Wanted,
        reader: Reader,
    ) -> None:
        self._place, self._known, self._wanted = place, known, wanted
        self._form: Callable[[str], Form] = reader.form
        self._agent, self._prefix = place.agent or "", place.ref("")
        self._held: dict[str, list[Evidence]] = {}
        for each in held:
            ref = each.ref.rpartition(":")[0]
            self._held.setdefault(ref.removeprefix(self._prefix), []).append(each)
        self._done = Notes([], {}, [], {}, [], [], [], [], 0)
        self._is_partial, self._count = False, 0
        self._now_ns = time.time_ns()

    def run(self) -> Notes:
        """Read, and return what there is."""
        with open_place(self._place) as root:
            files = self._files(root)
            folders: dict[str, list[_Found]] = {}
            for each in files:
                folders.setdefault(each.path.rpartition("/")[0], []).append(each)
            for each in folders.pop("", ()):
                self._look(root, each)
            for folder, here in folders.items():
                with disk.open_directory(root, folder) as opened:
                    for each in here:
                        self._look(opened, each)
        if not self._is_partial:  # what cannot be listed may be there all the same
            there = {each.key for each in files}
            self._done.gone.extend(key for key in self._known if key not in there)
            paths = {each.path for each in files} | there
            self._done.lost.extend(
                each
                for path, held in self._held.items()
                if path not in paths
                for each in held
            )
        return self._done._replace(read=self._count)

    # What lies there

    def _files(self, root: int) -> list[_Found]:
        """Return the notes and lists of lessons, by path."""
        listed: dict[str, Stamp] = {}
        for found in walk(root):
            path = found.path
            if path not in {"", FOLDER} and not f"{path}/".startswith(ARCHIVE):
                continue
            if found.trouble:
                self._is_partial = True
                self._trouble(path or ".", f"was not listed: {found.trouble}")
            for name, stamp in unpack(found.listing).items():
                if path or name == LESSONS:
                    listed[f"{path}/{name}".lstrip("/")] = stamp
        return [
            each
            for path, stamp in sorted(listed.items())
            if (each := self._found(path, stamp, listed))
        ]

    def _found(
        self, path: str, stamp: Stamp, listed: Mapping[str, Stamp]
    ) -> _Found | None:
        if stamp[0] == ODD:
            self._trouble(path, "was not read: it is no regular file")
            return None
        if path == LESSONS:
            return _Found(path, path, "", stamp)
        day = day_of(path)
        if day is None:
            self._trouble(path, "was not read: its name is no day")
            return None
        key = path
        if path.startswith(ARCHIVE):
            live = f"{FOLDER}/{path.rpartition('/')[2]}"
            key = path if live in listed else live
        if (text := day.isoformat()) > self._wanted.today:
            self._done.ahead.append(str(self._place.path / visible(path)))
            return None
        return _Found._make((key, path, text, stamp))

    # A file

    def _look(self, folder: int, found: _Found) -> None:
        """Read *found*, if there may be something new in it."""
        known = self._known.get(found.key)
        is_again = bool(self._wanted.since) and found.day >= self._wanted.since
        is_same = known is not None and known[1:3] == found.stamp[:2]
        is_moved = found.key != found.path and found.key in self._held
        if known is not None and is_same and not is_again and not is_moved:
            self._done.days.append((found.path, known))
            return
        try:
            with disk.open_file(folder, found.path.rpartition("/")[2]) as opened:
                content = opened.read(self._wanted.limit)
        except CrewmemError as error:
            self._trouble(found.path, f"was not read: {error}")
            return
        note = self._read(found, content, known, is_again=is_again)
        self._done.notes[found.key] = note
        self._done.days.append((found.path, note))

    def _read(
        self, found: _Found, content: bytes, known: Note | None, *, is_again: bool
    ) -> Note:
        """Take what is new in *content*; return what is to be remembered of it."""
        text = decoded(content)
        ref = self._prefix + found.path
        if found.day:
            said = lines.noted(text, found.day)
        else:
            said = lines.learned(text, self._wanted.today)
        broken = 0
        if may_be_broken(content, text):
            every, said = said, [each for each in said if not is_broken(each[5])]
            broken = len({each[0] for each in every} - {each[0] for each in said})
        sums = lines.checksums(said)
        fresh = said
        if known is not None and not is_again:
            fresh = lines.fresh(said, sums, known.lines)
        self._take(fresh, ref, text, DAILY if found.day else LESSON)
        self._moved(found, ref, said)
        if broken:
            self._unread(found.path, broken, "no text: broken bytes, or control signs")
        if long := too_long(text):
            self._unread(found.path, long, "too long to compare")
        size, mtime_ns, ctime_ns, _ = found.stamp
        is_recent = abs(self._now_ns - max(mtime_ns, ctime_ns)) < TICK_NS
        stamp = (found.day, size, 0 if is_recent else mtime_ns)
        packed = lines.packed(sums) + (UNREAD if broken or long else b"")
        return Note._make((*stamp, sha256(content), packed))

    def _take(self, fresh: Iterable[Line], ref: str, text: str, source: str) -> None:
        """Take the lines of the file *ref*, which says *text*, that say something."""
        form_of, agent, pieces = self._form, self._agent, self._done.pieces
        before = len(pieces)
        for first, last, day, kind, said, _ in fresh:
            form = form_of(said)
            if says_something(form):
                piece = (day, agent, source, ref, first, last, kind, said, form, text)
                pieces.append(tuple.__new__(Piece, (*piece, "")))
        self._count += len(pieces) > before

    def _moved(self, found: _Found, ref: str, said: Iterable[Line]) -> None:
        """Find the evidence of a file again, in whatever lines it stands now."""
        if self._held.keys().isdisjoint((found.path, found.key)):
            return
        paths = {found.path, found.key}
        held = [each for path in paths for each in self._held.get(path, ())]
        places: dict[str, list[Line]] = {}
        for line in said:
            places.setdefault(digest_of(line[5]), []).append(line)
        for each in held:
            here = places.get(each.sha256)
            if not here:
                self._done.lost.append(each)
                continue
            first, last, _, kind, _, _ = here.pop(0) if len(here) > 1 else here[0]
            now = each._replace(ref=place_of(ref, first, last), kind=kind)
            self._done.moved[each] = now

    def _unread(self, path: str, count: int, what: str) -> None:
        lines = "a line that is" if count == 1 else f"{count:,} lines that are"
        self._trouble(path, f"has {lines} {what}")

    def _trouble(self, path: str, why: str) -> None:
        self._done.troubles.append(f"{self._place.path / visible(path)} {why}")
