"""Failures of what is carried in and out."""

from __future__ import annotations

from crewmem.errors import ConflictError, DataError, RefusedError

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path


class LayoutUnknownError(DataError):
    """A source is laid out like nothing that can be imported."""

    hint = "Say what it is with --layout, or name the directory that holds the files."

    def __init__(self, name: str, left_out: Sequence[str] = ()) -> None:
        left = f"; left out of it: {', '.join(left_out)}" if left_out else ""
        super().__init__(
            f"{name} is no bundle, no memory directory and no notes of a known program"
            f"{left}"
        )
        self.name = name


class BundleDamagedError(DataError):
    """A bundle or an archive that is to be imported cannot be read."""

    hint = "Nothing was imported. Export it again, or fetch it again."

    def __init__(self, name: str, reason: str) -> None:
        super().__init__(f"{name} cannot be read: {reason}")
        self.name, self.reason = name, reason


class BundleTooNewError(DataError):
    """A bundle is of a version that this crewmem does not know."""

    hint = "Upgrade crewmem; nothing was imported."

    def __init__(self, name: str, found: int, known: int) -> None:
        super().__init__(
            f"{name} is a bundle of version {found}; this crewmem knows up to {known}"
        )
        self.name, self.found, self.known = name, found, known


class NothingCarriedError(DataError):
    """Nothing of a source could be imported."""

    def __init__(self, name: str, reasons: Sequence[str]) -> None:
        super().__init__(f"nothing of {name} was imported: {'; '.join(reasons)}")
        self.name, self.reasons = name, list(reasons)


class UnpackedTooLargeError(RefusedError):
    """An archive unpacks to more than is sensible; nothing was written."""

    hint = "If it is yours, unpack it, and import the directory."

    def __init__(self, name: str, limit: int, what: str) -> None:
        super().__init__(f"{name} unpacks to more than {limit:,} {what}")
        self.name, self.limit, self.what = name, limit, what


class NotABundleError(ConflictError):
    """A directory that a bundle should go into holds something else."""

    hint = "Name a directory that is new or empty, or one that holds a bundle."

    def __init__(self, path: Path | str) -> None:
        super().__init__(f"{path} is there already, and is no bundle")
        self.path = path
