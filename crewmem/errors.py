"""Every failure a person can meet, and the exit status it ends with.

A class builds its own message from the facts it is given, so one cause reads
the same wherever it is raised. The families are the statuses a script can
tell apart; the man page's EXIT STATUS section is written from them.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, ClassVar

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path


class CrewmemError(Exception):
    """Base of every failure below; never raised itself.

    Attributes:
        exit_code: The status its family ends with.
        hint: The next step, if there is one that helps.
    """

    exit_code: ClassVar[int]
    hint: str = ""

    @property
    def code(self) -> str:
        """The stable name of this failure in JSON, as ``memory_dir_missing``."""
        name = type(self).__name__.removesuffix("Error")
        return re.sub(r"(?<!^)(?=[A-Z])", "_", name).lower()

    @property
    def details(self) -> dict[str, object]:
        """The facts of this failure, by name."""
        return {name: fact for name, fact in vars(self).items() if name != "hint"}


class SettingError(CrewmemError):
    """A setting cannot be read."""

    exit_code = 3


class NotFoundError(CrewmemError):
    """What was named is not there."""

    exit_code = 4


class DataError(CrewmemError):
    """Data on disk is damaged, of another version, or cannot be read or written."""

    exit_code = 5


class BusyError(CrewmemError):
    """Another process held a lock for longer than the timeout."""

    exit_code = 6


class BackendError(CrewmemError):
    """A service could not be reached, or refused."""

    exit_code = 7


class RefusedError(CrewmemError):
    """It would have been unsafe, over a limit, or not allowed."""

    exit_code = 8


class ConflictError(CrewmemError):
    """It exists already, or changed meanwhile."""

    exit_code = 9


class BadSettingError(SettingError):
    """A setting's value is not of its kind."""

    def __init__(self, origin: str, key: str, text: str, wanted: str) -> None:
        super().__init__(f"{origin}: {key} should be {wanted}, not {text!r}")
        self.origin, self.key, self.text, self.wanted = origin, key, text, wanted


class UnknownSettingError(SettingError):
    """There is no setting of that name."""

    def __init__(self, origin: str, key: str, nearest: str | None = None) -> None:
        super().__init__(f"{origin}: there is no setting {key!r}")
        self.origin, self.key, self.nearest = origin, key, nearest
        self.hint = (
            f"Did you mean {nearest}?" if nearest else "crewmem config list names all."
        )


class ConfigSyntaxError(SettingError):
    """The configuration file is not TOML."""

    def __init__(self, path: Path | str, reason: str) -> None:
        super().__init__(f"{path} is not valid TOML: {reason}")
        self.path, self.reason = path, reason


class ConfigShapeError(SettingError):
    """A setting stands in the file in a form that cannot be changed in place."""

    hint = "Edit the file by hand: crewmem config path."

    def __init__(self, path: Path | str, key: str) -> None:
        super().__init__(f"{path} holds {key} in a form that cannot be edited in place")
        self.path, self.key = path, key


class ChainKeyMissingError(SettingError):
    """The journal was signed with a key, and the key is not there."""

    hint = "Set CREWMEM_CHAIN_KEY to the key that the journal was written with."

    def __init__(self, workspace: str) -> None:
        super().__init__(f"the journal of {workspace!r} is signed with a key")
        self.workspace = workspace


class BadActorError(SettingError):
    """An actor is not spelled as one."""

    hint = "Write agent:SLUG, lead:SLUG or operator:NAME."

    def __init__(self, text: str) -> None:
        super().__init__(f"{text!r} is not an actor")
        self.text = text


class PathMissingError(NotFoundError):
    """There is nothing at a path."""

    def __init__(self, path: Path | str) -> None:
        super().__init__(f"there is nothing at {path}")
        self.path = path


class NotADirectoryPathError(NotFoundError):
    """A file stands where a directory should be."""

    def __init__(self, path: Path | str) -> None:
        super().__init__(f"{path} is not a directory")
        self.path = path


class MemoryDirMissingError(NotFoundError):
    """There is no memory directory where one was looked for."""

    hint = "Name the .memory directory, its parent, or a crew's root with --path."

    def __init__(self, path: Path, tried: Sequence[Path]) -> None:
        looked = ", ".join(map(str, tried))
        super().__init__(f"no memory directory at {path} (tried {looked})")
        self.path, self.tried = path, [str(each) for each in tried]


