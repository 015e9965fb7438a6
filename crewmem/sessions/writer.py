"""Add the turns of logs to the index: shortened, redacted, each once.

A batch of turns and the cursor after it are one transaction, so that a killed sync neither loses
nor repeats turns.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Sequence
from hashlib import blake2b
from typing import Any, NamedTuple

from crewmem.security.secrets import redact
from crewmem.sessions.calls import CALL_LIMIT, READERS, get_program, has_failure, read_exit_status
from crewmem.sessions.context_loss import LostContext
from crewmem.sessions.formats import Format
from crewmem.sessions.index import (
    LogRow,
    SessionIndex,
    SessionOwner,
    make_session_id,
    prepare_output,
)
from crewmem.sessions.speech import strip_injected
from crewmem.sessions.turns import (
    CALL,
    LOSS_WINDOW,
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
    Record,
    State,
    Turn,
    is_speech,
    remove_recalled,
    shorten,
)
from crewmem.storage.sqlite import Database, transaction
from crewmem.text.tokens import search_text
from crewmem.text.wording import cut_at_word
from crewmem.times import parse_time

MIN_DROP_TOKENS, MAX_DROP_RATIO = 10_000, 0.65
"""A drop of the context's size: its minimum size before, and the ratio below which it falls."""

SUMMARY_LINES = 3
"""Maximum lines between the mark of a context loss and its summary."""

SEPARATOR = "\n\x1e\n"
"""Separates texts that are redacted together."""

RecordLoss = Callable[[LostContext, Loss, str, str], bool]
"""Records a loss with its time and summary; returns whether it is new."""


class StoredCall(NamedTuple):
    """A call in the index: key of its turn, tool and command."""

    turn: int
    tool: str
    command: str


class _Rows:
    """Rows of new turns, collected to be inserted with one statement for each table.

    Attributes:
        added: The turns.
        results: Outcomes of calls.
        by_id: The calls among the turns, by the program's id.
    """

    def __init__(self) -> None:
        self.added: list[Turn] = []
        self.results: list[tuple[Any, ...]] = []
        self.by_id: dict[str, StoredCall] = {}
        self._turns: list[tuple[Any, ...]] = []
        self._texts: list[tuple[int, str]] = []
        self._calls: list[tuple[Any, ...]] = []
        self._touched: list[tuple[Any, ...]] = []

    def add_turn(self, key: int, owner: tuple[int, int], turn: Turn, uid: int, tool: str) -> None:
        """Add a turn; *owner* has the keys of its session and log."""
        self.added.append(turn)
        self._turns.append(
            (
                key,
                *owner,
                turn.line,
                turn.part,
                turn.at,
                turn.role,
                turn.text,
                turn.message_id,
                uid,
                tool,
                make_flags(turn),
            )
        )
        is_output = turn.role == TOOL and not turn.is_call
        prepare = prepare_output if is_output else search_text
        if words := prepare(turn.text):
            self._texts.append((key, words))

    def add_call(self, key: int, log: int, turn: Turn) -> None:
        """Add the call of a turn, and the files that it names."""
        self._calls.append((key, log, turn.call_id, turn.tool, turn.command))
        if turn.call_id:
            self.by_id[turn.call_id] = StoredCall(key, turn.tool, turn.command)
        self._touched += [
            (key, path, path.rpartition("/")[2].lower(), turn.is_change)
            for path in dict.fromkeys(turn.files)
        ]

    def insert(self, db: Database) -> None:
        """Insert the rows."""
        db.executemany(
            "insert into turns (key, session, log, line, part, at, role, text, message_id, uid,"
            " tool, flags) values (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)",
            self._turns,
        )
        db.executemany("insert into turn_text (rowid, text) values (?, ?)", self._texts)
        db.executemany(
            "insert into calls (turn, log, call_id, tool, command) values (?, ?, ?, ?, ?)",
            self._calls,
        )
        db.executemany(
            "update calls set exit_status = ?, failed = ?, result = ? where turn = ?", self.results
        )
        db.executemany(
            "insert into touched (turn, path, name, is_change) values (?, ?, ?, ?)", self._touched
        )


