"""Failures of memories."""

from __future__ import annotations

from crewmem.errors import ConflictError, DataError, NotFoundError, RefusedError

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path


class MemoryMissingError(NotFoundError):
    """There is no such memory, as far as the actor may see."""

    hint = "crewmem memories list shows what there is."

    def __init__(self, name: str, workspace: str) -> None:
        super().__init__(f"there is no memory {name!r} in workspace {workspace!r}")
        self.name, self.workspace = name, workspace


class MemoryTablesMissingError(DataError):
    """The database is of a version that had no memories."""

    def __init__(self, home: Path | str) -> None:
        super().__init__(f"the database in {home} is older than memories are")
        self.home = home
        self.hint = "What writes to it upgrades it, as: crewmem remember TEXT."


class MemoryAmbiguousError(NotFoundError):
    """More than one memory has an id that begins so."""

    hint = "Add characters until one is left."

    def __init__(self, name: str, candidates: Sequence[str]) -> None:
        found = ", ".join(candidates)
        super().__init__(f"{name!r} could be any of {found}")
        self.name, self.candidates = name, list(candidates)


class BlankMemoryError(RefusedError):
    """There is nothing to remember."""

    def __init__(self) -> None:
        super().__init__("a text of white space alone is nothing to remember")


class RestrictedError(RefusedError):
    """A memory is for its owner, unless an operator asks for such ones."""

    hint = "Operators add --include-restricted."

    def __init__(self, memory_id: str) -> None:
        super().__init__(f"{memory_id} is restricted: it is for its owner alone")
        self.id = memory_id


class QuarantinedError(RefusedError):
    """What was to be remembered looks like an attack or a secret."""

    def __init__(self, memory_id: str, rules: Sequence[str]) -> None:
        super().__init__(f"it is quarantined as {memory_id}: {', '.join(rules)}")
        self.id, self.rules = memory_id, list(rules)
        self.hint = (
            "Write it without that; an operator may let it pass: "
            f"crewmem memories restore {memory_id}."
        )


class UnsafeTextError(RefusedError):
    """A text that is not kept looks like an attack or a secret."""

    hint = "Write it without that."

    def __init__(self, what: str, rules: Sequence[str]) -> None:
        super().__init__(f"{what} is refused: {', '.join(rules)}")
        self.what, self.rules = what, list(rules)


class BadMoveError(ConflictError):
    """A memory cannot become that from what it is."""

    def __init__(self, memory_id: str, before: str, after: str) -> None:
        super().__init__(f"{memory_id} is {before}, which does not become {after}")
        self.id, self.before, self.after = memory_id, before, after
        self.hint = f"crewmem memories restore {memory_id} makes it active again."


class SameMemoryError(ConflictError):
    """That is held to be true already."""

    def __init__(self, memory_id: str) -> None:
        super().__init__(f"{memory_id} says the same, or has the same topic")
        self.id = memory_id
        self.hint = f"crewmem get {memory_id} shows it."


class TopicTakenError(ConflictError):
    """What a topic is to say is said by another memory already."""

    def __init__(self, same: str, topic: str, key: str) -> None:
        super().__init__(f"{same} says the same, and topic {key!r} is {topic}")
        self.same, self.topic, self.key = same, topic, key
        self.hint = f"crewmem memories supersede {topic} --by {same} makes them one."
        if same == topic:
            self.hint = f"Say it in other words, or: crewmem forget {same}"


class NotHeldError(ConflictError):
    """A memory that is not held cannot take the place of another."""

    def __init__(self, memory_id: str, status: str) -> None:
        super().__init__(f"{memory_id} is {status}: it can take nobody's place")
        self.id, self.status = memory_id, status
        self.hint = f"crewmem memories restore {memory_id} makes it active again."


class SelfSupersededError(ConflictError):
    """A memory would take its own place."""

    def __init__(self, old: str, new: str) -> None:
        super().__init__(f"{old} has taken the place of {new}, or is {new} itself")
        self.old, self.new = old, new
        self.hint = f"crewmem memories history {new} shows what took whose place."


class BadStateError(ConflictError):
    """Only action items are done or dropped."""

    def __init__(self, memory_id: str, kind: str) -> None:
        super().__init__(f"{memory_id} is a {kind}, no action item")
        self.id, self.kind = memory_id, kind
        self.hint = f"crewmem forget {memory_id} puts it away."


class NotCondensedError(ConflictError):
    """A memory is no summary that could be taken back."""

    hint = "crewmem memories list --kind summary shows those there are."

    def __init__(self, memory_id: str) -> None:
        super().__init__(f"{memory_id} is no summary that condense made")
        self.id = memory_id
