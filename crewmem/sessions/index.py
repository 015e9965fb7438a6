"""The index of session logs, ``sessions.sqlite``: sessions, turns, calls, touched files, cursors.

Derived: a sync rebuilds it from the logs and the kept copies.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import astuple, dataclass, fields
from hashlib import sha256
from typing import NamedTuple

from crewmem.context import Context
from crewmem.ids import id_from
from crewmem.sessions.turns import ASSISTANT, NO_SPEECH, RESULT, USER
from crewmem.storage.sqlite import Database
from crewmem.text.tokens import PLAIN_LETTERS, UNSPACED, search_text

PHRASE_WORDS = 8
"""Consecutive words that are searched as one phrase: so many are not the same by chance."""

NEEDS_PREPARATION = f"[\u00ad\u0590-\u10ff\u200b-\u200d{UNSPACED}{''.join(PLAIN_LETTERS)}]"
"""Characters that FTS5 would treat wrongly, see `crewmem.text.tokens`."""


@dataclass(slots=True)
class LogRow:
    """A row of ``logs``. ``sessions.sql`` describes the columns.

    Whoever reads the log changes it, and `LogWriter.flush` stores it with the turns.
    """

    key: int
    id: str
    path: str
    inner: str
    generation: int
    program: str
    workspace_id: str
    session: int | None = None
    inode: int = 0
    size: int = 0
    mtime_ns: int = 0
    mark: str = ""
    offset: int = 0  # bytes that were read; for a document, messages to skip
    line: int = 0
    fingerprint: str = ""
    copy_size: int = 0
    state: str = ""

    @property
    def is_document(self) -> bool:
        """Whether all of it is read again after a change, not only lines after the cursor."""
        return bool(self.inner) or self.path.endswith(".json")


LOG_NAMES = [each.name for each in fields(LogRow)]
LOG_COLUMNS = ", ".join(LOG_NAMES)


class SpokenTurn(NamedTuple):
    """An indexed message of the person or the session's agent."""

    line: int
    part: int
    role: str
    text: str
    at: str
    message_id: str


class SessionOwner(NamedTuple):
    """The owner of a session: an agent with its crew, or the operator of the workspace."""

    workspace: str
    agent: str | None
    crew: str | None


def make_log_id(path: str, inner: str, generation: int) -> str:
    """Return the id of a log, which depends only on the arguments."""
    return id_from("l", sha256(f"{path}\0{inner}\0{generation}".encode()).digest())


def make_session_id(program: str, native_id: str) -> str:
    """Return the id of a session, which depends only on the arguments."""
    return id_from("s", sha256(f"{program}\0{native_id}".encode()).digest())


