"""OpenClaw, whose sessions have the form of pi's: a session line, then a tree of entries.

Versions 1 to 3 are read alike. Newer versions keep the same entries in a database for each
agent; what of it cannot be found is left out, for its form is OpenClaw's to change.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from contextlib import closing
from functools import cache, partial
from pathlib import Path

import apsw

from crewmem.errors import DamagedError
from crewmem.sessions.formats.base import (
    Document,
    Format,
    MakeTurn,
    parse_object,
    read_answer,
)
from crewmem.sessions.turns import (
    SYSTEM,
    TOOL,
    USER,
    Loss,
    Record,
    State,
    Turn,
    get_count,
    get_object,
    get_string,
    read_text,
    read_time,
)
from crewmem.storage.sqlite import Database, explain_error

DATABASE = "openclaw-agent.sqlite"

ENTRIES = frozenset(
    {"session", "message", "compaction", "branch_summary", "custom_message", "reset"}
)
BOOKKEEPING = frozenset(
    {"model_change", "thinking_level_change", "custom", "label", "session_info", "leaf", "event"}
)

SILENT = frozenset({"NO_REPLY", "HEARTBEAT_OK"})
"""What an agent answers to say that it says nothing."""

FLUSH = "pre-compaction memory flush"
"""In what the program asks by itself before it drops context."""


class OpenClaw(Format):
    """Logs below ``~/.openclaw/agents``, and the database of each agent."""

    name = "openclaw"

    def find_roots(self, home: Path, variables: Mapping[str, str]) -> list[Path]:
        """Return the directory of agents, and that of pi."""
        state = Path(variables.get("OPENCLAW_STATE_DIR") or home / ".openclaw")
        return [state / "agents", home / ".pi" / "agent" / "sessions"]

    def is_log(self, relative: str) -> bool:
        """Tell whether a file is a log, the archive of one, or an agent's database."""
        name = relative.rpartition("/")[2]
        return (
            name == DATABASE
            or re.search(r"\.jsonl(?:\.(?:reset|deleted|bak)[^/]*)?(?:\.zst)?$", name) is not None
        )

    def knows(self, record: Record) -> bool:
        """Tell whether a line is an entry of a session."""
        kind = record.get("type")
        if kind == "message":
            return isinstance(record.get("message"), dict) and "sessionId" not in record
        if kind == "session":
            return "id" in record and "payload" not in record
        return kind in ENTRIES and "timestamp" in record and "sessionId" not in record

    def read_record(self, record: Record, line: int, state: State) -> Iterator[Turn]:
        """Yield the turns of an entry."""
        kind = record.get("type")
        at = read_time(record.get("timestamp"))
        at = at or read_time(get_object(record, "message").get("timestamp"))
        make_turn = partial(Turn, line, at=at, message_id=get_string(record, "id"))
        if kind == "message":
            yield from _read_message(record, line, state, make_turn)
        elif kind == "session":
            state.session = state.session or get_string(record, "id")
            state.project = state.project or get_string(record, "cwd")
        elif kind == "compaction":
            loss = Loss("compaction", get_count(record, "tokensBefore"))
            yield make_turn(0, SYSTEM, "", loss=loss, synthetic=True)
            if summary := get_string(record, "summary"):
                yield make_turn(1, SYSTEM, summary, summary=True, synthetic=True)
        elif kind in ("branch_summary", "custom_message"):
            is_summary = kind == "branch_summary"
            text = read_text(record.get("summary" if is_summary else "content"), "text")
            if text.strip():
                yield make_turn(0, USER, text, summary=is_summary, synthetic=True)
        elif kind == "session_info":
            state.title = get_string(record, "name")[:200] or state.title
        elif kind not in BOOKKEEPING and kind not in ENTRIES:
            state.count_unknown(kind)

    def list_sessions(self, path: Path) -> dict[str, str] | None:
        """Return the sessions in an agent's database; None for a log."""
        if path.name != DATABASE:
            return None
        with closing(open_foreign(path)) as db:
            names = {
                name
                for (name,) in db.all("select name from pragma_table_info('transcript_events')")
            }
            if not {"session_id", "seq", "event_json"} <= names:
                return {}
            rows = db.all(
                "select session_id, max(seq), count(*) from transcript_events group by session_id"
            )
        return {str(name): f"{last}:{count}" for name, last, count in rows}

    def load_session(self, path: Path, inner: str) -> Document:
        """Read one session of an agent's database; positions are its sequence numbers."""
        records: list[tuple[int, Record]] = []
        with closing(open_foreign(path)) as db:
            names = {
                name
                for (name,) in db.all("select name from pragma_table_info('transcript_events')")
            }
            packed = "event_zstd" if "event_zstd" in names else "null"
            rows = db.all(
                f"select seq, event_json, {packed} from transcript_events"
                " where session_id = ? order by seq",
                (inner,),
            )
        for seq, text, data in rows:
            if text is None and data is not None:
                text = unpack(data)
            if record := parse_object(text):
                records.append((int(seq), record))
        return Document(State(session=inner, agent=find_agent(str(path))), records)


