"""Codex: rollouts, in which a prompt may occur twice.

Events are what the person is shown, items what the model is given. A prompt is read from events if
the log has any, else from items, where the program's own texts have to be told apart.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from datetime import timedelta
from pathlib import Path

from crewmem.sessions.formats.base import (
    Format,
    find_string,
    get_count,
    get_object,
    get_string,
    hash_start,
    make_call,
    make_loss,
    read_text,
)
from crewmem.sessions.turns import ASSISTANT, SYSTEM, TOOL, USER, Record, State, Turn
from crewmem.times import parse_time

ENVELOPES = frozenset({"session_meta", "turn_context", "response_item", "event_msg", "compacted"})
BOOKKEEPING = frozenset({
    "inter_agent_communication", "inter_agent_communication_metadata", "realtime_item",
    "retained_context", "security_risk_score", "token_usage_record", "world_state",
})  # fmt: skip
BARE_ITEMS = frozenset({"message", "function_call", "function_call_output", "reasoning"})
"""Types of lines without an envelope, in the oldest files."""

PROGRAM_TEXT = (
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
    "<multi_agent_mode>",
    "<agent_message_board_notification>",
    "# AGENTS.md",
)
"""Start of user items that the program wrote."""

REQUEST = "## My request for Codex:"
"""The line before the prompt in a message of an editor extension."""

TEMPLATE = re.compile(
    r"\A(?:---\n.*?\n---\s+)?(?:## User Input\s+```text\n(.*?)```\s+You \*\*MUST\*\* consider"
    r"|The user input to you can be provided .*?\nUser input:\n\n(.*?)\n\n)",
    re.DOTALL,
)
"""Start of a stored prompt of Spec Kit, which contains the person's text, and that text."""

STORED = re.compile(r"\A---\n(?:[\w-]+:.*\n)*(?:description|argument-hint|allowed-tools):")
"""Start of another stored prompt: its front matter."""

COPYING = timedelta(seconds=1)
"""Time within which a forked session has copied the turns of its parent, with new times."""

MAX_CALLS = 100
"""Number of newest calls that are remembered to recognise their events."""

HAS_OUTPUT = "done"
"""Stored instead of the exit status of a call whose output was read."""


class Codex(Format):
    """Rollouts below ``~/.codex/sessions``; ``.zst`` ones with the extra ``zstd``."""

    name = "codex"

    def find_roots(self, home: Path, variables: Mapping[str, str]) -> list[Path]:
        codex = Path(variables.get("CODEX_HOME") or home / ".codex")
        return [codex / "sessions", codex / "archived_sessions"]

    def is_log(self, relative: str) -> bool:
        name = relative.rpartition("/")[2]
        return name.startswith("rollout-") and name.endswith((".jsonl", ".jsonl.zst"))

    def recognises(self, record: Record) -> bool:
        kind = get_string(record, "type")
        if kind in ENVELOPES or kind in BOOKKEEPING:
            return isinstance(record.get("payload"), dict)
        if "payload" in record or "message" in record:
            return False
        is_head = all(name in record for name in ("instructions", "timestamp", "id"))
        return is_head or kind in BARE_ITEMS

    def find_id(self, record: Record) -> str:
        return get_string(get_object(record, "payload") or record, "id")

    def read_turns(self, record: Record, line: int, state: State) -> list[Turn]:
        """Return the turns of a record. Those copied from a parent are the program's."""
        turns = super().read_turns(record, line, state)
        forked_at = state.kept.get("forked_at")
        if turns and forked_at:
            if turns[0].at and parse_time(turns[0].at) - parse_time(forked_at) <= COPYING:
                for turn in turns:
                    turn.synthetic = turn.role != TOOL
            else:
                del state.kept["forked_at"]
        return turns

    def read_record(self, record: Record, state: State) -> Iterator[Turn]:
        kind, payload = get_string(record, "type"), get_object(record, "payload")
        if "payload" not in record:
            kind, payload = "response_item" if kind else "session_meta", dict(record)
        if kind == "response_item":
            yield from _read_item(payload, state)
        elif kind == "event_msg":
            yield from _read_event(payload, state)
        elif kind == "session_meta":
            state.note(
                session=get_string(payload, "id"),
                project=get_string(payload, "cwd"),
                branch=get_string(get_object(payload, "git"), "branch"),
            )
            # A forked session repeats the head of its parent; only its own head counts.
            if get_string(payload, "id") == state.session:
                if (
                    isinstance(payload.get("source"), dict)
                    or payload.get("thread_source") == "subagent"
                ):
                    state.sidechain = True
                if get_string(payload, "forked_from_id"):
                    state.kept["forked_at"] = self.find_time(record)
        elif kind == "turn_context":
            state.note(project=get_string(payload, "cwd"))
        elif kind == "compacted":
            yield make_loss("compacted", summary=get_string(payload, "message"))
        elif kind not in BOOKKEEPING:
            state.count_unknown(kind)


