"""The sessions of agent programs: `home.sessions`."""

from __future__ import annotations

import builtins
import json
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from datetime import datetime
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any, Unpack

from crewmem.context import SESSIONS_FILE
from crewmem.errors import DamagedError, NotFoundError, UsageError, check_limit
from crewmem.ids import HAS_PREFIX, SHORT_LENGTH, bad_cursor, resolve_prefix
from crewmem.sessions.context_loss import COLUMNS as LOSS_COLUMNS
from crewmem.sessions.context_loss import ContextLoss, count_losses
from crewmem.sessions.programs import check_program
from crewmem.sessions.turns import (
    CALL,
    IN_PROJECT,
    RESULT,
    SIDECHAIN,
    SYNTHETIC,
    USER,
    remove_recalled,
)
from crewmem.storage.sqlite import (
    SESSIONS_SCHEMA,
    Database,
    discard_database,
    open_derived,
)
from crewmem.text.wording import count
from crewmem.times import format_time

if TYPE_CHECKING:  # a listing does not need the parts
    from crewmem.home import Home
    from crewmem.search.request import SearchOptions
    from crewmem.sessions.copies import Copies
    from crewmem.sessions.forgetting import Forgetting
    from crewmem.sessions.recovery import ContextRecovery
    from crewmem.sessions.search import SessionFinder, SessionSearch
    from crewmem.sessions.source import SessionSource
    from crewmem.sessions.sync import SessionLogs

COLUMNS = (
    "id, program, native_id, agent_id, crew_id, project, branch, title, sidechain, first_at,"
    " last_at, turns, 0, drops,"
    " (select json_group_array(path) from"
    "  (select path from logs where session = sessions.key order by key)),"
    " (select coalesce(sum(copy_size), 0) from logs where session = sessions.key)"
)
"""The columns of `Session`, in its order; the number of losses is in ``crewmem.db``."""


@dataclass(slots=True)
class Session:
    """A session.

    Attributes:
        native_id: The program's own id.
        agent: Owner; None for the workspace's operator.
        sidechain: Whether it is of a sub-agent.
        turns: Number of turns.
        losses: Number of context losses.
        drops: Number of large drops of context without a summary.
        logs: Paths of its logs.
        copies: Size of its kept copies, in bytes.
    """

    id: str
    program: str
    native_id: str
    agent: str | None
    crew: str | None
    project: str
    branch: str
    title: str
    sidechain: bool
    first_at: str
    last_at: str
    turns: int
    losses: int
    drops: int
    logs: list[str] = field(default_factory=list)
    copies: int = 0


@dataclass(slots=True)
class SessionPage:
    """A page of a listing; *next* is the cursor of the next page, None at the end."""

    sessions: list[Session]
    next: str | None

    def __iter__(self) -> Iterator[Session]:
        return iter(self.sessions)


@dataclass(slots=True)
class ShownTurn:
    """A turn of a shown session.

    Attributes:
        is_call: Whether it is a tool call.
        is_result: Whether it is the result of a tool call.
        marked: Whether it is the requested turn.
    """

    ref: str
    line: int
    at: str
    role: str
    tool: str
    text: str
    is_call: bool
    is_result: bool
    exit_status: int | None
    failed: bool | None
    synthetic: bool
    sidechain: bool
    marked: bool


@dataclass(slots=True)
class ShownSession:
    """A session with some of its turns; *more* is the number of the others."""

    session: Session
    turns: list[ShownTurn]
    more: int