def find_agent(path: str) -> str:
    """Return the agent whose log or database *path* is; "" when the path does not tell.

    >>> find_agent("/home/kim/.openclaw/agents/ada/sessions/1.jsonl")
    'ada'
    """
    match = _agent_pattern().search(path)
    return match[1] if match else ""


@cache
def _agent_pattern() -> re.Pattern[str]:
    return re.compile(r"/agents/([^/]+)/(?:sessions|agent)/")


def open_foreign(path: Path) -> Database:
    """Open another program's database, only for reading, while it may be writing.

    Raises:
        CrewmemError: If it is not one.
    """
    try:
        connection = apsw.Connection(str(path), flags=apsw.SQLITE_OPEN_READONLY)
        connection.set_busy_timeout(2000)
    except apsw.Error as error:
        raise explain_error(error, path) from error
    return Database(path, connection, read_only=True)


def unpack(data: bytes) -> str:
    """Return what Zstandard compressed.

    Raises:
        DamagedError: If the library is missing, or the data damaged.
    """
    try:
        import zstandard  # an extra, for few logs
    except ImportError as error:
        raise DamagedError(
            "a compressed log cannot be read without the extra 'zstd'", code="zstd-missing"
        ) from error
    try:
        decompressor = zstandard.ZstdDecompressor()
        with decompressor.stream_reader(data) as reader:
            return bytes(reader.read(64 << 20)).decode("utf-8", "replace")
    except zstandard.ZstdError as error:
        raise DamagedError(f"compressed text is damaged: {error}", code="log-damaged") from error


def _read_message(record: Record, line: int, state: State, make_turn: MakeTurn) -> Iterator[Turn]:
    message = get_object(record, "message")
    role, content = message.get("role"), message.get("content")
    if role == "user":
        text = read_text(content, "text")
        if text.strip():
            yield make_turn(0, USER, text, synthetic=FLUSH in text.lower())
    elif role == "assistant":
        text = read_text(content, "text")
        yield from read_answer(
            make_turn,
            "" if text.strip() in SILENT else text,
            content,
            call="toolCall",
            arguments="arguments",
            tokens=get_count(get_object(message, "usage"), "totalTokens"),
        )
    elif role in ("toolResult", "tool_result"):
        text = read_text(content, "text")
        call_id, tool = get_string(message, "toolCallId"), get_string(message, "toolName")
        failed = message.get("isError") is True
        yield make_turn(0, TOOL, text, call_id=call_id, tool=tool, failed=failed)
    elif role == "bashExecution":
        # What the person ran: a call and its result at once.
        command, status = get_string(message, "command"), get_count(message, "exitCode")
        make_turn = partial(make_turn, tool="bash", call_id=f"bash:{line}")
        yield make_turn(0, TOOL, command, command=command, is_call=True)
        output = get_string(message, "output")
        yield make_turn(1, TOOL, output, exit_status=status, failed=bool(status))
    elif role == "compactionSummary":
        text = get_string(message, "summary")
        yield make_turn(0, SYSTEM, text, summary=True, synthetic=True)
    elif role not in ("custom", "branchSummary", "system"):
        state.count_unknown(f"message/{role}")
