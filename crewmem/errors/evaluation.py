"""Failures of measuring recall, and of tuning it."""

from __future__ import annotations

from crewmem.errors import ConflictError, DataError, NotFoundError, RefusedError

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path


class SuiteMissingError(NotFoundError):
    """There is no suite to measure recall with."""

    hint = (
        "Make one of what was asked: crewmem eval capture --into FILE. "
        "Or try it on the sample crew: --suite sample."
    )

    def __init__(self, path: Path | str) -> None:
        super().__init__(f"there is no suite at {path}")
        self.path = path


class CorpusMissingError(NotFoundError):
    """The corpus that a suite names is not there."""

    def __init__(self, path: Path | str) -> None:
        super().__init__(f"there is no corpus at {path}, which the suite names")
        self.path = path


class EvalRunMissingError(NotFoundError):
    """There is no such run of a suite."""

    hint = "crewmem eval runs lists them; eval run --save keeps one."

    def __init__(self, name: str) -> None:
        super().__init__(f"there is no run {name}")
        self.name = name


class SnapshotMissingError(NotFoundError):
    """There is no such snapshot of tuned settings."""

    hint = "crewmem tune history lists them."

    def __init__(self, name: str) -> None:
        super().__init__(f"there is no snapshot {name} that is in force")
        self.name = name


class EmptySuiteError(DataError):
    """No line of a suite is a case."""

    def __init__(self, path: Path | str, reasons: Sequence[str]) -> None:
        said = f": {'; '.join(reasons)}" if reasons else ""
        super().__init__(f"{path} holds no case{said}")
        self.path, self.reasons = path, list(reasons)


class BadCorpusError(DataError):
    """A corpus cannot be built."""

    def __init__(self, path: Path | str, reason: str) -> None:
        super().__init__(f"the corpus {path} cannot be built: {reason}")
        self.path, self.reason = path, reason


class NotInForceError(DataError):
    """A setting that was tuned is not what is in force."""

    hint = "crewmem config list --show-origin says what sets it."

    def __init__(self, key: str) -> None:
        super().__init__(f"{key} was tuned, and something else sets it; it was undone")
        self.key = key


class AmbiguousRunError(RefusedError):
    """Several runs, or snapshots, begin with what was named."""

    def __init__(self, name: str, several: Sequence[str]) -> None:
        super().__init__(f"{name} may be {', '.join(several)}")
        self.name, self.several = name, list(several)
        self.hint = "Type more of it."


class TunedByHandError(ConflictError):
    """The file of tuned settings says something else than was put there."""

    hint = "Remove the file, or make it what it was, and try again."

    def __init__(self, path: Path | str) -> None:
        super().__init__(f"{path} was changed by something else than crewmem tune")
        self.path = path
