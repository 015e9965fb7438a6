"""Which memories are here already, while others are taken in."""

from __future__ import annotations

from crewmem.memories.memory import Owner

TYPE_CHECKING = False
if TYPE_CHECKING:
    from crewmem.memories.memory import Memory
    from crewmem.memories.rows import Values
    from crewmem.memories.store import Memories

HASH, TOPIC = "content_hash", "topic_key"


class Present:
    """The memories of a workspace, and those that a plan would add.

    Args:
        memories: Where they are kept.
        workspace: Of which they are.
        is_empty: Whether it is looked at as if it had none.
    """

    def __init__(self, memories: Memories, workspace: str, *, is_empty: bool) -> None:
        self._memories, self._workspace = memories, workspace
        self._is_empty = is_empty
        self._planned: dict[tuple[str, ...], str] = {}

    def by_id(self, memory_id: str) -> Memory | None:
        """Return the memory of that id; it knows no scope."""
        if self._is_empty:
            return None
        return self._memories.by_id(self._workspace, memory_id)

    def successor(self, memory_id: str) -> str | None:
        """Return what took the place of a memory that is here; None: nothing."""
        found = self.by_id(memory_id)
        return found.superseded_by if found else None

    def holds(self, values: Values) -> bool:
        """Tell whether the very memory that *values* is is here."""
        found = self.by_id(str(values["id"]))
        return found is not None and found.content_hash == values[HASH]

    def there(self, values: Values) -> tuple[str, str]:
        """Return the id of the memory that *values* is here, or why it cannot be.

        Both are "" where it is neither.
        """
        memory_id, digest = str(values["id"]), str(values[HASH])
        other = self.by_id(memory_id)
        there = other.content_hash if other else self._planned.get(("id", memory_id))
        if there:
            same = there == digest
            return memory_id, "" if same else f"another memory has the id {memory_id!r}"
        if values["status"] != "active":
            return "", ""
        if same_text := self._active(values, HASH):
            return same_text, ""
        if topic := self._active(values, TOPIC):
            return "", f"topic {values[TOPIC]!r} is {topic}"
        return "", ""

    def _active(self, values: Values, column: str) -> str | None:
        """Return the id of the active memory that has the same in *column*."""
        if not values[column]:
            return None
        key = _key(values, column)
        if self._is_empty or key in self._planned:
            return self._planned.get(key)
        scope, agent, crew, value = key[1:]
        owner = Owner(scope, agent, crew)
        found = self._memories.active(self._workspace, owner, column, value)
        return found.id if found else None

    def plan(self, values: Values) -> None:
        """Take note of what would be there."""
        self._planned["id", str(values["id"])] = str(values[HASH])
        if values["status"] == "active":
            for column in (HASH, TOPIC):
                if values[column]:
                    self._planned[_key(values, column)] = str(values["id"])


def _key(values: Values, column: str) -> tuple[str, ...]:
    names = ("scope", "agent_id", "crew_id", column)
    return (column, *(str(values[name]) for name in names))
