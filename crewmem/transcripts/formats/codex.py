"""Codex's sessions: rollouts, in which what a person said may stand twice.

What is shown to a person are events, what is given to the model items. A prompt is an
event of its own where the program wrote events; else it is an item, and one of many
that the program put there itself. So an item of a user is held back until it is known
which it is: an event that comes before the model answers takes its place.
"""

from __future__ import annotations

import re

from crewmem.transcripts.formats.content import (
    instant,
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

NAME = "codex"

LOG = re.compile(r"(?:.*/)?rollout-[^/]*\.jsonl(?:\.zst)?")

LINES = frozenset(
    {"session_meta", "turn_context", "response_item", "event_msg", "compacted"}
)

META = frozenset(
    {
        "world_state",
        "inter_agent_communication",
        "inter_agent_communication_metadata",
        "token_usage_record",
        "retained_context",
        "security_risk_score",
        "realtime_item",
    }
)
"""Kinds of newer lines that say nothing."""

ITEMS = frozenset({"message", "function_call", "function_call_output", "reasoning"})
"""What the lines of the oldest files are, which have no envelope."""

PUT_THERE = (
    "<environment_context>",
    "<user_instructions>",
    "<INSTRUCTIONS>",
    "<permissions instructions>",
    "<collaboration_mode>",
    "<recommended_plugins>",
    "<turn_aborted>",
    "<subagent_notification>",
    "<user_shell_command>",
    "<skill>",
    "# AGENTS.md",
)
"""How an item of a user begins that no user wrote."""

REQUEST = "## My request for Codex:"
"""The line behind which a prompt stands that an editor sent with other things."""

HELD_MOST = 64
"""Items that are held back at most: no program sends more before it asks the model."""


def folders(environ: Mapping[str, str], home: str) -> list[str]:
    """Return where the rollouts of Codex are."""
    codex = environ.get("CODEX_HOME") or f"{home}/.codex"
    return [f"{codex}/sessions", f"{codex}/archived_sessions"]


def belongs(path: str) -> bool:
    """Tell whether *path* is a rollout."""
    return bool(LOG.fullmatch(path))


def agent(path: str) -> str:  # noqa: ARG001 - as all formats
    """Return nothing: the program knows no agents."""
    return ""


def knows(record: Record) -> bool:
    """Tell whether a line is of a rollout."""
    kind = record.get("type")
    if kind in LINES | META:
        return isinstance(record.get("payload"), dict)
    bare = "instructions" in record and "timestamp" in record and "id" in record
    return bare or (
        kind in ITEMS and "payload" not in record and "message" not in record
    )


def turns(record: Record, place: Place, state: State) -> Iterator[Turn]:
    """Yield what a line says, and what was held back until it came."""
    kind, payload = text(record, "type"), mapping(record, "payload")
    if "payload" not in record:
        kind, payload = ("response_item", record) if kind else ("session_meta", record)
    here = _Here(record, payload, place, state)
    if kind == "session_meta":
        state.kept.setdefault("session", name(payload, "id"))
        _work(payload, state)
        state.kept["helper"] = isinstance(payload.get("source"), dict)
        state.kept["branch"] = name(mapping(payload, "git"), "branch")
    elif kind == "turn_context":
        _work(payload, state)
    elif kind == "response_item":
        yield from _item(here)
    elif kind == "event_msg":
        yield from _event(here)
    elif kind == "compacted":
        yield from _let_go(state)
        yield here.turn(SYSTEM, "", loss=Loss("compacted"), synthetic=True)
        if summary := said(payload.get("message")):
            yield here.turn(SYSTEM, summary, summary=True)
    elif kind not in META:
        state.count(kind[:80] or "(none)")


def _work(payload: Record, state: State) -> None:
    """Note the directory that is worked in."""
    if cwd := name(payload, "cwd"):
        state.kept["project"] = cwd


class _Here:
    """A line, and what turns are made of it with."""

    def __init__(
        self, record: Record, payload: Record, place: Place, state: State
    ) -> None:
        self.record, self.payload = record, payload
        self.place, self.state = place, state

    def turn(self, role: str, found: str, **more: Unpack[More]) -> Turn:
        """Return a turn that says what is *found* here."""
        state = self.state
        return Turn(
            NAME,
            state.text("session"),
            self.place,
            instant(self.record.get("timestamp")),
            role,
            found,
            branch=state.text("branch"),
            project=state.text("project"),
            sidechain=state.kept.get("helper") is True,
            **more,
        )


def _item(here: _Here) -> Iterator[Turn]:
    """Yield what an item for the model says."""
    kind, role = text(here.payload, "type"), text(here.payload, "role")
    if kind == "message" and role == USER:
        found = _prompt(said(here.payload.get("content"), "input_text", "text"))
        turn = here.turn(USER, found)
        if not found or here.state.kept.get("events"):
            return
        if found.startswith(PUT_THERE):
            yield turn._replace(synthetic=True)
            return
        here.state.held.append(turn)
        if len(here.state.held) > HELD_MOST:
            yield from _let_go(here.state)
    elif kind == "message" and role == ASSISTANT:
        yield from _let_go(here.state)
        yield here.turn(ASSISTANT, said(here.payload.get("content"), "output_text"))
    elif kind.endswith("_call"):
        yield from _let_go(here.state)
        yield here.turn(TOOL, "", tool=name(here.payload, "name") or kind)
    elif kind.endswith("_output"):
        output = here.payload.get("output")
        found = (
            output if isinstance(output, str) else said(output, "input_text", "text")
        )
        yield here.turn(TOOL, found[:TOOL_MOST])
    elif kind in {"compaction", "context_compaction"}:
        yield here.turn(SYSTEM, "", loss=Loss(kind), synthetic=True)


def _event(here: _Here) -> Iterator[Turn]:
    """Yield what an event for the person says."""
    payload = here.payload
    kind, item = text(payload, "type"), mapping(payload, "item")
    what = text(item, "type")
    if kind == "user_message" or (kind == "item_completed" and what == "UserMessage"):
        here.state.held.clear()  # it said the same to the model
        here.state.kept["events"] = True
        content = (
            payload.get("message") if kind == "user_message" else item.get("content")
        )
        if found := _prompt(said(content, "text", "input_text", "Text")):
            yield here.turn(USER, found, synthetic=found.startswith(PUT_THERE))
    elif kind == "token_count":
        usage = mapping(mapping(payload, "info"), "last_token_usage")
        if tokens := whole(usage, "total_tokens", "input_tokens"):
            yield here.turn(SYSTEM, "", synthetic=True, tokens=tokens)
    elif kind == "context_compacted":
        yield here.turn(SYSTEM, "", loss=Loss(kind), synthetic=True)


def _let_go(state: State) -> Iterator[Turn]:
    """Yield what was held back: nothing took its place."""
    held, state.held = state.held, []
    yield from held


def _prompt(found: str) -> str:
    """Return what a person asked, of what an editor sent."""
    _, marker, rest = found.partition(REQUEST)
    return (rest if marker else found).strip()
