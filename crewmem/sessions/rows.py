"""Convert turns of a log into rows of the index. Pure."""

from __future__ import annotations

import re
from collections.abc import Sequence
from hashlib import blake2b
from typing import NamedTuple

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
    Loss,
    Turn,
    is_speech,
    remove_recalled,
    shorten,
)
from crewmem.text.tokens import UNSPACED, search_text
from crewmem.text.wording import cut_at_word

SUMMARY_LINES = 3
"""Maximum lines between the mark of a context loss and its summary."""

NEEDS_PREPARATION = f"[\u00adß\u0590-\u10ff\u200b-\u200d{UNSPACED}]"
"""Characters at which FTS5 would split words wrongly, see `crewmem.text.tokens`."""


class TurnRow(NamedTuple):
    """A row of ``turns``. ``sessions.sql`` describes the columns of this and the other rows."""

    key: int
    session: int
    log: int
    line: int
    part: int
    at: str
    role: str
    text: str
    message_id: str
    uid: int
    tool: str
    flags: int


class CallRow(NamedTuple):
    """A row of ``calls``, before its result is known."""

    turn: int
    log: int
    call_id: str
    tool: str
    command: str


class ResultRow(NamedTuple):
    """The result of a call: the update of a row of ``calls``."""

    exit_status: int | None
    failed: int | None
    result: int
    turn: int


class TouchedRow(NamedTuple):
    """A row of ``touched``."""

    turn: int
    path: str
    name: str
    is_change: bool


class LossRow(NamedTuple):
    """A row of ``losses``."""

    turn: int
    at: str
    mark: str
    tokens_before: int | None
    tokens_after: int | None
    summary: str


class TurnRows(NamedTuple):
    """All rows of a turn; None for a table without one.

    Attributes:
        words: Text for ``turn_text``.
    """

    turn: TurnRow
    words: str = ""
    call: CallRow | None = None
    result: ResultRow | None = None
    touched: Sequence[TouchedRow] = ()
    loss: LossRow | None = None


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


def make_rows(
    turn: Turn,
    key: int,
    *,
    session: int,
    log: int,
    uid: int,
    call: CallRow | None = None,
    loss: Loss | None = None,
    summary: str = "",
) -> TurnRows:
    """Return the rows of a turn.

    Args:
        turn: The turn after `prepare_turn` and `redact_turns`.
        key: Key of its row; *session* and *log* are the keys of their rows.
        uid: Hash from `hash_turn`.
        call: The call of which it is the result; None if unknown.
        loss: The context loss that it marks.
        summary: The program's summary of the lost context.
    """
    flags = SYNTHETIC * turn.synthetic | SIDECHAIN * turn.sidechain | SUMMARY * turn.summary
    if turn.role == TOOL:
        flags |= CALL if turn.is_call else RESULT
    tool = call.tool if call is not None else turn.tool
    row = TurnRow(
        key=key,
        session=session,
        log=log,
        line=turn.line,
        part=turn.part,
        at=turn.at,
        role=turn.role,
        text=turn.text,
        message_id=turn.message_id,
        uid=uid,
        tool=tool,
        flags=flags,
    )
    words = prepare_output(turn.text) if flags & RESULT else search_text(turn.text)
    is_call = bool(flags & CALL)
    touched = [
        TouchedRow(key, path, path.rpartition("/")[2].lower(), turn.is_change)
        for path in dict.fromkeys(turn.files if is_call else ())
    ]
    result = lost = None
    if call is not None:
        status, failed = parse_result(turn, call.command)
        result = ResultRow(status, failed, key, call.turn)
    if loss is not None:
        lost = LossRow(key, turn.at, loss.mark, loss.before, loss.after, summary)
    return TurnRows(
        row,
        words,
        call=CallRow(key, log, turn.call_id, tool, turn.command) if is_call else None,
        result=result,
        touched=touched,
        loss=lost,
    )


def find_summary(turns: Sequence[Turn], mark: Turn) -> str:
    """Return the summary that follows the mark of a context loss; "" for none."""
    lines = range(mark.line, mark.line + SUMMARY_LINES + 1)
    return next((turn.text for turn in turns if turn.summary and turn.line in lines), "")


def find_title(rows: Sequence[TurnRows]) -> str:
    """Return a title from the first message of a person; "" if there is none."""
    for each in rows:
        if each.turn.role == USER and is_speech(USER, each.turn.flags):
            message = " ".join(strip_injected(each.turn.text).split())
            if title := cut_at_word(message, TITLE_LENGTH):
                return title
    return ""


def prepare_turn(turn: Turn) -> Turn:
    """Return *turn* with its text shortened to what is indexed."""
    limit = SPEECH_LIMIT
    if turn.role == TOOL:
        limit = CALL_LIMIT if turn.is_call else OUTPUT_LIMIT
    elif turn.synthetic and not turn.summary:
        limit = OUTPUT_LIMIT
    text = shorten(remove_recalled(turn.role, turn.text), limit)
    return turn if text == turn.text else turn._replace(text=text)


SEPARATOR = b"\n\x1e\n"
"""Separates texts that are redacted together."""


def redact_turns(turns: list[Turn]) -> list[Turn]:
    """Return *turns* with secrets redacted.

    All texts are scanned as one buffer: the scanner is fastest on megabytes at a time.
    """
    texts = [turn.text.encode("utf-8", "replace") for turn in turns]
    buffer = SEPARATOR.join(texts)
    clean, found = redact_bytes(buffer)
    if not found:
        return turns
    parts = clean.split(SEPARATOR)
    if len(parts) != len(turns):  # a secret extended over the end of a text
        parts = [redact_bytes(text)[0] for text in texts]
    redacted = []
    for turn, before, after in zip(turns, texts, parts, strict=True):
        if before != after:
            turn = turn._replace(
                text=after.decode("utf-8", "replace"),
                command=redact(turn.command),
                files=tuple(map(redact, turn.files)),
            )
        redacted.append(turn)
    return redacted


def parse_result(turn: Turn, command: str) -> tuple[int | None, int | None]:
    """Return the exit status of a call, and 1 if it failed, else 0; None if unknown.

    Args:
        turn: The result.
        command: Shell command of the call; "" for other tools.
    """
    status = turn.exit_status
    if not command:
        return status, None if turn.failed is None else int(turn.failed)
    if status is None:
        status = read_exit_status(turn.text)
    failed = bool(turn.failed or status)
    if not failed and get_program(command) not in READERS:
        failed = has_failure(turn.text)
    return status, int(failed)


def prepare_output(text: str) -> str:
    """Return a tool's output for the full-text index.

    `search_text` is applied only if the script needs it. Otherwise parts of identifiers are not
    indexed: that takes a third of the time of indexing a log, and questions are about messages.
    """
    needs_preparation = not text.isascii() and re.search(NEEDS_PREPARATION, text)
    return search_text(text) if needs_preparation else text
