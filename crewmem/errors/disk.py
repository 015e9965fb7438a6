"""Failures of files, directories and locks, whatever they hold."""

from __future__ import annotations

from crewmem.errors import BusyError, DataError, NotFoundError, RefusedError

TYPE_CHECKING = False
if TYPE_CHECKING:
    from pathlib import Path

FULL = frozenset({"the disk is full", "no space left on device", "disk quota exceeded"})
"""Reasons of which the last two are the system's words, in lower case."""


class PathMissingError(NotFoundError):
    """There is nothing at a path."""

    def __init__(self, path: Path | str) -> None:
        super().__init__(f"there is nothing at {path}")
        self.path = path


class WorkingDirectoryMissingError(NotFoundError):
    """The directory that a command was started in was removed meanwhile."""

    hint = "Go to a directory that is there, or name places from / on."

    def __init__(self) -> None:
        super().__init__("the working directory is gone")


class NotADirectoryPathError(NotFoundError):
    """A file stands where a directory should be."""

    def __init__(self, path: Path | str) -> None:
        super().__init__(f"{path} is not a directory")
        self.path = path


class DiskError(DataError):
    """The disk could not do what was asked: full, failing, or out of reach."""

    def __init__(self, path: Path | str, doing: str, reason: str) -> None:
        super().__init__(f"cannot {doing} {path}: {reason}")
        self.path, self.doing, self.reason = path, doing, reason
        if self.is_full:
            self.hint = "Make room there and do it again; what was there is as it was."

    @property
    def is_full(self) -> bool:
        """Whether there is no room left, or no more than somebody's share of it."""
        return self.reason in FULL


class NotDurableError(DataError):
    """A change was made, and the disk did not confirm that it will last."""

    hint = "Look at the disk, then do it again: a power cut may undo the change."

    def __init__(self, path: Path | str, reason: str) -> None:
        super().__init__(f"{path} was changed, but may not be on the disk: {reason}")
        self.path, self.reason = path, reason


class LockBusyError(BusyError):
    """Another process holds a lock."""

    hint = "Try again, or raise CREWMEM_BUSY_TIMEOUT."

    def __init__(self, path: Path | str) -> None:
        super().__init__(f"another process holds the lock {path}")
        self.path = path


class NotWritableError(RefusedError):
    """A place cannot be written by whoever runs crewmem."""

    hint = "See what cannot be written: crewmem doctor --only home"

    def __init__(self, path: Path | str, reason: str) -> None:
        super().__init__(f"{path} cannot be written: {reason}")
        self.path, self.reason = path, reason


class NotReadableError(RefusedError):
    """A place cannot be read by whoever runs crewmem."""

    def __init__(self, path: Path | str, reason: str) -> None:
        super().__init__(f"{path} cannot be read: {reason}")
        self.path, self.reason = path, reason


class UnsafePathError(RefusedError):
    """A path leads, or could be made to lead, out of its root."""

    def __init__(self, path: Path | str, reason: str) -> None:
        super().__init__(f"{str(path)!r} is refused: {reason}")
        self.path, self.reason = path, reason
