"""Gemini CLI: a JSON object per session; newer versions write JSON lines.

Format: packages/core/src/services/chatRecordingTypes.ts of google-gemini/gemini-cli. A line is the
head of the session, a message (a later line with its id replaces it), ``{"$set": …}`` with
changes of the head, or ``{"$rewindTo": id}``, which removes the messages from that id on. Removed
messages stay in the index.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from pathlib import Path

from crewmem.sessions.formats.base import (
    Document,
    Format,
    find_string,
    get_count,
    get_object,
    get_string,
    list_messages,
    list_objects,
    make_call,
    read_text,
)
from crewmem.sessions.turns import ASSISTANT, SYSTEM, TOOL, USER, Record, State, Turn

PROGRAM_TEXT = ("<session_context>", "<system-reminder>", "<hook_context>")

SNAPSHOT = "<state_snapshot>"
"""Start of a summary of lost context."""

FILES = re.compile(
    r"--- Content from referenced files ---.*?(?:--- End of content ---|\Z)", re.DOTALL
)
"""Text that the program appends to a message that names files."""

PROJECT_ROOT = ".project_root"
"""The file beside the chats that contains the project's directory."""


class Gemini(Format):
    """Chats below ``~/.gemini/tmp/<project>/chats``."""

    name = "gemini"

    def find_roots(self, home: Path, variables: Mapping[str, str]) -> list[Path]:
        return [Path(variables.get("GEMINI_CLI_HOME") or home) / ".gemini" / "tmp"]

    def is_log(self, relative: str) -> bool:
        return "chats/" in relative and relative.endswith((".json", ".jsonl"))

    def recognises(self, record: Record) -> bool:
        if "sessionId" in record and "projectHash" in record:
            return True
        if "$set" in record or "$rewindTo" in record:
            return True
        return record.get("type") == "gemini" and "content" in record

    def make_state(self, path: Path) -> State:
        """Return the project's directory from the file beside the chats, if there is one."""
        for parent in path.parents:
            if parent.name == "chats":
                try:
                    text = (parent.parent / PROJECT_ROOT).read_text("utf-8")
                except (OSError, UnicodeDecodeError):
                    break
                return State(project=text[:4096].strip())
        return State()

    def split_document(self, document: Record) -> Document | None:
        if not isinstance(document.get("messages"), list) or "sessionId" not in document:
            return None
        state = State()
        _read_head(document, state)
        return Document(state, list_messages(document))

    def read_record(self, record: Record, state: State) -> Iterator[Turn]:
        """Yield the turns of a message. Other lines update *state*."""
        if "$set" in record:
            changes = get_object(record, "$set")
            _read_head(changes, state)
            # The remaining messages. Only the summary of the removed ones is new.
            for message in list_objects(changes.get("messages"), "user"):
                yield from (t for t in _read_message(message, state) if t.summary)
        elif "sessionId" in record and "type" not in record:
            _read_head(record, state)
        elif "$rewindTo" not in record:
            yield from _read_message(record, state)


def _read_head(head: Record, state: State) -> None:
    directories = head.get("directories")
    state.note(
        session=get_string(head, "sessionId"),
        project=str(directories[0]) if isinstance(directories, list) and directories else "",
        title=get_string(head, "summary"),
    )
    if head.get("kind") == "subagent":
        state.sidechain = True


def _read_message(record: Record, state: State) -> Iterator[Turn]:
    kind = get_string(record, "type")
    text = read_text(record.get("displayContent") or record.get("content"), "text")
    if kind == "user":
        text = FILES.sub("", text).rstrip()
        if text.strip():
            is_summary = text.lstrip().startswith(SNAPSHOT)
            is_synthetic = is_summary or text.lstrip().startswith(PROGRAM_TEXT)
            yield Turn(USER, text, synthetic=is_synthetic, summary=is_summary)
    elif kind in ("info", "error", "warning"):
        if text.strip():
            yield Turn(SYSTEM, text, synthetic=True)
    elif kind == "gemini":
        if text.strip():
            tokens = get_count(get_object(record, "tokens"), "input", "total")
            yield Turn(ASSISTANT, text, tokens=tokens)
        for each in list_objects(record.get("toolCalls")):
            tool, call_id = get_string(each, "name"), get_string(each, "id")
            yield make_call(tool, each.get("args"), call_id)
            failed = each.get("status") in ("error", "cancelled")
            yield Turn(TOOL, _read_result(each), tool=tool, call_id=call_id, failed=failed)
    else:
        state.count_unknown(kind)


def _read_result(call: Record) -> str:
    """Return the output of a call: the model's response, else the displayed text."""
    results = call.get("result")
    texts = []
    for part in results if isinstance(results, list) else [results]:
        if isinstance(part, str):
            texts.append(part)
        elif isinstance(part, dict):
            response = get_object(get_object(part, "functionResponse"), "response")
            texts.append(find_string(response, "output", "error") or get_string(part, "text"))
    text = "\n".join(text for text in texts if text)
    return text or get_string(call, "resultDisplay")
