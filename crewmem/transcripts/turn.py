"""A turn of a conversation, as every format yields it. Pure."""

from __future__ import annotations

from crewmem.digests import sha256
from crewmem.records import NamedTuple

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping
    from datetime import datetime
    from typing import Any, TypedDict

    Record = Mapping[str, Any]
    """What one line holds."""

    class More(TypedDict, total=False):
        """What a format may say of a turn beside who said what, where and when."""

        tool: str
        synthetic: bool
        summary: bool
        loss: Loss | None
        tokens: int | None


USER, ASSISTANT, TOOL, SYSTEM = "user", "assistant", "tool", "system"
"""Roles."""

TOOL_MOST = 220
"""Characters of what a tool answered that are kept: the rest is chatter."""

KEY_DIGITS = 32
"""Hexadecimal digits by which a turn is known again: 128 bits."""


class Loss(NamedTuple):
    """A mark that a program lost context.

    Attributes:
        how: The name of the mark, as compact_boundary.
        before: Tokens before; None if nobody said.
        after: Tokens after; None if nobody said.
    """

    how: str
    before: int | None = None
    after: int | None = None


class Place(NamedTuple):
    """Where a line stands.

    Attributes:
        line: Its number, counted from 1; in a database its place in the session.
        start: The byte it begins at; in a database as *line*.
        end: The byte behind it.
    """

    line: int
    start: int
    end: int


class Turn(NamedTuple):
    """Something that was said, or happened, in a session.

    Attributes:
        harness: The program that wrote it down: openclaw, claude, codex or plain.
        session: The id of the session; "" if it is not known.
        place: Where it stands.
        at: When it was said; None if nobody wrote that down.
        role: user, assistant, tool or system.
        text: What was said; of a tool how it begins.
        id: By which the program knows it; "" if it has none.
        tool: The tool that answered, or that was called; "" for none.
        branch: The branch of the repository that was worked in; "" if unknown.
        project: The directory that was worked in; "" if unknown.
        sidechain: Whether an agent said it to its own helper.
        synthetic: Whether the program put it there: nobody said it.
        summary: Whether a model wrote it, of what was lost.
        loss: The mark that context was lost here; None if it was not.
        tokens: Of the context, as the program counted them; None if it did not.
    """

    harness: str
    session: str
    place: Place
    at: datetime | None
    role: str
    text: str
    id: str = ""
    tool: str = ""
    branch: str = ""
    project: str = ""
    sidechain: bool = False
    synthetic: bool = False
    summary: bool = False
    loss: Loss | None = None
    tokens: int | None = None

    @property
    def key(self) -> str:
        """By what it is known again, in whatever file it stands."""
        from crewmem import times

        if self.id:
            said = f"{self.harness}\0{self.id}"
        else:
            at = times.to_text(self.at) if self.at else ""
            said = f"\0{self.session}\0{at}\0{self.role}\0{self.text}"
        return sha256(said.encode("utf-8", "replace"))[:KEY_DIGITS]


class State:
    """What a format has to know of the lines before, as it reads on.

    Attributes:
        kept: What goes into the cursor: small values that JSON has.
        held: Turns of which a later line decides whether they count; while there are
            any, the cursor waits before them.
    """

    __slots__ = ("held", "kept")

    def __init__(self, kept: Mapping[str, Any] | None = None) -> None:
        self.kept: dict[str, Any] = dict(kept or {})
        self.held: list[Turn] = []

    def text(self, name: str) -> str:
        """Return what is kept as *name*, "" for nothing."""
        value = self.kept.get(name)
        return value if isinstance(value, str) else ""

    def count(self, name: str) -> None:
        """Count one more of what is kept as *name*, in a group of what is ignored."""
        group = self.kept.setdefault("unknown", {})
        if name in group or len(group) < UNKNOWN_MOST:
            group[name] = group.get(name, 0) + 1


UNKNOWN_MOST = 20
"""Kinds of lines that nobody knows which are counted apart: a line can name any."""
