"""Sessions of agent programs: what a home offers about them."""

from __future__ import annotations

import builtins
import json
from collections.abc import Callable, Mapping
from contextlib import suppress
from dataclasses import dataclass, field
from datetime import datetime
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any, Unpack

from crewmem.context import SESSIONS_FILE
from crewmem.errors import CrewmemError, DamagedError, NotFoundError, UsageError
from crewmem.ids import bad_cursor, resolve_prefix
from crewmem.sessions.context_loss import ContextLoss, Lost, list_losses, record_losses
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
    from crewmem.sessions.copies import Copies
    from crewmem.sessions.forgetting import ForgetPlan
    from crewmem.sessions.index import LogRow, SessionIndex
    from crewmem.sessions.logs import WaitingLog
    from crewmem.sessions.procedures import Procedure
    from crewmem.sessions.reading_report import Learned, ReadingReport
    from crewmem.sessions.recovery import Recovery
    from crewmem.sessions.search import SessionSearch
    from crewmem.sessions.source import SessionSource
    from crewmem.sessions.sync import Synchronizer

COLUMNS = (
    "id, program, native_id, agent_id, crew_id, project, branch, title, sidechain, first_at,"
    " last_at, turns, (select count(*) from losses join turns on turns.key = losses.turn"
    "  where turns.session = sessions.key), drops,"
    " (select json_group_array(path) from"
    "  (select path from logs where session = sessions.key order by key)),"
    " (select coalesce(sum(copy_size), 0) from logs where session = sessions.key)"
)
"""Of a `Session`, in its order."""


