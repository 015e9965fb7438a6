"""What agent programs tell their hooks: the JSON that Claude Code brought up, and others took over.

Codex and Gemini CLI write it themselves; to opencode and OpenClaw we give plugins that do.
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
"""It takes no text before a tool: what is known of a file or command is given with the tool's
answer. There is no event after compression; the prompt that follows is given the recovery block."""

PLUGIN = {**CLAUDE, "PostCompact": LOST}

KINDS = {
    "claude": CLAUDE,
    "codex": CODEX,
    "gemini": GEMINI,
    "opencode": PLUGIN,
    "openclaw": PLUGIN,
}
"""The events of each program that are answered, as it calls them, with their kinds."""


@dataclass(slots=True)
class Event:
    """What a program tells a hook.

    Attributes:
        kind: ``start``, ``compacted`` (context was lost, and text is taken now), ``lost`` (context
            was lost, and text is taken at the next prompt only), ``prompt``, ``before tool``,
            ``after tool`` or ``sync`` (save what was said so far).
        name: As the program calls it, for the answer.
        session: The program's id of the session.
        directory: Where the agent works.
        log: The session's log; "" when the program does not tell.
        prompt: What the person typed.
        files: Paths that the tool reads or changes.
        command: Of a shell.
        error: What a failed tool said; "" when it did not fail.
        is_cleared: Of a start: whether what the session was given is not in its context any more.
    """

    kind: str
    name: str
    session: str = ""
    directory: str = ""
    log: str = ""
    prompt: str = ""
    files: tuple[str, ...] = ()
    command: str = ""
    error: str = ""
    is_cleared: bool = False

    @property
    def is_of_tool(self) -> bool:
        """Tell whether it is about the call of a tool."""
        return self.kind in (BEFORE_TOOL, AFTER_TOOL)

    @property
    def wants_sync(self) -> bool:
        """Tell whether the session is to be read; there is nothing to answer then."""
        return self.kind in (SYNC, LOST)


def parse_event(program: str, payload: Mapping[str, Any]) -> Event | None:
    """Return the event in what a program wrote to its hook; None for one that nothing is done for.

    Nothing is trusted to have its type.

    Raises:
        UsageError: If the program is unknown.
    """
    if program not in KINDS:
        raise UsageError(f"there is no program '{program}'", code="unknown-program")

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
        directory=text("cwd"),
        log=text("transcript_path"),
        prompt=text("prompt"),
        files=call.files,
        command=call.command,
        error=error,
        is_cleared=kind == START and source == "clear",
    )


def find_error(response: Any, *, is_command: bool) -> str:
    """Return what a tool's answer says about its failure; "" when it did not fail.

    Programs tell of a failure by a flag, an exit status or an error beside the output; of a
    command some have the output alone, which then tells it.
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
    """Return what is printed so that the model is given *text*."""
    output = {"hookEventName": event.name, "additionalContext": text}
    return json.dumps({"hookSpecificOutput": output})
