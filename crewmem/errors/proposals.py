"""Failures of what waits for a person, and of what is shared."""

from __future__ import annotations

from crewmem.errors import ConflictError, NotFoundError, RefusedError

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence


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
