"""opencode: messages that consist of parts, in a database, in files, or exported.

Form: docs of sst/opencode and its ``packages/opencode/src/session``. Newer versions have
``opencode.db`` (tables session, message, part, with JSON in ``data``); older ones a file for each
session, message and part below ``storage/``; ``opencode export`` writes one JSON object.
"""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator, Mapping
from contextlib import closing
from functools import partial
from pathlib import Path
from typing import Any

from crewmem.sessions.formats.base import (
    Document,
    Format,
    get_count,
    get_object,
    get_string,
    list_objects,
    make_call,
    number_messages,
    open_foreign,
    parse_object,
    read_time,
)
from crewmem.sessions.turns import ASSISTANT, SYSTEM, TOOL, USER, Loss, Record, State, Turn

DATABASE = "opencode.db"
PARTS = frozenset(["part", "message", "project", "session_diff", "todo", "session_share"])
"""Directories of the storage that are read with their session, or not at all."""

SILENT_PARTS = frozenset(
    [
        "reasoning",
        "step-start",
        "step-finish",
        "snapshot",
        "file",
        "agent",
        "retry",
        "subtask",
        "patch",
    ]
)


class OpenCode(Format):
    """Sessions below ``~/.local/share/opencode``."""

    name = "opencode"

    def find_roots(self, home: Path, variables: Mapping[str, str]) -> list[Path]:
        """Return its data directory."""
        data = variables.get("XDG_DATA_HOME")
        return [Path(data or home / ".local" / "share") / "opencode"]

    def is_log(self, relative: str) -> bool:
        """Tell whether a file is the database, or the head of a session in files."""
        if "/" not in relative:
            return relative == DATABASE
        return relative.startswith("storage/session/") and relative.endswith(".json")

    def knows(self, record: Record) -> bool:
        """Tell whether an object is an export."""
        return isinstance(record.get("info"), dict) and isinstance(record.get("messages"), list)

    def read_record(self, record: Record, line: int, state: State) -> Iterator[Turn]:
        """Yield the turns of a message with its parts."""
        yield from _read_message(get_object(record, "info"), record.get("parts"), line, state)

    def split_document(self, document: Record) -> Document | None:
        """Return head and messages of an export."""
        if not isinstance(document.get("messages"), list):
            return None
        return Document(_read_head(get_object(document, "info")), number_messages(document))

    def list_sessions(self, path: Path) -> dict[str, str] | None:
        """Return the sessions in a database, or the one whose head a file of the storage is."""
        if path.name != DATABASE:
            directories = path.parts[-4:-1]
            if "storage" not in directories:
                return None
            if not PARTS.isdisjoint(directories):
                return {}
            is_head = "session" in directories and path.name.startswith("ses")
            return {path.stem: _fingerprint_files(path)} if is_head else None
        with closing(open_foreign(path)) as db:
            tables = {name for (name,) in db.all("select name from sqlite_schema")}
            if not {"session", "message", "part"} <= tables:
                return {}
            rows = db.all(
                "select session_id, max(time_updated), count(*) from part group by session_id"
            )
        return {str(name): f"{updated}:{count}" for name, updated, count in rows}

    def load_session(self, path: Path, inner: str) -> Document:
        """Read one session of a database, or the files of one."""
        if path.name != DATABASE:
            return _load_files(path)
        with closing(open_foreign(path)) as db:
            head = db.one("select directory, title from session where id = ?", (inner,))
            messages = db.all(
                "select id, time_created, data from message where session_id = ?"
                " order by time_created, id",
                (inner,),
            )
            parts: dict[str, list[dict[str, Any]]] = {}
            for identifier, message, data in db.execute(
                "select id, message_id, data from part where session_id = ? order by id", (inner,)
            ):
                parts.setdefault(message, []).append({**parse_object(data), "id": identifier})
        directory, title = head or ("", "")
        state = State(session=inner, project=directory or "", title=title or "")
        records: list[tuple[int, Record]] = [
            (
                at,
                {
                    "info": {**parse_object(data), "id": identifier, "time": {"created": created}},
                    "parts": parts.get(identifier, []),
                },
            )
            for at, (identifier, created, data) in enumerate(messages)
        ]
        return Document(state, records)


