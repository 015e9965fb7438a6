"""What stands where the index of a memory directory should, and what that means."""

from __future__ import annotations

from stat import S_ISREG

from crewmem import disk
from crewmem.db.connect import Mode
from crewmem.errors import BusyError, DataError
from crewmem.errors.disk import (
    DiskError,
    NotReadableError,
    NotWritableError,
    PathMissingError,
    UnsafePathError,
)
from crewmem.files.store import SIDECARS, MemoryIndex
from crewmem.records import NamedTuple

TOLERATED = (DataError, BusyError, NotReadableError, NotWritableError, UnsafePathError)
"""What may be wrong with an index: the files are there, and are searched."""

TYPE_CHECKING = False
if TYPE_CHECKING:
    from pathlib import Path

    from crewmem.errors import CrewmemError


class Existing(NamedTuple):
    """What stands where an index should.

    Attributes:
        memory: The index; None if there is none that can be used.
        reason: Why it cannot be used; "" if nothing is there.
        refusal: What kept it from being looked into, so that nobody knows what would
            be lost with it; None if a new index may take its place.
    """

    memory: MemoryIndex | None
    reason: str = ""
    refusal: CrewmemError | None = None


def existing(root: int, path: Path, mode: Mode, *, busy_timeout: float) -> Existing:
    """Open the index *path*, which is in the directory *root*, if it can be used."""
    if mode is not Mode.WRITE and is_hot(path):
        return Existing(None, f"{path} was left in the middle of a change")
    index = None
    try:
        index = MemoryIndex.open(root, path, mode, busy_timeout=busy_timeout)
        if not index.is_current():
            reason = "is not an index of this version of crewmem"
        elif flaw := index.flaw():
            reason = f"is damaged: {flaw}"
        else:
            return Existing(index)
        found = Existing(None, f"{path} {reason}")
    except PathMissingError:
        found = Existing(None)
    except TOLERATED as error:
        damaged = isinstance(error, DataError) and not isinstance(error, DiskError)
        found = Existing(None, str(error), None if damaged else error)
    if index:
        index.close()
    return found


def is_replaced(where: Path, error: CrewmemError) -> bool:
    """Tell whether *error* may come of an index in *where* that has lost its name.

    Who builds a new one gives it the name of the old; SQLite then says of that that it
    cannot be written.
    """
    failed = isinstance(error, DiskError | NotWritableError)
    return failed and disk.is_writable(where)


def is_hot(path: Path) -> bool:
    """Tell whether the database at *path* has changes beside it that count."""
    for beside in (path.with_name(path.name + end) for end in SIDECARS[:2]):
        try:
            status = beside.lstat()
        except OSError:
            continue
        if status.st_size and S_ISREG(status.st_mode):
            return True
    return False
