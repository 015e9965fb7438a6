"""The index of session logs, ``sessions.sqlite``: sessions, turns, calls, touched files, cursors.

Derived: it comes back from the logs and the kept copies. A batch of turns and the cursor behind
it are one transaction, so a sync that is killed loses nothing and doubles nothing.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterable
from functools import cache
from hashlib import blake2b, sha256
from typing import TYPE_CHECKING, Any, NamedTuple

from crewmem.context import Context
from crewmem.ids import id_from
from crewmem.security.secrets import redact_bytes
from crewmem.sessions.calls import CALL_LIMIT, READERS, get_program, has_failure, read_exit_status
from crewmem.sessions.speech import strip_injected
from crewmem.sessions.turns import (
    ASSISTANT,
    CALL,
    LOSS_WINDOW,
    OUTPUT_LIMIT,
    RESULT,
    SIDECHAIN,
    SPEECH_LIMIT,
    SUMMARY,
    SYNTHETIC,
    SYSTEM,
    TITLE_LENGTH,
    TOOL,
    USER,
    Loss,
    Record,
    State,
    Turn,
    remove_recalled,
    shorten,
)
from crewmem.storage.sqlite import Database, transaction
from crewmem.text.tokens import UNSPACED, search_text
from crewmem.text.wording import cut_at_word
from crewmem.times import parse_time

if TYPE_CHECKING:  # what reads the index needs no formats
    from crewmem.sessions.formats import Format

DROP_FROM, DROP_TO = 10_000, 0.65
"""A drop of context: from at least so many tokens to less than that part of them."""


class LogRow(NamedTuple):
    """A log as the index knows it; the columns are described in ``sessions.sql``."""

    key: int
    id: str
    path: str
    inner: str
    generation: int
    program: str
    workspace_id: str
    session: int | None = None
    device: int = 0
    inode: int = 0
    size: int = 0
    mtime_ns: int = 0
    mark: str = ""
    offset: int = 0  # bytes that were read; of a document, messages that are skipped
    line: int = 0
    fingerprint: str = ""
    copy_size: int = 0
    state: str = ""

    @property
    def is_document(self) -> bool:
        """Whether it is read whole when it changed; a log of lines is read on."""
        return bool(self.inner) or self.path.endswith(".json")


LOG_COLUMNS = ", ".join(LogRow._fields)


class Said(NamedTuple):
    """A turn in which somebody said something, as the index has it."""

    line: int
    part: int
    role: str
    text: str
    at: str
    message_id: str


class Owner(NamedTuple):
    """Whose a session is: of an agent with its crew, or the workspace's operator's."""

    workspace: str
    agent: str | None
    crew: str | None


def make_log_id(path: str, inner: str, generation: int) -> str:
    """Return the id of a log: the same on every reading."""
    return id_from("l", sha256(f"{path}\0{inner}\0{generation}".encode()).digest())


def make_session_id(program: str, native_id: str) -> str:
    """Return the id of a session: the same on every reading."""
    return id_from("s", sha256(f"{program}\0{native_id}".encode()).digest())


class SessionIndex:
    """The index, open for writing or reading."""

    def __init__(self, db: Database) -> None:
        self.db = db

    def find_log(self, path: str, inner: str = "") -> LogRow | None:
        """Return the newest log of a path."""
        row = self.db.one(
            f"select {LOG_COLUMNS} from logs where path = ? and inner = ?"
            " order by generation desc limit 1",
            (path, inner),
        )
        return None if row is None else LogRow(*row)

    def has_session(self, native_id: str) -> bool:
        """Tell whether a session is indexed, by the program's own id."""
        return bool(
            self.db.value(
                "select exists (select 1 from sessions where native_id = ?)", (native_id,)
            )
        )

    def list_logs(self) -> list[LogRow]:
        """Return all logs."""
        return [LogRow(*row) for row in self.db.all(f"select {LOG_COLUMNS} from logs order by key")]

    def list_pending(self, context: Context) -> list[LogRow]:
        """Return the logs of a workspace with turns that no facts were extracted from yet."""
        cursors = {
            log: (line, mark)
            for log, line, mark in context.db.execute(
                "select log_id, line, fingerprint from extraction_cursors"
            )
        }
        return [
            row
            for row in self.list_logs()
            if row.workspace_id == context.workspace
            and row.session is not None
            and cursors.get(row.id, (0, "")) != (row.line, row.fingerprint)
        ]

    def copy_logs(self, db: Database) -> None:
        """Take over from another index how far logs were read, for a dry run."""
        for table in ("sessions", "logs"):
            rows = db.all(f"select * from {table}")
            if rows:
                marks = ", ".join("?" * len(rows[0]))
                self.db.executemany(f"insert into {table} values ({marks})", rows)

    def delete_turns(self, log: int, session: int) -> int:
        """Delete what is indexed of a log, whose own row stays; return how many turns it had."""
        keys = "select key from turns where log = ?"
        for table, column in (
            ("turn_text", "rowid"),
            ("calls", "turn"),
            ("touched", "turn"),
            ("losses", "turn"),
        ):
            self.db.execute(f"delete from {table} where {column} in ({keys})", (log,))
        self.db.execute("delete from turns where log = ?", (log,))
        deleted = self.db.changes()
        self.db.execute("update sessions set turns = turns - ? where key = ?", (deleted, session))
        return deleted

    def delete_sessions(self, ids: Iterable[str]) -> None:
        """Delete sessions with their turns and logs."""
        for session in ids:
            key = self.db.value("select key from sessions where id = ?", (session,))
            for (log,) in self.db.all("select key from logs where session = ?", (key,)):
                self.delete_turns(log, key)
                self.db.execute("delete from logs where key = ?", (log,))
            self.db.execute("delete from sessions where key = ?", (key,))

    def erase_traces(self) -> None:
        """Rewrite the file, so that deleted text is nowhere in it. Outside of a transaction."""
        self.db.execute("insert into turn_text (turn_text) values ('optimize')")
        self.db.execute("vacuum")
        self.db.execute("pragma wal_checkpoint(truncate)")


