"""opencode: a plugin file that calls `crewmem hook opencode`, and an MCP entry.

The plugin speaks our own form of the events (``templates/opencode.js``); the answer is the text
itself, which the plugin puts where opencode takes it.
"""

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from crewmem.hooks.programs.base import (
    AFTER_TOOL,
    BEFORE_TOOL,
    COMPACTED,
    END,
    PROMPT,
    START,
    SYNC,
    Entry,
    Event,
    Fields,
    Place,
    Program,
    Target,
    Wiring,
    find_command,
    find_error,
    find_files,
)  # fmt: skip
from crewmem.hooks.templates import fill_template, skill_target

PLUGIN_KINDS = {
    "start": START,
    "compacted": COMPACTED,
    "prompt": PROMPT,
    "before_tool": BEFORE_TOOL,
    "after_tool": AFTER_TOOL,
    "sync": SYNC,
    "end": END,
}


def parse_plugin_event(payload: Mapping[str, Any]) -> Event | None:
    """Return the event that one of our plugins told."""
    fields = Fields(payload)
    name = fields.text("event")
    kind = PLUGIN_KINDS.get(name)
    if kind is None:
        return None
    arguments = fields.object("args")
    command = find_command(arguments)
    return Event(
        kind,
        name,
        session=fields.text("session"),
        directory=fields.text("directory"),
        log=fields.text("log"),
        prompt=fields.text("prompt"),
        files=find_files(arguments),
        command=command,
        error=fields.text("error") or find_error(payload.get("result"), is_command=bool(command)),
        can_answer=kind in (START, PROMPT, BEFORE_TOOL, AFTER_TOOL),
        is_forgetful=payload.get("forgetful") is True,
    )


def format_answer(event: Event, text: str) -> str:
    """Return the object that our plugins take."""
    return json.dumps({"context": text})


def find_targets(place: Place, wiring: Wiring) -> list[Target]:
    """Return the plugin, the MCP entry and the skill."""
    if place.project is not None:
        base, config = place.project / ".opencode", place.project
    else:
        named = place.variables.get("XDG_CONFIG_HOME")
        base = config = Path(named or place.user / ".config") / "opencode"
    names = ("opencode.json", "opencode.jsonc")
    file = next((config / name for name in names if (config / name).exists()), config / names[0])
    server = {"type": "local", "command": wiring.mcp, "enabled": True}
    command = [*wiring.words, "hook", "opencode", *wiring.options]
    return [
        Target(
            base / "plugins" / "crewmem.js",
            text=fill_template("opencode.js", COMMAND=json.dumps(command)),
        ),
        Target(file, (Entry(("mcp", "crewmem"), server),)),
        skill_target(base / "skills", wiring),
    ]


PROGRAM = Program(
    "opencode",
    "opencode",
    directory=".config/opencode",
    note="Restart opencode, so that it loads the plugin.",
    targets=find_targets,
    parse=parse_plugin_event,
    format=format_answer,
)