def _read_head(head: Record) -> State:
    state = State(
        session=get_string(head, "id"),
        project=get_string(head, "directory"),
        title=get_string(head, "title")[:200],
    )
    if get_string(head, "parentID"):
        state.kept["sidechain"] = True
    return state


def _find_storage(head: Path) -> Path:
    return next(each for each in head.parents if each.name == "storage")


def _fingerprint_files(head: Path) -> str:
    """Return what changes when a session in files does: its messages' directory, mostly."""
    storage = _find_storage(head)
    newest, count = head.stat().st_mtime_ns, 0
    try:
        with os.scandir(storage / "message" / head.stem) as messages:
            for message in messages:
                count += 1
                newest = max(newest, message.stat().st_mtime_ns)
                parts = storage / "part" / message.name.removesuffix(".json")
                newest = max(newest, parts.stat().st_mtime_ns if parts.is_dir() else 0)
    except OSError:
        pass
    return f"{newest}:{count}"


def _load_files(head: Path) -> Document:
    storage = _find_storage(head)
    records: list[Record] = []
    for info in _load_all(storage / "message" / head.stem):
        parts = list(_load_all(storage / "part" / get_string(info, "id")))
        records.append({"info": info, "parts": parts})
    return Document(_read_head(parse_object(head.read_bytes())), list(enumerate(records)))


def _load_all(directory: Path) -> Iterable[dict[str, Any]]:
    """Yield the objects in the files of a directory, in the order of their names (of time)."""
    try:
        paths = sorted(each for each in directory.iterdir() if each.suffix == ".json")
    except OSError:
        return
    for path in paths:
        if path.is_symlink():
            continue
        try:
            found = parse_object(path.read_bytes())
        except OSError:
            continue
        if found:
            yield found


def _read_message(info: Record, parts: object, line: int, state: State) -> Iterator[Turn]:
    role = info.get("role")
    if role not in ("user", "assistant"):
        state.count_unknown(f"message/{role}")
        return
    make = partial(
        Turn,
        line,
        at=read_time(get_object(info, "time").get("created")),
        message_id=get_string(info, "id"),
        sidechain=state.kept.get("sidechain") is True,
    )
    tokens = get_count(get_object(info, "tokens"), "input")
    is_summary = info.get("summary") is True
    number = 0

    for part in list_objects(parts):
        kind = part.get("type")
        if kind == "text":
            text = get_string(part, "text")
            if text.strip() and part.get("ignored") is not True:
                is_synthetic = part.get("synthetic") is True or is_summary
                speaker = USER if role == "user" else ASSISTANT
                yield make(
                    number,
                    speaker,
                    text,
                    synthetic=is_synthetic,
                    summary=is_summary,
                    tokens=tokens,
                )
                number += 1
        elif kind == "tool":
            tool, call_id = get_string(part, "tool"), get_string(part, "callID")
            told = get_object(part, "state")
            yield make_call(make, number, tool, told.get("input"), call_id=call_id)
            number += 1
            if told.get("status") in ("completed", "error"):
                status = get_count(get_object(told, "metadata"), "exit")
                failed = told.get("status") == "error" or bool(status)
                output = get_string(told, "output", "error")
                yield make(
                    number,
                    TOOL,
                    output,
                    tool=tool,
                    call_id=call_id,
                    exit_status=status,
                    failed=failed,
                )
                number += 1
        elif kind == "compaction":
            yield make(number, SYSTEM, "", loss=Loss("compaction"), synthetic=True)
            number += 1
        elif kind not in SILENT_PARTS:
            state.count_unknown(f"part/{kind}")
