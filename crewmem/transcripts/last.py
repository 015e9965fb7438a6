"""The last that a person said in a session, without reading all of its log."""

from __future__ import annotations

from collections import deque

from crewmem.transcripts.claim import is_speech
from crewmem.transcripts.injected import without_injected
from crewmem.transcripts.read import steps
from crewmem.transcripts.turn import USER, State

TYPE_CHECKING = False
if TYPE_CHECKING:
    from crewmem.transcripts.formats import Format
    from crewmem.transcripts.read import Stream

BEHIND = 1 << 20
"""Bytes before the end that are looked at first."""

MOST = 16 << 20
"""And at most: who waits for an answer waits two seconds."""


class Said:
    """Collects what a person said.

    Attributes:
        texts: The last of it, oldest first.
    """

    def __init__(self, number: int) -> None:
        self.texts: deque[str] = deque(maxlen=number)

    def read(self, stream: Stream, form: Format | None, state: State) -> None:
        """Read *stream* to its end."""
        for step in steps(stream, form, state):
            for turn in step.turns:
                if turn.role == USER and is_speech(turn):
                    text = without_injected(turn.text).strip()
                    if text:
                        self.texts.append(text)
        for turn in state.held:
            if is_speech(turn):
                self.texts.append(without_injected(turn.text).strip())


def last_said(
    stream: Stream, size: int, form: Format | None, *, number: int, is_rows: bool
) -> list[str]:
    """Return the last *number* messages of a person in *stream*, oldest first.

    Args:
        stream: The log, open at its beginning.
        size: Bytes of it.
        form: Its format; None if that is to be seen from its lines.
        number: Of messages.
        is_rows: Whether it is no file: then all of it is read.
    """
    behind = BEHIND
    while True:
        start = 0 if is_rows else max(0, size - behind)
        stream.go(start, 0)
        said = Said(number)
        said.read(stream, form, State({"session": "", "events": False}))
        if len(said.texts) == number or start == 0 or behind >= MOST:
            return list(said.texts)
        behind *= 4
