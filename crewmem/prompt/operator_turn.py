"""Who said what: the turns of a conversation, as a person's own or another's. Pure."""

from __future__ import annotations

import re
from enum import StrEnum

from crewmem.records import NamedTuple

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence


class Voice(StrEnum):
    """Whose a turn is.

    Attributes:
        SUBJECT: The person's that is observed.
        PERSON: Of a person that the log does not name.
        ASSISTANT: A model's, a tool's or the system's.
        OTHER: Of somebody else, by name.
    """

    SUBJECT = "subject"
    PERSON = "person"
    ASSISTANT = "assistant"
    OTHER = "other"


class Turn(NamedTuple):
    """What somebody said at a time.

    Attributes:
        line: On which it begins, counted from 1.
        speaker: What the log calls who spoke.
    """

    line: int
    voice: Voice
    text: str
    speaker: str = ""


class BadLine(NamedTuple):
    """A line that is no turn.

    Attributes:
        line: Its number, counted from 1.
        reason: Why.
    """

    line: int
    reason: str


class Turns(NamedTuple):
    """A conversation as it was read.

    Attributes:
        turns: In the order of the file.
        bad: Lines that are no turns.
    """

    turns: Sequence[Turn]
    bad: Sequence[BadLine]

    @property
    def own(self) -> list[Turn]:
        """What the person said that is observed."""
        return [turn for turn in self.turns if turn.voice is Voice.SUBJECT]

    @property
    def speakers(self) -> list[str]:
        """What the log calls those who speak, by name."""
        return sorted({turn.speaker for turn in self.turns})

    @property
    def unnamed(self) -> int:
        """How many turns are of persons whom a log that has names does not name."""
        return sum(turn.voice is Voice.PERSON for turn in self.turns)


PERSONS = frozenset({"user", "human", "person", "operator"})
"""What logs call whoever talks to the assistant."""

ASSISTANTS = frozenset(
    {
        "agent",
        "ai",
        "assistant",
        "bot",
        "chatgpt",
        "claude",
        "copilot",
        "developer",
        "function",
        "gemini",
        "gpt",
        "lead",
        "model",
        "system",
        "tool",
        "tool_result",
    }
)
"""What logs call all that is no person."""


def voice_of(role: str, name: str, user: str) -> Voice | None:
    """Return whose a turn is, of which a log says *role* and *name*; None: nobody's.

    A role that says that no person speaks is believed before any name.
    """
    role, name = _plain(role), _plain(name)
    if role in ASSISTANTS and role != _plain(user):
        return Voice.ASSISTANT
    for said in (name, role):
        if said and said == _plain(user):
            return Voice.SUBJECT
        if said in ASSISTANTS:
            return Voice.ASSISTANT
        if said and said not in PERSONS:
            return Voice.OTHER
    return Voice.PERSON if name or role else None


def _plain(name: str) -> str:
    """Return *name* without what only marks it as one."""
    bare = name.strip().casefold().removeprefix("operator:").removeprefix("user:")
    return bare.removeprefix("@").strip()


def settled(turns: Iterable[Turn]) -> list[Turn]:
    """Return *turns*, those of unnamed persons given to the one that is observed.

    Not where a log names persons: there one without a name could be anybody's.
    """
    found = list(turns)
    if any(turn.voice in {Voice.SUBJECT, Voice.OTHER} for turn in found):
        return found
    return [
        turn._replace(voice=Voice.SUBJECT) if turn.voice is Voice.PERSON else turn
        for turn in found
    ]


FENCE = re.compile(r"[ \t]*(`{3,}|~{3,})")

QUOTED = re.compile(r"[ \t]*>")


def own_words(text: str) -> Iterator[tuple[int, int]]:
    """Yield where in *text* a person's own words begin and end, in order.

    What is between fences, or marked with ``>`` as quoted, was pasted.
    """
    begin: int | None = None
    fence, at = "", 0
    for line in text.splitlines(keepends=True):
        marked = FENCE.match(line)
        is_own = not (fence or marked or QUOTED.match(line))
        if marked and not fence:
            fence = marked[1]
        elif marked and fence[0] == marked[1][0] and len(marked[1]) >= len(fence):
            fence = ""
        if is_own and begin is None:
            begin = at
        elif not is_own and begin is not None:
            yield begin, at
            begin = None
        at += len(line)
    if begin is not None:
        yield begin, at
