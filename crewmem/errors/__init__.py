"""Every failure a person can meet, and the exit status it ends with.

A class builds its own message from the facts it is given, so one cause reads
the same wherever it is raised. The families are the statuses a script can
tell apart; the man page's EXIT STATUS section is written from them.
"""

from __future__ import annotations

import re

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import ClassVar


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
