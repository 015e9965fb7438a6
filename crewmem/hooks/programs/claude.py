"""Claude Code: hooks in settings.json, timeouts in seconds."""

from collections.abc import Mapping
from typing import Any

from crewmem.hooks.programs.base import (
    AFTER_TOOL,
    BEFORE_TOOL,
    END,
    PROMPT,
    START,
    SYNC,
    Entry,
    Event,
    Fields,
    Place,
    Target,
    Wiring,
    format_context,
    make_hook_entries,
    parse_hook_event,
)
from crewmem.hooks.templates import skill_target

TOOLS = "Read|Edit|Write|Bash"

EVENTS = (
    ("SessionStart", "", 10),
    ("UserPromptSubmit", "", 10),
    ("PreToolUse", TOOLS, 5),
    ("PostToolUse", TOOLS, 5),
    ("PostToolUseFailure", TOOLS, 5),
    ("PreCompact", "", 10),
    ("Stop", "", 10),
    ("SessionEnd", "", 10),
)
"""Event, matcher, timeout. UserPromptSubmit is dropped without a word after 30 s."""

KINDS = {
    "SessionStart": START,
    "UserPromptSubmit": PROMPT,
    "PreToolUse": BEFORE_TOOL,
    "PostToolUse": AFTER_TOOL,
    "PostToolUseFailure": AFTER_TOOL,
    "PreCompact": SYNC,
    "Stop": SYNC,
    "SessionEnd": END,
}


class Claude:
    """Claude Code."""

    name = "claude"
    title = "Claude Code"
    directory = ".claude"
    log_program = "claude"
    notes = ("Restart Claude Code, so that it reads the new configuration.",)

    def targets(self, place: Place, wiring: Wiring) -> list[Target]:
        """Return settings.json, the MCP entry and the skill."""
        hooks = make_hook_entries(EVENTS, wiring.hook(self.name))
        command, *arguments = wiring.mcp
        server = Entry(
            ("mcpServers", "crewmem"), {"type": "stdio", "command": command, "args": arguments}
        )
        if place.project is not None:
            base, servers = place.project / ".claude", place.project / ".mcp.json"
        else:
            named = place.variables.get("CLAUDE_CONFIG_DIR")
            base = place.user / ".claude"
            servers = place.user / ".claude.json"
            if named:
                base = type(place.user)(named)
                servers = base / ".claude.json"
        return [
            Target(base / "settings.json", hooks),
            Target(servers, (server,)),
            skill_target(base / "skills", wiring),
        ]

    def parse(self, payload: Mapping[str, Any]) -> Event | None:
        """Return the event; see the table of hook events in the program's documentation."""
        event = parse_hook_event(payload, KINDS)
        if event and event.name == "PostToolUseFailure":
            event.error = Fields(payload).text("error")
        return event

    def format(self, event: Event, text: str) -> str:
        """Return additional context."""
        return format_context(event, text)


PROGRAM = Claude()
