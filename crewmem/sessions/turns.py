"""A turn of a session, and how much of it is kept."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import asdict, dataclass, field
from datetime import timedelta
from typing import Any, NamedTuple

Record = Mapping[str, Any]
"""One JSON object of a log."""

USER, ASSISTANT, TOOL, SYSTEM = "user", "assistant", "tool", "system"
ROLES = (USER, ASSISTANT, TOOL, SYSTEM)

SYNTHETIC, SIDECHAIN, SUMMARY, CALL, RESULT = 1, 2, 4, 8, 16
"""Flags of a turn, as the index keeps them."""

TITLE_LENGTH = 80
"""Characters of the title of a turn, or of a session without one."""

OUTPUT_LIMIT = 4096
"""Characters of a tool's output that are kept: its head and its tail."""

SPEECH_LIMIT = 256 * 1024
"""Characters of what somebody said that are kept; more is a pasted file."""

IN_PROJECT = "substr(sessions.project || '/', 1, length(:below)) = :below"
"""Condition for the sessions in a directory, which ends with a slash, or below it."""

RECALLED_BLOCK = re.compile(
    r'\A<recalled-memory trust="untrusted".*?</recalled-memory>\s*', re.DOTALL
)
"""Memory that crewmem put before what a person said."""


LOSS_WINDOW = timedelta(minutes=5)
"""Marks of one session within it are one context loss: programs write several."""


class Loss(NamedTuple):
    """A context loss.

    Attributes:
        mark: By what it was noticed: ``compact_boundary``, ``compacted``, ``compaction``, ``drop``.
        before: Tokens of context before it; None when unknown.
        after: Tokens after it; None when unknown.
    """

    mark: str
    before: int | None = None
    after: int | None = None


class Turn(NamedTuple):
    """Something that was said or done in a session.

    Attributes:
        line: Line of the log, from 1; of a log that is one JSON object, the message, from 0.
        part: Number of the turn within its line.
        role: user, assistant, tool or system.
        text: What was said; of a call its arguments, of its result the output.
        at: As times are stored; "" when the log does not say.
        message_id: The program's own id of the message; "" when it has none.
        tool: Name of the tool, of a call and, where the log has it, of its result.
        call_id: Joins a call and its result.
        command: What a call ran in a shell.
        files: Paths that a call read or changed.
        is_change: Whether the call changed its files.
        is_call: Whether it is a call, and not a result.
        exit_status: Of a command; None when unknown.
        failed: Whether a call failed, said by its result; None when unknown.
        sidechain: Whether a sub-agent said it, not the session's own agent or person.
        synthetic: Whether the program put it there in somebody's name.
        summary: Whether a model wrote it to replace lost context.
        loss: The context loss that it marks.
        tokens: Size of the context that the model was given.
    """

    line: int
    part: int
    role: str
    text: str
    at: str = ""
    message_id: str = ""
    tool: str = ""
    call_id: str = ""
    command: str = ""
    files: tuple[str, ...] = ()
    is_change: bool = False
    is_call: bool = False
    exit_status: int | None = None
    failed: bool | None = None
    sidechain: bool = False
    synthetic: bool = False
    summary: bool = False
    loss: Loss | None = None
    tokens: int | None = None


@dataclass(slots=True)
class State:
    """What a format remembers from line to line of one log. Stored with its cursor, as JSON.

    Attributes:
        session: The program's own id of the session.
        project: Directory that was worked in.
        agent: Slug of the agent, where the program knows agents.
        kept: The format's own values.
        unknown: How often each unknown type of line was met in this run.
    """

    session: str = ""
    project: str = ""
    branch: str = ""
    title: str = ""
    agent: str = ""
    kept: dict[str, Any] = field(default_factory=dict)
    unknown: dict[str, int] = field(default_factory=dict)

    def dump(self) -> dict[str, Any]:
        """Return what the next run needs."""
        values = asdict(self)
        del values["unknown"]
        return values

    def count_unknown(self, kind: object) -> None:
        """Count a type of line that the format does not know."""
        name = str(kind or "(none)")[:80]
        self.unknown[name] = self.unknown.get(name, 0) + 1


def remove_recalled(role: str, text: str) -> str:
    """Return what was said in a turn, without the memory that crewmem put before it."""
    return RECALLED_BLOCK.sub("", text) if role == USER else text


def shorten(text: str, limit: int = OUTPUT_LIMIT) -> str:
    """Return head and tail of a text that is longer than *limit* characters."""
    if len(text) <= limit:
        return text
    half = limit // 2
    return f"{text[:half]}\n[… {len(text) - 2 * half:,} characters …]\n{text[-half:]}"


def is_speech(role: str, flags: int) -> bool:
    """Tell whether a person or the session's own agent said a turn."""
    return role not in (TOOL, SYSTEM) and not flags & (SYNTHETIC | SIDECHAIN | SUMMARY)
