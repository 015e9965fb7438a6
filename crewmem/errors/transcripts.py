"""Failures with session logs, and with what they lost."""

from __future__ import annotations

from crewmem.errors import DataError, NotFoundError


class PackedError(DataError):
    """A log is compressed, and nothing here can read that."""

    hint = "The extra zstd reads it: pip install 'crewmem[zstd]'."

    def __init__(self, path: str) -> None:
        super().__init__(f"{path} is compressed, and zstandard is not installed")
        self.path = path


class LogDamagedError(DataError):
    """A log cannot be read."""

    def __init__(self, path: str, reason: str) -> None:
        super().__init__(f"{path} cannot be read: {reason}")
        self.path, self.reason = path, reason


class LogsUnreadableError(DataError):
    """None of the logs that there were something new in could be read."""

    hint = "crewmem transcripts status says how each stands."

    def __init__(self, failed: int, first: str) -> None:
        what = "transcript" if failed == 1 else "transcripts"
        super().__init__(f"none of {failed:,} {what} could be read: {first}")
        self.failed, self.first = failed, first


class LogMissingError(NotFoundError):
    """No log of that name is there."""

    hint = "crewmem transcripts status lists them."

    def __init__(self, name: str) -> None:
        super().__init__(f"there is no transcript {name}")
        self.name = name
