"""Putting daily notes away: moved, not copied, with their history, and found as before.

``daily/2026-03-14.md`` becomes ``daily/archive/2026/2026-03-14.md``. It is indexed
there, and counts for no cap.
"""

from __future__ import annotations

from crewmem import disk
from crewmem.digests import sha256
from crewmem.errors import CrewmemError
from crewmem.errors.files import FileChangedError
from crewmem.errors.registry import ExistsError
from crewmem.files.folders import open_place
from crewmem.files.locking import held
from crewmem.files.outside import changed_outside
from crewmem.files.put import new_version, present
from crewmem.files.target import target_of
from crewmem.files.version import GONE, without_secrets

TYPE_CHECKING = False
if TYPE_CHECKING:
    from crewmem.files.place import Place
    from crewmem.files.written import Means

OPERATION = "archive"
"""What versions and the journal call it."""

FOLDER = "daily"


def archived_name(file: str) -> str:
    """Return what the daily note *file* is called once it is put away."""
    name = file.rpartition("/")[2]
    return f"{FOLDER}/archive/{name[:4]}/{name}"


def archive(place: Place, file: str, expect: str, means: Means) -> str:
    """Put the daily note *file* of *place* away; return what it is called then.

    Killed at any moment and run again, the end is the same.

    Args:
        place: The directory.
        file: The note, as ``daily/2026-03-14.md``.
        expect: The sha256 of what it holds.
        means: What versions are recorded with.

    Raises:
        FileChangedError: If it holds something else by now, or is gone.
        ExistsError: If another note of that day was put away already.
        LockBusyError: If another process is writing there for too long.
        DiskError: If the disk fails; the note is where it was.
    """
    to = archived_name(file)
    with open_place(place) as root, held(root, means.access.busy_timeout):
        before, there = present(root, file), present(root, to)
        if before is None and there is not None and sha256(there) == expect:
            _record(place, file, to, there, means)  # moved, and killed before this
            return to
        found = "" if before is None else sha256(before)
        if before is None or found != expect:
            raise FileChangedError(place.ref(file), expect, found)
        if there is not None and there != before:
            raise ExistsError(place.ref(to))
        disk.make_dirs(root, to.rpartition("/")[0])
        if there is not None:  # both names: killed in the middle
            disk.remove(root, file)
            _record(place, file, to, before, means)
            return to
        _move(root, place, file, to, before, means)
    return to


def _move(
    root: int, place: Place, file: str, to: str, content: bytes, means: Means
) -> None:
    """Move the note and record it, or neither."""
    if means.journal is None:
        disk.move(root, file, to)
        return
    moved = False
    try:
        with means.journal.transaction():
            disk.move(root, file, to)
            moved = True
            _record(place, file, to, content, means)
    except CrewmemError:
        if moved:
            disk.move(root, to, file)
        raise


def _record(place: Place, file: str, to: str, content: bytes, means: Means) -> None:
    """Record that the note has another name, as far as that is not recorded yet."""
    history, journal = means.history, means.journal
    if history is None or journal is None:
        return
    whole, secrets = without_secrets(content, means.scan)
    kept = history.keep_as_is(whole)
    digest = sha256(content)
    with journal.transaction():
        newest = history.newest(place.ref(file))
        if newest is None or newest.sha256 not in {GONE, digest}:
            last = changed_outside(place, file, content, history, means.scan, means.now)
            newest = history.record(last) if last else newest
        there = history.newest(place.ref(to))
        if there is None or there.sha256 != digest:
            new = new_version(target_of(place, to), content, means, OPERATION)
            history.record(new._replace(kept=kept, secrets=secrets))
        if newest is None or newest.sha256 != GONE:
            old = new_version(target_of(place, file), b"", means, OPERATION)
            history.record(old._replace(sha256=GONE, is_event=False))
