"""Bringing the index and the kept copies up to date with the logs."""

from __future__ import annotations

import json
import os
from collections.abc import Callable, Iterator, Mapping
from contextlib import closing
from dataclasses import dataclass, field
from pathlib import Path
from typing import BinaryIO

from crewmem.context import Context
from crewmem.errors import STORAGE_FAILED, CrewmemError, NotFoundError, RefusedError
from crewmem.ids import is_id
from crewmem.registry.membership import find_agents_in, find_membership
from crewmem.sessions.copies import Copies, CopyInfo
from crewmem.sessions.formats import Document, Format, get_format, recognise
from crewmem.sessions.formats.openclaw import find_agent
from crewmem.sessions.index import (
    SKIPPED_LINES,
    LogRow,
    LogWriter,
    Owner,
    SessionIndex,
    make_log_id,
)
from crewmem.sessions.logs import (
    CHUNK_BYTES,
    HEAD_BYTES,
    TAIL_BYTES,
    FoundLog,
    find_logs,
    hash_range,
    is_document,
    list_roots,
    load_document,
    open_log,
    read_chunks,
    read_head,
    read_packed,
    sniff_format,
)
from crewmem.sessions.turns import State
from crewmem.storage.filesystem import SkippedFile
from crewmem.storage.sqlite import transaction

FIRST_CHUNK = 64 << 10
"""Bytes of a new log that are read before it is known whose it is."""

PARTS_OF_OPENCODE = ("part", "message", "project", "session_diff", "todo", "session_share")
"""Directories of opencode's storage that are read with their session."""

NAMED_PROBLEMS = 20
"""Skipped lines and files that a report names; the rest is counted."""


@dataclass
class Problem:
    """What was skipped, and why.

    Attributes:
        line: 0 for a whole file.
        count: Lines of that file in all.
    """

    file: str
    line: int
    reason: str
    count: int = 1


@dataclass
class Progress:
    """What a sync has done so far.

    Attributes:
        read: Logs that had something new.
        unchanged: Logs that had not.
        skipped: Lines and files that could not be read.
        unknown: Unknown types of lines, with counts.
        problems: The first of what was skipped.
        logs: Keys of the logs that were read.
    """

    read: int = 0
    unchanged: int = 0
    turns: int = 0
    losses: int = 0
    skipped: int = 0
    copied: int = 0
    unknown: dict[str, int] = field(default_factory=dict)
    problems: list[Problem] = field(default_factory=list)
    logs: list[int] = field(default_factory=list)

    def skip(self, file: str, line: int, reason: str) -> None:
        """Count what was skipped, and name the first."""
        self.skipped += 1
        if len(self.problems) < NAMED_PROBLEMS:
            self.problems.append(Problem(file, line, reason))


class OwnerFinder:
    """Finds out whose a session is.

    That is: the agent that the caller names, the setting ``sessions.agents``, the agent that the
    program names, the agent whose project the session worked in, else the operator.
    """

    def __init__(self, context: Context, agent: str | None) -> None:
        self.context = context
        self._agent = agent
        self._by_project: dict[str, Owner | None] = {}
        access = context.access
        if agent and not access.is_operator and agent != access.actor.name:
            raise RefusedError(
                f"{access.actor} may not read sessions of '{agent}': agents read their own",
                code="out-of-scope",
            )

    def find(self, state: State) -> Owner | None:
        """Return whose a session is; None if not of this workspace, or not for this actor."""
        if self._agent:
            return self._make_owner(self._agent)
        key = f"{state.agent}\0{state.project}"
        if key not in self._by_project:
            self._by_project[key] = self._look_up(state)
        owner = self._by_project[key]
        access = self.context.access
        if owner is not None and not access.is_operator and owner.agent != access.actor.name:
            return None
        return owner

    def _look_up(self, state: State) -> Owner | None:
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
        if not context.has_db:
            return Owner(context.workspace, None, None)
        if state.agent and find_membership(context.db, context.workspace, state.agent):
            return self._make_owner(state.agent)
        if state.project and context.home is not None:
            found = find_agents_in(context.db, context.home, Path(state.project))
            mine = [slug for workspace, slug in found if workspace == context.workspace]
            if len(mine) == 1:
                return self._make_owner(mine[0])
            if found and not mine:
                return None
        return Owner(context.workspace, None, None)

    def _make_owner(self, slug: str) -> Owner:
        context = self.context
        crew = None
        if context.has_db:
            membership = find_membership(context.db, context.workspace, slug)
            if membership is None:
                raise NotFoundError(
                    f"there is no agent '{slug}' in workspace '{context.workspace}'",
                    code="agent-not-found",
                    hint=context.command("agent list"),
                )
            crew = membership.home_crew
        return Owner(context.workspace, slug, crew)


