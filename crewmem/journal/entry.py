"""What happened: an entry of the journal, and the draft of one. Pure."""

from __future__ import annotations

import re

from crewmem.records import NamedTuple

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping
    from datetime import datetime

    from crewmem.errors.values import BadEntryError

SEVERITIES = ("info", "notice", "warn", "error")
PRIORITIES = ("normal", "high", "pin", "permanent")
ACTOR_TYPES = ("agent", "user", "system", "keeper", "sidecar", "orchestrator")

TYPE = r"[a-z][a-z0-9_]*(?:\.[a-z][a-z0-9_]*)+"
"""Of an entry: dotted lower case. Names that nobody knows yet are as good."""

TYPE_MOST = 100
"""Most characters of a type."""

NAME_MOST = 200
"""Most characters of an id, and of what names a crew, an agent, a session."""

SUMMARY_MOST = 64 << 10
"""Most bytes of a summary, as of a memory's content."""

PAYLOAD_MOST = 1 << 20
"""Most bytes of a payload, and of what an entry refers to."""

NAMES = (
    "id",
    "crew_id",
    "agent_id",
    "mission_id",
    "actor_id",
    "trace_id",
    "span_id",
)
"""Fields that hold a name, or nothing."""


class Draft(NamedTuple):
    """What somebody wants to have in the journal.

    Attributes:
        id: One that it has already; None: it gets a new one.
        ts: When it happened; None: now.
        payload: A JSON object, `refs` as well.
    """

    entry_type: str
    summary: str
    id: str | None = None
    crew_id: str | None = None
    agent_id: str | None = None
    mission_id: str | None = None
    ts: datetime | None = None
    severity: str = "info"
    priority: str = "normal"
    actor_type: str = "system"
    actor_id: str | None = None
    payload: Mapping[str, object] = {}
    refs: Mapping[str, object] = {}
    trace_id: str | None = None
    span_id: str | None = None
    expires_at: datetime | None = None


class Entry(NamedTuple):
    """Something that happened.

    Attributes:
        seq: Its place in the journal of all workspaces, which only grows.
        id: j_ and 12 characters; what was imported keeps its own.
        workspace_id: The workspace.
        crew_id: The crew that it belongs to.
        agent_id: The agent that it belongs to.
        mission_id: The mission that it was part of.
        ts: When it happened.
        entry_type: What kind of thing it was, as memory.updated.
        severity: info, notice, warn or error.
        priority: normal, high, pin or permanent, as it is now.
        actor_type: What did it: agent, user, system, keeper, sidecar or orchestrator.
        actor_id: Who did it.
        summary: What happened, in a sentence.
        payload: What more there is to know.
        refs: What it refers to.
        trace_id: The session that it happened in.
        span_id: The step of the session.
        expires_at: When it stops to matter.
        prev_hash: The hash of the entry before it in its workspace.
        entry_hash: The hash over its fields as written, and prev_hash.
        archived_at: When compaction moved it to the archive; None: it has not.
    """

    seq: int
    id: str
    workspace_id: str
    crew_id: str | None
    agent_id: str | None
    mission_id: str | None
    ts: datetime
    entry_type: str
    severity: str
    priority: str
    actor_type: str
    actor_id: str | None
    summary: str
    payload: Mapping[str, object]
    refs: Mapping[str, object]
    trace_id: str | None
    span_id: str | None
    expires_at: datetime | None
    prev_hash: str
    entry_hash: str
    archived_at: datetime | None = None


def require_valid(draft: Draft) -> None:
    """Refuse a draft that cannot be an entry.

    What its payload weighs is seen when it is written.

    Raises:
        BadEntryError: If a field is not what it should be.
        InputTooLargeError: If its summary is over the limit.
    """
    kind = draft.entry_type
    if len(kind) > TYPE_MOST or not re.fullmatch(TYPE, kind):
        raise _bad("entry_type", kind, "dotted lower case, as memory.updated")
    _require_one_of("severity", draft.severity, SEVERITIES)
    _require_one_of("priority", draft.priority, PRIORITIES)
    _require_one_of("actor_type", draft.actor_type, ACTOR_TYPES)
    for name in NAMES:
        text = getattr(draft, name)
        if text is not None and not _is_name(text):
            wanted = f"a name of at most {NAME_MOST} characters, in one line"
            raise _bad(name, text, wanted)
    if not draft.summary.strip() or "\0" in draft.summary:
        raise _bad("summary", draft.summary, "some text")
    if len(draft.summary) > SUMMARY_MOST // 4:
        size = len(draft.summary.encode("utf-8", "replace"))
        if size > SUMMARY_MOST:
            from crewmem.errors.cli import InputTooLargeError

            raise InputTooLargeError("the summary", size, SUMMARY_MOST)


def _require_one_of(name: str, text: str, choices: tuple[str, ...]) -> None:
    if text not in choices:
        raise _bad(name, text, f"one of {', '.join(choices)}")


def _is_name(text: str) -> bool:
    return 0 < len(text) <= NAME_MOST and text.isprintable()


def _bad(name: str, text: str, wanted: str) -> BadEntryError:
    from crewmem.errors.values import BadEntryError

    return BadEntryError(name, text, wanted)
