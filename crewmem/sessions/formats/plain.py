"""Plain logs: JSON lines, or a list in a JSON file, with ``role``, ``content`` and ``ts``."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from pathlib import Path

from crewmem.sessions.formats.base import (
    Document,
    Format,
    find_string,
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
        return get_string(record, "role") in ROLES and ("content" in record or "text" in record)

    def split_document(self, document: Record) -> Document | None:
        records = list_messages(document)
        if not any(self.recognises(each) for each in records):
            return None
        state = State(session=find_string(document, "session", "session_id", "id"))
        return Document(state, records)

    def find_time(self, record: Record) -> str:
        return next((at for name in TIMES if (at := read_time(record.get(name)))), "")

    def read_record(self, record: Record, state: State) -> Iterator[Turn]:
        role = ROLES.get(get_string(record, "role"))
        if role is None:
            state.count_unknown(get_string(record, "role"))
            return
        session = find_string(record, "session", "session_id")
        state.note(session=session, project=find_string(record, "cwd", "project"))
        content = record.get("content")
        text = read_text(record.get("text") if content is None else content, "text")
        if text.strip():
            turn = Turn(role, text, synthetic=role == SYSTEM)
            if role == TOOL:
                turn.tool = find_string(record, "tool", "name")
                turn.call_id = get_string(record, "tool_call_id")
                turn.failed = record.get("is_error") is True
            yield turn
        for each in list_objects(record.get("tool_calls")):
            if function := get_object(each, "function"):
                tool, arguments = get_string(function, "name"), function.get("arguments")
                yield make_call(tool, arguments, get_string(each, "id"))