class NoMemoryError(NotFoundError):
    """No path was named, and there is no memory in the usual places."""

    hint = "Name a directory with --path, or make a home: crewmem init."

    def __init__(self, tried: Sequence[Path]) -> None:
        looked = ", ".join(map(str, tried))
        super().__init__(f"no memory found (looked in {looked})")
        self.tried = [str(each) for each in tried]


class MemoryFileMissingError(NotFoundError):
    """A memory file that was named is not there."""

    hint = "crewmem memory list shows the files there are."

    def __init__(self, name: str) -> None:
        super().__init__(f"there is no memory file {name!r} here")
        self.name = name


class LinesMissingError(NotFoundError):
    """A memory file ends before the lines that were asked for."""

    def __init__(self, name: str, first: int, lines: int) -> None:
        count = f"{lines:,} line" if lines == 1 else f"{lines:,} lines"
        super().__init__(f"{name} has {count}, and no line {first:,}")
        self.name, self.first, self.lines = name, first, lines


class KeyMissingError(NotFoundError):
    """A tier of many files was named without saying which."""

    hint = "Add --key: a day, a topic or a name, without .md."

    def __init__(self, tier: str) -> None:
        super().__init__(f"the tier {tier} has many files")
        self.tier = tier


class MemoryFileAmbiguousError(NotFoundError):
    """More than one memory file goes by the name that was given."""

    def __init__(self, name: str, candidates: Sequence[str]) -> None:
        found = ", ".join(candidates)
        super().__init__(f"{name!r} could be any of {found}")
        self.name, self.candidates = name, list(candidates)
        self.hint = f"Name it whole, as {candidates[0]}."


class HomeMissingError(NotFoundError):
    """There is no home, and what was asked needs one."""

    def __init__(self, path: Path) -> None:
        super().__init__(f"there is no crewmem home at {path}")
        self.path = path
        self.hint = f"Make one: crewmem --home {path} init"


class WorkspaceMissingError(NotFoundError):
    """There is no workspace of that name."""

    hint = "crewmem workspace list names them; the first write makes one."

    def __init__(self, name: str) -> None:
        super().__init__(f"there is no workspace {name!r}")
        self.name = name


class CrewMissingError(NotFoundError):
    """There is no crew of that name in the workspace."""

    hint = "crewmem crew list names them."

    def __init__(self, name: str, workspace: str) -> None:
        super().__init__(f"there is no crew {name!r} in workspace {workspace!r}")
        self.name, self.workspace = name, workspace


class AgentMissingError(NotFoundError):
    """There is no agent of that slug where it was looked for."""

    hint = "crewmem agent list names them."

    def __init__(self, slug: str, workspace: str) -> None:
        super().__init__(f"there is no agent {slug!r} in workspace {workspace!r}")
        self.slug, self.workspace = slug, workspace


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


class PrefixTooShortError(NotFoundError):
    """An id was shortened too far."""

    def __init__(self, name: str, least: int) -> None:
        super().__init__(f"{name!r} is no id, and too short for the beginning of one")
        self.name, self.least = name, least
        self.hint = f"Give at least {least} characters of it."


class CheckMissingError(NotFoundError):
    """Doctor has no check of that id."""

    def __init__(self, name: str, known: Sequence[str]) -> None:
        super().__init__(f"doctor has no check {name!r}")
        self.name = name
        self.hint = f"It has: {', '.join(known)}."


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


class ArchiveDamagedError(DataError):
    """An archived entry is not what was archived."""

    hint = "crewmem journal verify looks at all of them; restore a backup."

    def __init__(self, name: str) -> None:
        super().__init__(f"the archived entry {name!r} is damaged")
        self.name = name


class DerivedDamagedError(DataError):
    """A database that can be made again is damaged."""

    def __init__(self, path: Path | str, reason: str, again: str) -> None:
        super().__init__(f"{path} cannot be read: {reason}")
        self.path, self.reason, self.again = path, reason, again
        self.hint = f"Nothing is lost. {again} makes it anew."


class EntryChangedError(DataError):
    """An entry is not what its hash says, so nothing may be done with it."""

    hint = "crewmem journal verify says what is wrong with the chain."

    def __init__(self, name: str, seq: int) -> None:
        super().__init__(f"entry {name!r} at {seq} is not what was written")
        self.name, self.seq = name, seq


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


