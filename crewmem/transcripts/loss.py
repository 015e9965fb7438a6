"""When a program lost context, by its own mark or by its tokens. Pure."""

from __future__ import annotations

from datetime import timedelta

from crewmem.records import NamedTuple
from crewmem.transcripts.turn import Loss

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator
    from datetime import datetime

    from crewmem.transcripts.turn import State, Turn

SAME = timedelta(minutes=5)
"""Marks of one session so near each other are of one loss: a program writes several."""

LEFT = 0.65
"""The part of the tokens below which what is left is no longer the same context."""

LEAST = 10_000
"""Tokens from which on a fall counts: a new session is small."""

TOKENS, SUMMED = "tokens", "summed"
"""Names under which a state keeps the last count, and that there was a summary."""

MARKED = "marked"
"""And when the last mark was met."""

BY_TOKENS = "tokens"
"""How a loss was seen that nothing marks."""


class Lost(NamedTuple):
    """A time that a program lost context.

    Attributes:
        id: l_ and 12 characters.
        agent: Whose context it was.
        harness: The program.
        session: The session; "" if it is not known.
        key: Of the mark, by which it is known again.
        how: The mark, or tokens; hook or asked, where that told of it.
        at: When it was.
        before: Tokens before; null if nobody said.
        after: Tokens after; null if nobody said.
        detected_at: When it was seen.
        recovered_at: When memory was laid before the agent for it; null if never.
        tokens: How much that was; null for nothing.
        recovered: Ids of what that was made of.
    """

    id: str
    agent: str
    harness: str
    session: str
    key: str
    how: str
    at: datetime
    before: int | None
    after: int | None
    detected_at: datetime
    recovered_at: datetime | None = None
    tokens: int | None = None
    recovered: tuple[str, ...] = ()


DROP = Loss("drop")
"""Tokens that fell without any summary: nobody knows why."""


def losses(turn: Turn, state: State) -> Iterator[Loss]:
    """Yield the losses that *turn* tells of; `DROP` for a fall that nothing explains.

    *state* keeps what has to be known of the turns before.
    """
    if turn.sidechain:
        return
    if turn.loss:
        state.kept.pop(TOKENS, None)
        state.kept.pop(SUMMED, None)
        if not _is_told(turn, state):
            yield turn.loss
        return
    if turn.summary:
        state.kept[SUMMED] = True
    if turn.tokens is None:
        return
    before = state.kept.get(TOKENS)
    summed = state.kept.pop(SUMMED, False)
    state.kept[TOKENS] = turn.tokens
    if type(before) is int and fell(before, turn.tokens):
        yield Loss(BY_TOKENS, before, turn.tokens) if summed else DROP


def _is_told(turn: Turn, state: State) -> bool:
    """Tell whether another mark of the same loss was met just before."""
    from crewmem import times
    from crewmem.transcripts.formats.content import instant

    if turn.at is None:
        return False
    before = instant(state.kept.get(MARKED))
    state.kept[MARKED] = times.to_text(turn.at)
    return before is not None and abs(turn.at - before) <= SAME


def fell(before: int, after: int) -> bool:
    """Tell whether so many tokens *after* so many *before* are another context."""
    return before > LEAST and after < LEFT * before
