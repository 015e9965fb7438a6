"""opencode: messages that consist of parts, in a database, in files, or exported.

Format: docs of sst/opencode and its ``packages/opencode/src/session``. Newer versions have
``opencode.db``, with JSON in the column ``data``: since 2.0 in the tables session_v2 and
session_message, before that in session, message and part. An upgrade keeps the old tables and
copies some of their rows. The oldest versions have a file for each session, message and part below
``storage/``; ``opencode export`` writes one JSON object.
"""

from __future__ import annotations

import os
from collections import defaultdict
from collections.abc import Iterator, Mapping
from contextlib import closing, suppress
from functools import partial
from pathlib import Path
from typing import Any

from crewmem.sessions.formats.base import (
    Document,
    Format,
    InnerSession,
    find_string,
    get_count,
    get_object,
    get_string,
    list_columns,
    list_messages,
    list_objects,
    make_call,
    make_loss,
    open_foreign,
    parse_object,
    read_run,
    read_text,
    read_time,
)
from crewmem.sessions.turns import ASSISTANT, SYSTEM, TOOL, USER, Record, State, Turn
from crewmem.storage.sqlite import Database

DATABASE = "opencode.db"
PARTS = frozenset(["part", "message", "project", "session_diff", "todo", "session_share"])
"""Directories of the storage that are read with their session, or never."""

V2_MESSAGES = "session_message"
"""Table of messages since 2.0."""

SILENT_MESSAGES = frozenset({"agent-switched", "model-switched", "location-switched", "idle"})
"""Types of messages since 2.0 without text."""

SILENT_PARTS = frozenset(
    {
        "agent",
        "file",
        "patch",
        "reasoning",
        "retry",
        "snapshot",
        "step-finish",
        "step-start",
        "subtask",
    }
)
"""Types of parts without text, or with text that is not indexed."""


class OpenCode(Format):
    """Sessions below ``~/.local/share/opencode``."""

    name = "opencode"

    def find_roots(self, home: Path, variables: Mapping[str, str]) -> list[Path]:
        data = variables.get("XDG_DATA_HOME")
        return [Path(data or home / ".local" / "share") / "opencode"]

    def is_log(self, relative: str) -> bool:
        """Return whether a file is the database, or the head of a session in files."""
        if "/" not in relative:
            return relative == DATABASE
        return relative.startswith("storage/session/") and relative.endswith(".json")

    def recognises(self, record: Record) -> bool:
        return isinstance(record.get("info"), dict) and isinstance(record.get("messages"), list)

    def find_time(self, record: Record) -> str:
        return read_time(get_object(_get_head(record), "time").get("created"))

    def find_id(self, record: Record) -> str:
        return get_string(_get_head(record), "id")

    def read_record(self, record: Record, state: State) -> Iterator[Turn]:
        """Yield the turns of a message: with separate parts, or one of version 2.0 or later."""
        if "info" in record:
            yield from _read_message(get_object(record, "info"), record.get("parts"), state)
        else:
            yield from _read_v2_message(record, state)

    def split_document(self, document: Record) -> Document | None:
        if not isinstance(document.get("messages"), list):
            return None
        return Document(_read_head(get_object(document, "info")), list_messages(document))

    def list_sessions(self, path: Path) -> list[InnerSession] | None:
        """Return the sessions of a database, or the one whose head is this file of the storage."""
        if path.name == DATABASE:
            return _list_database(path)
        directories = path.parts[-4:-1]
        if "storage" not in directories:
            return None
        if not PARTS.isdisjoint(directories):
            return []
        if "session" not in directories or not path.name.startswith("ses"):
            return None
        return [InnerSession(path.stem, _fingerprint_files(path), partial(_load_files, path))]


def _list_database(path: Path) -> list[InnerSession]:
    """Return the sessions of a database. They change with number and time of their rows."""
    fingerprints: dict[str, list[str]] = defaultdict(list)
    with closing(open_foreign(path)) as db:
        tables = set(db.column("select name from sqlite_schema"))
        with_rows = [V2_MESSAGES] if V2_MESSAGES in tables else []
        if {"session", "message", "part"} <= tables:
            with_rows.append("part")
        for table in with_rows:
            for session, updated, count in db.all(
                f"select session_id, max(time_updated), count(*) from {table} group by session_id"
            ):
                fingerprints[str(session)].append(f"{updated}:{count}")
    return [
        InnerSession(session, " ".join(parts), partial(_load_database, path, session))
        for session, parts in fingerprints.items()
    ]


def _get_head(record: Record) -> Record:
    """Return the part of a message with its id and time."""
    return get_object(record, "info") or record


def _load_database(path: Path, session: str) -> Document:
    """Read a session from a database; a message in old and new tables counts once."""
    with closing(open_foreign(path)) as db:
        state = _read_session(db, session)
        records = _list_message_records(db, session)
        known = {record["info"]["id"] for record in records}
        records += [each for each in _list_v2_records(db, session) if each["id"] not in known]
    return Document(state, records)


def _read_session(db: Database, session: str) -> State:
    """Return what the tables say about a session; the newer one counts first."""
    state = State(session=session)
    for table in ("session_v2", "session"):
        columns = list_columns(db, table)
        if not {"directory", "title"} <= columns:
            continue
        parent = "parent_id" if "parent_id" in columns else "null"
        row = db.one(
            f"select coalesce(directory, ''), coalesce(title, ''), coalesce({parent}, '') <> ''"
            f" from {table} where id = ?",
            (session,),
        )
        if row is not None:
            directory, title, has_parent = row
            state.note(project=directory, title=state.title or title)
            state.sidechain = state.sidechain or bool(has_parent)
    return state