@dataclass(slots=True)
class Session:
    """A session.

    Attributes:
        native_id: The program's own id.
        agent: Whose it is; None: the workspace's operator's.
        sidechain: Whether a sub-agent's.
        losses: Context losses; *drops* are large drops of context without a summary.
        logs: Files that it was read from.
        copies: Bytes of its kept copies.
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
    """Sessions of a listing."""

    sessions: list[Session]
    next: str | None


@dataclass(slots=True)
class ShownTurn:
    """A turn as it is shown.

    Attributes:
        is_call: Whether a call of a tool, *is_result* whether its result.
        marked: Whether it is the one that was asked for.
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
    """A session with turns of it."""

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
        """Open the index for reading; None when nothing was indexed yet."""
        if self._db is None:
            if self.path is not None and self.path.is_file():
                if self.context.read_only:
                    self._db = self.context.open_database(self.path, SESSIONS_SCHEMA)
                else:
                    self._db = self._open_for_writing()
            self._warn_if_emptied()
        return self._db

    def _warn_if_emptied(self) -> None:
        """Say that logs were read which the index does not hold: somebody deleted it."""
        if not self.context.has_db or (self._db and self._db.value("select 1 from logs limit 1")):
            return
        known = self.context.db.value(
            "select count(*) from extraction_cursors where workspace_id = ?",
            (self.context.workspace,),
        )
        if known:
            self.context.warn(
                "sessions-not-indexed",
                f"{count(known, 'session log')} read before, but not in the index",
                self.context.command("sessions sync"),
            )

    def _open_for_writing(self) -> Database:
        if self._db is None:
            assert self.path is not None
            self._db, reason = open_derived(self.path, SESSIONS_SCHEMA)
            if reason:
                self._warn_made_anew(reason)
        return self._db

    def close(self) -> None:
        """Close the index."""
        if self._db is not None:
            self._db.close()
            self._db = None

    def _discard(self, error: DamagedError) -> bool:
        """Delete the index when *error* says that it is damaged, and it is ours to delete."""
        path = self.path
        if self.context.read_only or path is None or error.details.get("file") != str(path):
            return False
        self.close()
        discard_database(path)
        self._warn_made_anew(error.message)
        return True

    def _warn_made_anew(self, reason: str) -> None:
        self.context.warn(
            "index-rebuilt",
            f"the index of sessions was made anew: {reason}",
            self.context.command("sessions sync"),
        )

    @cached_property
    def source(self) -> SessionSource:
        """The turns as search knows them."""
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
        """Index what is new in the logs, keep copies, and extract facts.

        Args:
            program: Whose logs; ``auto`` for all.
            root: A directory or log instead of where programs leave theirs.
            session: Only this session: the program's id, or ours or its beginning.
            agent: Whose sessions these are.
            from_now: Whether what is there already is skipped.
            extract: Whether facts are extracted.
            dry_run: Whether nothing is written.
            home: The person's home directory.
            progress: Told how many bytes were looked at, and 0: nobody knows of how many.

        Raises:
            UsageError: If the program is unknown.
            NotFoundError: If *session* begins like one of ours and is none.
        """
        from crewmem.sessions.copies import Copies
        from crewmem.sessions.index import SessionIndex
        from crewmem.sessions.logs import list_roots
        from crewmem.sessions.sync import OwnerFinder, Synchronizer

        context = self.context
        if session.startswith("s_"):
            session = self.get(session).id
        owners = OwnerFinder(context, agent)
        roots = list_roots(home or Path.home(), context.environ, program, root)

        def read(index: SessionIndex, copies: Copies | None) -> Synchronizer:
            keeps = copies if context.settings["sessions.keep"] else None
            reader = Synchronizer(
                context,
                index,
                owners,
                copies=keeps,
                from_now=from_now,
                session=session,
                progress=progress,
            )
            reader.read_all(roots)
            return reader

        if dry_run:
            index = SessionIndex(open_in_memory(SESSIONS_SCHEMA))
            if (known := self.open_index()) is not None:
                index.copy_logs(known)
            reader = read(index, None)
            if extract:
                learned = self._extract(index, reader.read_logs, is_dry=True)
                if known is not None:  # what was indexed and not extracted from is only there
                    documents = {log.id for log in reader.read_logs if log.is_document}
                    pending = SessionIndex(known).list_pending(context)
                    pending = [log for log in pending if log.id not in documents]
                    learned += self._extract(SessionIndex(known), pending, is_dry=True)
                reader.report.learned = learned
            return self._finish(reader.report)

        def update(copies: Copies) -> ReadingReport:
            index = SessionIndex(self._open_for_writing())
            reader = read(index, copies)
            if not session:
                reader.read_copies(copies)
            if reader.moved:
                with transaction(context.db):
                    context.db.executemany(
                        "insert or ignore into forgotten values (?)", [(i,) for i in reader.moved]
                    )
            if from_now or extract:
                logs = index.list_pending(context)
                reader.report.learned = self._extract(index, logs, skip=from_now)
            reader.report.losses = record_losses(context, self._home.journal, index.db)
            return self._finish(reader.report)

        with lock(context.lock_path("sessions")):
            assert context.home is not None
            copies = Copies(context.home)
            try:
                return update(copies)
            except DamagedError as error:
                if not self._discard(error):
                    raise
                return update(copies)

    def list_waiting(self, home: Path | None = None) -> builtins.list[WaitingLog]:
        """Return the logs that have something to index."""
        from crewmem.sessions.logs import list_waiting

        context = self.context
        forgotten = {row[0] for row in context.db.execute("select id from forgotten")}
        return list_waiting(self.open_index(), forgotten, home or Path.home(), context.environ)

    def _finish(self, report: ReadingReport) -> ReadingReport:
        """Warn of what was skipped, and count what waits."""
        for problem in report.problems:
            where = f"{problem.file}:{problem.line}" if problem.line else problem.file
            self.context.warn("log-skipped", f"{where} was skipped: {problem.reason}")
        for kind, number in report.unknown.items():
            lines = count(number, "line")
            self.context.warn("unknown-lines", f"{lines} of the unknown type '{kind}'")
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
    ) -> builtins.list[Learned]:
        """Extract facts from logs; ask again about what waits for a language model.

        What waits is of all sessions, so only operators and jobs ask about it.
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
            UsageError: If the program is unknown, or *after* is no cursor.
        """
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
        """Return the sessions that the actor may see and that meet a condition."""
        db = self.open_index()
        if db is None:
            return []
        access = self.context.access.sessions()
        rows = db.execute(
            f"select {COLUMNS} from sessions where key in (select key from sessions"
            f" where {access.sql} and {condition} order by {order} limit :limit) order by {order}",
            {**access.params, **params, "limit": limit},
        )
        found = []
        for row in rows:
            session = Session(*row)
            session.sidechain, session.logs = bool(session.sidechain), json.loads(row[-2])
            found.append(session)
        return found

    def get(self, prefix: str) -> Session:
        """Return the session that an id, the beginning of one, or the program's id names.

        Raises:
            NotFoundError: If there is none that the actor may see.
        """
        by_native = self._select("native_id = :name", {"name": prefix})
        if by_native:
            return by_native[0]
        found = self._select(
            "id >= :low and id < :high", {"low": prefix, "high": prefix + "\U0010ffff"}, limit=9
        )
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
            prefix: The session; ``s_…:41`` names a turn of it.
            turn: Line of the turn that is wanted; None for the session from its beginning.
            around: Turns before and after it.
            full: Whether outputs are read whole from the log or its copy.
            limit: Most turns without *turn*.

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
            "select turns.key, line, part, at, role, turns.tool, text, flags, exit_status, failed,"
            " turns.log from turns left join calls on calls.turn = turns.key"
            " or calls.result = turns.key"
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
        whole = self._read_whole(db, rows) if full else {}
        turns = []
        for _, line, part, at, role, tool, text, flags, status, failed, log in rows:
            text = remove_recalled(role, whole.get((log, line, part), text))
            # What a person said is supposed to hold instructions.
            safe = self.context.scanner.make_safe(
                text, file=f"{session.id}:{line}", own_tier=role == USER, mark=True
            ).text
            turns.append(
                ShownTurn(
                    ref=f"{session.id}:{line}",
                    line=line,
                    at=at,
                    role=role,
                    tool=tool,
                    text=safe,
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

    def _read_whole(
        self, db: Database, rows: builtins.list[Any]
    ) -> dict[tuple[int, int, int], str]:
        """Read the whole texts of turns from their logs, or the kept copies of those."""
        from crewmem.sessions.copies import read_texts
        from crewmem.sessions.index import SessionIndex

        assert self.context.home is not None
        found: dict[tuple[int, int, int], str] = {}
        wanted: dict[int, set[int]] = {}
        for row in rows:
            wanted.setdefault(row[10], set()).add(row[1])
        logs = {row.key: row for row in SessionIndex(db).list_logs()}
        for key, lines in wanted.items():
            for (line, part), text in read_texts(self.context.home, logs[key], lines).items():
                found[key, line, part] = text
        return found

    def search(
        self,
        query: str,
        *,
        limit: int = 10,
        filters: Mapping[str, Any] | None = None,
        **options: Unpack[SearchOptions],
    ) -> SessionSearch:
        """Search turns; the arguments are those of `SessionFinder.find`."""
        from crewmem.sessions.search import SessionFinder

        finder = SessionFinder(self.context, self.source)
        try:
            return finder.find(query, limit=limit, filters=filters, **options)
        except DamagedError as error:
            if not self.source.discard_damaged(error):
                raise
            return finder.find(query, limit=limit, filters=filters, **options)

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
        """List context losses and what was restored, newest first.

        Raises:
            UsageError: If the program is unknown.
        """
        _check_program(program)
        return list_losses(
            self.context,
            session=session,
            agent=agent,
            program=program,
            since=format_time(since) if since else "",
            until=format_time(until) if until else "",
            limit=limit,
        )

    def find_procedures(self, *, since: datetime | None = None) -> builtins.list[Procedure]:
        """Return what sessions did for each request, for skill candidates."""
        from crewmem.sessions.procedures import find_procedures

        db = self.open_index()
        if db is None:
            return []
        return find_procedures(
            db, self.context.access.sessions(), since=format_time(since) if since else ""
        )

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
            agent: Whose; by default the actor's, or the session's.
            session: Our id or the program's; by default the agent's latest.
            budget: Size of the block.
            mark: How a hook noticed the loss, which is then recorded; "" when a log shows it.
            program: Of the hook.

        Raises:
            CrewmemError: If it cannot be built; the failure is a journal entry.
        """
        from crewmem.prompt.budget import Budget
        from crewmem.sessions.recovery import restore_context

        access = self.context.access
        if agent and not access.is_operator and agent != access.actor.name:
            access.require_operator("recover another agent's context")
        agent = agent or (None if access.is_operator else access.actor.name)
        found = None
        if session:
            with suppress(NotFoundError, UsageError):  # hooks tell of one that is not indexed yet
                found = self.get(session)
        else:
            latest = self.list(agent=agent or "", limit=10).sessions
            found = next((each for each in latest if not each.sidechain), None)
        if not program:
            self._require_own(agent, session, found)
        lost = Lost(
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
        """Raise an error for an unknown session, and for one of another agent."""
        if found is not None and agent and session and found.agent != agent:
            owner = f"agent {found.agent}" if found.agent else "the operator"
            raise UsageError(f"{found.id} is a session of {owner}", code="session-of-another")
        if not session or found is not None:
            return
        notes = self._home.facts.list(scope="session", session=session, limit=1).facts
        if not notes and not list_losses(self.context, session=session, limit=1):
            raise NotFoundError(
                f"there is no session '{session}'",
                code="session-not-found",
                hint=self.context.command("sessions list"),
            )

    # Forgetting

    def plan_forget(self, prefix: str = "", *, before: datetime | None = None) -> ForgetPlan:
        """Say what forgetting a session, or all that ended before a time, would erase.

        Raises:
            UsageError: Unless exactly one of both is given.
            NotFoundError: If there is no such session.
        """
        from crewmem.sessions.forgetting import make_plan

        if bool(prefix) == (before is not None):
            raise UsageError("name a session, or a time with --before", code="nothing-named")
        sessions: builtins.list[Session] = []
        if prefix:
            chosen = self.get(prefix)
            sessions = [chosen]
            if chosen.native_id:  # and those of its sub-agents, where they are named after it
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
        """Erase copies, index and facts of sessions; their logs are not read again.

        The logs themselves are the programs'. Killed at any point, the same call finishes it.
        """
        from crewmem.sessions.forgetting import forget

        index = self._open_for_writing()
        forget(self._home, index, plan)
