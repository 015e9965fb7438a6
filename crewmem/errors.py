"""Errors that crewmem raises: one class for each exit status."""

from collections.abc import Iterable, Mapping
from typing import Any

STORAGE_FAILED = frozenset(
    {"database-damaged", "database-locked", "disk-failed", "disk-full", "locked", "not-durable"}
)
"""Codes of errors in the home's own storage. When one of many files or logs fails, work on the
others continues; after these errors it cannot."""


class CrewmemError(Exception):
    """An error with a sentence for people and a code for programs.

    Attributes:
        status: Exit status of the command line.
        code: Stable name of the cause, such as ``crew-not-found``.
        command: The command to run next, without the program's name. The command line adds the
            name and the user's ``--home``.
        hint: What to do next; by default *command*. Empty if there is nothing to do.
        details: Further values for programs.
    """

    status = 70

    def __init__(
        self,
        message: str,
        *,
        code: str,
        hint: str = "",
        command: str = "",
        details: Mapping[str, Any] | None = None,
    ) -> None:
        super().__init__(message)
        self.message = message
        self.code = code
        self.command = "" if hint else command
        self.hint = hint or (f"crewmem {command}" if command else "")
        self.details: dict[str, Any] = dict(details or {})


class UsageError(CrewmemError):
    """An argument is wrong."""

    status = 2


class SettingsError(CrewmemError):
    """A setting cannot be read or has a bad value."""

    status = 3


class NotFoundError(CrewmemError):
    """The named object does not exist, or is hidden from the actor."""

    status = 4


class DamagedError(CrewmemError):
    """Stored data is damaged, or was written by another version."""

    status = 5


class LockedError(CrewmemError):
    """Another process holds a lock."""

    status = 6


class ServiceError(CrewmemError):
    """A service, such as an embedder or a language model, failed."""

    status = 7


class RefusedError(CrewmemError):
    """A rule forbids it: access, a size cap, or the scanner."""

    status = 8


class ConflictError(CrewmemError):
    """The stored state has changed or does not allow the change."""

    status = 9


def not_utf8_error(what: str) -> UsageError:
    """Return the error of a text that is not UTF-8."""
    return UsageError(
        f"{what} is not UTF-8",
        code="not-utf8",
        hint="convert it first, for example with: iconv -f WINDOWS-1252 -t UTF-8",
    )


def check_text(name: str, value: object) -> None:
    """Check that an argument of the Python API is a text.

    Raises:
        TypeError: If it is not.
    """
    if not isinstance(value, str):
        raise TypeError(f"the {name} must be a str, not {type(value).__name__}")


def check_limit(limit: int) -> None:
    """Check the maximum number of results.

    Raises:
        TypeError: If it is not an integer.
        UsageError: If it is below 1.
    """
    if not isinstance(limit, int):
        raise TypeError(f"the limit must be an int, not {type(limit).__name__}")
    if limit < 1:
        raise UsageError(f"the limit is {limit}; it must be at least 1", code="out-of-range")


def suggest(word: str, known: Iterable[str]) -> str | None:
    """Return the word of *known* that *word* probably means, or None."""
    import difflib  # only for a wrong word

    matches = difflib.get_close_matches(word, list(known), n=1, cutoff=0.6)
    return matches[0] if matches else None
