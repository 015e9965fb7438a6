"""Hook events in the JSON format of Claude Code, which other programs adopted.

Codex and Gemini CLI write this format themselves; for opencode and OpenClaw, crewmem's plugins do.
"""

import json
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from crewmem.errors import UsageError
from crewmem.sessions.calls import has_failure, read_call, read_exit_status

START = "start"
COMPACTED = "compacted"
LOST = "lost"
PROMPT = "prompt"
BEFORE_TOOL = "before tool"
AFTER_TOOL = "after tool"
SYNC = "sync"

CODEX = {
    "SessionStart": START,
    "UserPromptSubmit": PROMPT,
    "PreToolUse": BEFORE_TOOL,
    "PostToolUse": AFTER_TOOL,
    "PreCompact": SYNC,
    "Stop": SYNC,
}
CLAUDE = {**CODEX, "PostToolUseFailure": AFTER_TOOL, "SessionEnd": SYNC}
GEMINI = {
    "SessionStart": START,
    "BeforeAgent": PROMPT,
    "AfterTool": AFTER_TOOL,
    "PreCompress": LOST,
    "AfterAgent": SYNC,
    "SessionEnd": SYNC,
}
"""Gemini CLI accepts no text before a tool, so it is given after the tool. It has no event after
compression, so the next prompt gets the recovery block."""

PLUGIN = {**CLAUDE, "PostCompact": LOST}

KINDS = {
    "claude": CLAUDE,
    "codex": CODEX,
    "gemini": GEMINI,
    "opencode": PLUGIN,
    "openclaw": PLUGIN,
}
"""Kinds of events by program and by the program's name for the event."""


@dataclass(slots=True)
class Event:
    """An event that a program reports to a hook.

    Attributes:
        kind: ``start``, ``compacted`` (the context was lost, and the program accepts text),
            ``lost`` (the context was lost, and the program accepts text only at the next prompt),
            ``prompt``, ``before tool``, ``after tool`` or ``sync`` (index the session).
        name: The program's name for the event, needed in the answer.
        session: The program's id of the session.
        subagent: The program's id of the sub-agent that acts; "" for none.
        directory: Working directory of the agent.
        log: Path of the session's log; "" if unknown.
        prompt: Text that the user typed.
        files: Paths that the tool reads or changes.
        command: Command of a shell tool.
        error: Output of a failed tool; "" if it did not fail.
        is_cleared: Whether the context was cleared, so that given texts are lost.
    """

    kind: str
    name: str
    session: str = ""
    subagent: str = ""
    directory: str = ""
    log: str = ""
    prompt: str = ""
    files: tuple[str, ...] = ()
    command: str = ""
    error: str = ""
    is_cleared: bool = False

    @property
    def reader(self) -> str:
        """The session, or the sub-agent that acts: it does not see what the session was given."""
        return f"{self.session}/agent-{self.subagent}" if self.subagent else self.session

    @property
    def is_of_tool(self) -> bool:
        """Return whether the event is about a tool call."""
        return self.kind in (BEFORE_TOOL, AFTER_TOOL)

    @property
    def wants_sync(self) -> bool:
        """Return whether the event only requires indexing the session, and no answer."""
        return self.kind in (SYNC, LOST)


def parse_event(program: str, payload: Mapping[str, Any]) -> Event | None:
    """Parse the JSON of a hook; return None for an event that needs no action.

    Fields of a wrong type are ignored.

    Raises:
        UsageError: If the program is unknown.
    """
    if program not in KINDS:
        raise UsageError(f"the program '{program}' is unknown", code="unknown-program")

    def text(name: str) -> str:
        value = payload.get(name)
        return value if isinstance(value, str) else ""

    name, source = text("hook_event_name"), text("source")
    kind = KINDS[program].get(name)
    if kind is None:
        return None
    if kind == START and source == "compact":
        kind = COMPACTED
    call = read_call(text("tool_name"), payload.get("tool_input"))
    error = ""
    if kind == AFTER_TOOL:
        error = text("error") or find_error(
            payload.get("tool_response"), is_command=bool(call.command)
        )
    return Event(
        kind,
        name,
        session=text("session_id"),
        subagent=text("agent_id"),
        directory=text("cwd"),
        log=text("transcript_path"),
        prompt=text("prompt"),
        files=call.files,
        command=call.command,
        error=error,
        is_cleared=kind == START and source == "clear",
    )


def find_error(response: Any, *, is_command: bool) -> str:
    """Return the error in the response of a tool; "" if it did not fail.

    Programs report failure with a flag, an exit status or a separate error. For commands, some
    programs give only the output, in which an error is then searched.
    """
    if isinstance(response, str):
        response = {"output": response}
    if not isinstance(response, dict):
        return ""
    error = response.get("error")
    if isinstance(error, dict):
        error = error.get("message")
    if isinstance(error, str) and error.strip():
        return error
    statuses = [response.get(n) for n in ("exit_code", "exitCode", "exit_status", "returnCode")]
    status = next((each for each in statuses if isinstance(each, int)), 0)
    texts = [response.get(name) for name in ("stderr", "output", "stdout", "content", "llmContent")]
    text = "\n".join(text for text in texts if isinstance(text, str)).strip()
    if status or response.get("is_error") or response.get("success") is False:
        return text
    return text if is_command and (read_exit_status(text) or has_failure(text)) else ""


def format_answer(event: Event, text: str) -> str:
    """Return the JSON with which the program gives *text* to the model."""
    output = {"hookEventName": event.name, "additionalContext": text}
    return json.dumps({"hookSpecificOutput": output})
