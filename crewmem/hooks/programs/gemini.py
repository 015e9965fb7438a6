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
    Hook,
    Place,
    Program,
    Target,
    Wiring,
    make_hook_entries,
    parse_hook_event,
)
from crewmem.hooks.templates import skill_target

TOOLS = "read_file|read_many_files|replace|write_file|run_shell_command"

HOOKS = (
    Hook("SessionStart", START, 10_000),
    Hook("BeforeAgent", PROMPT, 10_000),
    Hook("AfterTool", AFTER_TOOL, 5_000, TOOLS),
    Hook("PreCompress", COMPACTED, 10_000),
    Hook("AfterAgent", SYNC, 10_000),
    Hook("SessionEnd", END, 10_000),
)


def find_targets(place: Place, wiring: Wiring) -> list[Target]:
    """Return settings.json with hooks and the MCP entry, and the skill."""
    base = (place.project or place.user) / ".gemini"
    command, *arguments = wiring.mcp
    server = Entry(("mcpServers", "crewmem"), {"command": command, "args": arguments})
    hooks = make_hook_entries(HOOKS, wiring.hook("gemini"), name="crewmem")
    return [
        Target(base / "settings.json", (*hooks, server)),
        skill_target(base / "skills", wiring),
    ]


def parse(payload: Mapping[str, Any]) -> Event | None:
    """Return the event; some take no text."""
    event = parse_hook_event(payload, HOOKS)
    if event:
        event.can_answer = event.kind in (START, PROMPT, AFTER_TOOL)
    return event


PROGRAM = Program(
    "gemini",
    "Gemini CLI",
    directory=".gemini",
    note="Restart Gemini CLI, so that it reads the new configuration.",
    targets=find_targets,
    parse=parse,
)
