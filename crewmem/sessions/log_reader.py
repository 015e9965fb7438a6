"""Reading logs into the index and the kept copies."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from contextlib import closing
from pathlib import Path
from typing import Any, BinaryIO

from crewmem.context import Context
from crewmem.errors import STORAGE_FAILED, CrewmemError, RefusedError
from crewmem.registry.membership import find_membership
from crewmem.sessions.copies import Copies, CopyInfo
from crewmem.sessions.formats import FORMATS, Document, Format, InnerSession, get_format
from crewmem.sessions.index import (
    LogRow,
    SessionIndex,
    SessionOwner,
    make_log_id,
    make_session_id,
)
from crewmem.sessions.logs import (
    CHUNK_BYTES,
    NOT_A_LOG,
    Chunk,
    FoundLog,
    Roots,
    compute_mark,
    detect_format,
    find_logs,
    is_same_log,
    load_document,
    open_log,
    read_chunks,
)
from crewmem.sessions.owners import find_owner, make_owner
from crewmem.sessions.reading_report import ReadingReport
from crewmem.sessions.turns import State
from crewmem.sessions.writer import LogWriter, RecordLoss
from crewmem.storage.filesystem import SkippedFile
from crewmem.storage.sqlite import transaction

FIRST_CHUNK = 64 << 10
"""Bytes of a new log that are read before its owner is determined."""


class LogReader:
    """Reads logs into an index.

    Attributes:
        read_logs: Logs with new content that have turns.
        moved: Ids of logs of forgotten sessions that have another path than when forgotten.
    """

    def __init__(
        self,
        context: Context,
        index: SessionIndex,
        *,
        agent: str | None,
        record_loss: RecordLoss,
        copies: Copies | None,
        from_now: bool,
        session: str,
        progress: Callable[[int, int], None] | None,
    ) -> None:
        """Prepare to read logs.

        Args:
            agent: Owner of the sessions; None to determine it for each.
            record_loss: Records a context loss.
            copies: The kept copies to update; None for none.
            from_now: Whether to skip the present content of new logs.
            session: Id of the only session to read; "" for all.
            progress: Called with the number of bytes examined so far, and 0.

        Raises:
            CrewmemError: If there is no such agent, or the actor may not read its sessions.
        """
        access = context.access
        if agent and not access.is_operator and agent != access.actor.name:
            raise RefusedError(
                f"{access.actor} may not read sessions of '{agent}': agents read their own",
                code="out-of-scope",
            )
        self.context, self.index = context, index
        self.owner = make_owner(context, agent) if agent else None
        self.copies, self.record_loss = copies, record_loss
        self.from_now, self.session = from_now, session
        self.forgotten = set(context.db.column("select id from forgotten"))
        rows = context.db.execute("select log_id, offset, line, mark from skipped_logs")
        self._skipped = {log_id: beginning for log_id, *beginning in rows}
        self.newly_skipped: list[LogRow] = []
        self._progress = progress or (lambda done, total: None)
        self.report = ReadingReport()
        self.read_logs: list[LogRow] = []
        self.moved: list[str] = []

    def read_all(self, roots: Roots) -> None:
        """Read every log below *roots* that changed; the report names what cannot be read."""
        examined = 0
        for found in find_logs(roots):
            if isinstance(found, SkippedFile):
                self.report.skip(found.relative, 0, found.reason)
            elif self._is_wanted(found.path):
                self.read_file(found)
                examined += found.status.st_size
                self._progress(examined, 0)

    def read_file(self, found: FoundLog) -> None:
        """Read the new content of a file, which is a log, a document or a database."""
        try:
            for format_ in [found.format] if found.format else FORMATS:
                sessions = format_.list_sessions(found.path)
                if sessions is not None:
                    for each in sessions:
                        self._read_session(found, format_, each)
                    return
            if found.path.suffix == ".json":
                self._read_document(found)
            else:
                self._read_lines(found)
        except CrewmemError as error:
            if error.code in STORAGE_FAILED:
                raise
            self.report.skip(str(found.path), 0, error.message)
        except OSError as error:
            self.report.skip(str(found.path), 0, (error.strerror or str(error)).lower())

    # Logs of lines

    def _read_lines(self, found: FoundLog) -> None:
        path, status = found.name, found.status
        log = self.index.find_log(path)
        if log is not None:
            if log.session is not None and log.workspace_id != self.context.workspace:
                return
            if (log.size, log.mtime_ns, log.inode) == (
                status.st_size,
                status.st_mtime_ns,
                status.st_ino,
            ):
                self.report.unchanged += 1
                return
        with open_log(found.path) as file:
            if log is None:
                log = self._new_log(path)
            elif not is_same_log(log, file):
                log = self._new_log(path, "", log.generation + 1)
            if self._is_forgotten(log.id):
                return
            format_ = get_format(log.program) if log.program else detect_format(file, found.format)
            if format_ is None:
                if status.st_size:
                    self.report.skip(str(found.path), 0, NOT_A_LOG)
                return
            state = State(**json.loads(log.state)) if log.state else format_.make_state(Path(path))
            log.program, log.inode = format_.name, status.st_ino
            if not log.offset:
                # Read from the start: the log is new, or was only known from its kept copy.
                log.line = log.copy_size = 0
                offset, line, mark = self._skipped.get(log.id, (0, 0, ""))
                if compute_mark(file, offset) == mark:  # else it is another log by now
                    log.offset, log.line = offset, line
            writer = LogWriter(self.index, log, format_, state, self.record_loss)
            if self.from_now and not log.key:
                for chunk in read_chunks(file):
                    log.offset, log.line = chunk.end, chunk.last
                self.newly_skipped.append(log)
            elif not self._read_new_lines(writer, file):
                return
            log.mark, log.size, log.mtime_ns = (
                compute_mark(file, log.offset),
                status.st_size,
                status.st_mtime_ns,
            )
            writer.flush()

    def _read_new_lines(self, writer: LogWriter, file: BinaryIO) -> bool:
        """Read a log from its cursor to its end, chunk by chunk.

        Returns:
            False if the log must not be indexed.
        """
        log = writer.log
        before, size = log.offset, CHUNK_BYTES if log.offset else FIRST_CHUNK
        while chunk := next(read_chunks(file, log.offset, log.line, size=size), None):
            size = CHUNK_BYTES
            self._read_chunk(writer, chunk)
            if not self._find_owner(writer):
                return False
            if self.copies is not None:
                self._describe_copy(self.copies, writer, {})
                data = chunk.data if log.copy_size else b"\n" * log.line + chunk.data
                copy_size = self.copies.append(log.id, data, size=log.copy_size)
                self.report.copied += copy_size - log.copy_size
                log.copy_size = copy_size
            log.offset, log.line = chunk.end, chunk.last
            # A size of -1 marks the log as changed, in case this run is killed.
            log.mark, log.size = compute_mark(file, log.offset), -1
            writer.flush()
        if log.offset > before:
            self._count_log(writer)
        return True

    def _is_forgotten(self, identifier: str) -> bool:
        """Return whether a session or log is forgotten; if so, count it."""
        if identifier not in self.forgotten:
            return False
        self.report.forgotten += 1
        return True

    def _read_chunk(self, writer: LogWriter, chunk: Chunk, *, before: int = 0) -> None:
        """Read the turns of a chunk; the report names unreadable lines.

        Args:
            before: Number to subtract from line numbers: 1 for the copy of a document, whose
                messages count from 0.
        """
        for number, record, problem in chunk.parse():
            if record is None:
                self.report.skip(writer.log.path, number, problem)
            else:
                writer.read(record, number - before)

    # Documents

    def _read_document(self, found: FoundLog) -> None:
        fingerprint = f"{found.status.st_size}:{found.status.st_mtime_ns}"
        log = self.index.find_log(found.name)
        if not self._is_unchanged(log, fingerprint):
            format_, document = load_document(found)
            self._write_document(found, format_, document, log, fingerprint)

    def _read_session(self, found: FoundLog, format_: Format, inner: InnerSession) -> None:
        """Read one session of a file with several, if it changed."""
        session = make_session_id(format_.name, inner.id)
        if self.session not in ("", inner.id, session):
            return
        log = self.index.find_log(found.name, inner.id)
        if self._is_unchanged(log, inner.fingerprint) or self._is_forgotten(session):
            return
        if log is None and format_.is_partial(found.path) and self.index.has_session(inner.id):
            return  # read from its log before the program deleted that
        log = log or self._new_log(found.name, inner.id)
        self._write_document(found, format_, inner.load(), log, inner.fingerprint)

    def _is_unchanged(self, log: LogRow | None, fingerprint: str) -> bool:
        """Return whether a document is unchanged since it was read; if so, count it."""
        if log is None or log.fingerprint != fingerprint:
            return False
        self.report.unchanged += 1
        return True

    def _write_document(
        self,
        found: FoundLog,
        format_: Format,
        document: Document,
        log: LogRow | None,
        fingerprint: str,
    ) -> None:
        """Replace the indexed turns and the kept copy of a document."""
        log = log or self._new_log(found.name)
        if log.workspace_id != self.context.workspace or self._is_forgotten(log.id):
            return
        status, state = found.status, document.state
        state.project = state.project or format_.make_state(found.path).project
        head = state.dump()
        state.session = state.session or log.inner or found.path.stem
        log.program, log.fingerprint, log.line = format_.name, fingerprint, len(document.records)
        log.size, log.mtime_ns = status.st_size, status.st_mtime_ns
        writer = LogWriter(self.index, log, format_, state, self.record_loss)
        if self.from_now and not log.key:
            log.offset = len(document.records)
            self.newly_skipped.append(log)
            writer.flush()
            return
        log.offset, *_ = self._skipped.get(log.id, (log.offset,))
        records = document.records[log.offset :]
        for position, record in enumerate(records, start=log.offset):
            writer.read(record, position)
        if not self._find_owner(writer):
            return
        if self.copies is not None:
            self._describe_copy(self.copies, writer, head)
            log.copy_size = self.copies.replace(log.id, records, skipped=log.offset)
            self.report.copied += log.copy_size
        with transaction(self.index.db):
            if log.key and log.session:
                writer.added -= self.index.delete_turns(log.key, log.session)
            writer.flush()
        self._count_log(writer)

    # Kept copies

    def read_copies(self, copies: Copies) -> None:
        """Index kept copies whose logs are not in the index, after the index was deleted."""
        known = {log.id for log in self.index.list_logs()} | self.forgotten
        for info in copies.list(without=known):
            if info.workspace == self.context.workspace:
                self._read_copy(copies, info)

    def _read_copy(self, copies: Copies, info: CopyInfo) -> None:
        log = self._new_log(info.path, info.inner, info.generation)
        log.program, log.copy_size = info.program, copies.size(info.id)
        log.size = -1  # with offset 0: if the log reappears, it is read from the start
        format_ = get_format(info.program)
        state = format_.make_state(Path(info.path))
        if log.is_document:
            state = State(**info.state)
            state.session = state.session or info.inner or Path(info.path).stem
        writer = LogWriter(self.index, log, format_, state, self.record_loss)
        writer.owner = SessionOwner(info.workspace, info.agent, info.crew)
        try:
            with closing(copies.open(info.id)) as file:
                for chunk in read_chunks(file):
                    self._read_chunk(writer, chunk, before=int(log.is_document))
                    log.line = chunk.last
                    writer.flush()
        except CrewmemError as error:
            if error.code in STORAGE_FAILED:
                raise
            self.report.skip(info.path, 0, error.message)
        self._count_log(writer)

    def _describe_copy(self, copies: Copies, writer: LogWriter, head: Mapping[str, Any]) -> None:
        """Write the description of a new copy. It comes before the copy, in case the run is killed.

        Until the log has a turn, a later line may name a project, and so another owner.

        Args:
            head: State from the head of a document.
        """
        log = writer.log
        if writer.owner is not None and not (log.copy_size and log.session):
            about = (log.id, log.path, log.inner, log.generation, log.program)
            copies.describe(CopyInfo(*about, *writer.owner, dict(head)))

    # Logs

    def _find_owner(self, writer: LogWriter) -> bool:
        """Set the owner of a log; return False if the log must not be indexed.

        That is so for forgotten sessions, other workspaces and sessions hidden from the actor.
        """
        access, log, state = self.context.access, writer.log, writer.state
        former = None if log.session else self._find_former_owner(log.id)
        owner = self.owner or former or find_owner(self.context, state)
        if former and former.workspace != self.context.workspace:
            owner = None
        if owner and not self.owner and not access.is_operator and owner.agent != access.actor.name:
            owner = None
        writer.owner = owner
        if log.session is not None:
            return True
        if state.session and self._is_forgotten(make_session_id(log.program, state.session)):
            self.moved.append(log.id)
            return False
        if owner is None:
            self.report.others += 1
            return False
        return True

    def _find_former_owner(self, log_id: str) -> SessionOwner | None:
        """Return the agent or other workspace that owned a session before the index was deleted."""
        context = self.context
        info = self.copies.load_info(log_id) if self.copies is not None else None
        workspace = (
            info.workspace
            if info
            else context.db.value(
                "select workspace_id from extraction_cursors where log_id = ?", (log_id,)
            )
        )
        if workspace not in (None, context.workspace):
            return SessionOwner(workspace, None, None)
        if info and info.agent and find_membership(context.db, info.workspace, info.agent):
            return make_owner(context, info.agent)
        return None

    def _is_wanted(self, path: Path) -> bool:
        """Return whether a file may contain the wanted session."""
        if not self.session or path.suffix in (".sqlite", ".db"):
            return True
        if any(self.session in part for part in path.parts[-3:]):  # of a sub-agent, the directory
            return True
        return bool(
            self.index.db.value(
                "select 1 from logs join sessions on sessions.key = logs.session"
                " where path = ? and ? in (sessions.id, native_id)",
                (str(path), self.session),
            )
        )

    def _new_log(self, path: str, inner: str = "", generation: int = 0) -> LogRow:
        identifier = make_log_id(path, inner, generation)
        return LogRow(0, identifier, path, inner, generation, "", self.context.workspace)

    def _count_log(self, writer: LogWriter) -> None:
        """Count a log that was read."""
        report = self.report
        report.read += 1
        report.turns += writer.added
        report.losses += writer.losses
        if writer.log.session:
            self.read_logs.append(writer.log)
        for kind, count in writer.state.unknown.items():
            report.unknown[kind] = report.unknown.get(kind, 0) + count
