"""Telling of a restricted memory what became of it, and not what it says.

Who is not its owner may act on it by its id; to read it there is --include-restricted.
"""

from __future__ import annotations

from functools import partial

from crewmem.memories.view import RESTRICTED

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

    from crewmem.cli.app import App
    from crewmem.knowledge.share import Shared
    from crewmem.memories.change import Changed
    from crewmem.memories.memory import Memory
    from crewmem.memories.vote import Voted


def tell(
    app: App, done: Changed | Voted, said: str, memory: Memory | None = None
) -> None:
    """Answer with what was *done*, and with a line that says it of its memory.

    Args:
        app: The command line.
        done: What was done.
        said: What became of the memory, as "is pinned".
        memory: Of which it is said, if not of the one of *done*.
    """
    from crewmem.cli.memories.shown import changed_line

    line = changed_line(shown(app, memory or done.memory), said)
    app.out.record(_told(app, done), [line])


def _told(app: App, done: Changed | Voted) -> Changed | Voted:
    """Return *done* with its memories as they may be `shown`."""
    from crewmem.memories.change import Changed

    memory = shown(app, done.memory)
    if isinstance(done, Changed):
        return done._replace(memory=memory, by=done.by and shown(app, done.by))
    return done._replace(memory=memory)


def told_shared(app: App, done: Sequence[Shared], source: Memory) -> list[Shared]:
    """Return what *source* was shared as: without its text, if that may not be shown.

    What was shared is no more restricted than was asked for, but who shares it blindly
    does not read it by the way.
    """
    tells = without_text if is_withheld(app, source) else partial(shown, app)
    return [
        each._replace(memory=tells(each.memory)) if each.memory else each
        for each in done
    ]


def shown(app: App, memory: Memory) -> Memory:
    """Return *memory*; without what it says, if that is for another alone."""
    return without_text(memory) if is_withheld(app, memory) else memory


def is_withheld(app: App, memory: Memory) -> bool:
    """Tell whether *memory* is restricted, and the actor not its owner."""
    is_owner = not app.actor.is_operator and memory.agent == app.actor.name
    return memory.sensitivity == RESTRICTED and not is_owner


def without_text(memory: Memory) -> Memory:
    """Return *memory* with nothing by which one could tell what it says."""
    return memory._replace(
        title=RESTRICTED,
        content=RESTRICTED,
        content_hash=RESTRICTED,
        tags=[],
        entities=[],
        metadata={},
        topic_key=None,
    )
