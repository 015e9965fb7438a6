"""Failures of SQLite databases."""

from __future__ import annotations

from crewmem.errors import BusyError, DataError

TYPE_CHECKING = False
if TYPE_CHECKING:
    from pathlib import Path


class NotADatabaseError(DataError):
    """A file that should be a database is something else."""

    def __init__(self, path: Path | str) -> None:
        super().__init__(f"{path} is not a SQLite database")
        self.path = path


class DatabaseDamagedError(DataError):
    """A database is damaged."""

    hint = "crewmem doctor says how much of it can be read."

    def __init__(self, path: Path | str, reason: str) -> None:
        super().__init__(f"{path} is damaged: {reason}")
        self.path, self.reason = path, reason


class DerivedDamagedError(DataError):
    """A database that can be made again is damaged."""

    def __init__(self, path: Path | str, reason: str, again: str) -> None:
        super().__init__(f"{path} cannot be read: {reason}")
        self.path, self.reason, self.again = path, reason, again
        self.hint = f"Nothing is lost. {again} makes it anew."


class SchemaTooNewError(DataError):
    """A newer crewmem wrote the database."""

    hint = "Upgrade crewmem; the database is untouched."

    def __init__(self, path: Path, found: int, known: int) -> None:
        super().__init__(f"{path} has schema {found}; this crewmem knows up to {known}")
        self.path, self.found, self.known = path, found, known


class ForeignDatabaseError(DataError):
    """A database stands where crewmem's should be, and another program wrote it."""

    hint = "Move it away, or name another home."

    def __init__(self, path: Path) -> None:
        super().__init__(f"{path} is a SQLite database, but not crewmem's")
        self.path = path


class DatabaseBusyError(BusyError):
    """Another process is writing to the database."""

    hint = "Try again, or raise CREWMEM_BUSY_TIMEOUT."

    def __init__(self, path: Path) -> None:
        super().__init__(f"{path} is locked by another process")
        self.path = path
