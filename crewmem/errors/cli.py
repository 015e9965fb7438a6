"""Failures of what comes in and goes out at the command line."""

from __future__ import annotations

from crewmem.errors import DataError, NotFoundError, RefusedError

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence


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


class CheckMissingError(NotFoundError):
    """Doctor has no check of that id."""

    def __init__(self, name: str, known: Sequence[str]) -> None:
        super().__init__(f"doctor has no check {name!r}")
        self.name = name
        self.hint = f"It has: {', '.join(known)}."


class UnprintedError(DataError):
    """The answer could not be printed."""

    def __init__(self, reason: str) -> None:
        super().__init__(f"the answer could not be printed: {reason}")
        self.reason = reason


class NothingReadError(DataError):
    """Every one of several places failed."""

    hint = "crewmem doctor looks into each."

    def __init__(self, failures: Sequence[str]) -> None:
        super().__init__(f"it failed everywhere: {'; '.join(failures)}")
        self.failures = list(failures)


class InputTooLargeError(RefusedError):
    """An input is over its limit; nothing was written."""

    def __init__(self, what: str, size: int, limit: int, unit: str = "bytes") -> None:
        # Who reads no further than the limit knows no size but that.
        told = f"{size:,} {unit}, " if size > limit + 1 else ""
        super().__init__(f"{what} is {told}over the limit of {limit:,} {unit}")
        self.what, self.size, self.limit = what, size, limit


class ConfirmationMissingError(RefusedError):
    """A command that removes something was not confirmed."""

    hint = "Add --yes."

    def __init__(self, what: str) -> None:
        super().__init__(
            f"{what} needs a confirmation, and there is no terminal to ask"
        )
        self.what = what
