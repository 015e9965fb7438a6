"""Write the index of session logs.

A batch of turns and the cursor after it are one transaction, so that a killed sync neither loses
nor repeats turns.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from typing import NamedTuple

from crewmem.security.secrets import redact
from crewmem.sessions.formats import Format
from crewmem.sessions.index import LogRow, SessionIndex, SessionOwner, make_session_id
from crewmem.sessions.rows import (
    CallRow,
    TurnRows,
    find_summary,
    find_title,
    hash_turn,
    make_rows,
    prepare_turn,
    redact_turns,
)
from crewmem.sessions.turns import LOSS_WINDOW, SIDECHAIN, TOOL, Loss, Record, State, Turn
from crewmem.storage.sqlite import Database, transaction
from crewmem.times import parse_time

MIN_DROP_TOKENS, MAX_DROP_RATIO = 10_000, 0.65
"""A drop of the context's size: its minimum size before, and the ratio below which it falls."""


class LogWriter:
    """Adds the turns of one log to the index.

    Turns are collected; `flush` writes them with the cursor.

    Attributes:
        log: Row of the log, as last written.
        session: Key of its session; None until a turn is written.
        owner: Owner of the session; must be set before the first turn is written.
        added: Number of turns written.
        losses: Number of context losses written.
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
        self.owner: SessionOwner | None = None
        self.added = 0
        self.losses = 0
        self._pending: list[Turn] = []
        self._calls: dict[str, CallRow] = {}

    def read(self, record: Record, line: int) -> None:
        """Collect the turns of a record of the log."""
        self._pending += map(prepare_turn, self.format.read_record(record, line, self.state))

    def flush(self, log: LogRow) -> LogRow:
        """Write the pending turns, and *log* with the cursor after them, in one transaction.

        Returns:
            The log with its key and session.
        """
        self._pending = redact_turns(self._pending)
        state = self.state
        state.title, state.project = redact(state.title), redact(state.project)
        state.branch = redact(state.branch)
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
        """Insert the rows of the pending turns that are not indexed yet."""
        db = self.index.db
        rows: list[TurnRows] = []
        key = db.value("select coalesce(max(key), 0) from turns")
        for uid, turn in self._find_new():
            loss = self._find_loss(turn)
            if not (turn.text or loss or turn.role == TOOL):
                continue
            key += 1
            made = make_rows(
                turn,
                key,
                session=session,
                log=log,
                uid=uid,
                call=self._find_call(log, turn),
                loss=loss,
                summary=find_summary(self._pending, turn) if loss else "",
            )
            if made.call is not None and turn.call_id:
                self._calls[turn.call_id] = made.call
            rows.append(made)
        insert_rows(db, "turns", [each.turn for each in rows])
        texts = [(each.turn.key, each.words) for each in rows if each.words]
        db.executemany("insert into turn_text (rowid, text) values (?, ?)", texts)
        insert_rows(db, "calls", [each.call for each in rows if each.call])
        db.executemany(
            "update calls set exit_status = ?, failed = ?, result = ? where turn = ?",
            [each.result for each in rows if each.result],
        )
        insert_rows(db, "touched", [row for each in rows for row in each.touched])
        insert_rows(db, "losses", [each.loss for each in rows if each.loss])
        self.added += len(rows)
        self.losses += sum(each.loss is not None for each in rows)
        if rows:
            self._update_session(session, rows)

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
                self._is_known_loss(
                    turn.at
                )  # so that a second mark of the same loss is not indexed

    def _update_session(self, session: int, rows: Sequence[TurnRows]) -> None:
        """Update the row of a session after turns were added."""
        times = [each.turn.at for each in rows if each.turn.at]
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
                "turns": len(rows),
                "first": min(times, default=""),
                "last": max(times, default=""),
                "sidechain": all(each.turn.flags & SIDECHAIN for each in rows),
                "project": state.project,
                "branch": state.branch,
                "title": state.title,
                "said": find_title(rows),
                "drops": state.kept.pop("drops", 0),
                "key": session,
            },
        )

    def _find_call(self, log: int, turn: Turn) -> CallRow | None:
        """Return the call whose result *turn* is; None if unknown."""
        if turn.role != TOOL or turn.is_call or not turn.call_id:
            return None
        found = self._calls.get(turn.call_id)
        if found is None:
            row = self.index.db.one(
                "select turn, log, call_id, tool, command from calls where log = ? and call_id = ?",
                (log, turn.call_id),
            )
            found = CallRow(*row) if row is not None else None
        return found

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


def insert_rows(db: Database, table: str, rows: Sequence[NamedTuple]) -> None:
    """Insert rows whose field names are the columns of a table."""
    if rows:
        names = rows[0]._fields
        marks = ", ".join("?" * len(names))
        db.executemany(f"insert into {table} ({', '.join(names)}) values ({marks})", rows)