class Sessions:
    """The sessions of a workspace, as an actor sees them."""

    def __init__(self, home: Home) -> None:
        self._home, self.context = home, home.context
        self._db: Database | None = None

    # The index

    @property
    def path(self) -> Path | None:
        """The file of the index; None without a home."""
        return None if self.context.home is None else self.context.home / SESSIONS_FILE

    def open_index(self) -> Database | None:
        """Open the index for reading; None if nothing was indexed yet."""
        if self._db is None:
            if self.path is not None and self.path.is_file():
                if self.context.read_only:
                    self._db = self.context.open_database(self.path, SESSIONS_SCHEMA)
                else:
                    self._db = self.open_for_writing()
            self._warn_if_emptied()
        return self._db

    def _warn_if_emptied(self) -> None:
        """Warn if logs were read before but the index is empty: somebody deleted it."""
        if not self.context.has_db or (self._db and self._db.value("select 1 from logs limit 1")):
            return
        known = self.context.db.value(
            "select count(*) from extraction_cursors where workspace_id = ?"
            " and log_id not in (select id from forgotten)",
            (self.context.workspace,),
        )
        if known:
            self.context.warn(
                "sessions-not-indexed",
                f"{count(known, 'session log')} read before, but missing from the index",
                self.context.command("sessions sync"),
            )

    def open_for_writing(self) -> Database:
        """Open the index; a new one if there is none, or it is damaged."""
        if self._db is None:
            assert self.path is not None
            self._db, reason = open_derived(self.path, SESSIONS_SCHEMA)
            if reason:
                self._warn_recreated(reason)
        return self._db

    def close(self) -> None:
        """Close the index."""
        if self._db is not None:
            self._db.close()
            self._db = None

    def discard_damaged(self, error: DamagedError) -> bool:
        """Delete the index if *error* is about it and the home is writable.

        Returns:
            Whether it was deleted.
        """
        path = self.path
        if self.context.read_only or path is None or error.details.get("file") != str(path):
            return False
        self.close()
        discard_database(path)
        self._warn_recreated(error.message)
        return True

    def _warn_recreated(self, reason: str) -> None:
        self.context.warn(
            "index-rebuilt",
            f"the index of sessions was recreated: {reason}",
            self.context.command("sessions sync"),
        )

    # Parts

    @cached_property
    def source(self) -> SessionSource:
        """The source of turns for search."""
        from crewmem.sessions.source import SessionSource

        return SessionSource(self.context, self.open_index, self.discard_damaged)

    @cached_property
    def finder(self) -> SessionFinder:
        """Searches turns."""
        from crewmem.sessions.search import SessionFinder

        return SessionFinder(self.context, self.source)

    @cached_property
    def copies(self) -> Copies:
        """The kept copies of logs."""
        from crewmem.sessions.copies import Copies

        assert self.context.home is not None
        return Copies(self.context.home)

    @cached_property
    def logs(self) -> SessionLogs:
        """The logs: reads them into the index, and learns facts from them."""
        from crewmem.sessions.sync import SessionLogs

        return SessionLogs(self._home)

    @cached_property
    def recovery(self) -> ContextRecovery:
        """Blocks for sessions whose context was lost."""
        from crewmem.sessions.recovery import ContextRecovery

        return ContextRecovery(self._home)

    @cached_property
    def forgetting(self) -> Forgetting:
        """Erasing of sessions."""
        from crewmem.sessions.forgetting import Forgetting

        return Forgetting(self._home)

    # Reading

    def list(
        self,
        *,
        project: str = "",
        agent: str = "",
        program: str = "",
        since: datetime | None = None,
        until: datetime | None = None,
        limit: int = 50,
        after: str | None = None,
    ) -> SessionPage:
        """List sessions, the latest first.

        Raises:
            UsageError: If the program is unknown, *after* is no cursor, or the limit is below 1.
        """
        check_limit(limit)
        if program:
            check_program(program)
        last, _, identifier = (after or "").partition(" ")
        if after and not identifier:
            raise bad_cursor(after)
        found = self.select(
            "turns > 0 and :agent in ('', agent_id) and :program in ('', program)"
            " and last_at >= :since and (:until = '' or first_at <= :until)"
            f" and (:project = '' or {IN_PROJECT})"
            " and (:id = '' or (last_at, id) < (:last, :id))",
            {
                "agent": agent,
                "program": program,
                "since": format_time(since) if since else "",
                "until": format_time(until) if until else "",
                "project": project,
                "below": project.rstrip("/") + "/",
                "last": last,
                "id": identifier,
            },
            order="last_at desc, id desc",
            limit=limit + 1,
        )
        sessions = found[:limit]
        cursor = f"{sessions[-1].last_at} {sessions[-1].id}" if len(found) > limit else None
        return SessionPage(sessions, cursor)

    def select(
        self, condition: str, params: Mapping[str, Any], *, order: str = "key", limit: int = -1
    ) -> builtins.list[Session]:
        """Return the sessions that the actor may see and that meet an SQL condition."""
        db = self.open_index()
        if db is None:
            return []
        access = self.context.access.sessions()
        rows = db.execute(
            f"select {COLUMNS} from sessions where key in (select key from sessions"
            f" where {access.sql} and {condition} order by {order} limit :limit) order by {order}",
            {**access.params, **params, "limit": limit},
        )
        losses = count_losses(self.context) if self.context.has_db else {}
        found = []
        for row in rows:
            session = Session(*row)
            session.sidechain, session.logs = bool(session.sidechain), json.loads(row[-2])
            session.losses = losses.get(session.native_id, 0)
            found.append(session)
        return found

    def get(self, prefix: str) -> Session:
        """Return the session with an id, a prefix of one, or the same of the program's own ids.

        Raises:
            NotFoundError: If there is none that the actor may see.
            UsageError: If the prefix is too short, or several ids begin with it.
        """
        hint = self.context.command("sessions list")
        by_native = self.select("native_id = :name", {"name": prefix})
        if by_native:
            return by_native[0]
        found = self.select(HAS_PREFIX, {"prefix": prefix}, limit=9)
        if not found and len(prefix) >= SHORT_LENGTH:
            has_prefix = HAS_PREFIX.replace("id ", "native_id ")
            by_native = self.select(has_prefix, {"prefix": prefix}, limit=9)
            if len(by_native) > 1:
                names = ", ".join(sorted(each.native_id for each in by_native)[:5])
                raise UsageError(
                    f"'{prefix}' is ambiguous: it matches {names}", code="ambiguous-id", hint=hint
                )
            if by_native:
                return by_native[0]
        if not found:
            code = "session-not-found"
            raise NotFoundError(f"there is no session '{prefix}'", code=code, hint=hint)
        chosen = resolve_prefix(prefix, [each.id for each in found], "session", hint)
        return next(each for each in found if each.id == chosen)

    def _list_turns(
        self, db: Database, session: str, turn: int | None, *, around: int, limit: int
    ) -> builtins.list[tuple[Any, ...]]:
        """Return the rows of the turns to show; the arguments are those of `show`."""
        sql = (
            "select turns.log, line, part, at, role, turns.tool, text, flags, exit_status, failed"
            " from turns left join calls on calls.turn = turns.key or calls.result = turns.key"
            " where turns.session = (select key from sessions where id = :id)"
        )
        params = {"id": session, "line": turn, "around": around, "limit": limit}
        if turn is None:
            return db.all(f"{sql} order by line, part limit :limit", params)
        here = db.all(f"{sql} and line = :line order by part", params)
        if not here:
            raise NotFoundError(
                f"session {session} has no turn {turn}",
                code="turn-not-found",
                hint=self.context.command("sessions show", session),
            )
        before = db.all(
            f"{sql} and line < :line order by line desc, part desc limit :around", params
        )
        after = db.all(f"{sql} and line > :line order by line, part limit :around", params)
        return [*before[::-1], *here, *after]

    def show(
        self,
        prefix: str,
        *,
        turn: int | None = None,
        around: int = 5,
        full: bool = False,
        limit: int = 200,
    ) -> ShownSession:
        """Return turns of a session, safe to show.

        Args:
            prefix: Id of the session, or ``s_…:41`` for a turn of it.
            turn: Line of the requested turn; None for the start of the session.
            around: Number of turns before and after it.
            full: Whether to read full texts from the log or its copy.
            limit: Maximum number of turns if no turn is requested.

        Raises:
            NotFoundError: If there is no such session or turn.
        """
        name, _, number = prefix.rpartition(":")
        if name and number.isdecimal():
            prefix, turn = name, int(number) if turn is None else turn
        session = self.get(prefix)
        session.title = self.context.scanner.make_safe(session.title, file=session.id).text
        db = self.open_index()
        assert db is not None
        rows = self._list_turns(db, session.id, turn, around=around, limit=limit)
        texts: dict[tuple[int, int, int], str] = {}
        if full:
            lines: dict[int, set[int]] = {}
            for log, line, *_ in rows:
                lines.setdefault(log, set()).add(line)
            texts = self.copies.read_texts(db, lines)
        turns = []
        for log, line, part, at, role, tool, text, flags, status, failed in rows:
            # A person's messages are expected to contain instructions.
            safe = self.context.scanner.make_safe(
                remove_recalled(role, texts.get((log, line, part), text)),
                file=f"{session.id}:{line}",
                own_tier=role == USER,
                mark=True,
            )
            turns.append(
                ShownTurn(
                    ref=f"{session.id}:{line}",
                    line=line,
                    at=at,
                    role=role,
                    tool=tool,
                    text=safe.text,
                    is_call=bool(flags & CALL),
                    is_result=bool(flags & RESULT),
                    exit_status=status,
                    failed=None if failed is None else bool(failed),
                    synthetic=bool(flags & SYNTHETIC),
                    sidechain=bool(flags & SIDECHAIN),
                    marked=line == turn,
                )
            )
        return ShownSession(session, turns, max(session.turns - len(turns), 0))

    def search(
        self,
        query: str,
        *,
        limit: int = 10,
        filters: Mapping[str, Any] | None = None,
        **options: Unpack[SearchOptions],
    ) -> SessionSearch:
        """Search turns, see `SessionFinder.find`."""
        return self.finder.find(query, limit=limit, filters=filters, **options)

    def list_losses(
        self,
        *,
        session: str = "",
        agent: str = "",
        program: str = "",
        since: datetime | None = None,
        until: datetime | None = None,
        limit: int = 50,
    ) -> builtins.list[ContextLoss]:
        """List the context losses that the actor may see and their recoveries, newest first.

        Raises:
            UsageError: If the program is unknown.
        """
        if program:
            check_program(program)
        access = self.context.access
        rows = self.context.db.execute(
            f"select {LOSS_COLUMNS} from context_losses where workspace_id = :workspace"
            " and :own in ('', agent) and :session in ('', session_id, native_id)"
            " and :agent in ('', agent) and :program in ('', program)"
            " and at >= :since and (:until = '' or at <= :until) order by at desc, id limit :limit",
            {
                "workspace": self.context.workspace,
                "own": "" if access.is_operator else access.actor.name,
                "session": session,
                "agent": agent,
                "program": program,
                "since": format_time(since) if since else "",
                "until": format_time(until) if until else "",
                "limit": limit,
            },
        )
        return [ContextLoss(*row) for row in rows]