def _list_message_records(db: Database, session: str) -> list[dict[str, Any]]:
    """Return the messages before 2.0, each with its parts."""
    if not list_columns(db, "part"):
        return []
    parts: dict[str, list[dict[str, Any]]] = defaultdict(list)
    for part_id, message_id, data in db.execute(
        "select id, message_id, data from part where session_id = ? order by id", (session,)
    ):
        parts[message_id].append({**parse_object(data), "id": part_id})
    rows = db.execute(
        "select id, time_created, data from message where session_id = ? order by time_created, id",
        (session,),
    )
    records = []
    for message_id, created, data in rows:
        info = {**parse_object(data), "id": message_id, "time": {"created": created}}
        records.append({"info": info, "parts": parts.get(message_id, [])})
    return records


def _list_v2_records(db: Database, session: str) -> list[dict[str, Any]]:
    """Return the messages since 2.0."""
    if not list_columns(db, V2_MESSAGES):
        return []
    rows = db.execute(
        f"select id, type, time_created, data from {V2_MESSAGES} where session_id = ? order by seq",
        (session,),
    )
    return [
        {**parse_object(data), "id": message_id, "type": kind, "time": {"created": created}}
        for message_id, kind, created, data in rows
    ]


def _read_head(head: Record) -> State:
    state = State(sidechain=bool(get_string(head, "parentID")))
    state.note(
        session=get_string(head, "id"),
        project=get_string(head, "directory"),
        title=get_string(head, "title"),
    )
    return state


def _find_storage(head: Path) -> Path:
    return next(each for each in head.parents if each.name == "storage")


def _fingerprint_files(head: Path) -> str:
    """Return a text that changes with a session in files: newest time and number of messages."""
    storage = _find_storage(head)
    newest = head.stat().st_mtime_ns
    count = 0
    with suppress(OSError), os.scandir(storage / "message" / head.stem) as messages:
        for message in messages:
            count += 1
            newest = max(newest, message.stat().st_mtime_ns)
            parts = storage / "part" / message.name.removesuffix(".json")
            newest = max(newest, parts.stat().st_mtime_ns if parts.is_dir() else 0)
    return f"{newest}:{count}"


def _load_files(head: Path) -> Document:
    storage = _find_storage(head)
    records: list[Record] = []
    for info in _load_all(storage / "message" / head.stem):
        parts = list(_load_all(storage / "part" / get_string(info, "id")))
        records.append({"info": info, "parts": parts})
    return Document(_read_head(parse_object(head.read_bytes())), records)


def _load_all(directory: Path) -> Iterator[dict[str, Any]]:
    """Yield the objects in the files of a directory, sorted by name, which is by time."""
    paths = sorted(directory.glob("*.json")) if directory.is_dir() else []
    for path in paths:
        with suppress(OSError):
            if not path.is_symlink() and (record := parse_object(path.read_bytes())):
                yield record


def _read_message(info: Record, parts: object, state: State) -> Iterator[Turn]:
    """Yield the turns of a message with parts, in their order."""
    role = get_string(info, "role")
    if role not in ("user", "assistant"):
        state.count_unknown(f"message/{role}")
        return
    speaker = USER if role == "user" else ASSISTANT
    is_summary = info.get("summary") is True
    tokens = get_count(get_object(info, "tokens"), "input")
    for part in list_objects(parts):
        kind, text = get_string(part, "type"), get_string(part, "text")
        if kind == "text" and text.strip() and part.get("ignored") is not True:
            is_synthetic = part.get("synthetic") is True or is_summary
            yield Turn(speaker, text, synthetic=is_synthetic, summary=is_summary, tokens=tokens)
        elif kind == "tool":
            yield from _read_tool(part)
        elif kind == "compaction":
            yield make_loss("compaction")
        elif kind != "text" and kind not in SILENT_PARTS:
            state.count_unknown(f"part/{kind}")


def _read_tool(part: Record) -> Iterator[Turn]:
    """Yield a call, and its result if it has finished."""
    tool, call_id = find_string(part, "tool", "name"), find_string(part, "callID", "id")
    call = get_object(part, "state")
    yield make_call(tool, call.get("input"), call_id)
    if call.get("status") in ("completed", "error"):
        output = (
            read_text(call.get("content"), "text")
            or find_string(call, "output", "error")
            or get_string(get_object(call, "error"), "message")
        )
        status = get_count(get_object(call, "metadata"), "exit")
        failed = call["status"] == "error"
        yield Turn(TOOL, output, tool=tool, call_id=call_id, exit_status=status, failed=failed)


def _read_v2_message(record: Record, state: State) -> Iterator[Turn]:
    """Yield the turns of a message of version 2.0 or later."""
    kind = get_string(record, "type")
    text = get_string(record, "text")
    if kind == "user":
        if text.strip():
            yield Turn(USER, text)
    elif kind == "assistant":
        yield from _read_message({**record, "role": kind}, record.get("content"), state)
    elif kind == "shell":
        command, output = get_string(record, "command"), get_string(record, "output")
        status, call_id = get_count(record, "exit"), get_string(record, "id")
        yield from read_run("shell", command, output, status, call_id)
    elif kind in ("synthetic", "skill", "system"):
        if text.strip():
            yield Turn(SYSTEM if kind == "system" else USER, text, synthetic=True)
    elif kind == "compaction":
        if record.get("status", "completed") == "completed":
            yield make_loss("compaction", summary=get_string(record, "summary"))
    elif kind not in SILENT_MESSAGES:
        state.count_unknown(f"message/{kind}")
