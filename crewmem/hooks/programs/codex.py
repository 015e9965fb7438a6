"""Codex: hooks in hooks.json, or in config.toml where that has hooks already.

The events and answers are those of Claude Code, except that files are edited by patches, that a
failure is a tool's answer, and that the answer may hold no other fields.
"""

import shlex
import tomllib
from collections.abc import Mapping
from contextlib import suppress
from pathlib import Path
from typing import Any

from crewmem.hooks.programs.base import (
    AFTER_TOOL,
    BEFORE_TOOL,
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

TOOLS = "Bash|apply_patch|Edit|Write"

HOOKS = (
    Hook("SessionStart", START, 10),
    Hook("UserPromptSubmit", PROMPT, 10),
    Hook("PreToolUse", BEFORE_TOOL, 5, TOOLS),
    Hook("PostToolUse", AFTER_TOOL, 5, TOOLS),
    Hook("PreCompact", SYNC, 10),
    Hook("Stop", SYNC, 10),
)


def find_targets(place: Place, wiring: Wiring) -> list[Target]:
    """Return hooks.json or the hooks of config.toml, the MCP entry and the skill."""
    skills = (place.project or place.user) / ".agents" / "skills"
    if place.project is not None:
        base = place.project / ".codex"
    else:
        base = Path(place.variables.get("CODEX_HOME") or place.user / ".codex")
    config = base / "config.toml"
    command, *arguments = wiring.mcp
    server = Entry(("mcp_servers", "crewmem"), {"command": command, "args": arguments})
    hooks = make_hook_entries(HOOKS, wiring.hook("codex"))
    if _has_hooks(config):
        return [Target(config, (*hooks, server)), skill_target(skills, wiring)]
    return [
        Target(base / "hooks.json", hooks),
        Target(config, (server,)),
        skill_target(skills, wiring),
    ]


def _has_hooks(config: Path) -> bool:
    """Tell whether config.toml has hooks; Codex warns where both files have some."""
    try:
        return bool(
            set(tomllib.loads(config.read_text(encoding="utf-8")).get("hooks", ())) - {"state"}
        )
    except (OSError, ValueError):
        return False


def parse(payload: Mapping[str, Any]) -> Event | None:
    """Return the event; of a command that a shell is given, the command."""
    event = parse_hook_event(payload, HOOKS)
    if event and event.command.startswith(("bash -lc ", "bash -c ")):
        with suppress(ValueError):  # quotes that do not close: the command as it was told
            event.command = " ".join(shlex.split(event.command)[2:])
    return event


PROGRAM = Program(
    "codex",
    "Codex",
    directory=".codex",
    note="Codex runs a new hook only after you trusted it: open Codex and type /hooks.",
    targets=find_targets,
    parse=parse,
)
