"""Parts of a conversation that a model is asked about at once. Pure."""

from __future__ import annotations

from datetime import timedelta

from crewmem.digests import sha256
from crewmem.records import NamedTuple
from crewmem.transcripts.claim import is_speech
from crewmem.transcripts.injected import without_injected
from crewmem.transcripts.turn import USER

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from crewmem.transcripts.claim import Redact
    from crewmem.transcripts.read import Left
    from crewmem.transcripts.turn import Turn

CHARS_MOST = 18_000
"""Characters of a window: what small models read to the end."""

SAID_MOST = 1_200
"""Characters of one turn in a window: who says more than that pastes."""

PAUSE = timedelta(minutes=15)
"""After so long nobody answers any more: what follows is of another thing."""


class Said(NamedTuple):
    """What somebody said, as a model is shown it.

    Attributes:
        turn: Where it was said.
        text: Without what nobody said, secrets redacted, and cut.
    """

    turn: Turn
    text: str


class Window(NamedTuple):
    """Turns that belong together.

    Attributes:
        before: Where the log was before the first.
        end: The byte behind the line of the last.
    """

    said: tuple[Said, ...]
    before: Left
    end: int

    @property
    def digest(self) -> str:
        """Of what was said in it."""
        keys = "\n".join(each.turn.key for each in self.said)
        return sha256(keys.encode())[:32]


def windows(turns: Iterable[tuple[Left, Turn]], redact: Redact) -> list[Window]:
    """Return the windows of *turns*, each with where the log was before its line."""
    found: list[Window] = []
    now: list[tuple[Left, Said]] = []
    size = 0
    for before, turn in turns:
        said = _said(turn, redact)
        if said is None:
            continue
        if now and (size + len(said.text) > CHARS_MOST or _is_apart(now[-1][1], said)):
            found.append(_window(now))
            now, size = [], 0
        now.append((before, said))
        size += len(said.text)
    return [*found, _window(now)] if now else found


def _said(turn: Turn, redact: Redact) -> Said | None:
    if not is_speech(turn):
        return None
    text = without_injected(turn.text).strip()
    return Said(turn, redact(text[:SAID_MOST])) if text else None


def _is_apart(one: Said, other: Said) -> bool:
    if one.turn.session != other.turn.session:
        return True
    first, second = one.turn.at, other.turn.at
    return bool(first and second and second - first > PAUSE)


def _window(now: Sequence[tuple[Left, Said]]) -> Window:
    said = tuple(each for _, each in now)
    return Window(said, now[0][0], said[-1].turn.place.end)


def is_of_worth(window: Window) -> bool:
    """Tell whether a model is asked about *window*: most hold nothing.

    By cheap signals: words that may stand near what is decided, wanted, wrong or
    learned.
    """
    from crewmem.transcripts.triage import signals

    person = [each.text for each in window.said if each.turn.role == USER]
    if any(signals(each) for each in person):
        return True
    others = (each.text for each in window.said if each.turn.role != USER)
    return any(signals(each, is_person=False) for each in others)
