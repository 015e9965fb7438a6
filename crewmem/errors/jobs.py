"""Failures of jobs, and of what runs them: systemd and cron."""

from __future__ import annotations

from crewmem.errors import (
    BackendError,
    ConflictError,
    DataError,
    NotFoundError,
    RefusedError,
)

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path


class JobMissingError(NotFoundError):
    """There is no such job, or the settings leave it out."""

    def __init__(self, name: str, known: Sequence[str]) -> None:
        super().__init__(f"there is no job {name!r}")
        self.name = name
        self.hint = f"There are: {', '.join(known)}."


class BackupDirMissingError(NotFoundError):
    """Nobody said where backups go."""

    hint = "Name a directory: crewmem config set backup_dir /path"

    def __init__(self) -> None:
        super().__init__("the setting backup_dir names no directory for backups")


class NoSchedulerError(NotFoundError):
    """There is neither systemd nor cron to run jobs."""

    hint = "From any other scheduler, call every minute: crewmem timers run --all-due"

    def __init__(self, reasons: Sequence[str]) -> None:
        said = f" ({'; '.join(reasons)})" if reasons else ""
        super().__init__(f"neither systemd nor cron can run jobs here{said}")
        self.reasons = list(reasons)


class JobFailedError(DataError):
    """Every part of a job failed."""

    hint = "crewmem doctor looks into each."

    def __init__(self, job: str, reasons: Sequence[str]) -> None:
        super().__init__(f"all of the job {job} failed: {'; '.join(reasons)}")
        self.job, self.reasons = job, list(reasons)


class JobsFailedError(DataError):
    """Every job that was due failed."""

    hint = "crewmem timers status shows each; crewmem doctor looks into them."

    def __init__(self, reasons: Sequence[str]) -> None:
        super().__init__(f"every job that was due failed: {'; '.join(reasons)}")
        self.reasons = list(reasons)


class RunUnreadableError(DataError):
    """What is kept of a job's last run is not as jobs write it."""

    hint = "Run the job: what is kept of that takes its place."

    def __init__(self, job: str, reason: str) -> None:
        super().__init__(f"what is kept of a job cannot be read: {job}: {reason}")
        self.job, self.reason = job, reason


class SchedulerError(BackendError):
    """A program of systemd or cron could not be used, or refused."""

    def __init__(self, program: str, reason: str, hint: str = "") -> None:
        super().__init__(f"{program} cannot be used: {reason}")
        self.program, self.reason, self.hint = program, reason, hint


class UnspeakablePathError(RefusedError):
    """A path cannot be written into a timer."""

    hint = "Move it to a path of plain characters, and try again."

    def __init__(self, path: str, where: str) -> None:
        super().__init__(f"{path!r} cannot be named in {where}")
        self.path, self.where = path, where


class NotOursError(ConflictError):
    """A file of that name is there, and is not of crewmem's."""

    hint = "Move it away, and try again."

    def __init__(self, path: Path | str) -> None:
        super().__init__(f"{path} was not written by crewmem, and is left alone")
        self.path = path


class BrokenBlockError(ConflictError):
    """Where crewmem's lines of a crontab begin and end cannot be told."""

    hint = "Look into it with crontab -e, and remove by hand what is of crewmem."

    def __init__(self, line: int) -> None:
        super().__init__(
            "the crontab has a beginning of crewmem's lines without an end, or an end "
            f"without a beginning, at line {line:,}; it is left as it is"
        )
        self.line = line
