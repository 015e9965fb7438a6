"""Claude Code: hooks in settings.json, timeouts in seconds."""

from collections.abc import Mapping
from pathlib import Path
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
    Hook,
    Place,
    Program,
    Target,
    Wiring,
    make_hook_entries,
    parse_hook_event,
)
from crewmem.hooks.templates import skill_target

TOOLS = "Read|Edit|Write|Bash"

HOOKS = (
    Hook("SessionStart", START, 10),
    Hook("UserPromptSubmit", PROMPT, 10),  # dropped without a word after 30 s
    Hook("PreToolUse", BEFORE_TOOL, 5, TOOLS),
    Hook("PostToolUse", AFTER_TOOL, 5, TOOLS),
    Hook("PostToolUseFailure", AFTER_TOOL, 5, TOOLS),
    Hook("PreCompact", SYNC, 10),
    Hook("Stop", SYNC, 10),
    Hook("SessionEnd", END, 10),
)


def find_targets(place: Place, wiring: Wiring) -> list[Target]:
    """Return settings.json, the MCP entry and the skill."""
    command, *arguments = wiring.mcp
    server = Entry(
        ("mcpServers", "crewmem"), {"type": "stdio", "command": command, "args": arguments}
    )
    named = place.variables.get("CLAUDE_CONFIG_DIR")
    if place.project is not None:
        base, servers = place.project / ".claude", place.project / ".mcp.json"
    elif named:
        base, servers = Path(named), Path(named) / ".claude.json"
    else:
        base, servers = place.user / ".claude", place.user / ".claude.json"
    return [
        Target(base / "settings.json", make_hook_entries(HOOKS, wiring.hook("claude"))),
        Target(servers, (server,)),
        skill_target(base / "skills", wiring),
    ]


def parse(payload: Mapping[str, Any]) -> Event | None:
    """Return the event; see the table of hook events in the program's documentation."""
    event = parse_hook_event(payload, HOOKS)
    if event and event.name == "PostToolUseFailure":
        event.error = Fields(payload).text("error")
    return event


PROGRAM = Program(
    "claude",
    "Claude Code",
    directory=".claude",
    note="Restart Claude Code, so that it reads the new configuration.",
    targets=find_targets,
    parse=parse,
)