def _read_item(payload: Record, state: State) -> Iterator[Turn]:
    """Yield the turns of an item, which is for the model."""
    kind, role = get_string(payload, "type"), get_string(payload, "role")
    if kind == "message" and role == "user":
        text = _find_prompt(read_text(payload.get("content"), "input_text", "text"))
        if not text:
            return
        if _is_program_text(text) or _is_injected(payload):
            yield Turn(USER, text, synthetic=True)
        elif not state.kept.get("events") and not _is_repeated(text, state):
            yield Turn(USER, text)
    elif kind == "message" and role == "assistant":
        state.kept.pop("said", None)
        text = read_text(payload.get("content"), "output_text", "text")
        if text.strip():
            yield Turn(ASSISTANT, text)
    elif kind.endswith("_output"):
        output = payload.get("output")
        text = output if isinstance(output, str) else read_text(output, "input_text", "text")
        if not text and isinstance(output, dict):
            text = find_string(output, "content", "output", "text")
        call_id = get_string(payload, "call_id")
        status = None
        if call_id in (calls := state.kept.get("calls", {})):
            status, calls[call_id] = calls[call_id], HAS_OUTPUT
        yield Turn(TOOL, text, call_id=call_id, exit_status=status)
    elif kind.endswith("_call"):
        state.kept.pop("said", None)  # the same prompt after a call is a new one
        tool = get_string(payload, "name") or kind
        arguments = payload.get("arguments") or payload.get("input") or payload.get("action")
        call_id = get_string(payload, "call_id")
        _remember_call(call_id, state)
        yield make_call(tool, arguments, call_id)
    elif kind in ("compaction", "context_compaction"):
        yield make_loss(kind)


def _read_event(payload: Record, state: State) -> Iterator[Turn]:
    """Yield the turns of an event, which is for the person."""
    kind, item = get_string(payload, "type"), get_object(payload, "item")
    if kind == "user_message" or (kind == "item_completed" and item.get("type") == "UserMessage"):
        state.kept["events"] = True
        content = payload.get("message") if kind == "user_message" else item.get("content")
        text = _find_prompt(read_text(content, "text", "input_text", "Text"))
        if text and not _is_repeated(text, state):
            yield Turn(USER, text, synthetic=_is_program_text(text))
    elif kind == "item_completed":
        yield from _read_completed(item, state)
    elif kind == "token_count":
        usage = get_object(get_object(payload, "info"), "last_token_usage")
        if tokens := get_count(usage, "total_tokens", "input_tokens"):
            yield Turn(SYSTEM, "", synthetic=True, tokens=tokens)
    elif kind == "context_compacted":
        yield make_loss("context_compacted")


def _read_completed(item: Record, state: State) -> Iterator[Turn]:
    """Yield call and result of a command or change inside another call, mostly of a script.

    For an item that is a call of its own, only the exit status is new: it is stored for the output,
    or yielded as a further result if the command failed in the background after its output.
    """
    call_id, kind = get_string(item, "id"), get_string(item, "type")
    status, calls = get_count(item, "exit_code"), state.kept.get("calls", {})
    if call_id in calls:
        if calls[call_id] != HAS_OUTPUT:
            calls[call_id] = status
        elif status:
            output = get_string(item, "aggregated_output")
            yield Turn(TOOL, output, call_id=call_id, exit_status=status)
        return
    output = ""
    if kind == "CommandExecution":
        call = make_call("exec_command", {"command": item.get("command")})
        output = get_string(item, "aggregated_output")
    elif kind == "FileChange":
        changes = get_object(item, "changes")
        texts = [
            find_string(get_object(changes, path), "unified_diff", "content") for path in changes
        ]
        text = "\n".join(part for each in zip(changes, texts, strict=True) for part in each if part)
        call = Turn(
            TOOL, text, tool="apply_patch", files=tuple(changes), is_change=True, is_call=True
        )
    elif kind == "McpToolCall":
        tool = f"{get_string(item, 'server')}.{get_string(item, 'tool')}"
        call = make_call(tool, item.get("arguments"))
        output = read_text(get_object(item, "result").get("content"), "text")
        output = output or get_string(get_object(item, "error"), "message")
    else:
        return
    _remember_call(call_id, state)
    failed = item.get("status") in ("failed", "declined")
    call.call_id = call_id
    yield call
    yield Turn(TOOL, output, call_id=call_id, exit_status=status, failed=failed)


def _remember_call(call_id: str, state: State) -> None:
    calls = state.kept.setdefault("calls", {})
    calls[call_id] = None
    for oldest in list(calls)[:-MAX_CALLS]:
        del calls[oldest]


def _is_injected(payload: Record) -> bool:
    """Return whether the metadata of a user's item says that no part is by the person."""
    metadata = get_object(payload, "internal_chat_message_metadata_passthrough")
    kinds = metadata.get("content_item_kinds")
    return (
        isinstance(kinds, list)
        and bool(kinds)
        and not any(str(kind).startswith(("user.", "unknown")) for kind in kinds)
    )


def _find_prompt(text: str) -> str:
    """Return the person's text in a message of an editor extension or a stored prompt."""
    _, marker, rest = text.partition(REQUEST)
    text = (rest if marker else text).strip()
    template = TEMPLATE.match(text)
    own = (template[1] or template[2] or "").strip() if template else ""
    return text if own in ("", "$ARGUMENTS") else own


def _is_program_text(text: str) -> bool:
    """Return whether the program wrote a text, or it is a stored prompt without a person's text."""
    return text.startswith(PROGRAM_TEXT) or bool(TEMPLATE.match(text) or STORED.match(text))


def _is_repeated(text: str, state: State) -> bool:
    """Return whether the last prompt was the same, as item or event; remember this one."""
    digest = hash_start(text)
    if state.kept.get("said") == digest:
        return True
    state.kept["said"] = digest
    return False
