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
    def beside(self) -> str:
        """Stored text that a person needs beside the message, else ""."""
        return ""

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


class BadThreatRuleError(SettingError):
    """What the settings say to the scanner cannot be used."""

    def __init__(self, origin: str, keys: tuple[str, ...], reason: str) -> None:
        super().__init__(f"{origin}: {'.'.join(('threats', *keys))}: {reason}")
        self.origin, self.keys, self.reason = origin, keys, reason


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


class QuarantineMissingError(NotFoundError):
    """Nothing is in quarantine under that name."""

    hint = "crewmem memory quarantine list shows what there is."

    def __init__(self, name: str) -> None:
        super().__init__(f"nothing is in quarantine as {name[:64]!r}")
        self.name = name[:64]


class QuarantineAmbiguousError(NotFoundError):
    """More than one text in quarantine has a name that begins so."""

    hint = "Add characters until one is left, or say whose with --crew or --agent."

    def __init__(self, name: str, candidates: Sequence[str]) -> None:
        found = ", ".join(candidates)
        super().__init__(f"{name!r} could be any of {found}")
        self.name, self.candidates = name, list(candidates)


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


class NotAMemberError(NotFoundError):
    """An agent does not belong to a crew that was named with it."""

    def __init__(self, slug: str, crew: str) -> None:
        super().__init__(f"{slug!r} does not belong to the crew {crew!r}")
        self.slug, self.crew = slug, crew
        self.hint = f"To change that: crewmem crew set {crew} --add-member {slug}"


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


class GroupNeededError(NotFoundError):
    """A source has several groups, of which one has to be named."""

    def __init__(self, name: str | None, groups: Sequence[str]) -> None:
        super().__init__(
            "there are several groups, and one can be imported at a time"
            if name is None
            else f"there is no group {name!r} in it"
        )
        self.name, self.groups = name, list(groups)
        self.hint = f"Name one with --group: {', '.join(groups)}."


class PersonUnknownError(NotFoundError):
    """Nothing is known of a person, or not what was named."""

    hint = "A name is taken as it was given to operator observe."

    def __init__(self, user: str, workspace: str, field: str = "") -> None:
        what = f"the field {field}" if field else "anything"
        super().__init__(f"there is not {what} known of {user!r} in {workspace!r}")
        self.user, self.workspace, self.field = user, workspace, field


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