class DiskError(DataError):
    """The disk could not do what was asked: full, failing, or out of reach."""

    def __init__(self, path: Path | str, doing: str, reason: str) -> None:
        super().__init__(f"cannot {doing} {path}: {reason}")
        self.path, self.doing, self.reason = path, doing, reason


class NotDurableError(DataError):
    """A change was made, and the disk did not confirm that it will last."""

    hint = "Look at the disk, then do it again: a power cut may undo the change."

    def __init__(self, path: Path | str, reason: str) -> None:
        super().__init__(f"{path} was changed, but may not be on the disk: {reason}")
        self.path, self.reason = path, reason


class UnprintedError(DataError):
    """The answer could not be printed."""

    def __init__(self, reason: str) -> None:
        super().__init__(f"the answer could not be printed: {reason}")
        self.reason = reason


class NothingReadError(DataError):
    """Every place that was asked failed."""

    hint = "crewmem doctor looks into each."

    def __init__(self, failures: Sequence[str]) -> None:
        super().__init__(f"nothing could be read: {'; '.join(failures)}")
        self.failures = list(failures)


class NothingImportedError(DataError):
    """No line of a file that was to be imported is an entry."""

    hint = "Each line holds a JSON object with entry_type, summary and ts."

    def __init__(self, name: str, reasons: Sequence[str]) -> None:
        super().__init__(f"nothing in {name} was taken in: {reasons[0]}")
        self.name, self.reasons = name, list(reasons)


class ModelMissingError(NotFoundError):
    """There is no embedding model where one was looked for."""

    hint = "Name a directory that holds model.safetensors and tokenizer.json."

    def __init__(self, path: Path | str) -> None:
        super().__init__(f"there is no all-MiniLM-L6-v2 in {path}")
        self.path = path


class ModelDamagedError(DataError):
    """A file of an embedding model is not the one that was published."""

    hint = "crewmem embedder install brings a whole one."

    def __init__(self, path: Path | str, reason: str) -> None:
        super().__init__(f"{path} is no file of all-MiniLM-L6-v2: {reason}")
        self.path, self.reason = path, reason


class UnreachableError(BackendError):
    """A service does not answer, or not as long as it is asked as it is now."""

    hint = "crewmem embedder status says what is asked, and where."

    def __init__(self, service: str, reason: str) -> None:
        super().__init__(f"{service} cannot be used: {reason}")
        self.service, self.reason = service, reason


class RequestRefusedError(BackendError):
    """A service refused one request; another may be answered."""

    def __init__(self, service: str, reason: str) -> None:
        super().__init__(f"{service} refused: {reason}")
        self.service, self.reason = service, reason


class BadAnswerError(BackendError):
    """A service answered with what is no answer."""

    hint = "crewmem embedder test shows what it answers to one text."

    def __init__(self, service: str, reason: str) -> None:
        super().__init__(f"{service} gave no usable answer: {reason}")
        self.service, self.reason = service, reason


class DatabaseBusyError(BusyError):
    """Another process is writing to the database."""

    hint = "Try again, or raise CREWMEM_BUSY_TIMEOUT."

    def __init__(self, path: Path) -> None:
        super().__init__(f"{path} is locked by another process")
        self.path = path


class LockBusyError(BusyError):
    """Another process holds a lock."""

    hint = "Try again, or raise CREWMEM_BUSY_TIMEOUT."

    def __init__(self, path: Path | str) -> None:
        super().__init__(f"another process holds the lock {path}")
        self.path = path


class NotWritableError(RefusedError):
    """A place cannot be written by whoever runs crewmem."""

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


class BadNameError(RefusedError):
    """A workspace, crew or agent cannot be called that."""

    hint = "Use lower-case letters, digits and hyphens, at most 64, no hyphen first."

    def __init__(self, kind: str, name: str) -> None:
        super().__init__(f"{name!r} cannot name {kind}")
        self.kind, self.name = kind, name


class OutOfScopeError(RefusedError):
    """The actor may not see or change what was named."""

    def __init__(self, actor: str, what: str, rule: str) -> None:
        super().__init__(f"{actor} may not {what}: {rule}")
        self.actor, self.what, self.rule = actor, what, rule


