"""Failures of what is known of persons."""

from __future__ import annotations

from crewmem.errors import DataError, NotFoundError, RefusedError

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence


class PersonUnknownError(NotFoundError):
    """Nothing is known of a person, or not what was named."""

    hint = "A name is taken as it was given to operator observe."

    def __init__(self, user: str, workspace: str, field: str = "") -> None:
        what = f"the field {field}" if field else "anything"
        super().__init__(f"there is not {what} known of {user!r} in {workspace!r}")
        self.user, self.workspace, self.field = user, workspace, field


class NoTurnsError(DataError):
    """No line of a file is a turn of a conversation."""

    hint = (
        'A line is {"role": "user", "content": "..."}, or begins with who speaks, '
        "as in Ada: ..."
    )

    def __init__(self, name: str, reasons: Sequence[str]) -> None:
        super().__init__(f"nothing in {name} is a turn: {reasons[0]}")
        self.name, self.reasons = name, list(reasons)


class OptedOutError(RefusedError):
    """A person does not want to be observed."""

    hint = "Only if they ask for it: crewmem operator opt-out --undo --user NAME"

    def __init__(self, user: str, since: str) -> None:
        super().__init__(
            f"{user!r} opted out on {since[:10]}: nothing of them is observed or kept"
        )
        self.user, self.since = user, since