class LayoutUnknownError(DataError):
    """A source is laid out like nothing that can be imported."""

    hint = "Say what it is with --layout, or name the directory that holds the files."

    def __init__(self, name: str) -> None:
        super().__init__(
            f"{name} is no bundle, no memory directory and no notes of a known program"
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


class QuarantineDamagedError(DataError):
    """A file in quarantine is not what was put there."""

    hint = "It was changed by other means; look at it, and remove it by hand."

    def __init__(self, path: Path | str) -> None:
        super().__init__(f"{path} is not what was put there")
        self.path = path


class NoTurnsError(DataError):
    """No line of a file is a turn of a conversation."""

    hint = (
        'A line is {"role": "user", "content": "..."}, or begins with who speaks, '
        "as in Ada: ..."
    )

    def __init__(self, name: str, reasons: Sequence[str]) -> None:
        super().__init__(f"nothing in {name} is a turn: {reasons[0]}")
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


class ProgramFailedError(BackendError):
    """A program that should answer as a language model does gives no answer."""

    hint = "It is given a prompt on standard input: try it so, by hand."

    def __init__(self, program: str, reason: str) -> None:
        super().__init__(f"{program} cannot be used: {reason}")
        self.program, self.reason = program, reason


class BadReplyError(BackendError):
    """A language model answered with what is no text, or none at all."""

    def __init__(self, program: str, reason: str) -> None:
        super().__init__(f"the answer of {program} is not used: {reason}")
        self.program, self.reason = program, reason


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


OWNERS = {
    **dict.fromkeys(("agent", "brief", "peer"), "agent"),
    **dict.fromkeys(("crew", "topic", "learned", "user"), "crew"),
    "workspace": "workspace",
}
"""Scopes of tiers that one scope alone has, as in files/target.py; a test compares."""


class TierMisplacedError(RefusedError):
    """A directory has no files of a tier."""

    def __init__(self, tier: str, scope: str) -> None:
        super().__init__(f"memory of the scope {scope} has no tier {tier}")
        self.tier, self.scope = str(tier), str(scope)
        if owner := OWNERS.get(self.tier):
            self.hint = f"It is of the scope {owner}: --scope {owner}"


class BadKeyError(RefusedError):
    """No memory file of a tier can be called that."""

    def __init__(self, tier: str, key: str, reason: str) -> None:
        super().__init__(f"{key[:200]!r} cannot name a file of tier {tier}: {reason}")
        self.tier, self.key, self.reason = str(tier), key[:200], reason


class NotTextError(RefusedError):
    """A file holds something that no text can be added to."""

    hint = "Look at it with crewmem memory read --raw, and write it whole."

    def __init__(self) -> None:
        super().__init__("the file is no text in UTF-8: adding to it would damage it")


class OverCapError(RefusedError):
    """A memory file would be larger than it may be; nothing was written."""

    def __init__(
        self, ref: str, projected: int, cap: int, usage: str, current_entries: str
    ) -> None:
        super().__init__(
            f"{ref} would be {projected:,} bytes, over its cap of {cap:,}; "
            f"nothing was written (now {usage})"
        )
        self.ref, self.projected, self.cap = ref, projected, cap
        self.usage, self.current_entries = usage, current_entries

    @property
    def beside(self) -> str:
        """What the file says, so that it can be repaired at once."""
        return f"It says now:\n{self.current_entries}" if self.current_entries else ""


class DirectoryFullError(RefusedError):
    """A memory directory would hold more than it may; nothing was written."""

    def __init__(
        self,
        path: Path | str,
        projected: int,
        cap: int,
        usage: str,
        largest: Sequence[str],
        current_entries: str,
    ) -> None:
        super().__init__(
            f"the files of {path} would be {projected:,} bytes, over the cap of "
            f"{cap:,}; nothing was written (now {usage})"
        )
        self.path, self.projected, self.cap, self.usage = path, projected, cap, usage
        self.largest, self.current_entries = list(largest), current_entries
        most = ", ".join(largest)
        self.hint = f"Shorten or drop what is no longer needed; the largest: {most}."


class WriteRejectedError(RefusedError):
    """A text was not written, for it looks like an attack or holds a secret."""

    def __init__(
        self, ref: str, findings: Sequence[str], rules: Sequence[str], quarantined: str
    ) -> None:
        super().__init__(f"{ref} was not written: {'; '.join(findings)}")
        self.ref, self.findings = ref, list(findings)
        self.rules, self.quarantined = list(rules), quarantined
        kept = f" It is in quarantine as {quarantined[:12]}." if quarantined else ""
        allowed = " ".join(f"--allow {rule}" for rule in rules)
        self.hint = (
            f"Write it again without that.{kept} Operators let it pass by {allowed}."
        )


class MemoryOffError(RefusedError):
    """The memory of an agent is switched off."""

    def __init__(self, slug: str) -> None:
        super().__init__(f"the memory of agent {slug!r} is switched off")
        self.slug = slug
        self.hint = f"An operator switches it on: crewmem agent set {slug} --memory on"


class OptedOutError(RefusedError):
    """A person does not want to be observed."""

    hint = "Only if they ask for it: crewmem operator opt-out --undo --user NAME"

    def __init__(self, user: str, since: str) -> None:
        super().__init__(
            f"{user!r} opted out on {since[:10]}: nothing of them is observed or kept"
        )
        self.user, self.since = user, since


class TooManyEntriesError(RefusedError):
    """A list would have more entries than it may; nothing was written."""

    hint = "Merge entries that say the same, drop stale ones, and write it again."

    def __init__(self, count: int, limit: int) -> None:
        super().__init__(f"{count:,} entries are over the limit of {limit:,}")
        self.count, self.limit = count, limit


class InputTooLargeError(RefusedError):
    """An input is over its limit; nothing was written."""

    def __init__(self, what: str, size: int, limit: int) -> None:
        super().__init__(f"{what} is {size:,} bytes, over the limit of {limit:,}")
        self.what, self.size, self.limit = what, size, limit


class UnpackedTooLargeError(RefusedError):
    """An archive unpacks to more than is sensible; nothing was written."""

    hint = "If it is yours, unpack it, and import the directory."

    def __init__(self, name: str, limit: int, what: str) -> None:
        super().__init__(f"{name} unpacks to more than {limit:,} {what}")
        self.name, self.limit, self.what = name, limit, what


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


class FileChangedError(ConflictError):
    """A memory file is not what somebody expected who was to change it."""

    def __init__(self, ref: str, expected: str, sha256: str) -> None:
        now = f"it is {sha256[:12]} now" if sha256 else "it is not there"
        is_new = expected.lower() in {"", "none"}
        wanted = "a new file" if is_new else expected[:12]
        super().__init__(f"{ref} is not {wanted} any more: {now}")
        self.ref, self.expected, self.sha256 = ref, expected[:64], sha256
        self.hint = f"Read it, and write again with --expect {sha256[:12] or 'none'}."


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


class NotABundleError(ConflictError):
    """A directory that a bundle should go into holds something else."""

    hint = "Name a directory that is new or empty, or one that holds a bundle."

    def __init__(self, path: Path | str) -> None:
        super().__init__(f"{path} is there already, and is no bundle")
        self.path = path


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


class MemoryMissingError(NotFoundError):
    """There is no such memory, as far as the actor may see."""

    hint = "crewmem memories list shows what there is."

    def __init__(self, name: str, workspace: str) -> None:
        super().__init__(f"there is no memory {name!r} in workspace {workspace!r}")
        self.name, self.workspace = name, workspace


class MemoryTablesMissingError(DataError):
    """The database is of a version that had no memories."""

    def __init__(self, home: Path | str) -> None:
        super().__init__(f"the database in {home} is older than memories are")
        self.home = home
        self.hint = "What writes to it upgrades it, as: crewmem remember TEXT."


class MemoryAmbiguousError(NotFoundError):
    """More than one memory has an id that begins so."""

    hint = "Add characters until one is left."

    def __init__(self, name: str, candidates: Sequence[str]) -> None:
        found = ", ".join(candidates)
        super().__init__(f"{name!r} could be any of {found}")
        self.name, self.candidates = name, list(candidates)


class BlankMemoryError(RefusedError):
    """There is nothing to remember."""

    def __init__(self) -> None:
        super().__init__("a text of white space alone is nothing to remember")


class QuarantinedError(RefusedError):
    """What was to be remembered looks like an attack or a secret."""

    def __init__(self, memory_id: str, rules: Sequence[str]) -> None:
        super().__init__(f"it is quarantined as {memory_id}: {', '.join(rules)}")
        self.id, self.rules = memory_id, list(rules)
        self.hint = (
            "Write it without that; an operator may let it pass: "
            f"crewmem memories restore {memory_id}."
        )


class UnsafeTextError(RefusedError):
    """A text that is not kept looks like an attack or a secret."""

    hint = "Write it without that."

    def __init__(self, what: str, rules: Sequence[str]) -> None:
        super().__init__(f"{what} is refused: {', '.join(rules)}")
        self.what, self.rules = what, list(rules)


class BadMoveError(ConflictError):
    """A memory cannot become that from what it is."""

    def __init__(self, memory_id: str, before: str, after: str) -> None:
        super().__init__(f"{memory_id} is {before}, which does not become {after}")
        self.id, self.before, self.after = memory_id, before, after
        self.hint = f"crewmem memories restore {memory_id} makes it active again."


class SameMemoryError(ConflictError):
    """That is held to be true already."""

    def __init__(self, memory_id: str) -> None:
        super().__init__(f"{memory_id} says the same, or has the same topic")
        self.id = memory_id
        self.hint = f"crewmem get {memory_id} shows it."


class TopicTakenError(ConflictError):
    """What a topic is to say is said by another memory already."""

    def __init__(self, same: str, topic: str, key: str) -> None:
        super().__init__(f"{same} says the same, and topic {key!r} is {topic}")
        self.same, self.topic, self.key = same, topic, key
        self.hint = f"crewmem memories supersede {topic} --by {same} makes them one."
        if same == topic:
            self.hint = f"Say it in other words, or: crewmem forget {same}"


class NotHeldError(ConflictError):
    """A memory that is not held cannot take the place of another."""

    def __init__(self, memory_id: str, status: str) -> None:
        super().__init__(f"{memory_id} is {status}: it can take nobody's place")
        self.id, self.status = memory_id, status
        self.hint = f"crewmem memories restore {memory_id} makes it active again."


class SelfSupersededError(ConflictError):
    """A memory would take its own place."""

    def __init__(self, old: str, new: str) -> None:
        super().__init__(f"{old} has taken the place of {new}, or is {new} itself")
        self.old, self.new = old, new
        self.hint = f"crewmem memories history {new} shows what took whose place."


class BadStateError(ConflictError):
    """Only action items are done or dropped."""

    def __init__(self, memory_id: str, kind: str) -> None:
        super().__init__(f"{memory_id} is a {kind}, no action item")
        self.id, self.kind = memory_id, kind
        self.hint = f"crewmem forget {memory_id} puts it away."


class BadMemoryError(ValueError):
    """A value is not what that field of a memory takes."""

    def __init__(self, name: str, text: str, wanted: str) -> None:
        super().__init__(f"{name} should be {wanted}, not {text[:80]!r}")
        self.name, self.text, self.wanted = name, text, wanted


class UnknownKindError(ValueError):
    """There is no kind of memory of that name."""

    def __init__(self, word: str, nearest: str | None, kinds: Sequence[str]) -> None:
        means = f"did you mean {nearest}?" if nearest else f"one of {', '.join(kinds)}"
        super().__init__(f"there is no kind {word[:40]!r}: {means}")
        self.word, self.nearest = word, nearest


class ProposalMissingError(NotFoundError):
    """There is no such proposal, as far as the actor may see."""

    hint = "crewmem proposals list shows what waits."

    def __init__(self, name: str, workspace: str) -> None:
        super().__init__(f"there is no proposal {name!r} in workspace {workspace!r}")
        self.name, self.workspace = name, workspace


class ProposalAmbiguousError(NotFoundError):
    """More than one proposal has an id that begins so."""

    hint = "Add characters until one is left."

    def __init__(self, name: str, candidates: Sequence[str]) -> None:
        found = ", ".join(candidates)
        super().__init__(f"{name!r} could be any of {found}")
        self.name, self.candidates = name, list(candidates)


class DecidedError(ConflictError):
    """A proposal was decided already."""

    def __init__(self, name: str, status: str, by: str) -> None:
        super().__init__(f"{name} is {status} already, by {by}")
        self.name, self.status, self.by = name, status, by
        self.hint = f"crewmem proposals show {name} tells more."


class NotSharedError(RefusedError):
    """A memory does not leave its owner."""

    def __init__(self, memory_id: str, reason: str) -> None:
        super().__init__(f"{memory_id} is not shared: {reason}")
        self.id, self.reason = memory_id, reason
        self.hint = f"crewmem get {memory_id} shows it."


class NotCondensedError(ConflictError):
    """A memory is no summary that could be taken back."""

    hint = "crewmem memories list --kind summary shows those there are."

    def __init__(self, memory_id: str) -> None:
        super().__init__(f"{memory_id} is no summary that condense made")
        self.id = memory_id
