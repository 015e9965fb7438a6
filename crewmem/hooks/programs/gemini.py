"""Gemini CLI: hooks in settings.json, timeouts in milliseconds.

It takes text at the start of a session, for a prompt and after a tool, but not before one: what
is known of a file or command is given with the tool's answer. There is no event after
compression; the prompt that follows is given the recovery block.
"""

from collections.abc import Mapping
from typing import Any

from crewmem.hooks.programs.base import (
    AFTER_TOOL,
    COMPACTED,
    END,
    PROMPT,
    START,
    SYNC,
    Entry,
    Event,
    Place,
    Target,
    Wiring,
    format_context,
    make_hook_entries,
    parse_hook_event,
)
from crewmem.hooks.templates import skill_target

TOOLS = "read_file|read_many_files|replace|write_file|run_shell_command"

EVENTS = (
    ("SessionStart", "", 10_000),
    ("BeforeAgent", "", 10_000),
    ("AfterTool", TOOLS, 5_000),
    ("PreCompress", "", 10_000),
    ("AfterAgent", "", 10_000),
    ("SessionEnd", "", 10_000),
)

KINDS = {
    "SessionStart": START,
    "BeforeAgent": PROMPT,
    "AfterTool": AFTER_TOOL,
    "PreCompress": COMPACTED,
    "AfterAgent": SYNC,
    "SessionEnd": END,
}


class Gemini:
    """Gemini CLI."""

    name = "gemini"
    title = "Gemini CLI"
    directory = ".gemini"
    log_program = "gemini"
    notes = ("Restart Gemini CLI, so that it reads the new configuration.",)

    def targets(self, place: Place, wiring: Wiring) -> list[Target]:
        """Return settings.json with hooks and the MCP entry, and the skill."""
        base = (place.project or place.user) / ".gemini"
        command, *arguments = wiring.mcp
        server = Entry(("mcpServers", "crewmem"), {"command": command, "args": arguments})
        hooks = make_hook_entries(EVENTS, wiring.hook(self.name), name="crewmem")
        return [
            Target(base / "settings.json", (*hooks, server)),
            skill_target(base / "skills", wiring),
        ]

    def parse(self, payload: Mapping[str, Any]) -> Event | None:
        event = parse_hook_event(payload, KINDS)
        if event:
            event.can_answer = event.kind in (START, PROMPT, AFTER_TOOL)
        return event

    def format(self, event: Event, text: str) -> str:
        """Return additional context."""
        return format_context(event, text)


PROGRAM = Gemini()
