"""Failures of the history of memory files."""

from __future__ import annotations

from crewmem.errors import DataError, NotFoundError, RefusedError

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path


class NoHistoryError(NotFoundError):
    """A file was named that was not looked for in a home, where versions are kept."""

    hint = "Name a file of the home: without --path, or with --home."

    def __init__(self, path: Path) -> None:
        super().__init__(
            f"there is no history here: {path} was not looked for in a home, and "
            "versions are kept there"
        )
        self.path = path


class NoVersionsError(NotFoundError):
    """Nothing is recorded yet of a memory file."""

    hint = "crewmem episodes sweep records what is there."

    def __init__(self, ref: str) -> None:
        super().__init__(f"no version of {ref} is recorded yet")
        self.ref = ref


class VersionMissingError(NotFoundError):
    """A file has no version of that id or hash."""

    def __init__(self, name: str, ref: str) -> None:
        super().__init__(f"there is no version {name!r} of {ref}")
        self.name, self.ref = name, ref
        self.hint = f"crewmem memory log {ref} shows what there is."


class VersionAmbiguousError(NotFoundError):
    """More than one version of a file has an id or a hash that begins so."""

    hint = "Add characters until one is left."

    def __init__(self, name: str, candidates: Sequence[str]) -> None:
        found = ", ".join(candidates)
        super().__init__(f"{name!r} could be any of {found}")
        self.name, self.candidates = name, list(candidates)


class ContentMissingError(DataError):
    """The content of a version is not where it was kept."""

    hint = "crewmem doctor names all that are; restore a backup of versions/."

    def __init__(self, path: Path | str) -> None:
        super().__init__(f"the content of this version is gone: {path}")
        self.path = path


class ContentDamagedError(DataError):
    """The content of a version is not what was kept."""

    hint = "crewmem doctor names all that are; restore a backup of versions/."

    def __init__(self, path: Path | str) -> None:
        super().__init__(f"{path} is damaged: it is not what was kept there")
        self.path = path


class NothingKeptError(RefusedError):
    """A version has no content: the file was gone."""

    def __init__(self, version: str, ref: str) -> None:
        super().__init__(f"{version} says that {ref} was removed; it has no content")
        self.version, self.ref = version, ref
        self.hint = f"crewmem memory log {ref} names the one before."


class RedactedError(RefusedError):
    """A version lacks the secrets of its file, so the file cannot be made of it."""

    hint = (
        "memory show prints it as it is kept; --allow redacted restores it so, with "
        "the names of rules where the secrets were."
    )

    def __init__(self, version: str, ref: str) -> None:
        super().__init__(
            f"{version} of {ref} was kept without the secrets that the file held"
        )
        self.version, self.ref = version, ref
