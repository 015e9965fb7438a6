"""The rows of the index that turns of a log become. Pure."""

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
"""Lines behind the mark of a context loss in which programs write its summary."""

NEEDS_CARE = f"[\u00adß\u0590-\u10ff\u200b-\u200d{UNSPACED}]"
"""Characters at which FTS5 would cut words wrongly: see `crewmem.text.tokens`."""


class TurnRow(NamedTuple):
    """A row of ``turns``; like those below, its columns are described in ``sessions.sql``."""

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
    """What a result says of the call of a turn."""

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
    """All rows of a turn; None where it has none in a table.

    Attributes:
        words: Its text as ``turn_text`` has it.
    """

    turn: TurnRow
    words: str = ""
    call: CallRow | None = None
    result: ResultRow | None = None
    touched: Sequence[TouchedRow] = ()
    loss: LossRow | None = None


def name_turn(turn: Turn, program: str, session: str, log_id: str) -> int:
    """Return what names a turn in any log that repeats it, also in a log that was moved.

    Claude Code's ids are unique in all sessions, and a session that goes on with another repeats
    its turns. A turn without an id is named by its place in the session; without a session or time,
    by its place in the log.

    Args:
        session: The program's own id of the session.
    """
    place = [session, turn.at, str(turn.line)] if session and turn.at else [log_id, str(turn.line)]
    if turn.message_id:
        place = [turn.message_id] if program == "claude" else [session, turn.message_id]
    name = "\0".join([program, *place, str(turn.part)]).encode("utf-8", "replace")
    return int.from_bytes(blake2b(name, digest_size=8).digest(), "big", signed=True)


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
        turn: With its text as it is kept.
        key: Of its row; *session* and *log* are the keys of theirs.
        uid: What `name_turn` returned.
        call: The one that it is the result of, where the log has that.
        loss: The context loss that it marks.
        summary: What the program wrote in place of the lost context.
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
        status, failed = judge_result(turn, call.command)
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
    """Return the summary that a program wrote behind the mark of a context loss; "" for none."""
    lines = range(mark.line, mark.line + SUMMARY_LINES + 1)
    return next((turn.text for turn in turns if turn.summary and turn.line in lines), "")


def find_title(rows: Sequence[TurnRows]) -> str:
    """Return what a person said first in turns; "" when nobody did."""
    for each in rows:
        if each.turn.role == USER and is_speech(USER, each.turn.flags):
            said = " ".join(strip_injected(each.turn.text).split())
            if title := cut_at_word(said, TITLE_LENGTH):
                return title
    return ""


def prepare_turn(turn: Turn) -> Turn:
    """Return *turn* with as much of its text as is indexed."""
    limit = SPEECH_LIMIT
    if turn.role == TOOL:
        limit = CALL_LIMIT if turn.is_call else OUTPUT_LIMIT
    elif turn.synthetic and not turn.summary:
        limit = OUTPUT_LIMIT
    text = shorten(remove_recalled(turn.role, turn.text), limit)
    return turn if text == turn.text else turn._replace(text=text)


SEPARATOR = b"\n\x1e\n"
"""Between texts that are redacted together."""


def redact_turns(turns: list[Turn]) -> list[Turn]:
    """Return *turns* without the secrets in them.

    All texts are one buffer: the scanner is made for megabytes at a time.
    """
    texts = [turn.text.encode("utf-8", "replace") for turn in turns]
    buffer = SEPARATOR.join(texts)
    clean, found = redact_bytes(buffer)
    if not found:
        return turns
    parts = clean.split(SEPARATOR)
    if len(parts) != len(turns):  # a secret reached over the end of a text
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


def judge_result(turn: Turn, command: str) -> tuple[int | None, int | None]:
    """Return exit status and whether the call failed, of its result."""
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
    """Return a tool's output as it is put into the full text.

    As `search_text` does where its script needs that. Parts of identifiers are left out: they
    are a third of the time of indexing a log, and what people ask for is in what was said.
    """
    return search_text(text) if not text.isascii() and re.search(NEEDS_CARE, text) else text
