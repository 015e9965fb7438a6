"""A turn of a session, and limits of its text."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import asdict, dataclass, field
from datetime import timedelta
from string import ascii_letters, digits
from typing import Any, NamedTuple

Record = Mapping[str, Any]
"""One JSON object of a log."""

USER, ASSISTANT, TOOL, SYSTEM = "user", "assistant", "tool", "system"
ROLES = (USER, ASSISTANT, TOOL, SYSTEM)

SYNTHETIC, SIDECHAIN, SUMMARY, CALL, RESULT = 1, 2, 4, 8, 16
"""Flags of a turn, as stored in the index."""

NO_SPEECH = SYNTHETIC | SIDECHAIN | SUMMARY
"""Flags of messages that neither the person nor the session's own agent wrote."""

TITLE_LENGTH = 80
"""Maximum characters of a title made from a message."""

NAME_LENGTH = 200
"""Maximum characters of a title that the program or a person gave."""

OUTPUT_LIMIT = 4096
"""Maximum characters of a tool's output that are indexed: its head and its tail."""

SPEECH_LIMIT = 256 * 1024
"""Maximum characters of a message that are indexed; a longer one contains a pasted file."""

IN_PROJECT = "substr(sessions.project || '/', 1, length(:below)) = :below"
"""SQL condition for the sessions in or below a directory; the parameter ends with a slash."""

TOKEN_CHARACTERS = ascii_letters + digits + "_-+/=.~:@%&?#$!*"
"""Characters of words, tokens and addresses."""

RECALLED_BLOCK = re.compile(
    r'\A<recalled-memory trust="untrusted".*?</recalled-memory>\s*', re.DOTALL
)
"""Memory that crewmem inserted before a person's message."""


LOSS_WINDOW = timedelta(minutes=5)
"""Marks of one session within this time are one context loss: programs write several."""


class Loss(NamedTuple):
    """A context loss.

    Attributes:
        mark: How it was detected: ``compact_boundary``, ``compacted``, ``compaction``, ``drop`` …
        before: Tokens of context before it; None if unknown.
        after: Tokens of context after it; None if unknown.
    """

    mark: str
    before: int | None = None
    after: int | None = None


@dataclass(slots=True)
class Turn:
    """A message, tool call, tool result or event of a session.

    Attributes:
        role: user, assistant, tool or system.
        text: Text of a message, arguments of a call, output of a result, or summary of lost
            context.
        at: Stored form of its time; "" if unknown.
        message_id: The program's own id of the message; "" for none.
        tool: Name of the tool of a call; of a result only if the log has it.
        call_id: Id that a call and its result share.
        command: Shell command of a call.
        files: Paths that a call read or changed.
        is_change: Whether a call changed its files.
        is_call: Whether it is a tool call; a tool turn is a result otherwise.
        exit_status: Exit status of a command; None if unknown.
        failed: For a result, whether the program says that the call failed; None if unknown.
        sidechain: Whether it is of a sub-agent.
        synthetic: Whether the program wrote it, not the person or agent of its role.
        summary: Whether it is a model's summary that replaces lost context.
        loss: The context loss that it marks.
        tokens: Size of the model's context.
        line: Line of the log, from 1; in a log that is one JSON object, number of the message,
            from 0.
        part: Number of the turn within its line.
    """

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
    line: int = 0
    part: int = 0


@dataclass(slots=True)
class State:
    """State of a format between the lines of a log. Stored with the cursor, as JSON.

    Attributes:
        session: The program's own id of the session.
        project: Working directory.
        agent: Slug of the agent, if the program has agents.
        sidechain: Whether it is the session of a sub-agent; in a mixed log, whether the record is.
        kept: Private values of the format.
        unknown: Number of lines of each unknown type in this run.
    """

    session: str = ""
    project: str = ""
    branch: str = ""
    title: str = ""
    agent: str = ""
    sidechain: bool = False
    kept: dict[str, Any] = field(default_factory=dict)
    unknown: dict[str, int] = field(default_factory=dict)

    def note(
        self, *, session: str = "", project: str = "", branch: str = "", title: str = ""
    ) -> None:
        """Add what a record says about the session.

        The first session and project count, because a log may repeat turns of another session, and
        the directory may change. Of branch and title the last counts.
        """
        self.session = self.session or session
        self.project = self.project or project
        self.branch = branch or self.branch
        self.title = title[:NAME_LENGTH] or self.title

    def dump(self) -> dict[str, Any]:
        """Return the values to store for the next run."""
        values = asdict(self)
        del values["unknown"]
        return values

    def count_unknown(self, kind: str) -> None:
        """Count a type of line that the format does not know."""
        name = kind[:80] or "(none)"
        self.unknown[name] = self.unknown.get(name, 0) + 1


def remove_recalled(role: str, text: str) -> str:
    """Return the text of a turn without the memory that crewmem inserted before it."""
    return RECALLED_BLOCK.sub("", text) if role == USER else text


def shorten(text: str, limit: int = OUTPUT_LIMIT) -> str:
    """Return *text*, or its head and tail if it is longer than *limit* characters.

    A word or token at a cut is left out: half a secret would not be recognised.
    """
    if len(text) <= limit:
        return text
    half = limit // 2
    head = text[:half].rstrip(TOKEN_CHARACTERS) or text[:half]
    tail = text[-half:].lstrip(TOKEN_CHARACTERS) or text[-half:]
    return f"{head}\n[… {len(text) - len(head) - len(tail):,} characters …]\n{tail}"


def is_speech(role: str, flags: int) -> bool:
    """Return whether a turn is a message of the person or the session's own agent."""
    return role not in (TOOL, SYSTEM) and not flags & NO_SPEECH
