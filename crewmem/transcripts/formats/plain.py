"""Plain JSON lines: role, content and ts, and whatever else somebody wrote."""

from __future__ import annotations

from crewmem.transcripts.formats.content import (
    instant,
    is_true,
    name,
    said,
    text,
    whole,
)
from crewmem.transcripts.turn import ASSISTANT, SYSTEM, TOOL, TOOL_MOST, USER, Turn

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from crewmem.transcripts.turn import Place, Record, State

NAME = "plain"

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
"""What programs call who speaks."""


def folders(environ: Mapping[str, str], home: str) -> list[str]:  # noqa: ARG001 - as all
    """Return nothing: somebody names where they are."""
    return []


def belongs(path: str) -> bool:
    """Tell whether *path* may be such a file."""
    return path.endswith((".jsonl", ".jsonl.zst"))


def agent(path: str) -> str:  # noqa: ARG001 - as all formats
    """Return nothing: somebody names whose they are."""
    return ""


def knows(record: Record) -> bool:
    """Tell whether a line says who speaks, and what."""
    role = record.get("role")
    return isinstance(role, str) and role.casefold() in ROLES and "content" in record


def turns(record: Record, place: Place, state: State) -> Iterator[Turn]:
    """Yield what a line says."""
    role = ROLES.get(text(record, "role").casefold())
    if role is None:
        state.count(name(record, "role")[:80] or "(none)")
        return
    if session := name(record, "session") or name(record, "session_id"):
        state.kept["session"] = session
    found = said(record.get("content"), "text", "input_text", "output_text")
    at = record.get("ts", record.get("timestamp"))
    yield Turn(
        NAME,
        state.text("session"),
        place,
        instant(at),
        role,
        found[:TOOL_MOST] if role == TOOL else found,
        name(record, "id"),
        tool=name(record, "name"),
        project=name(record, "cwd"),
        synthetic=is_true(record, "synthetic"),
        tokens=whole(record, "tokens"),
    )