class LogWriter:
    """Adds the turns of one log to the index.

    Turns are collected; `flush` writes them with the cursor.

    Attributes:
        log: Its row as it was written last.
        session: Its session; None until a turn of it was written.
        owner: Whose the session is; to be set before the first turn is written.
        added: Turns that were written.
    """

    def __init__(
        self,
        index: SessionIndex,
        log: LogRow,
        format_: Format,
        state: State,
    ) -> None:
        self.index, self.log, self.format, self.state = index, log, format_, state
        self.session = log.session
        self.owner: Owner | None = None
        self.added = 0
        self.losses = 0
        self._pending: list[Turn] = []
        self._calls: dict[str, tuple[int, str, str]] = {}

    def read(self, record: Record, line: int) -> None:
        """Read the turns of a record of the log."""
        self._pending += map(prepare_turn, self.format.read_record(record, line, self.state))

    def flush(self, log: LogRow) -> LogRow:
        """Write the pending turns and *log*, whose cursor stands behind them, in one transaction.

        Returns:
            The log with its key and session.
        """
        self._pending = redact_turns(self._pending)
        with transaction(self.index.db):
            if self.session is None and self._pending and self.owner is not None:
                self.session = self._open_session(self.owner)
                log = log._replace(workspace_id=self.owner.workspace)
            log = log._replace(session=self.session, state=json.dumps(self.state.dump()))
            log = self._store_log(log)
            if self._pending and self.session is not None:
                self._write_turns(log.key, self.session)
        self.log = log
        self._pending.clear()
        return log

    def _store_log(self, log: LogRow) -> LogRow:
        db, names = self.index.db, LogRow._fields[1:]
        if log.key:
            sets = ", ".join(f"{name} = ?" for name in names)
            db.execute(f"update logs set {sets} where key = ?", (*log[1:], log.key))
            return log
        marks = ", ".join("?" * len(names))
        key = db.value(
            f"insert into logs ({', '.join(names)}) values ({marks}) returning key", log[1:]
        )
        return log._replace(key=key)

    def _open_session(self, owner: Owner) -> int:
        """Return the session of the log; make it when it is new."""
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

    def _name_turns(self) -> list[tuple[int, Turn]]:
        """Return the turns that wait, each with what names it in any log that repeats it."""
        program, log_id = self.log.program, self.log.id
        prefix = program if program == "claude" else f"{program}\0{self.state.session}"
        named = []
        for turn in self._pending:
            place = turn.message_id or f"{log_id}\0{turn.line}"
            digest = blake2b(
                f"{prefix}\0{place}\0{turn.part}".encode("utf-8", "replace"), digest_size=8
            ).digest()
            named.append((int.from_bytes(digest, "big", signed=True), turn))
        return named

    def _write_turns(self, log: int, session: int) -> None:
        db = self.index.db
        named = self._name_turns()
        known = {
            uid
            for (uid,) in db.execute(
                "select uid from turns where uid in (select value from json_each(?))",
                (json.dumps([uid for uid, _ in named]),),
            )
        }
        key = db.value("select coalesce(max(key), 0) from turns")
        turns: list[tuple[Any, ...]] = []
        texts: list[tuple[int, str]] = []
        calls: list[tuple[Any, ...]] = []
        results: list[tuple[Any, ...]] = []
        touched: list[tuple[Any, ...]] = []
        losses: list[tuple[Any, ...]] = []
        first = last = said = ""
        sidechain = True
        for uid, turn in named:
            if uid in known:
                continue
            known.add(uid)
            loss = self._find_loss(turn)
            text, role = turn.text, turn.role
            if not text and loss is None and not turn.is_call and role != TOOL:
                continue
            key += 1
            sidechain = sidechain and turn.sidechain
            flags = SYNTHETIC * turn.synthetic | SIDECHAIN * turn.sidechain | SUMMARY * turn.summary
            tool = turn.tool
            if role == TOOL:
                if turn.is_call:
                    flags |= CALL
                    if turn.call_id:
                        self._calls[turn.call_id] = key, turn.command, tool
                    calls.append((key, log, turn.call_id, tool, turn.command))
                    touched += [
                        (key, path, path.rpartition("/")[2].lower(), turn.is_change)
                        for path in turn.files
                    ]
                else:
                    flags |= RESULT
                    if turn.call_id:
                        call, command, tool = self._find_call(log, turn)
                        status, failed = _judge_result(turn, command)
                        if call:
                            results.append((status, failed, key, call))
            turns.append(
                (
                    key,
                    session,
                    log,
                    turn.line,
                    turn.part,
                    turn.at,
                    role,
                    text,
                    turn.message_id,
                    uid,
                    tool,
                    flags,
                )
            )
            if text:
                is_output = role == TOOL and not turn.is_call
                texts.append((key, prepare_output(text) if is_output else search_text(text)))
            if loss is not None:
                summary = next(
                    (
                        t.text
                        for _, t in named
                        if t.summary and t.line <= turn.line + 3 and t.line >= turn.line
                    ),
                    "",
                )
                losses.append((key, turn.at, loss.mark, loss.before, loss.after, summary))
            if not said and role == USER and is_speech(role, flags):
                said = cut_at_word(" ".join(strip_injected(text).split()), TITLE_LENGTH)
            if turn.at:
                last = max(last, turn.at)
                first = min(first, turn.at) if first else turn.at
        db.executemany("insert into turns values (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)", turns)
        db.executemany("insert into turn_text (rowid, text) values (?, ?)", texts)
        db.executemany(
            "insert into calls (turn, log, call_id, tool, command) values (?, ?, ?, ?, ?)", calls
        )
        db.executemany(
            "update calls set exit_status = ?, failed = ?, result = ? where turn = ?", results
        )
        db.executemany("insert or ignore into touched values (?, ?, ?, ?)", touched)
        db.executemany("insert into losses values (?, ?, ?, ?, ?, ?)", losses)
        self.added += len(turns)
        self.losses += len(losses)
        if turns:
            self._update_session(session, len(turns), first, last, sidechain, said)

    def _update_session(
        self, session: int, turns: int, first: str, last: str, sidechain: bool, said: str
    ) -> None:
        """Describe a session as it is now.

        Args:
            said: What the person said first of these turns: the title of a session without one.
        """
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
                "turns": turns,
                "first": first,
                "last": last,
                "sidechain": sidechain,
                "project": state.project,
                "branch": state.branch,
                "title": state.title,
                "said": said,
                "drops": state.kept.pop("drops", 0),
                "key": session,
            },
        )

    def _find_call(self, log: int, turn: Turn) -> tuple[int, str, str]:
        """Return key, command and tool of the call that *turn* is the result of."""
        found = self._calls.get(turn.call_id)
        if found is None:
            found = self.index.db.one(
                "select turn, command, tool from calls where log = ? and call_id = ?",
                (log, turn.call_id),
            )
        return found or (0, "", turn.tool)

    def _find_loss(self, turn: Turn) -> Loss | None:
        """Return the loss that a turn marks, or that a drop of the context's size shows.

        A drop is a loss if there was a summary since the context was measured.

        A large drop without one is counted, no more: programs drop context for other reasons.
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
        if before < DROP_FROM or turn.tokens >= DROP_TO * before:
            return None
        if kept.pop("summarised", False):
            return None if self._is_known_loss(turn.at) else Loss("drop", before, turn.tokens)
        kept["drops"] = kept.get("drops", 0) + 1
        return None

    def _is_known_loss(self, at: str) -> bool:
        """Tell whether a loss was marked just before: programs write several marks of one."""
        known = self.state.kept.get("lost_at")
        if known and at and abs(parse_time(at) - parse_time(known)) <= LOSS_WINDOW:
            return True
        self.state.kept["lost_at"] = at
        return False


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
            command, _ = redact_bytes(turn.command.encode("utf-8", "replace"))
            turn = turn._replace(
                text=after.decode("utf-8", "replace"), command=command.decode("utf-8", "replace")
            )
        redacted.append(turn)
    return redacted


def _judge_result(turn: Turn, command: str) -> tuple[int | None, int | None]:
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
    return search_text(text) if not text.isascii() and _needs_care().search(text) else text


@cache
def _needs_care() -> re.Pattern[str]:
    """Match characters at which FTS5 would cut words wrongly: see `crewmem.text.tokens`."""
    return re.compile(f"[\u00adß\u0590-\u10ff\u200b-\u200d{UNSPACED}]")


def is_speech(role: str, flags: int) -> bool:
    """Tell whether a person or the session's own agent said a turn."""
    return role not in (TOOL, SYSTEM) and not flags & (SYNTHETIC | SIDECHAIN | SUMMARY)


def read_speech(
    db: Database, log: int, line: int = 0, *, until: int | None = None, last: int = 0
) -> list[Said]:
    """Return what persons and the session's agent said in a log after a line, in order.

    Args:
        until: Last line that is read.
        last: Read only so many turns, the last; 0 for all.
    """
    rows = db.execute(
        "select line, part, role, text, at, message_id, flags from turns"
        " where log = :log and line > :line and (:until is null or line <= :until)"
        " and role in (:user, :assistant)"
        + (" order by line desc, part desc limit :last" if last else " order by line, part"),
        {
            "log": log,
            "line": line or -1,
            "until": until,
            "user": USER,
            "assistant": ASSISTANT,
            "last": 4 * last,
        },
    )
    found = [Said(*row[:6]) for row in rows if is_speech(row[2], row[6])]
    return found[:last][::-1] if last else found