class Synchronizer:
    """Reads logs into an index.

    Args:
        copies: Where kept copies are; None keeps none.
        known: The index that says how far logs were read; another one than *index* in a dry run.
        from_now: Whether what is there already is skipped.
    """

    def __init__(
        self,
        context: Context,
        index: SessionIndex,
        owners: OwnerFinder,
        *,
        copies: Copies | None = None,
        known: SessionIndex | None = None,
        is_dry: bool = False,
        forgotten: frozenset[str] = frozenset(),
        from_now: bool = False,
        session: str = "",
        tick: Callable[[int], None] | None = None,
    ) -> None:
        self.context, self.index, self.owners = context, index, owners
        self.copies, self.known = copies, known or index
        self.is_dry = is_dry
        self.forgotten, self.from_now, self.session = forgotten, from_now, session
        self.tick = tick or (lambda size: None)
        self.done = Progress()

    def read_all(
        self, home: Path, variables: Mapping[str, str], program: str, root: Path | None
    ) -> Progress:
        """Read every log that has something new."""
        for found in self.list_logs(home, variables, program, root):
            self.read_file(found)
            self.tick(found.status.st_size)
        return self.done

    def list_logs(
        self, home: Path, variables: Mapping[str, str], program: str, root: Path | None
    ) -> Iterator[FoundLog]:
        """Yield the logs that are wanted; what is refused is noted."""
        for found in find_logs(list_roots(home, variables, program, root)):
            if isinstance(found, SkippedFile):
                self.done.skip(found.relative, 0, found.reason)
                continue
            parent = found.path.parent
            if (
                found.format is None
                and {"storage", *PARTS_OF_OPENCODE} & {parent.parent.name, parent.name}
                and parent.parent.name in PARTS_OF_OPENCODE
            ):
                continue
            if self.session and not self._is_wanted(found.path):
                continue
            yield found

    def read_file(self, found: FoundLog) -> None:
        """Read what is new in a file."""
        try:
            formats = (
                [found.format] if found.format else [get_format("openclaw"), get_format("opencode")]
            )
            for format_ in formats:
                fingerprints = format_.list_sessions(found.path)
                if fingerprints is not None:
                    for inner, fingerprint in fingerprints.items():
                        self._read_session(found, format_, inner, fingerprint)
                    return
            if is_document(found.path):
                self._read_document(found)
            elif found.path.suffix == ".zst":
                self._read_packed(found)
            else:
                self._read_lines(found)
        except CrewmemError as error:
            if error.code in STORAGE_FAILED:
                raise
            self.done.skip(str(found.path), 0, error.message)

    # Logs of lines

    def _read_lines(self, found: FoundLog) -> None:
        path, status = str(found.path), found.status
        row = self.known.find_log(path)
        if row is not None and row.workspace_id != self.context.workspace:
            return
        if row is not None and _is_unchanged(row, status):
            self.done.unchanged += 1
            return
        with open_log(found.path) as file:
            if row is not None and not _is_same(row, file, os.fstat(file.fileno())):
                if not self.is_dry:
                    self.index.set_status(row.key, "replaced")
                row = self._new_row(found, "", row.generation + 1)
            row = row or self._new_row(found, "", 0)
            if row.id in self.forgotten:
                return
            program = row.program
            format_ = get_format(program) if program else sniff_format(file, found.format)
            if format_ is None:
                if status.st_size:
                    self.done.skip(path, 0, "not a log of a known program")
                return
            row = row._replace(
                program=format_.name, device=status.st_dev, inode=status.st_ino, status="present"
            )
            if self.from_now and not row.key:
                offset, line = _find_end(file)
                state = _make_state(found.path)
                self._store(
                    LogWriter(self.index, row, state, self.owners.find),
                    _with_marks(row._replace(offset=offset, line=line), file, status),
                )
                return
            self._read_on(found, file, format_, row)

    def _read_on(self, found: FoundLog, file: BinaryIO, format_: Format, row: LogRow) -> None:
        """Read a log from its cursor to its end, chunk by chunk."""
        state = State(json.loads(row.state)) if row.state else _make_state(found.path)
        writer = self._make_writer(row, state)
        size = CHUNK_BYTES if row.offset else FIRST_CHUNK
        before = row.offset
        offset, line = row.offset, row.line
        while True:
            chunk = next(read_chunks(file, offset, line, size=size), None)
            if chunk is None:
                break
            for each in chunk.lines:
                if each.record is None:
                    row = self._note_bad(row, each.number, each.problem)
                    continue
                for turn in format_.read_record(each.record, each.number, state):
                    writer.add(turn)
            offset, line, size = chunk.end, chunk.last, CHUNK_BYTES
            row = row._replace(offset=offset, line=line)
            if self.copies is not None and self._may_copy(writer):
                copy_size = self.copies.append(row.id, chunk.data, size=row.copy_size)
                self.done.copied += copy_size - row.copy_size
                row = row._replace(copy_size=copy_size)
            # Until all is read, the size says that it is not.
            size_read = found.status.st_size if offset >= found.status.st_size else -1
            row = _with_marks(row, file, found.status)._replace(size=size_read)
            stored = self._store(writer, row)
            if stored is None:
                return
            row = stored
        if row.key and row.size != found.status.st_size and not self.is_dry:
            row = self._store(writer, _with_marks(row, file, found.status)) or row
        if offset > before:
            self._finish(writer, row)

    def _read_packed(self, found: FoundLog) -> None:
        """Read a compressed log whole, unless the plain one or this one was read before."""
        path = str(found.path).removesuffix(".zst")
        row = self.known.find_log(path)
        if row is not None and (row.size >= 0 or row.workspace_id != self.context.workspace):
            self.done.unchanged += 1
            return
        row = row or self._new_row(found, "", 0)._replace(path=path, id=make_log_id(path, "", 0))
        if row.id in self.forgotten:
            return
        chunk = read_packed(found.path)
        format_ = found.format or next(
            (fmt for each in chunk.lines if each.record and (fmt := recognise(each.record))), None
        )
        if format_ is None:
            self.done.skip(str(found.path), 0, "not a log of a known program")
            return
        state = _make_state(Path(path))
        row = row._replace(
            program=format_.name,
            offset=chunk.end,
            line=chunk.last,
            size=found.status.st_size,
            mtime_ns=found.status.st_mtime_ns,
        )
        writer = self._make_writer(row, state)
        for each in chunk.lines:
            if each.record is None:
                row = self._note_bad(row, each.number, each.problem)
                continue
            for turn in format_.read_record(each.record, each.number, state):
                writer.add(turn)
        if self.copies is not None and self._may_copy(writer):
            row = row._replace(copy_size=self.copies.append(row.id, chunk.data, size=0))
        if (stored := self._store(writer, row)) is not None:
            self._finish(writer, stored)

    # Documents

    def _read_document(self, found: FoundLog) -> None:
        path = str(found.path)
        row = self.known.find_log(path)
        if row is not None and _is_unchanged(row, found.status):
            # The head of a session of opencode stays when its messages grow.
            if row.program != "opencode" or row.fingerprint == _fingerprint_parts(found.path):
                self.done.unchanged += 1
                return
        record = load_document(found.path)
        formats = [found.format] if found.format else []
        known = recognise(record)
        formats += [known] if known is not None else [get_format("plain")]
        for format_ in formats:
            document = format_.split_document(record, found.path)
            if document is not None:
                fingerprint = _fingerprint_parts(found.path) if format_.name == "opencode" else ""
                self._write_document(found, format_, document, "", fingerprint, row)
                return
        self.done.skip(path, 0, "not a log of a known program")

    def _read_session(self, found: FoundLog, format_: Format, inner: str, fingerprint: str) -> None:
        """Read one session of a database, if it changed."""
        row = self.known.find_log(str(found.path), inner)
        if row is not None and row.fingerprint == fingerprint:
            self.done.unchanged += 1
            return
        if self.session and inner != self.session:
            return
        document = format_.load_session(found.path, inner)
        self._write_document(found, format_, document, inner, fingerprint, row)

    def _write_document(
        self,
        found: FoundLog,
        format_: Format,
        document: Document,
        inner: str,
        fingerprint: str,
        row: LogRow | None,
    ) -> None:
        """Replace what is indexed of a document."""
        if row is not None and row.workspace_id != self.context.workspace:
            return
        row = row or self._new_row(found, inner, 0)
        if row.id in self.forgotten:
            return
        status, state = found.status, document.state
        head = dict(state.dump())
        state.session = state.session or inner or found.path.stem
        row = row._replace(
            program=format_.name,
            size=status.st_size,
            mtime_ns=status.st_mtime_ns,
            device=status.st_dev,
            inode=status.st_ino,
            fingerprint=fingerprint,
            status="present",
            line=len(document.records),
        )
        writer = self._make_writer(row, state)
        for position, record in document.records:
            for turn in format_.read_record(record, position, state):
                writer.add(turn)
        if self.copies is not None and self._may_copy(writer):
            size = self.copies.replace(row.id, document.records)
            self.done.copied += size
            row = row._replace(copy_size=size)
        with transaction(self.index.db):
            before = 0
            if row.key and not self.is_dry:
                before = self.index.db.value("select count(*) from turns where log = ?", (row.key,))
                self.index.delete_turns(row.key)
                self.index.db.execute(
                    "update sessions set turns = turns - ? where key = ?", (before, row.session)
                )
            stored = self._store(writer, row)
            writer.added -= before
        if stored is not None:
            self._finish(writer, stored, head)

    # Kept copies

    def read_copy(self, info: CopyInfo) -> None:
        """Index a log from its kept copy: the log is gone, and the index was made anew."""
        if self.copies is None or info.workspace != self.context.workspace:
            return
        owner = Owner(info.workspace, info.agent, info.crew)
        format_ = get_format(info.program)
        row = LogRow(
            key=0,
            id=info.id,
            path=info.path,
            inner=info.inner,
            generation=info.generation,
            program=info.program,
            workspace_id=info.workspace,
            size=-1,
            copy_size=self.copies.size(info.id),
            status="gone",
        )
        state = State(info.state) if info.is_document else _make_state(Path(info.path))
        if info.is_document:
            state.session = state.session or info.inner or Path(info.path).stem
        writer = LogWriter(self.index, row, state, lambda _: owner)
        try:
            with closing(self.copies.open(info.id)) as file:
                for chunk in read_chunks(file, 0, 0):
                    for each in chunk.lines:
                        if each.record is None:
                            row = self._note_bad(row, each.number, each.problem)
                            continue
                        position = each.number - 1 if info.is_document else each.number
                        for turn in format_.read_record(each.record, position, state):
                            writer.add(turn)
                    # The next reading of the log, if it comes back, begins anew.
                    row = writer.flush(row._replace(line=chunk.last))
        except CrewmemError as error:
            if error.code in STORAGE_FAILED:
                raise
            self.done.skip(info.path, 0, error.message)
        self._finish(writer, row)

    # Rows

    def _is_wanted(self, path: Path) -> bool:
        """Tell whether a file may hold the wanted session."""
        if path.suffix in (".sqlite", ".db"):
            return True
        if self.session in path.name or self.session in path.parent.name:
            return True
        row = self.known.find_log(str(path))
        if row is None or row.session is None:
            return False
        identifier, native = self.known.db.one(
            "select id, native_id from sessions where key = ?", (row.session,)
        ) or ("", "")
        wanted = self.session
        return wanted == native or (is_id(wanted) and wanted == identifier)

    def _new_row(self, found: FoundLog, inner: str, generation: int) -> LogRow:
        path = str(found.path)
        return LogRow(
            key=0,
            id=make_log_id(path, inner, generation),
            path=path,
            inner=inner,
            generation=generation,
            program="",
            workspace_id=self.context.workspace,
        )

    def _make_writer(self, row: LogRow, state: State) -> LogWriter:
        if self.is_dry:
            row = row._replace(key=0, session=None)
        return LogWriter(self.index, row, state, self.owners.find)

    def _may_copy(self, writer: LogWriter) -> bool:
        """Tell whether a log is ours; a new one is not copied before that is known."""
        return writer.session is not None or self.owners.find(writer.state) is not None

    def _store(self, writer: LogWriter, row: LogRow) -> LogRow | None:
        """Write what was read; None when the session is not this actor's."""
        if self.is_dry and writer.log.key == 0:
            row = row._replace(key=0, session=None)
        if writer.log.key:
            row = row._replace(key=writer.log.key, session=writer.log.session)
        stored = writer.flush(row)
        return stored if stored.key else None

    def _finish(
        self, writer: LogWriter, row: LogRow, head: Mapping[str, object] | None = None
    ) -> None:
        """Count a log that was read, and describe its copy."""
        done = self.done
        done.read += 1
        done.turns += writer.added
        done.losses += writer.losses
        done.logs.append(row.key)
        for kind, count in writer.state.unknown.items():
            done.unknown[kind] = done.unknown.get(kind, 0) + count
        owner = writer.owner
        if self.copies is not None and owner is not None and row.copy_size and not self.is_dry:
            self.copies.describe(
                CopyInfo(
                    id=row.id,
                    path=row.path,
                    inner=row.inner,
                    generation=row.generation,
                    program=row.program,
                    workspace=owner.workspace,
                    agent=owner.agent,
                    crew=owner.crew,
                    is_document=head is not None,
                    state=dict(head or {}),
                )
            )

    def _note_bad(self, row: LogRow, number: int, reason: str) -> LogRow:
        """Count a line that could not be read."""
        self.done.skip(row.path, number, reason)
        numbers = json.loads(row.skipped_lines)
        if len(numbers) < SKIPPED_LINES:
            numbers.append(number)
        return row._replace(skipped=row.skipped + 1, skipped_lines=json.dumps(numbers))


