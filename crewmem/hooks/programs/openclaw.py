"""OpenClaw: a plugin folder with its manifest, and its entry in openclaw.json."""

import json
from pathlib import Path

from crewmem import __version__
from crewmem.hooks.programs.base import Entry, Place, Program, Target, Wiring
from crewmem.hooks.programs.opencode import format_answer, parse_plugin_event
from crewmem.hooks.templates import fill_template, skill_target

HOOKS = {"allowConversationAccess": True, "allowPromptInjection": True, "timeoutMs": 10_000}
"""Without conversation access the end of a turn is not told."""


def find_targets(place: Place, wiring: Wiring) -> list[Target]:
    """Return the plugin's files, its entry and the skill."""
    named = place.variables.get("OPENCLAW_STATE_DIR")
    state = Path(named) if named else place.user / ".openclaw"
    base = place.project / ".openclaw" if place.project is not None else state
    plugin = base / "extensions" / "crewmem"
    command = [*wiring.words, "hook", "openclaw", *wiring.options]
    server, *arguments = wiring.mcp
    entries = (
        Entry(("plugins", "entries", "crewmem"), {"enabled": True, "hooks": HOOKS}),
        Entry(("mcp", "servers", "crewmem"), {"command": server, "args": arguments}),
    )
    files = {
        "openclaw.plugin.json": fill_template("openclaw.plugin.json", VERSION=__version__),
        "package.json": fill_template("openclaw.package.json", VERSION=__version__),
        "index.js": fill_template("openclaw.js", COMMAND=json.dumps(command)),
    }
    return [
        *(Target(plugin / name, text=text) for name, text in files.items()),
        Target(state / "openclaw.json", entries),
        skill_target(base / "skills", wiring),
    ]


PROGRAM = Program(
    "openclaw",
    "OpenClaw",
    directory=".openclaw",
    note="Restart the gateway so that it loads the plugin: openclaw gateway restart.",
    targets=find_targets,
    parse=parse_plugin_event,
    format=format_answer,
)
