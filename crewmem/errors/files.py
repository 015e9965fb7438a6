"""Failures of memory directories and memory files."""

from __future__ import annotations

from crewmem.errors import ConflictError, DataError, NotFoundError, RefusedError

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path


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


class QuarantineDamagedError(DataError):
    """A file in quarantine is not what was put there."""

    hint = "It was changed by other means; crewmem memory quarantine drop removes it."

    def __init__(self, path: Path | str) -> None:
        super().__init__(f"{path} is not what was put there")
        self.path = path


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

    def __init__(self, ref: str = "the file") -> None:
        super().__init__(f"{ref} is no text in UTF-8: adding to it would damage it")


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


class TooManyEntriesError(RefusedError):
    """A list would have more entries than it may; nothing was written."""

    hint = "Merge entries that say the same, drop stale ones, and write it again."

    def __init__(self, count: int, limit: int) -> None:
        super().__init__(f"{count:,} entries are over the limit of {limit:,}")
        self.count, self.limit = count, limit


class FileChangedError(ConflictError):
    """A memory file is not what somebody expected who was to change it."""

    def __init__(self, ref: str, expected: str, sha256: str) -> None:
        now = f"it is {sha256[:12]} now" if sha256 else "it is not there"
        is_new = expected.lower() in {"", "none"}
        wanted = "a new file" if is_new else expected[:12]
        super().__init__(f"{ref} is not {wanted} any more: {now}")
        self.ref, self.expected, self.sha256 = ref, expected[:64], sha256
        self.hint = f"Read it, and write again with --expect {sha256[:12] or 'none'}."