def _make_state(path: Path) -> State:
    """Return the state of a log that is not read yet.

    Where programs name a file after its session, that name is the session; a sub-agent's log
    names its parent inside. Else what the log says first is.
    """
    state = State()
    name = path.name.partition(".jsonl")[0]
    parts = name.replace("_", "-").split("-")
    is_uuid = len(parts) >= 5 and len("-".join(parts[-5:])) == 36
    if name.startswith("agent-"):
        state.session = (
            name if path.parent.name != "subagents" else f"{path.parent.parent.name}/{name}"
        )
    elif is_uuid and len(parts) == 5:
        state.session = name

    state.agent = find_agent(str(path))
    return state


def _is_unchanged(row: LogRow, status: os.stat_result) -> bool:
    return (row.size, row.mtime_ns, row.inode) == (
        status.st_size,
        status.st_mtime_ns,
        status.st_ino,
    ) and row.status == "present"


def _is_same(row: LogRow, file: BinaryIO, status: os.stat_result) -> bool:
    """Tell whether a file still begins with what was read of it."""
    if status.st_size < row.offset:
        return False
    if not row.head_size:
        return row.offset == 0
    if read_head(file, max(row.head_size, HEAD_BYTES))[0] != row.head:
        return False
    return hash_range(file, max(row.offset - TAIL_BYTES, 0), row.offset) == row.tail


