"""Plain logs: JSON lines, or a list in a JSON file, with ``role``, ``content`` and ``ts``."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from pathlib import Path

from crewmem.sessions.formats.base import Document, LineFormat
from crewmem.sessions.turns import (
    ASSISTANT,
    SYSTEM,
    TOOL,
    USER,
    Record,
    State,
    Turn,
    get_string,
    read_call,
    read_text,
    read_time,
)

ROLES = {
    "user": USER,
    "human": USER,
    "assistant": ASSISTANT,
    "ai": ASSISTANT,
    "model": ASSISTANT,
    "tool": TOOL,
    "function": TOOL,
    "system": SYSTEM,
    "developer": SYSTEM,
}
TIMES = ("ts", "timestamp", "time", "created_at", "at")


class Plain(LineFormat):
    """Logs that nobody leaves anywhere by themselves: they are read with ``--root``."""

    name = "plain"

    def find_roots(self, home: Path, variables: Mapping[str, str]) -> list[Path]:
        """Return no directories."""
        return []

    def is_log(self, relative: str) -> bool:
        """Tell whether a file may be a log."""
        return relative.endswith((".jsonl", ".json"))

    def knows(self, record: Record) -> bool:
        """Tell whether an object is a message."""
        return record.get("role") in ROLES and ("content" in record or "text" in record)

    def split_document(self, document: Record, path: Path) -> Document | None:
        """Return the messages of an object that has a list of them."""
        messages = document.get("messages")
        if not isinstance(messages, list):
            return None
        records = [(at, each) for at, each in enumerate(messages) if isinstance(each, dict)]
        if not any(self.knows(each) for _, each in records):
            return None
        state = State({"session": get_string(document, "session", "session_id", "id")})
        return Document(state, records)

    def read_record(self, record: Record, line: int, state: State) -> Iterator[Turn]:
        """Yield what a message says."""
        role = ROLES.get(get_string(record, "role"))
        if role is None:
            state.count_unknown(record.get("role"))
            return
        state.session = state.session or get_string(record, "session", "session_id")
        state.project = state.project or get_string(record, "cwd", "project")
        at = next((time for name in TIMES if (time := read_time(record.get(name)))), "")
        content = record.get("content")
        text = read_text(record.get("text") if content is None else content, "text")
        message_id, tool = get_string(record, "id"), get_string(record, "tool", "name")
        part = 0
        if text.strip():
            call_id = get_string(record, "tool_call_id")
            failed = record.get("is_error") is True if role == TOOL else None
            yield Turn(
                line,
                0,
                at,
                role,
                text,
                message_id,
                tool=tool if role == TOOL else "",
                call_id=call_id,
                failed=failed,
                synthetic=role == SYSTEM,
            )
            part = 1
        calls = record.get("tool_calls")
        for each in calls if isinstance(calls, list) else []:
            function = each.get("function") if isinstance(each, dict) else None
            if not isinstance(function, dict):
                continue
            name = get_string(function, "name")
            call = read_call(name, function.get("arguments"))
            yield Turn(
                line,
                part,
                at,
                TOOL,
                call.text,
                message_id,
                tool=name,
                call_id=get_string(each, "id"),
                command=call.command,
                files=call.files,
                is_change=call.is_change,
                is_call=True,
            )
            part += 1
