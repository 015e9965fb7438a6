"""The API of sessions of agent programs: sync, list, show, search, recover, forget."""

from __future__ import annotations

import builtins
import json
from collections.abc import Callable, Mapping
from contextlib import suppress
from dataclasses import dataclass, field
from datetime import datetime
from functools import cached_property, partial
from pathlib import Path
from typing import TYPE_CHECKING, Any, Unpack

from crewmem.context import SESSIONS_FILE
from crewmem.errors import CrewmemError, DamagedError, NotFoundError, UsageError, check_limit
from crewmem.ids import HAS_PREFIX, bad_cursor, resolve_prefix
from crewmem.sessions.context_loss import COLUMNS as LOSS_COLUMNS
from crewmem.sessions.context_loss import ContextLoss, LostContext, count_losses, record_loss
from crewmem.sessions.turns import (
    CALL,
    IN_PROJECT,
    RESULT,
    SIDECHAIN,
    SYNTHETIC,
    USER,
    remove_recalled,
)
from crewmem.storage.locks import lock
from crewmem.storage.sqlite import (
    SESSIONS_SCHEMA,
    Database,
    discard_database,
    open_derived,
    open_in_memory,
    transaction,
)
from crewmem.text.wording import count
from crewmem.times import format_time

if TYPE_CHECKING:  # each is imported by the method that uses it
    from crewmem.home import Home
    from crewmem.search.search import SearchOptions
    from crewmem.sessions.forgetting import ForgetPlan
    from crewmem.sessions.index import LogRow, SessionIndex
    from crewmem.sessions.logs import FoundLog, Roots
    from crewmem.sessions.procedures import Procedure
    from crewmem.sessions.reading_report import LearnedFact, ReadingReport
    from crewmem.sessions.recovery import Recovery
    from crewmem.sessions.search import SessionSearch
    from crewmem.sessions.source import SessionSource
    from crewmem.sessions.sync import Synchronizer

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
    marked: bool = False


@dataclass(slots=True)
class ShownSession:
    """A session with some of its turns; *more* is the number of the others."""

    session: Session
    turns: list[ShownTurn]
    more: int


