"""Sync: update the index and the kept copies from the logs."""

from __future__ import annotations

import json
import os
from collections.abc import Callable, Mapping
from contextlib import closing
from pathlib import Path
from typing import Any, BinaryIO

from crewmem.context import Context
from crewmem.errors import STORAGE_FAILED, CrewmemError, RefusedError
from crewmem.registry.membership import find_agents_in, find_membership, get_membership
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
from crewmem.sessions.reading_report import ReadingReport
from crewmem.sessions.turns import State
from crewmem.sessions.writer import LogWriter, RecordLoss
from crewmem.storage.filesystem import SkippedFile
from crewmem.storage.sqlite import transaction

FIRST_CHUNK = 64 << 10
"""Bytes of a new log that are read before its owner is determined."""


class OwnerFinder:
    """Finds the owner of a session.

    It is the first of: the agent that the caller names, the agent of the setting
    ``sessions.agents``, the agent that the program names, the only agent with the session's
    project, the operator.
    """

    def __init__(self, context: Context, agent: str | None) -> None:
        self.context = context
        self._by_project: dict[str, SessionOwner | None] = {}
        access = context.access
        if agent and not access.is_operator and agent != access.actor.name:
            raise RefusedError(
                f"{access.actor} may not read sessions of '{agent}': agents read their own",
                code="out-of-scope",
            )
        self._named = self._make_owner(agent) if agent else None

    def find(self, state: State) -> SessionOwner | None:
        """Return the owner; None if it is in another workspace or hidden from the actor."""
        if self._named:
            return self._named
        key = f"{state.agent}\0{state.project}"
        if key not in self._by_project:
            self._by_project[key] = self._look_up(state)
        owner = self._by_project[key]
        access = self.context.access
        if owner is not None and not access.is_operator and owner.agent != access.actor.name:
            return None
        return owner

    def _look_up(self, state: State) -> SessionOwner | None:
        context = self.context
        named = ""
        longest = -1
        for entry in context.settings["sessions.agents"]:
            directory, _, actor = str(entry).partition("=")
            directory = os.path.abspath(os.path.expanduser(directory.strip()))
            inside = f"{state.project}/".startswith(f"{directory.rstrip('/')}/")
            if inside and len(directory) > longest:
                named, longest = actor.strip().rpartition(":")[2], len(directory)
        if named:
            return self._make_owner(named)
        if state.agent and find_membership(context.db, context.workspace, state.agent):
            return self._make_owner(state.agent)
        if state.project and context.home is not None:
            found = find_agents_in(context.db, context.home, Path(state.project))
            mine = [slug for workspace, slug in found if workspace == context.workspace]
            if len(mine) == 1:
                return self._make_owner(mine[0])
            if found and not mine:
                return None
        return SessionOwner(context.workspace, None, None)

    def _make_owner(self, slug: str) -> SessionOwner:
        context = self.context
        return SessionOwner(context.workspace, slug, get_membership(context, slug).home_crew)


