"""Failures of making memory of notes and entries."""

from __future__ import annotations

from crewmem.errors import ConflictError, DataError, NotFoundError, RefusedError


class SectionDamagedError(DataError):
    """The part of a file that crewmem owns cannot be told from the rest."""

    hint = "Repair or remove both marks by hand; nothing in the file was changed."

    def __init__(self, reason: str) -> None:
        super().__init__(f"its section cannot be told from the rest: {reason}")
        self.reason = reason


class PlanStaleError(ConflictError):
    """What a plan was made for is not what is there any more; nothing was done."""

    def __init__(self, name: str, what: str, crew: str) -> None:
        super().__init__(f"{name} does not fit any more: {what}; nothing was done")
        self.name, self.what, self.crew = name, what, crew
        self.hint = (
            f"crewmem consolidate run --crew {crew} makes the plan anew; then look "
            f"again: crewmem proposals diff {name}"
        )


class EvidenceGoneError(ConflictError):
    """What a plan would keep is not said any more where it was read."""

    def __init__(self, name: str, number: int, text: str) -> None:
        super().__init__(
            f"part {number} of {name} rests on notes that have changed: {text!r}; "
            "nothing was done"
        )
        self.name, self.number, self.text = name, number, text
        self.hint = (
            f"crewmem proposals explain {name} shows which; crewmem proposals approve "
            f"{name} --only N takes the other parts."
        )


class PlanDamagedError(DataError):
    """What a proposal holds is no plan that could be done."""

    def __init__(self, name: str) -> None:
        super().__init__(f"{name} holds no plan of its crew that can be read")
        self.name = name
        self.hint = f"crewmem proposals reject {name} puts it away."


class PlanClaimedError(ConflictError):
    """A proposal was approved, and is being done."""

    def __init__(self, name: str, by: str) -> None:
        super().__init__(f"{name} was approved by {by}, and is not done yet")
        self.name, self.by = name, by
        self.hint = f"crewmem proposals approve {name} goes on where it stopped."


class NothingChosenError(NotFoundError):
    """A part of a proposal was chosen that it does not have."""

    def __init__(self, name: str, wanted: str, count: int) -> None:
        super().__init__(f"{name} has no part {wanted}: it has 1 to {count}")
        self.name, self.wanted, self.count = name, wanted, count
        self.hint = f"crewmem proposals show {name} numbers them."


class SidesError(RefusedError):
    """An approval would keep what contradicts each other."""

    def __init__(self, name: str, count: int) -> None:
        super().__init__(f"{name} has {count} sides that contradict each other")
        self.name, self.count = name, count
        self.hint = (
            f"crewmem proposals approve {name} --only 1 keeps the first, crewmem "
            f"proposals reject {name} none."
        )
