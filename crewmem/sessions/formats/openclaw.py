"""OpenClaw and pi, which share a format: a session line, then a tree of entries.

Versions 1 to 3 are read alike. Newer versions store the same entries in a database per agent.
Missing tables and columns are tolerated, because OpenClaw may change its schema.
"""

from __future__ import annotations

import io
import re
from collections.abc import Iterator, Mapping
from contextlib import closing
from functools import partial
from pathlib import Path

from crewmem.sessions.formats.base import (
    Document,
    Format,
    InnerSession,
    find_string,
    get_count,
    get_object,
    get_string,
    list_columns,
    make_loss,
    open_foreign,
    parse_object,
    read_answer,
    read_run,
    read_text,
    read_time,
    unpack,
)
from crewmem.sessions.turns import SYSTEM, TOOL, USER, Record, State, Turn

DATABASE = "openclaw-agent.sqlite"
AGENT = re.compile(r"/agents/([^/]+)/(?:sessions|agent)/")

LOG = re.compile(r"(?<!\.trajectory)\.jsonl(?:\.(?:reset|deleted|bak)[^/]*)?(?:\.zst)?$")
"""End of the name of a log. Trajectories are traces of model calls, which repeat its messages."""

CHECKPOINT = re.compile(r"\.checkpoint\.[\w-]+(?=\.jsonl$)")
"""Part of the name of the copy of a log that the program makes before it drops context."""

COMPARED_BYTES = 1024
"""Bytes at the end of a copy that are compared with the log."""

ENTRIES = frozenset(
    {"session", "message", "compaction", "branch_summary", "custom_message", "reset"}
)
BOOKKEEPING = frozenset(
    {"model_change", "thinking_level_change", "custom", "label", "session_info", "leaf", "event"}
)

SILENT = frozenset({"NO_REPLY", "HEARTBEAT_OK"})
"""Answers of an agent that mean no answer."""

FAILED = ("error", "failed", "forbidden", "timeout")
"""Status of a failed call, in the details of its result, which may lack the error flag."""

FLUSH = "pre-compaction memory flush"
"""Part of the prompt that the program itself sends before it drops context."""

PROGRAM_TEXT = (
    "A new session was started via /new or /reset",
    "Read HEARTBEAT.md",
    "[cron:",
    "[Subagent ",
    "[Inter-session message]",
)
"""Start of user messages that the program wrote."""

CURRENT = re.compile(r"^\[Current message - respond to this\]\s*", re.MULTILINE)
"""The line between earlier messages of a group chat and the message itself."""

STAMP = r"\[[^\]\n]{0,160}\b\d{4}-\d\d-\d\d[T ]\d\d:\d\d[^\]\n]{0,40}\][ \t]*"
"""Chat and time before a message."""

ENVELOPE = re.compile(
    r"^[A-Z][\w ]{2,60} \(untrusted[^)\n]*\):\n"
    r"(?:```+\w*\n.*?\n```+[ \t]*(?:\n|\Z)|(?:(?![ \t]*$)[^\n]*(?:\n|\Z))*)"
    r"|^\[(?:media attached|message_id|Replying to)\b[^\]\n]*\][ \t]*(?:\n|\Z)"
    r"|^(?:System: \[|To send an image back, prefer the message tool)[^\n]*(?:\n|\Z)"
    r"|^\[Queued messages while agent was busy\]\s*"
    rf"|^---\nQueued #\d+[^\n]*\n(?:{STAMP})?",
    re.MULTILINE | re.DOTALL,
)
"""Metadata that the program writes around a message: sender, channel, attachments, events."""


NOTED = re.compile(
    r"^(?:(?:user|assistant): )?(?:\[message_id: [^\]\n]*\]"
    rf"|(?:{'|'.join(map(re.escape, PROGRAM_TEXT))})[^\n]*)[ \t]*$",
    re.MULTILINE,
)
"""A line of a daily note that the program wrote. When a session ends, it files the last messages
as a note, each after ``user:`` or ``assistant:``, with its own messages and marks."""


DIRECTIVE = re.compile(r"\[\[(?:reply_to\w*|audio_as_voice)[^\]\n]*\]\][ \t]*")
"""An agent's directive about how to send its answer."""


def blank_program_lines(note: str) -> str:
    r"""Return a note with empty lines in place of those that the program wrote.

    >>> blank_program_lines("user: Oil the winch\n[message_id: 4711]\nassistant: Done")
    'user: Oil the winch\n\nassistant: Done'
    """
    return NOTED.sub("", note)