class LogWriter:
    """Adds the turns of one log to the index.

    Turns are collected; `flush` writes them with the cursor.

    Attributes:
        log: Row of the log. It gets its key and session when it is written.
        owner: Owner of the session; must be set before the first turn is written.
        added: Number of turns written.
        losses: Number of new context losses.
    """

    def __init__(
        self,
        index: SessionIndex,
        log: LogRow,
        format_: Format,
        state: State,
        record_loss: RecordLoss,
    ) -> None:
        self.index, self.log, self.format, self.state = index, log, format_, state
        self._record_loss = record_loss
        self.owner: SessionOwner | None = None
        self.added = 0
        self.losses = 0
        self._pending: list[Turn] = []

    def read(self, record: Record, line: int) -> None:
        """Collect the turns of a record of the log."""
        turns = self.format.read_turns(record, line, self.state)
        for turn in turns:
            shorten_text(turn)
        self._pending += turns

    def flush(self) -> None:
        """Write the pending turns, and the log with the cursor after them, in one transaction."""
        redact_turns(self._pending)
        state, log = self.state, self.log
        state.title, state.project = redact(state.title), redact(state.project)
        state.branch = redact(state.branch)
        with transaction(self.index.db):
            if log.session is None and self._pending and self.owner is not None:
                log.session = self._open_session(self.owner)
                log.workspace_id = self.owner.workspace
            log.state = json.dumps(state.dump())
            self.index.store_log(log)
            if self._pending and log.session is not None:
                self._write_turns(log.key, log.session)
        self._pending.clear()

    def _open_session(self, owner: SessionOwner) -> int:
        """Return the key of the log's session, which is created if it is new."""
        db, state, program = self.index.db, self.state, self.log.program
        native = state.session or self.log.id
        identifier = make_session_id(program, native)
        key = db.value("select key from sessions where id = ?", (identifier,))
        if key is None:
            key = db.value(
                "insert into sessions (id, workspace_id, agent_id, crew_id, program, native_id,"
                " project, branch, title, sidechain, first_at, last_at, turns, drops)"
                " values (?, ?, ?, ?, ?, ?, ?, ?, ?, 0, '', '', 0, 0) returning key",
                (identifier, *owner, program, native, state.project, state.branch, state.title),
            )
        return int(key)

    def _write_turns(self, log: int, session: int) -> None:
        """Insert the pending turns that are not indexed yet, and record their context losses.

        A loss is recorded before the turns are committed: if the run is killed in between, the next
        one finds that it is known.
        """
        db = self.index.db
        rows = _Rows()
        key = db.value("select coalesce(max(key), 0) from turns")
        for uid, turn in self._find_new():
            loss = self._find_loss(turn)
            if loss is not None:
                lost, summary = self._get_lost_context(session), find_summary(self._pending, turn)
                self.losses += self._record_loss(lost, loss, turn.at, summary)
            if not (turn.text or loss or turn.role == TOOL):
                continue
            key += 1
            tool = turn.tool
            if turn.is_call:
                rows.add_call(key, log, turn)
            elif turn.role == TOOL and turn.call_id:
                call = rows.by_id.get(turn.call_id) or self._load_call(log, turn.call_id)
                if call is not None:
                    tool = call.tool
                    rows.results.append((*read_outcome(turn, call.command), key, call.turn))
            rows.add_turn(key, (session, log), turn, uid, tool)
        rows.insert(db)
        if rows.added:
            self.added += len(rows.added)
            self._update_session(session, rows.added)

    def _get_lost_context(self, session: int) -> LostContext:
        row = self.index.db.one(
            "select coalesce(agent_id, ''), crew_id, id, native_id, program from sessions"
            " where key = ?",
            (session,),
        )
        assert row is not None
        return LostContext(*row)

    def _find_new(self) -> Iterator[tuple[int, Turn]]:
        """Yield the hash and turn of pending turns that are not indexed yet, without repeats."""
        program, session, log_id = self.log.program, self.state.session, self.log.id
        by_uid: dict[int, Turn] = {}
        for turn in self._pending:
            by_uid.setdefault(hash_turn(turn, program, session, log_id), turn)
        rows = self.index.db.execute(
            "select uid from turns where uid in (select value from json_each(?))",
            (json.dumps(list(by_uid)),),
        )
        known = {uid for (uid,) in rows}
        for uid, turn in by_uid.items():
            if uid not in known:
                yield uid, turn
            elif turn.loss is not None:
                self._is_known_loss(turn.at)  # so that a second mark of it is not a second loss

    def _update_session(self, session: int, added: Sequence[Turn]) -> None:
        """Update the row of a session after turns were added."""
        times = [turn.at for turn in added if turn.at]
        state = self.state
        self.index.db.execute(
            "update sessions set turns = turns + :turns, last_at = max(last_at, :last),"
            " first_at = case when first_at = '' or (:first != '' and :first < first_at)"
            " then :first else first_at end,"
            " sidechain = :sidechain and (sidechain or turns = 0),"
            " project = case when project = '' then :project else project end,"
            " branch = case when :branch = '' then branch else :branch end,"
            " title = case when :title <> '' then :title when title = '' then :said else title end,"
            " drops = drops + :drops where key = :key",
            {
                "turns": len(added),
                "first": min(times, default=""),
                "last": max(times, default=""),
                "sidechain": all(turn.sidechain for turn in added),
                "project": state.project,
                "branch": state.branch,
                "title": state.title,
                "said": find_title(added),
                "drops": state.kept.pop("drops", 0),
                "key": session,
            },
        )

    def _load_call(self, log: int, call_id: str) -> StoredCall | None:
        """Return the call with an id that was written before; None if unknown."""
        row = self.index.db.one(
            "select turn, tool, command from calls where log = ? and call_id = ?", (log, call_id)
        )
        return None if row is None else StoredCall(*row)

    def _find_loss(self, turn: Turn) -> Loss | None:
        """Return the loss that a turn marks, or that a drop of the context's size implies.

        A drop is a loss if it follows a summary. Without one it is only counted, because programs
        drop context for other reasons, too.
        """
        kept = self.state.kept
        if turn.loss is not None:
            kept.pop("tokens", None)
            kept.pop("summarised", None)
            return None if self._is_known_loss(turn.at) else turn.loss
        if turn.summary and "tokens" in kept:
            kept["summarised"] = True
        if turn.tokens is None or turn.sidechain:
            return None
        before, kept["tokens"] = kept.get("tokens", 0), turn.tokens
        if before < MIN_DROP_TOKENS or turn.tokens >= MAX_DROP_RATIO * before:
            return None
        if kept.pop("summarised", False):
            return None if self._is_known_loss(turn.at) else Loss("drop", before, turn.tokens)
        kept["drops"] = kept.get("drops", 0) + 1
        return None

    def _is_known_loss(self, at: str) -> bool:
        """Return whether a mark belongs to the last loss: programs write several marks of one."""
        known = self.state.kept.get("lost_at")
        if known and at and abs(parse_time(at) - parse_time(known)) <= LOSS_WINDOW:
            return True
        self.state.kept["lost_at"] = at
        return False


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
    """Return a title from the first message of a person; "" if there is none.

    That of a sub-agent is from its task.
    """
    ignored = SIDECHAIN if all(turn.sidechain for turn in turns) else 0
    for turn in turns:
        if turn.role == USER and is_speech(USER, make_flags(turn) & ~ignored):
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
    texts = [text for turn in turns for text in (turn.text, turn.tool, turn.command, *turn.files)]
    joined = SEPARATOR.join(texts)
    clean = redact(joined, decode=False)
    if clean == joined:
        return
    parts = clean.split(SEPARATOR)
    if len(parts) != len(texts):  # a secret extended over the end of a text
        parts = [redact(text) for text in texts]
    rest = iter(parts)
    for turn in turns:
        turn.text, turn.tool, turn.command = next(rest), next(rest), next(rest)
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