def _with_marks(row: LogRow, file: BinaryIO, status: os.stat_result) -> LogRow:
    """Return *row* with the marks by which the file is known again."""
    head, head_size = read_head(file)
    return row._replace(
        head=head,
        head_size=head_size,
        tail=hash_range(file, max(row.offset - TAIL_BYTES, 0), row.offset),
        size=status.st_size,
        mtime_ns=status.st_mtime_ns,
    )


def _find_end(file: BinaryIO) -> tuple[int, int]:
    """Return offset and number of the last complete line."""
    offset = lines = position = 0
    file.seek(0)
    while data := file.read(CHUNK_BYTES):
        count = data.count(b"\n")
        if count:
            lines += count
            offset = position + data.rindex(b"\n") + 1
        position += len(data)
    return offset, lines


def _fingerprint_parts(path: Path) -> str:
    """Return what changes when a session of opencode in files does: its messages' directory."""
    storage = next((each for each in path.parents if each.name == "storage"), None)
    if storage is None:
        return ""
    newest = count = 0
    try:
        with os.scandir(storage / "message" / path.stem) as messages:
            for message in messages:
                count += 1
                newest = max(newest, message.stat().st_mtime_ns)
                parts = storage / "part" / message.name.removesuffix(".json")
                newest = max(newest, parts.stat().st_mtime_ns if parts.is_dir() else 0)
    except OSError:
        pass
    return f"{newest}:{count}"