def _check_program(name: str) -> None:
    if name:
        from crewmem.sessions.formats import check_program

        check_program(name)


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
                    self._db = self._open_for_writing()
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

    def _open_for_writing(self) -> Database:
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

    def _discard(self, error: DamagedError) -> bool:
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

    @cached_property
    def source(self) -> SessionSource:
        """The source of turns for search."""
        from crewmem.sessions.source import SessionSource

        return SessionSource(self.context, self.open_index, self._discard)

    # Reading logs

    def sync(
        self,
        *,
        program: str = "auto",
        root: Path | None = None,
        session: str = "",
        agent: str | None = None,
        from_now: bool = False,
        extract: bool = True,
        dry_run: bool = False,
        home: Path | None = None,
        progress: Callable[[int, int], None] | None = None,
    ) -> ReadingReport:
        """Index new content of the logs, keep copies, and extract facts.

        Args:
            program: Program whose logs are read; ``auto`` for all.
            root: A directory or log to read instead of the programs' own locations.
            session: The only session to read: the program's id, or an id ``s_…`` or its prefix.
            agent: Owner of the sessions; None to determine it for each.
            from_now: Whether to skip the present content of new logs.
            extract: Whether to extract facts.
            dry_run: Whether to write nothing.
            home: The person's home directory.
            progress: Called with the number of bytes examined so far, and 0 as the unknown total.

        Raises:
            UsageError: If the program is unknown.
            NotFoundError: If *session* begins with ``s_`` and does not exist.
        """
        from crewmem.sessions.logs import list_roots
        from crewmem.sessions.sync import Synchronizer

        if session.startswith("s_"):
            session = self.get(session).id
        roots = list_roots(home or Path.home(), self.context.environ, program, root)
        make_reader = partial(
            Synchronizer,
            self.context,
            agent=agent,
            from_now=from_now,
            session=session,
            progress=progress,
        )
        if dry_run:
            return self._plan_sync(make_reader, roots, extract=extract)
        with lock(self.context.lock_path("sessions")):
            try:
                return self._run_sync(make_reader, roots, extract=extract)
            except DamagedError as error:
                if not self._discard(error):
                    raise
                return self._run_sync(make_reader, roots, extract=extract)

    def _plan_sync(
        self, make_reader: Callable[..., Synchronizer], roots: Roots, *, extract: bool
    ) -> ReadingReport:
        """Return the report that a sync would give: new turns are read into memory."""
        from crewmem.sessions.index import SessionIndex

        index = SessionIndex(open_in_memory(SESSIONS_SCHEMA))
        if (known := self.open_index()) is not None:
            index.copy_logs(known)
        reader = make_reader(index, record_loss=lambda *loss: True, copies=None)
        reader.read_all(roots)
        if extract:
            learned = self._extract(index, reader.read_logs, is_dry=True)
            if known is not None:  # turns that were indexed before but not extracted from
                documents = {log.id for log in reader.read_logs if log.is_document}
                pending = SessionIndex(known).list_pending(self.context)
                pending = [log for log in pending if log.id not in documents]
                learned += self._extract(SessionIndex(known), pending, is_dry=True)
            reader.report.learned = learned
        return self._finish_report(reader.report)

    def _run_sync(
        self, make_reader: Callable[..., Synchronizer], roots: Roots, *, extract: bool
    ) -> ReadingReport:
        """Read logs, and kept copies that are missing from the index, and extract facts."""
        from crewmem.sessions.copies import Copies
        from crewmem.sessions.index import SessionIndex

        context, index = self.context, SessionIndex(self._open_for_writing())
        assert context.home is not None
        copies = Copies(context.home)
        reader = make_reader(
            index,
            record_loss=partial(record_loss, context.as_system("extract"), self._home.journal),
            copies=copies if context.settings["sessions.keep"] else None,
        )
        reader.read_all(roots)
        if not reader.session:
            reader.read_copies(copies)
        if reader.moved:
            with transaction(context.db):
                context.db.executemany(
                    "insert or ignore into forgotten values (?)", [(i,) for i in reader.moved]
                )
        if reader.from_now or extract:
            logs = index.list_pending(context)
            reader.report.learned = self._extract(index, logs, skip=reader.from_now)
        return self._finish_report(reader.report)

    def list_unindexed(self, home: Path | None = None) -> builtins.list[FoundLog]:
        """Return the logs with content that is not indexed."""
        from crewmem.sessions.logs import list_unindexed

        context = self.context
        forgotten = {row[0] for row in context.db.execute("select id from forgotten")}
        return list_unindexed(self.open_index(), forgotten, home or Path.home(), context.environ)

    def _finish_report(self, report: ReadingReport) -> ReadingReport:
        """Warn about skipped lines and files, and count the retry queue."""
        for problem in report.problems:
            where = f"{problem.file}:{problem.line}" if problem.line else problem.file
            self.context.warn("log-skipped", f"{where} was skipped: {problem.reason}")
        for kind, number in report.unknown.items():
            lines = count(number, "line")
            self.context.warn("unknown-lines", f"skipped {lines} of the unknown type '{kind}'")
        report.waiting = self.context.db.value(
            "select count(*) from extraction_retries where workspace_id = ?",
            (self.context.workspace,),
        )
        return report

    def _extract(
        self,
        index: SessionIndex,
        logs: builtins.list[LogRow],
        *,
        is_dry: bool = False,
        skip: bool = False,
    ) -> builtins.list[LearnedFact]:
        """Extract facts from logs, and process the retry queue of the language model.

        The queue is of all sessions, so only operators and jobs process it.

        Args:
            is_dry: Whether to store nothing.
            skip: Whether to move the cursors to the end without extracting.
        """
        if not logs and self.context.settings["llm"] == "none":
            return []
        from crewmem.sessions.extract import Extractor

        extractor = Extractor(index, self._home.as_system("extract"), is_dry=is_dry)
        if skip:
            for log in logs:
                extractor.skip(log)
            return []
        learned = [each for log in logs for each in extractor.extract(log)]
        return [*learned, *(extractor.retry() if self.context.access.is_operator else ())]

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
        _check_program(program)
        last, _, identifier = (after or "").partition(" ")
        if after and not identifier:
            raise bad_cursor(after)
        found = self._select(
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

    def _select(
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
        """Return the session with an id, a prefix of one, or the program's own id.

        Raises:
            NotFoundError: If there is none that the actor may see.
        """
        by_native = self._select("native_id = :name", {"name": prefix})
        if by_native:
            return by_native[0]
        found = self._select(HAS_PREFIX, {"prefix": prefix}, limit=9)
        hint = self.context.command("sessions list")
        if not found:
            code = "session-not-found"
            raise NotFoundError(f"there is no session '{prefix}'", code=code, hint=hint)
        chosen = resolve_prefix(prefix, [each.id for each in found], "session", hint)
        return next(each for each in found if each.id == chosen)

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
        sql = (
            "select turns.log, line, part, at, role, turns.tool, text, flags, exit_status, failed"
            " from turns left join calls on calls.turn = turns.key or calls.result = turns.key"
            " where turns.session = (select key from sessions where id = :id)"
        )
        params = {"id": session.id, "line": turn, "around": around, "limit": limit}
        if turn is None:
            rows = db.all(f"{sql} order by line, part limit :limit", params)
        else:
            here = db.all(f"{sql} and line = :line order by part", params)
            if not here:
                raise NotFoundError(
                    f"session {session.id} has no turn {turn}",
                    code="turn-not-found",
                    hint=self.context.command("sessions show", session.id),
                )
            before = db.all(
                f"{sql} and line < :line order by line desc, part desc limit :around", params
            )
            after = db.all(f"{sql} and line > :line order by line, part limit :around", params)
            rows = [*before[::-1], *here, *after]
        texts: dict[tuple[int, int, int], str] = {}
        if full:
            from crewmem.sessions.copies import read_texts
            from crewmem.sessions.index import SessionIndex

            assert self.context.home is not None
            for log in SessionIndex(db).list_logs():
                if lines := {row[1] for row in rows if row[0] == log.key}:
                    texts |= read_texts(self.context.home, log, lines)
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
        from crewmem.sessions.search import SessionFinder, SessionSearch

        try:
            db = self.open_index()
            if db is None:
                return SessionSearch("sparse", [], [])
            finder = SessionFinder(self.context, self.source, db)
            return finder.find(query, limit=limit, filters=filters, **options)
        except DamagedError as error:
            if not self.source.discard_damaged(error):
                raise
            return SessionSearch("sparse", [], [])  # the index is empty now

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
        _check_program(program)
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

    def find_procedures(self) -> builtins.list[Procedure]:
        """Return the steps that sessions took for each request, for skill candidates."""
        from crewmem.sessions.procedures import find_procedures

        db = self.open_index()
        return [] if db is None else find_procedures(db, self.context.access.sessions())

    # Recovery

    def recover(
        self,
        *,
        agent: str | None = None,
        session: str = "",
        budget: str = "2000t",
        mark: str = "",
        program: str = "",
    ) -> Recovery:
        """Build the recovery block for a session whose context was lost.

        Args:
            agent: Agent that lost its context; by default the actor, or the session's agent.
            session: Id ``s_…`` or the program's id; by default the agent's latest session.
            budget: Maximum size of the block.
            mark: How a hook noticed the loss. The loss is then recorded here; "" leaves that to the
                sync of the log.
            program: Program of the hook; "" without one.

        Raises:
            CrewmemError: If it cannot be built. The failure is recorded in the journal.
        """
        from crewmem.prompt.budget import Budget
        from crewmem.sessions.recovery import restore_context

        access = self.context.access
        if agent and not access.is_operator and agent != access.actor.name:
            access.require_operator("recover another agent's context")
        agent = agent or (None if access.is_operator else access.actor.name)
        found = None
        if session:
            with suppress(NotFoundError, UsageError):  # a hook's session may not be indexed yet
                found = self.get(session)
        else:
            latest = self.list(agent=agent or "", limit=10).sessions
            found = next((each for each in latest if not each.sidechain), None)
        if not program:
            self._require_own(agent, session, found)
        lost = LostContext(
            agent=agent or (found and found.agent) or "",
            crew=found.crew if found else None,
            session=found.id if found else "",
            native_id=found.native_id if found else session,
            program=program or (found.program if found else ""),
        )
        try:
            return restore_context(
                self._home, self.open_index(), lost, budget=Budget.parse(budget), mark=mark
            )
        except CrewmemError as error:
            if not self.context.read_only:
                self._home.journal.append(
                    "compaction.recovery_failed",
                    f"the context of {agent or 'the operator'} could not be restored",
                    payload={"code": error.code},
                    severity="warn",
                    agent=agent,
                )
            raise

    def _require_own(self, agent: str | None, session: str, found: Session | None) -> None:
        """Raise an error if the session is unknown or belongs to another agent."""
        if found is not None and agent and session and found.agent != agent:
            owner = f"agent {found.agent}" if found.agent else "the operator"
            raise UsageError(f"{found.id} is a session of {owner}", code="session-of-another")
        if not session or found is not None:
            return
        notes = self._home.facts.list(scope="session", session=session, limit=1).facts
        if not notes and not self.list_losses(session=session, limit=1):
            raise NotFoundError(
                f"there is no session '{session}'",
                code="session-not-found",
                hint=self.context.command("sessions list"),
            )

    # Forgetting

    def plan_forget(self, prefix: str = "", *, before: datetime | None = None) -> ForgetPlan:
        """Return what forgetting a session, or all that ended before a time, would erase.

        Raises:
            UsageError: If not exactly one of *prefix* and *before* is given.
            NotFoundError: If there is no such session.
        """
        from crewmem.sessions.forgetting import make_plan

        if bool(prefix) == (before is not None):
            raise UsageError("name a session, or a time with --before", code="nothing-named")
        sessions: builtins.list[Session] = []
        if prefix:
            chosen = self.get(prefix)
            sessions = [chosen]
            if chosen.native_id:  # and its sub-agents, if their ids begin with its own
                sessions += self._select(
                    "program = :program and substr(native_id, 1, length(:name)) = :name",
                    {"program": chosen.program, "name": f"{chosen.native_id}/"},
                )
        elif before is not None:
            sessions = self._select(
                "last_at <> '' and last_at < :before", {"before": format_time(before)}
            )
        return make_plan(self.context, self.open_index(), sessions)

    def forget(self, plan: ForgetPlan) -> None:
        """Erase copies, index and facts of sessions. Their logs stay, but are not read again.

        If the run is killed, the same call finishes it.
        """
        from crewmem.sessions.forgetting import forget

        index = self._open_for_writing()
        forget(self._home, index, plan)