class Synchronizer:
    """Reads logs into an index.

    Args:
        record_loss: Records a context loss.
        copies: The kept copies to update; None for none.
        from_now: Whether to skip the present content of new logs.
        session: Id of the only session to read; "" for all.
        progress: Called with the number of bytes examined so far, and 0.

    Attributes:
        read_logs: Logs with new content that have turns.
        moved: Ids of logs of forgotten sessions that have another path than when forgotten.
    """

    def __init__(
        self,
        context: Context,
        index: SessionIndex,
        owners: OwnerFinder,
        *,
        record_loss: RecordLoss,
        copies: Copies | None,
        from_now: bool,
        session: str,
        progress: Callable[[int, int], None] | None,
    ) -> None:
        self.context, self.index, self.owners = context, index, owners
        self.copies, self.record_loss = copies, record_loss
        self.from_now, self.session = from_now, session
        self.forgotten = {row[0] for row in context.db.execute("select id from forgotten")}
        self._progress = progress or (lambda done, total: None)
        self._looked_at = 0
        self.report = ReadingReport()
        self.read_logs: list[LogRow] = []
        self.moved: list[str] = []

    def read_all(self, roots: Roots) -> None:
        """Read every log below *roots* that changed; the report names what cannot be read."""
        for found in find_logs(roots):
            if isinstance(found, SkippedFile):
                self.report.skip(found.relative, 0, found.reason)
            elif self._is_wanted(found.path):
                self.read_file(found)
                self._looked_at += found.status.st_size
                self._progress(self._looked_at, 0)

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
        row = self.index.find_log(path)
        workspace = self.context.workspace
        if row is not None and row.session is not None and row.workspace_id != workspace:
            return
        seen = (status.st_size, status.st_mtime_ns, status.st_ino)
        if row is not None and (row.size, row.mtime_ns, row.inode) == seen:
            self.report.unchanged += 1
            return
        with open_log(found.path) as file:
            if row is not None and not is_same_log(row, file):
                row = self._new_row(path, "", row.generation + 1)
            row = row or self._new_row(path)
            if self._is_forgotten(row):
                return
            format_ = get_format(row.program) if row.program else detect_format(file, found.format)
            if format_ is None:
                if status.st_size:
                    self.report.skip(str(found.path), 0, NOT_A_LOG)
                return
            state = State(**json.loads(row.state)) if row.state else format_.make_state(Path(path))
            row = row._replace(program=format_.name, device=status.st_dev, inode=status.st_ino)
            if not row.offset:
                # Read from the start: the log is new, or was only known from its kept copy.
                row = row._replace(line=0, copy_size=0)
            writer = LogWriter(self.index, row, format_, state, self.record_loss)
            if self.from_now and not row.key:
                for chunk in read_chunks(file):
                    row = row._replace(offset=chunk.end, line=chunk.last)
                writer.flush(_mark_read(row, file, status))
            else:
                self._read_lines_to_end(writer, row, file, status)

    def _read_lines_to_end(
        self, writer: LogWriter, row: LogRow, file: BinaryIO, status: os.stat_result
    ) -> None:
        """Read a log from its cursor to its end, chunk by chunk."""
        before, size = row.offset, CHUNK_BYTES if row.offset else FIRST_CHUNK
        while chunk := next(read_chunks(file, row.offset, row.line, size=size), None):
            size = CHUNK_BYTES
            self._read_chunk(writer, chunk)
            if not self._find_owner(writer):
                return
            row = row._replace(offset=chunk.end, line=chunk.last)
            if self.copies is not None:
                self._describe_copy(self.copies, writer, row, {})
                copy_size = self.copies.append(row.id, chunk.data, size=row.copy_size)
                self.report.copied += copy_size - row.copy_size
                row = row._replace(copy_size=copy_size)
            # A size of -1 marks the log as changed, in case this run is killed.
            row = writer.flush(_mark_read(row, file, status)._replace(size=-1))
        row = writer.flush(_mark_read(row, file, status))
        if row.offset > before:
            self._count_log(writer, row)

    def _is_forgotten(self, row: LogRow) -> bool:
        """Return whether a log is of a forgotten session; if so, count it."""
        if row.id not in self.forgotten:
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
        row = self.index.find_log(found.name)
        fingerprint = f"{found.status.st_size}:{found.status.st_mtime_ns}"
        if not self._is_unchanged(row, fingerprint):
            format_, document = load_document(found)
            row = row or self._new_row(found.name)
            self._write_document(found, format_, document, row._replace(fingerprint=fingerprint))

    def _read_session(self, found: FoundLog, format_: Format, inner: InnerSession) -> None:
        """Read one session of a file with several, if it changed."""
        session = make_session_id(format_.name, inner.id)
        if self.session not in ("", inner.id, session):
            return
        row = self.index.find_log(found.name, inner.id)
        if self._is_unchanged(row, inner.fingerprint):
            return
        if session in self.forgotten:
            self.report.forgotten += 1
            return
        if row is None and format_.is_partial(found.path) and self.index.has_session(inner.id):
            return  # read from its log before the program deleted that
        row = (row or self._new_row(found.name, inner.id))._replace(fingerprint=inner.fingerprint)
        self._write_document(found, format_, inner.load(), row)

    def _is_unchanged(self, row: LogRow | None, fingerprint: str) -> bool:
        """Return whether a document is unchanged since it was read; if so, count it."""
        if row is None or row.fingerprint != fingerprint:
            return False
        self.report.unchanged += 1
        return True

    def _write_document(
        self, found: FoundLog, format_: Format, document: Document, row: LogRow
    ) -> None:
        """Replace the indexed turns and the kept copy of a document."""
        if row.workspace_id != self.context.workspace or self._is_forgotten(row):
            return
        status, state = found.status, document.state
        state.project = state.project or format_.make_state(found.path).project
        head = state.dump()
        state.session = state.session or row.inner or found.path.stem
        row = row._replace(
            program=format_.name,
            size=status.st_size,
            mtime_ns=status.st_mtime_ns,
            device=status.st_dev,
            inode=status.st_ino,
            line=len(document.records),
        )
        writer = LogWriter(self.index, row, format_, state, self.record_loss)
        if self.from_now and not row.key:
            writer.flush(row._replace(offset=len(document.records)))
            return
        records = document.records[row.offset :]
        for position, record in enumerate(records, start=row.offset):
            writer.read(record, position)
        if not self._find_owner(writer):
            return
        if self.copies is not None:
            self._describe_copy(self.copies, writer, row, head)
            size = self.copies.replace(row.id, records, skipped=row.offset)
            self.report.copied += size
            row = row._replace(copy_size=size)
        with transaction(self.index.db):
            if row.key and row.session:
                writer.added -= self.index.delete_turns(row.key, row.session)
            row = writer.flush(row)
        self._count_log(writer, row)

    # Kept copies

    def read_copies(self, copies: Copies) -> None:
        """Index kept copies whose logs are not in the index, after the index was deleted."""
        known = {row.id for row in self.index.list_logs()} | self.forgotten
        for info in copies.list(without=known):
            if info.workspace == self.context.workspace:
                self._read_copy(copies, info)

    def _read_copy(self, copies: Copies, info: CopyInfo) -> None:
        # Size -1 and offset 0: if the log reappears, it is read from the start.
        row = self._new_row(info.path, info.inner, info.generation)._replace(
            program=info.program, size=-1, copy_size=copies.size(info.id)
        )
        format_ = get_format(info.program)
        state = State(**info.state) if row.is_document else format_.make_state(Path(info.path))
        if row.is_document:
            state.session = state.session or info.inner or Path(info.path).stem
        writer = LogWriter(self.index, row, format_, state, self.record_loss)
        writer.owner = SessionOwner(info.workspace, info.agent, info.crew)
        try:
            with closing(copies.open(info.id)) as file:
                for chunk in read_chunks(file):
                    self._read_chunk(writer, chunk, before=int(row.is_document))
                    row = writer.flush(row._replace(line=chunk.last))
        except CrewmemError as error:
            if error.code in STORAGE_FAILED:
                raise
            self.report.skip(info.path, 0, error.message)
        self._count_log(writer, row)

    def _find_owner(self, writer: LogWriter) -> bool:
        """Set the owner of a log; return False if the log must not be indexed.

        That is so for forgotten sessions, other workspaces and sessions hidden from the actor.
        """
        writer.owner = self.owners.find(writer.state)
        if writer.session is not None:
            return True
        log, native = writer.log, writer.state.session
        if native and make_session_id(log.program, native) in self.forgotten:
            self.moved.append(log.id)
            self.report.forgotten += 1
            return False
        if writer.owner is None:
            self.report.others += 1
            return False
        return True

    def _describe_copy(
        self, copies: Copies, writer: LogWriter, row: LogRow, head: Mapping[str, Any]
    ) -> None:
        """Write the description of a new copy. It comes before the copy, in case the run is killed.

        Args:
            head: State from the head of a document.
        """
        if not row.copy_size and writer.owner is not None:
            log = (row.id, row.path, row.inner, row.generation, row.program)
            copies.describe(CopyInfo(*log, *writer.owner, dict(head)))

    # Rows

    def _is_wanted(self, path: Path) -> bool:
        """Return whether a file may contain the wanted session."""
        if not self.session or path.suffix in (".sqlite", ".db"):
            return True
        if self.session in path.name or self.session in path.parent.name:
            return True
        return bool(
            self.index.db.value(
                "select 1 from logs join sessions on sessions.key = logs.session"
                " where path = ? and ? in (sessions.id, native_id)",
                (str(path), self.session),
            )
        )

    def _new_row(self, path: str, inner: str = "", generation: int = 0) -> LogRow:
        identifier = make_log_id(path, inner, generation)
        return LogRow(0, identifier, path, inner, generation, "", self.context.workspace)

    def _count_log(self, writer: LogWriter, row: LogRow) -> None:
        """Count a log that was read."""
        report = self.report
        report.read += 1
        report.turns += writer.added
        report.losses += writer.losses
        if row.session:
            self.read_logs.append(row)
        for kind, count in writer.state.unknown.items():
            report.unknown[kind] = report.unknown.get(kind, 0) + count


def _mark_read(row: LogRow, file: BinaryIO, status: os.stat_result) -> LogRow:
    """Return *row* with the hash, size and time that identify the file as read to the cursor."""
    mark, mtime_ns = compute_mark(file, row.offset), status.st_mtime_ns
    return row._replace(mark=mark, size=status.st_size, mtime_ns=mtime_ns)
