"""Plain logs: JSON lines, or a list in a JSON file, with ``role``, ``content`` and ``ts``."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from functools import partial
from pathlib import Path

from crewmem.sessions.formats.base import (
    Document,
    Format,
    get_object,
    get_string,
    list_messages,
    list_objects,
    make_call,
    read_text,
    read_time,
)
from crewmem.sessions.turns import ASSISTANT, SYSTEM, TOOL, USER, Record, State, Turn

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


class Plain(Format):
    """Logs without a standard location; they are read with ``--root``."""

    name = "plain"

    def find_roots(self, home: Path, variables: Mapping[str, str]) -> list[Path]:
        return []

    def is_log(self, relative: str) -> bool:
        return relative.endswith((".jsonl", ".json"))

    def recognises(self, record: Record) -> bool:
        return record.get("role") in ROLES and ("content" in record or "text" in record)

    def split_document(self, document: Record) -> Document | None:
        records = list_messages(document)
        if not any(self.recognises(each) for each in records):
            return None
        state = State(session=get_string(document, "session", "session_id", "id"))
        return Document(state, records)

    def read_record(self, record: Record, state: State) -> Iterator[Turn]:
        role = ROLES.get(get_string(record, "role"))
        if role is None:
            state.count_unknown(record.get("role"))
            return
        state.session = state.session or get_string(record, "session", "session_id")
        state.project = state.project or get_string(record, "cwd", "project")
        at = next((time for name in TIMES if (time := read_time(record.get(name)))), "")
        content = record.get("content")
        text = read_text(record.get("text") if content is None else content, "text")
        make_turn = partial(Turn, at=at, message_id=get_string(record, "id"))
        if text.strip():
            yield make_turn(
                role,
                text,
                tool=get_string(record, "tool", "name") if role == TOOL else "",
                call_id=get_string(record, "tool_call_id"),
                failed=record.get("is_error") is True if role == TOOL else None,
                synthetic=role == SYSTEM,
            )
        for each in list_objects(record.get("tool_calls")):
            if not (function := get_object(each, "function")):
                continue
            tool, call_id = get_string(function, "name"), get_string(each, "id")
            yield make_call(make_turn, tool, function.get("arguments"), call_id=call_id)
