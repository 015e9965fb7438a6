"""Bringing the index and the kept copies up to date with the logs."""

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
from crewmem.sessions.formats import FORMATS, Document, Format, get_format
from crewmem.sessions.index import (
    LogRow,
    SessionIndex,
    SessionOwner,
    make_log_id,
    make_session_id,
)
from crewmem.sessions.logs import (
    CHUNK_BYTES,
    NO_LOG,
    Chunk,
    FoundLog,
    Roots,
    find_logs,
    is_same,
    load_document,
    mark_place,
    open_log,
    read_chunks,
    sniff_format,
)
from crewmem.sessions.reading_report import ReadingReport
from crewmem.sessions.turns import State
from crewmem.sessions.writer import LogWriter
from crewmem.storage.filesystem import SkippedFile
from crewmem.storage.sqlite import transaction

FIRST_CHUNK = 64 << 10
"""Bytes of a new log that are read before its owner is looked up."""


class OwnerFinder:
    """Finds the owner of a session.

    The first of these: the agent that the caller names, the one of the setting
    ``sessions.agents``, the one that the program names, the one with the session's project; else
    the operator.
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
        """Return the owner of a session; None if another workspace's or hidden from the actor."""
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
        copies: Where kept copies are; None keeps none.
        from_now: Whether what is there already is skipped.
        session: Only this session.
        progress: Told how many bytes were looked at, and 0.

    Attributes:
        report: What was done.
        read_logs: The logs that had something new.
        moved: Ids of logs that were not known as those of a forgotten session: they were moved.
    """

    def __init__(
        self,
        context: Context,
        index: SessionIndex,
        owners: OwnerFinder,
        *,
        copies: Copies | None,
        from_now: bool,
        session: str,
        progress: Callable[[int, int], None] | None,
    ) -> None:
        self.context, self.index, self.owners = context, index, owners
        self.copies = copies
        self.from_now, self.session = from_now, session
        self.forgotten = {row[0] for row in context.db.execute("select id from forgotten")}
        self._progress = progress or (lambda done, total: None)
        self._looked_at = 0
        self.report = ReadingReport()
        self.read_logs: list[LogRow] = []
        self.moved: list[str] = []

    def read_all(self, roots: Roots) -> None:
        """Read every log below *roots* that has something new; what cannot be read is noted."""
        for found in find_logs(roots):
            if isinstance(found, SkippedFile):
                self.report.skip(found.relative, 0, found.reason)
            elif self._is_wanted(found.path):
                self.read_file(found)
                self._looked_at += found.status.st_size
                self._progress(self._looked_at, 0)

    def read_file(self, found: FoundLog) -> None:
        """Read what is new in a file."""
        try:
            for format_ in [found.format] if found.format else FORMATS:
                fingerprints = format_.list_sessions(found.path)
                if fingerprints is not None:
                    for inner, fingerprint in fingerprints.items():
                        self._read_session(found, format_, inner, fingerprint)
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
            if row is not None and not is_same(row, file):
                row = self._new_row(path, "", row.generation + 1)
            row = row or self._new_row(path)
            if self._is_forgotten(row):
                return
            format_ = get_format(row.program) if row.program else sniff_format(file, found.format)
            if format_ is None:
                if status.st_size:
                    self.report.skip(str(found.path), 0, NO_LOG)
                return
            state = State(**json.loads(row.state)) if row.state else format_.begin(Path(path))
            row = row._replace(program=format_.name, device=status.st_dev, inode=status.st_ino)
            if not row.offset:
                row = row._replace(line=0, copy_size=0)  # it came back, and is read and copied anew
            writer = LogWriter(self.index, row, format_, state)
            if self.from_now and not row.key:
                for chunk in read_chunks(file):
                    row = row._replace(offset=chunk.end, line=chunk.last)
                writer.flush(_with_marks(row, file, status))
            else:
                self._read_on(writer, row, file, status)

    def _read_on(
        self, writer: LogWriter, row: LogRow, file: BinaryIO, status: os.stat_result
    ) -> None:
        """Read a log from its cursor to its end, chunk by chunk."""
        before, size = row.offset, CHUNK_BYTES if row.offset else FIRST_CHUNK
        while chunk := next(read_chunks(file, row.offset, row.line, size=size), None):
            size = CHUNK_BYTES
            self._read_chunk(writer, chunk)
            if not self._may_write(writer):
                return
            row = row._replace(offset=chunk.end, line=chunk.last)
            if self.copies is not None:
                self._describe_copy(self.copies, writer, row, {})
                copy_size = self.copies.append(row.id, chunk.data, size=row.copy_size)
                self.report.copied += copy_size - row.copy_size
                row = row._replace(copy_size=copy_size)
            # Until all is read, the size says that it is not.
            row = writer.flush(_with_marks(row, file, status)._replace(size=-1))
        row = writer.flush(_with_marks(row, file, status))
        if row.offset > before:
            self._finish(writer, row)

    def _is_forgotten(self, row: LogRow) -> bool:
        """Tell whether a log is of a session that was forgotten, and count it."""
        if row.id not in self.forgotten:
            return False
        self.report.forgotten += 1
        return True

    def _read_chunk(self, writer: LogWriter, chunk: Chunk, *, before: int = 0) -> None:
        """Read the turns of lines, and note what is not readable.

        Args:
            before: Lines that stand before the message with the number 0, of a document's copy.
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
        if not self._is_known(row, fingerprint):
            format_, document = load_document(found)
            row = row or self._new_row(found.name)
            self._write_document(found, format_, document, row._replace(fingerprint=fingerprint))

    def _read_session(self, found: FoundLog, format_: Format, inner: str, fingerprint: str) -> None:
        """Read one of the sessions that a file holds, if it changed."""
        session = make_session_id(format_.name, inner)
        if self.session not in ("", inner, session):
            return
        row = self.index.find_log(found.name, inner)
        if self._is_known(row, fingerprint):
            return
        if session in self.forgotten:
            self.report.forgotten += 1
            return
        if row is None and format_.is_digest(found.path) and self.index.has_session(inner):
            return  # from its log, which is gone
        row = row or self._new_row(found.name, inner)
        document = format_.load_session(found.path, inner)
        self._write_document(found, format_, document, row._replace(fingerprint=fingerprint))

    def _is_known(self, row: LogRow | None, fingerprint: str) -> bool:
        """Tell whether a document is as it was read, and count it."""
        if row is None or row.fingerprint != fingerprint:
            return False
        self.report.unchanged += 1
        return True

    def _write_document(
        self, found: FoundLog, format_: Format, document: Document, row: LogRow
    ) -> None:
        """Replace what is indexed of a document."""
        if row.workspace_id != self.context.workspace or self._is_forgotten(row):
            return
        status, state = found.status, document.state
        state.project = state.project or format_.begin(found.path).project
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
        writer = LogWriter(self.index, row, format_, state)
        if self.from_now and not row.key:
            writer.flush(row._replace(offset=len(document.records)))
            return
        records = document.records[row.offset :]
        for position, record in enumerate(records, start=row.offset):
            writer.read(record, position)
        if not self._may_write(writer):
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
        self._finish(writer, row)

    # Kept copies

    def read_copies(self, copies: Copies) -> None:
        """Index the logs that only kept copies are left of: the index was made anew."""
        known = {row.id for row in self.index.list_logs()} | self.forgotten
        for info in copies.list(without=known):
            if info.workspace == self.context.workspace:
                self._read_copy(copies, info)

    def _read_copy(self, copies: Copies, info: CopyInfo) -> None:
        # The next reading of the log, if it comes back, begins anew.
        row = self._new_row(info.path, info.inner, info.generation)._replace(
            program=info.program, size=-1, copy_size=copies.size(info.id)
        )
        format_ = get_format(info.program)
        state = State(**info.state) if row.is_document else format_.begin(Path(info.path))
        if row.is_document:
            state.session = state.session or info.inner or Path(info.path).stem
        writer = LogWriter(self.index, row, format_, state)
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
        self._finish(writer, row)

    def _may_write(self, writer: LogWriter) -> bool:
        """Find the owner of a log; tell whether it is for this workspace and not forgotten."""
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
        """Write what a new copy is of, before the copy: a run may be killed after it.

        Args:
            head: What the head of a document says.
        """
        if not row.copy_size and writer.owner is not None:
            place = (row.id, row.path, row.inner, row.generation, row.program)
            copies.describe(CopyInfo(*place, *writer.owner, dict(head)))

    # Rows

    def _is_wanted(self, path: Path) -> bool:
        """Tell whether a file may hold the wanted session."""
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

    def _finish(self, writer: LogWriter, row: LogRow) -> None:
        """Count a log that was read."""
        report = self.report
        report.read += 1
        report.turns += writer.added
        report.losses += writer.losses
        self.read_logs.append(row)
        for kind, count in writer.state.unknown.items():
            report.unknown[kind] = report.unknown.get(kind, 0) + count


def _with_marks(row: LogRow, file: BinaryIO, status: os.stat_result) -> LogRow:
    """Return *row* with the marks by which the file is known again, and as unchanged."""
    mark, mtime_ns = mark_place(file, row.offset), status.st_mtime_ns
    return row._replace(mark=mark, size=status.st_size, mtime_ns=mtime_ns)