class OpenClaw(Format):
    """Logs below ``~/.openclaw/agents``, and the database of each agent."""

    name = "openclaw"

    def find_roots(self, home: Path, variables: Mapping[str, str]) -> list[Path]:
        state = Path(variables.get("OPENCLAW_STATE_DIR") or home / ".openclaw")
        return [state / "agents", home / ".pi" / "agent" / "sessions"]

    def is_log(self, relative: str) -> bool:
        """Return whether a file is a log, an archived log, or an agent's database."""
        name = relative.rpartition("/")[2]
        return name == DATABASE or LOG.search(name) is not None

    def is_snapshot(self, path: Path) -> bool:
        name = CHECKPOINT.sub("", path.name)
        if name == path.name:
            return False
        try:
            with path.open("rb") as copy, path.with_name(name).open("rb") as log:
                start = max(copy.seek(0, io.SEEK_END) - COMPARED_BYTES, 0)
                copy.seek(start)
                log.seek(start)
                end = copy.read()
                return log.read(len(end)) == end
        except OSError:
            return False

    def recognises(self, record: Record) -> bool:
        kind = get_string(record, "type")
        if kind == "message":
            return isinstance(record.get("message"), dict) and "sessionId" not in record
        if kind == "session":
            return "id" in record and "payload" not in record
        return kind in ENTRIES and "timestamp" in record and "sessionId" not in record

    def find_time(self, record: Record) -> str:
        message = get_object(record, "message")
        return read_time(record.get("timestamp")) or read_time(message.get("timestamp"))

    def read_record(self, record: Record, state: State) -> Iterator[Turn]:
        kind = get_string(record, "type")
        if kind == "message":
            yield from _read_message(record, state)
        elif kind == "session":
            state.note(session=get_string(record, "id"), project=get_string(record, "cwd"))
        elif kind == "compaction":
            before, summary = get_count(record, "tokensBefore"), get_string(record, "summary")
            yield make_loss("compaction", before, summary=summary)
        elif kind in ("branch_summary", "custom_message"):
            is_summary = kind == "branch_summary"
            text = read_text(record.get("summary" if is_summary else "content"), "text")
            if text.strip():
                yield Turn(USER, text, summary=is_summary, synthetic=True)
        elif kind == "session_info":
            state.note(title=get_string(record, "name"))
        elif kind not in BOOKKEEPING and kind not in ENTRIES:
            state.count_unknown(kind)

    def make_state(self, path: Path) -> State:
        """Return the agent in the path of a log or database.

        >>> OpenClaw().make_state(Path("/home/kim/.openclaw/agents/ada/sessions/1.jsonl")).agent
        'ada'
        """
        match = AGENT.search(str(path))
        return State(agent=match[1] if match else "")

    def list_sessions(self, path: Path) -> list[InnerSession] | None:
        if path.name != DATABASE:
            return None
        with closing(open_foreign(path)) as db:
            if not {"session_id", "seq", "event_json"} <= list_columns(db, "transcript_events"):
                return []
            rows = db.all(
                "select session_id, max(seq), count(*) from transcript_events group by session_id"
            )
        return [
            InnerSession(str(name), f"{last}:{count}", partial(self._load_session, path, str(name)))
            for name, last, count in rows
        ]

    def _load_session(self, path: Path, inner: str) -> Document:
        with closing(open_foreign(path)) as db:
            has_packed = "event_zstd" in list_columns(db, "transcript_events")
            packed = "event_zstd" if has_packed else "null"
            rows = db.all(
                f"select event_json, {packed} from transcript_events"
                " where session_id = ? order by seq",
                (inner,),
            )
        texts = [_unpack_event(data) if text is None and data else text for text, data in rows]
        state = self.make_state(path)
        state.session = inner
        return Document(state, [parse_object(text) for text in texts])


def _unpack_event(packed: bytes) -> bytes:
    unpacked = io.BytesIO()
    unpack(io.BytesIO(packed), unpacked)
    return unpacked.getvalue()


def _strip_envelope(text: str) -> str:
    """Return the person's text in a message from a chat."""
    message = ENVELOPE.sub("", CURRENT.split(text)[-1]).strip()
    return re.sub(rf"\A{STAMP}", "", message)


def _read_message(record: Record, state: State) -> Iterator[Turn]:
    message = get_object(record, "message")
    role, content = get_string(message, "role"), message.get("content")
    if role == "user":
        text = read_text(content, "text")
        if text.strip():
            typed = _strip_envelope(text)
            origin = get_string(get_object(message, "provenance"), "kind")
            is_synthetic = (
                not typed
                or typed.startswith(PROGRAM_TEXT)
                or FLUSH in typed.lower()
                or origin not in ("", "external_user")
            )
            yield Turn(USER, text if is_synthetic else typed, synthetic=is_synthetic)
    elif role == "assistant":
        text = DIRECTIVE.sub("", read_text(content, "text"))
        text = "" if text.strip() in SILENT else text
        tokens = get_count(get_object(message, "usage"), "totalTokens")
        for turn in read_answer(text, content, call="toolCall", arguments="arguments"):
            turn.tokens = tokens
            yield turn
    elif role in ("toolResult", "tool_result"):
        text = read_text(content, "text")
        call_id, tool = get_string(message, "toolCallId"), get_string(message, "toolName")
        details = get_object(message, "details")
        status = get_count(details, "exitCode")
        failed = message.get("isError") is True or details.get("status") in FAILED
        yield Turn(TOOL, text, call_id=call_id, tool=tool, exit_status=status, failed=failed)
    elif role == "bashExecution":
        command, output = get_string(message, "command"), get_string(message, "output")
        status, call_id = get_count(message, "exitCode"), find_string(record, "id", "timestamp")
        yield from read_run("bash", command, output, status, call_id)
    elif role == "compactionSummary":
        text = get_string(message, "summary")
        yield Turn(SYSTEM, text, summary=True, synthetic=True)
    elif role not in ("custom", "branchSummary", "system"):
        state.count_unknown(f"message/{role}")
