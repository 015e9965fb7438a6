"""Failures of the journal."""

from __future__ import annotations

from crewmem.errors import (
    ConflictError,
    DataError,
    NotFoundError,
    RefusedError,
    SettingError,
)

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path


class ChainKeyMissingError(SettingError):
    """The journal was signed with a key, and the key is not there."""

    hint = "Set CREWMEM_CHAIN_KEY to the key that the journal was written with."

    def __init__(self, workspace: str) -> None:
        super().__init__(f"the journal of {workspace!r} is signed with a key")
        self.workspace = workspace


class EntryMissingError(NotFoundError):
    """There is no such entry in the journal, as far as the actor may see."""

    hint = "crewmem journal list shows what there is."

    def __init__(self, name: str, workspace: str) -> None:
        super().__init__(f"there is no entry {name!r} in workspace {workspace!r}")
        self.name, self.workspace = name, workspace


class EntryAmbiguousError(NotFoundError):
    """More than one entry of the journal has an id that begins so."""

    hint = "Add characters until one is left."

    def __init__(self, name: str, candidates: Sequence[str]) -> None:
        found = ", ".join(candidates)
        super().__init__(f"{name!r} could be any of {found}")
        self.name, self.candidates = name, list(candidates)


class ArchiveDamagedError(DataError):
    """An archived entry is not what was archived."""

    hint = "crewmem journal verify looks at all of them; restore a backup."

    def __init__(self, name: str) -> None:
        super().__init__(f"the archived entry {name!r} is damaged")
        self.name = name


class EntryChangedError(DataError):
    """An entry is not what its hash says, so nothing may be done with it."""

    hint = "crewmem journal verify says what is wrong with the chain."

    def __init__(self, name: str, seq: int) -> None:
        super().__init__(f"entry {name!r} at {seq} is not what was written")
        self.name, self.seq = name, seq


class NothingImportedError(DataError):
    """No line of a file that was to be imported is an entry."""

    hint = "Each line holds a JSON object with at least entry_type and summary."

    def __init__(self, name: str, reasons: Sequence[str]) -> None:
        super().__init__(f"nothing in {name} was taken in: {reasons[0]}")
        self.name, self.reasons = name, list(reasons)


class SameEntryError(RefusedError):
    """An entry cannot be related to itself."""

    hint = "Name two entries."

    def __init__(self, name: str) -> None:
        super().__init__(f"the entry {name!r} cannot be related to itself")
        self.name = name


class BlankTextError(RefusedError):
    """A text has nothing that could be embedded."""

    def __init__(self) -> None:
        super().__init__("a text of white space alone has no meaning to embed")


class EntryArchivedError(ConflictError):
    """An entry was to be changed, and compaction has archived it."""

    hint = "crewmem journal get shows it; what is archived stays as it was."

    def __init__(self, name: str) -> None:
        super().__init__(f"entry {name!r} is archived")
        self.name = name


class JournalReplacedError(ConflictError):
    """The database of a journal that is followed was moved, removed or restored."""

    hint = "Follow it again, with --since to miss nothing."

    def __init__(self, path: Path) -> None:
        super().__init__(f"{path} is no longer the database that was followed")
        self.path = path
