"""OpenClaw's sessions, which are those of pi: a session line, then a tree of entries.

Versions 1 to 3 are read alike; what newer ones keep in SQLite has the same lines.
"""

from __future__ import annotations

import re

from crewmem.transcripts.formats.content import (
    blocks,
    instant,
    is_true,
    mapping,
    name,
    said,
    text,
    whole,
)
from crewmem.transcripts.turn import (
    ASSISTANT,
    SYSTEM,
    TOOL,
    TOOL_MOST,
    USER,
    Loss,
    Turn,
)

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping
    from typing import Unpack

    from crewmem.transcripts.turn import More, Place, Record, State

NAME = "openclaw"

LOG = re.compile(
    r"(?:.*/)?sessions/(?:cold/)?[^/]+\.jsonl(?:\.(?:reset|deleted|bak)[^/]*)?(?:\.zst)?"
)
"""A log, or the archive of one."""

AGENT = re.compile(r"(?:.*/)?([^/]+)/(?:sessions|agent)/")

ENTRIES = frozenset(
    {"session", "message", "compaction", "branch_summary", "custom_message", "reset"}
)
"""Kinds of lines that say something."""

META = frozenset(
    {
        "model_change",
        "thinking_level_change",
        "custom",
        "label",
        "session_info",
        "leaf",
        "event",
    }
)
"""Kinds that are known to say nothing."""

SILENT = frozenset({"NO_REPLY", "HEARTBEAT_OK"})
"""What an agent answers to say that it says nothing."""

FLUSH = "pre-compaction memory flush"
"""In what the program asks by itself before it drops context."""


def folders(environ: Mapping[str, str], home: str) -> list[str]:
    """Return where the agents of OpenClaw are."""
    state = environ.get("OPENCLAW_STATE_DIR") or f"{home}/.openclaw"
    return [f"{state}/agents"]


def belongs(path: str) -> bool:
    """Tell whether *path* is a log, or the database that newer ones are in."""
    return bool(LOG.fullmatch(path)) or path.endswith("agent/openclaw-agent.sqlite")


def agent(path: str) -> str:
    """Return the id of the agent whose log *path* is."""
    found = AGENT.match(path)
    return found[1] if found else ""


def knows(record: Record) -> bool:
    """Tell whether a line is an entry of a session of pi."""
    kind = record.get("type")
    if kind == "message":
        return isinstance(record.get("message"), dict) and "sessionId" not in record
    if kind == "session":
        return "id" in record and "payload" not in record
    return kind in ENTRIES and "timestamp" in record and "sessionId" not in record


def turns(record: Record, place: Place, state: State) -> Iterator[Turn]:
    """Yield what an entry says."""
    kind = text(record, "type")
    if kind == "session":
        state.kept["session"] = name(record, "id")
        state.kept["project"] = name(record, "cwd")
    elif kind == "message":
        yield from _message(record, place, state)
    elif kind == "compaction":
        loss = Loss("compaction", whole(record, "tokensBefore"))
        yield _turn(record, place, state, SYSTEM, "", loss=loss, synthetic=True)
        summary = said(record.get("summary"))
        yield _turn(record, place, state, SYSTEM, summary, summary=True)
    elif kind in {"branch_summary", "custom_message"}:
        is_summary = kind == "branch_summary"
        content = record.get("summary" if is_summary else "content")
        found = said(content, "text")
        yield _turn(
            record, place, state, USER, found, summary=is_summary, synthetic=True
        )
    elif kind not in META | ENTRIES:
        state.count(kind[:80] or "(none)")


def _message(record: Record, place: Place, state: State) -> Iterator[Turn]:
    message = mapping(record, "message")
    role, content = text(message, "role"), message.get("content")
    if role == USER:
        found = said(content, "text")
        is_flush = FLUSH in found.casefold()
        yield _turn(record, place, state, USER, found, synthetic=is_flush)
    elif role == ASSISTANT:
        found = said(content, "text")
        if found.strip() in SILENT:
            found = ""
        tokens = whole(mapping(message, "usage"), "totalTokens")
        yield _turn(record, place, state, ASSISTANT, found, tokens=tokens)
        for each in blocks(content, "toolCall"):
            yield _turn(record, place, state, TOOL, "", tool=name(each, "name"))
    elif role in {"toolResult", "tool_result"}:
        found = said(content, "text")[:TOOL_MOST]
        if is_true(message, "isError"):
            found = f"error: {found}"
        yield _turn(record, place, state, TOOL, found, tool=name(message, "toolName"))
    elif role == "compactionSummary":
        found = said(message.get("summary"))
        yield _turn(record, place, state, SYSTEM, found, summary=True)
    elif role not in {"bashExecution", "custom", "branchSummary", "system"}:
        state.count(f"message/{role[:80]}")


def _turn(
    record: Record,
    place: Place,
    state: State,
    role: str,
    found: str,
    **more: Unpack[More],
) -> Turn:
    at = instant(record.get("timestamp"))
    at = at or instant(mapping(record, "message").get("timestamp"))
    session = state.text("session")
    own = name(record, "id")
    return Turn(
        NAME,
        session,
        place,
        at,
        role,
        found,
        f"{session}/{own}" if own else "",
        project=state.text("project"),
        **more,
    )