class SessionIndex:
    """Queries and deletions on the index."""

    def __init__(self, db: Database) -> None:
        self.db = db

    def find_log(self, path: str, inner: str = "") -> LogRow | None:
        """Return the newest log with a path."""
        row = self.db.one(
            f"select {LOG_COLUMNS} from logs where path = ? and inner = ?"
            " order by generation desc limit 1",
            (path, inner),
        )
        return None if row is None else LogRow(*row)

    def store_log(self, log: LogRow) -> None:
        """Insert a log, which gets its key, or update it."""
        values = astuple(log)[1:]
        if log.key:
            sets = ", ".join(f"{name} = ?" for name in LOG_NAMES[1:])
            self.db.execute(f"update logs set {sets} where key = ?", (*values, log.key))
        else:
            names, marks = ", ".join(LOG_NAMES[1:]), ", ".join("?" * len(values))
            sql = f"insert into logs ({names}) values ({marks}) returning key"
            log.key = self.db.value(sql, values)

    def has_session(self, native_id: str) -> bool:
        """Return whether a session is indexed, by the program's own id."""
        return bool(
            self.db.value(
                "select exists (select 1 from sessions where native_id = ?)", (native_id,)
            )
        )

    def list_logs(self) -> list[LogRow]:
        """Return all logs."""
        return [LogRow(*row) for row in self.db.all(f"select {LOG_COLUMNS} from logs order by key")]

    def list_pending(self, context: Context) -> list[LogRow]:
        """Return the logs with turns to extract facts from, of sessions that the actor may read."""
        cursors = {
            log: (line, mark)
            for log, line, mark in context.db.execute(
                "select log_id, line, fingerprint from extraction_cursors"
            )
        }
        access = context.access.sessions()
        readable = set(
            self.db.column(f"select key from sessions where {access.sql}", access.params)
        )
        return [
            row
            for row in self.list_logs()
            if row.session in readable
            and cursors.get(row.id, (0, "")) != (row.line, row.fingerprint)
        ]

    def repeats_tool_output(self, session: int, text: str) -> bool:
        """Return whether at least half of *text* stood in a tool's output before anybody wrote it.

        Of a long output only the indexed head and tail are searched.
        """
        words = prepare_output(text).split()
        phrases = [words[at : at + PHRASE_WORDS] for at in range(0, len(words), PHRASE_WORDS)]
        if len(phrases) > 1 and len(phrases[-1]) < PHRASE_WORDS // 2:
            rest = phrases.pop()
            phrases[-1] += rest
        repeated = 0
        for phrase in phrases:
            flags = self.db.value(
                "select flags from turn_text join turns on turns.key = turn_text.rowid"
                " where turn_text match :phrase and session = :session order by key limit 1",
                {"phrase": '"' + " ".join(phrase).replace('"', " ") + '"', "session": session},
            )
            if (flags or 0) & RESULT:
                repeated += 1
        return bool(phrases) and repeated >= len(phrases) / 2

    def copy_logs(self, db: Database) -> None:
        """Copy sessions and logs, with their cursors, from another index, for a dry run."""
        for table in ("sessions", "logs"):
            rows = db.all(f"select * from {table}")
            if rows:
                marks = ", ".join("?" * len(rows[0]))
                self.db.executemany(f"insert into {table} values ({marks})", rows)

    def delete_turns(self, log: int, session: int) -> int:
        """Delete the turns of a log, but not its row; return their number."""
        keys = "select key from turns where log = ?"
        self.db.execute(f"delete from turn_text where rowid in ({keys})", (log,))
        self.db.execute(f"delete from calls where turn in ({keys})", (log,))
        self.db.execute(f"delete from touched where turn in ({keys})", (log,))
        self.db.execute("delete from turns where log = ?", (log,))
        deleted = self.db.changes()
        self.db.execute("update sessions set turns = turns - ? where key = ?", (deleted, session))
        return deleted

    def delete_sessions(self, ids: Iterable[str]) -> None:
        """Delete sessions with their turns and logs."""
        for session in ids:
            key = self.db.value("select key from sessions where id = ?", (session,))
            for log in self.db.column("select key from logs where session = ?", (key,)):
                self.delete_turns(log, key)
                self.db.execute("delete from logs where key = ?", (log,))
            self.db.execute("delete from sessions where key = ?", (key,))


SPEECH_SQL = f"role in ('{USER}', '{ASSISTANT}') and flags & {NO_SPEECH} = 0"


def read_speech(
    db: Database, log: int, after: int, *, until: int | None = None
) -> list[SpokenTurn]:
    """Return the messages of persons and of the session's agent in a log, in order.

    Args:
        after: Line after which to begin; 0 for the whole log.
        until: Last line to read; None for the end.
    """
    rows = db.execute(
        "select line, part, role, text, at, message_id from turns"
        f" where log = :log and line > :after and (:until is null or line <= :until)"
        f" and {SPEECH_SQL} order by line, part",
        # The messages of a document count from 0.
        {"log": log, "after": after or -1, "until": until},
    )
    return [SpokenTurn(*row) for row in rows]


def read_last_speech(db: Database, log: int, until: int, count: int) -> list[SpokenTurn]:
    """Return the last *count* such messages up to the line *until*, in order."""
    rows = db.all(
        "select line, part, role, text, at, message_id from turns"
        f" where log = ? and line <= ? and {SPEECH_SQL} order by line desc, part desc limit ?",
        (log, until, count),
    )
    return [SpokenTurn(*row) for row in reversed(rows)]


def prepare_output(text: str) -> str:
    """Return a tool's output for the full-text index.

    `search_text` is applied only if the script needs it. Otherwise parts of identifiers are not
    indexed: that takes a third of the time of indexing a log, and questions are about messages.
    """
    needs_preparation = not text.isascii() and re.search(NEEDS_PREPARATION, text)
    return search_text(text) if needs_preparation else text