class NotTheLeadError(RefusedError):
    """Somebody acts as a lead whom no crew names as its lead."""

    hint = "crewmem crew show names a crew's lead; --as agent:SLUG acts as the agent."

    def __init__(self, slug: str) -> None:
        super().__init__(f"no crew here names {slug!r} as its lead")
        self.slug = slug


class InputTooLargeError(RefusedError):
    """An input is over its limit; nothing was written."""

    def __init__(self, what: str, size: int, limit: int) -> None:
        super().__init__(f"{what} is {size:,} bytes, over the limit of {limit:,}")
        self.what, self.size, self.limit = what, size, limit


class ConfirmationMissingError(RefusedError):
    """A command that removes something was not confirmed."""

    hint = "Add --yes."

    def __init__(self, what: str) -> None:
        super().__init__(
            f"{what} needs a confirmation, and there is no terminal to ask"
        )
        self.what = what


class NoEmbedderError(NotFoundError):
    """There is nothing that could turn texts into vectors."""

    def __init__(self, why: str, hint: str) -> None:
        super().__init__(f"there is no embedder: {why}")
        self.why = why
        self.hint = hint or "crewmem embedder status shows what there is."


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


class BadVectorError(RefusedError):
    """A vector cannot be kept or compared: its size, its numbers or its length."""

    def __init__(self, reason: str, key: int | None = None) -> None:
        whose = "a vector" if key is None else f"the vector of {key}"
        super().__init__(f"{whose} is refused: {reason}")
        self.reason, self.key = reason, key


class ExistsError(ConflictError):
    """What was to be made is there already."""

    def __init__(self, what: str) -> None:
        super().__init__(f"{what} is there already")
        self.what = what


class EntryArchivedError(ConflictError):
    """An entry was to be changed, and compaction has archived it."""

    hint = "crewmem journal get shows it; what is archived stays as it was."

    def __init__(self, name: str) -> None:
        super().__init__(f"entry {name!r} is archived")
        self.name = name


class LeadTakenError(ConflictError):
    """A crew has a lead already, and another one was named."""

    def __init__(self, crew: str, lead: str, wanted: str) -> None:
        super().__init__(f"crew {crew!r} is led by {lead!r} already")
        self.crew, self.lead, self.wanted = crew, lead, wanted
        self.hint = f"To change it: crewmem crew set {crew} --lead {wanted}"


class StillNeededError(ConflictError):
    """What was to be removed is needed by what is there."""

    def __init__(self, what: str, why: str, hint: str) -> None:
        super().__init__(f"{what} cannot be removed: {why}")
        self.what, self.why, self.hint = what, why, hint


class ConfigUnreadableError(SettingError):
    """The configuration file is there, and is no file that can be read."""

    hint = "crewmem config path names it; --home or CREWMEM_HOME names another home."

    def __init__(self, path: Path | str, reason: str) -> None:
        super().__init__(f"{path} cannot be read: {reason}")
        self.path, self.reason = path, reason


class BadTimeError(ValueError):
    """Text is no time, date or span.

    Not a failure of its own: the command line reports it as its own mistake (2), a
    variable as a `BadSettingError` (3), an import as a bad line.
    """

    def __init__(self, text: str, wanted: str) -> None:
        super().__init__(f"{text[:80]!r} is not {wanted}")
        self.text, self.wanted = text, wanted


class BadZoneError(ValueError):
    """There is no time zone of that name here; reported as `BadTimeError` is."""

    def __init__(self, name: str) -> None:
        super().__init__(f"{name[:80]!r} is not a time zone that this system knows")
        self.name = name


class BadEntryError(ValueError):
    """A field of an entry is not what it should be.

    Not a failure of its own: the command line reports it as its own mistake (2), an
    import as a bad line.
    """

    def __init__(self, field: str, text: str, wanted: str) -> None:
        super().__init__(f"{field} should be {wanted}, not {text[:80]!r}")
        self.field, self.text, self.wanted = field, text, wanted


class BadCursorError(ValueError):
    """A listing cannot go on there; reported as `BadTimeError` is."""

    def __init__(self, text: str) -> None:
        super().__init__(f"{text[:80]!r} is not what a listing gave to go on with")
        self.text = text
