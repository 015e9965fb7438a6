"""Prepare turns of a log for the index. Pure."""

from __future__ import annotations

import re
from collections.abc import Sequence
from hashlib import blake2b

from crewmem.security.secrets import redact, redact_bytes
from crewmem.sessions.calls import CALL_LIMIT, READERS, get_program, has_failure, read_exit_status
from crewmem.sessions.speech import strip_injected
from crewmem.sessions.turns import (
    CALL,
    OUTPUT_LIMIT,
    RESULT,
    SIDECHAIN,
    SPEECH_LIMIT,
    SUMMARY,
    SYNTHETIC,
    TITLE_LENGTH,
    TOOL,
    USER,
    Turn,
    is_speech,
    remove_recalled,
    shorten,
)
from crewmem.text.tokens import PLAIN_LETTERS, UNSPACED, search_text
from crewmem.text.wording import cut_at_word

SUMMARY_LINES = 3
"""Maximum lines between the mark of a context loss and its summary."""

NEEDS_PREPARATION = f"[\u00ad\u0590-\u10ff\u200b-\u200d{UNSPACED}{''.join(PLAIN_LETTERS)}]"
"""Characters that FTS5 would treat wrongly, see `crewmem.text.tokens`."""

SEPARATOR = "\n\x1e\n"
"""Separates texts that are redacted together."""


def hash_turn(turn: Turn, program: str, session: str, log_id: str) -> int:
    """Return a hash that identifies a turn in any log that repeats it, even in a moved log.

    A turn with a message id is identified by that. Claude Code's ids are unique across sessions,
    and a session that continues another repeats its turns. A turn without an id is identified by
    session, time and line; without session or time, by log and line.

    Args:
        session: The program's own id of the session.
    """
    key = [session, turn.at, str(turn.line)] if session and turn.at else [log_id, str(turn.line)]
    if turn.message_id:
        key = [turn.message_id] if program == "claude" else [session, turn.message_id]
    data = "\0".join([program, *key, str(turn.part)]).encode("utf-8", "replace")
    return int.from_bytes(blake2b(data, digest_size=8).digest(), "big", signed=True)


def make_flags(turn: Turn) -> int:
    """Return the flags of a turn."""
    flags = SYNTHETIC * turn.synthetic | SIDECHAIN * turn.sidechain | SUMMARY * turn.summary
    if turn.role == TOOL:
        flags |= CALL if turn.is_call else RESULT
    return flags


def find_summary(turns: Sequence[Turn], mark: Turn) -> str:
    """Return the summary at or after the mark of a context loss; "" for none."""
    lines = range(mark.line, mark.line + SUMMARY_LINES + 1)
    return next((turn.text for turn in turns if turn.summary and turn.line in lines), "")


def find_title(turns: Sequence[Turn]) -> str:
    """Return a title from the first message of a person; "" if there is none."""
    for turn in turns:
        if turn.role == USER and is_speech(USER, make_flags(turn)):
            message = " ".join(strip_injected(turn.text).split())
            if title := cut_at_word(message, TITLE_LENGTH):
                return title
    return ""


def shorten_text(turn: Turn) -> None:
    """Shorten the text of a turn to what is indexed."""
    limit = SPEECH_LIMIT
    if turn.role == TOOL:
        limit = CALL_LIMIT if turn.is_call else OUTPUT_LIMIT
    elif turn.synthetic and not turn.summary:
        limit = OUTPUT_LIMIT
    turn.text = shorten(remove_recalled(turn.role, turn.text), limit)


def redact_turns(turns: Sequence[Turn]) -> None:
    """Redact the secrets in turns. The text of a call may lack parts of its command and files.

    All texts are scanned as one buffer: the scanner is fastest on megabytes at a time.
    """
    texts = [text for turn in turns for text in (turn.text, turn.command, *turn.files)]
    clean, found = redact_bytes(SEPARATOR.join(texts).encode("utf-8", "replace"))
    if not found:
        return
    parts = clean.decode("utf-8", "replace").split(SEPARATOR)
    if len(parts) != len(texts):  # a secret extended over the end of a text
        parts = [redact(text) for text in texts]
    rest = iter(parts)
    for turn in turns:
        turn.text, turn.command = next(rest), next(rest)
        turn.files = tuple(next(rest) for _ in turn.files)


def read_outcome(turn: Turn, command: str) -> tuple[int | None, bool | None]:
    """Return the exit status of a call, and whether it failed; None if unknown.

    Args:
        turn: The result.
        command: Shell command of the call; "" for other tools.
    """
    status, failed = turn.exit_status, turn.failed
    if not command:
        return status, failed
    if status is None:
        status = read_exit_status(turn.text)
    failed = bool(failed or status)
    if not failed and get_program(command) not in READERS:
        failed = has_failure(turn.text)
    return status, failed


def prepare_output(text: str) -> str:
    """Return a tool's output for the full-text index.

    `search_text` is applied only if the script needs it. Otherwise parts of identifiers are not
    indexed: that takes a third of the time of indexing a log, and questions are about messages.
    """
    needs_preparation = not text.isascii() and re.search(NEEDS_PREPARATION, text)
    return search_text(text) if needs_preparation else text
