"""The supported agent programs, and the files that an installation writes for each."""

import json
import shlex
import tomllib
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from itertools import dropwhile
from pathlib import Path
from typing import Any, NamedTuple

from crewmem import __version__
from crewmem.hooks.events import AFTER_TOOL, BEFORE_TOOL, KINDS

TEMPLATES = Path(__file__).with_name("templates")

TOOL_SECONDS, OTHER_SECONDS = 5, 10
"""Timeouts of hooks. Programs wait for every hook before and after tools."""


class WiringPlace(NamedTuple):
    """The place of an installation.

    Attributes:
        user: The user's home directory.
        project: The project; None for all projects of the user.
        variables: The environment; it may tell programs where their files are.
    """

    user: Path
    project: Path | None
    variables: Mapping[str, str]

    @property
    def base(self) -> Path:
        """The project, or the user's home directory."""
        return self.project or self.user

    def find(self, variable: str, name: str) -> Path:
        """Return the user's directory *name*, or the one that the program's variable names."""
        named = self.variables.get(variable)
        return Path(named) if named else self.user / name


class Wiring(NamedTuple):
    """The commands that the entries of an installation call.

    Attributes:
        words: The command line before the name of the command, such as
            ``/usr/bin/crewmem --home /srv/memory``.
        options: Options of `hook` and `mcp` that name the agent.
    """

    words: tuple[str, ...]
    options: tuple[str, ...]

    def hook(self, program: str) -> list[str]:
        """Return the command of a hook."""
        return [*self.words, "hook", program, *self.options]

    @property
    def mcp(self) -> list[str]:
        """The command of the server."""
        return [*self.words, "mcp", *self.options]

    @property
    def server(self) -> dict[str, Any]:
        """The entry of the server in the format of most programs."""
        command, *arguments = self.mcp
        return {"command": command, "args": arguments}

    @property
    def shell(self) -> str:
        """How an agent calls crewmem in its shell: ``crewmem --home /srv/memory``."""
        options = dropwhile(lambda word: not word.startswith("--"), self.words)
        return shlex.join(["crewmem", *options])


@dataclass(frozen=True, slots=True)
class ConfigEntry:
    """An entry to write into a configuration.

    Attributes:
        path: Names of the objects or tables that lead to it.
        is_item: Whether to append it to the list at *path*.
    """

    path: tuple[str, ...]
    value: Any
    is_item: bool = False


@dataclass(frozen=True, slots=True)
class Target:
    """A file that an installation writes or extends.

    Attributes:
        entries: Entries to add to a configuration.
        text: The whole file, if it is ours.
    """

    path: Path
    entries: tuple[ConfigEntry, ...] = ()
    text: str = ""

    @property
    def format(self) -> str:
        """``json`` or ``toml`` for a configuration, ``own`` for a file of ours."""
        if not self.entries:
            return "own"
        return "toml" if self.path.suffix == ".toml" else "json"


@dataclass(frozen=True, slots=True)
class Program:
    """An agent program.

    Attributes:
        name: The name that people type; also that of the format of its session logs.
        title: The name as its makers write it.
        directory: Directory in the user's home that shows that the program is used.
        note: What the user has to know or do after the installation.
        find_targets: Returns the files to write and the entries to add.
    """

    name: str
    title: str
    directory: str
    note: str
    find_targets: Callable[[WiringPlace, Wiring], list[Target]]


def _make_hooks(
    program: str, wiring: Wiring, *, tools: str, unit: int = 1, **extra: str
) -> tuple[ConfigEntry, ...]:
    """Return the entries of a program's hooks.

    Args:
        tools: Tools for which hooks run before and after.
        unit: The program's unit of timeouts, as a number per second.
    """
    command = shlex.join(wiring.hook(program))
    entries = []
    for event, kind in KINDS[program].items():
        is_of_tool = kind in (BEFORE_TOOL, AFTER_TOOL)
        timeout = (TOOL_SECONDS if is_of_tool else OTHER_SECONDS) * unit
        called = {**extra, "type": "command", "command": command, "timeout": timeout}
        matcher = {"matcher": tools} if is_of_tool else {}
        entries.append(ConfigEntry(("hooks", event), {**matcher, "hooks": [called]}, is_item=True))
    return tuple(entries)


def _fill(name: str, **values: str) -> str:
    """Return a template with ``@NAME@`` replaced by values."""
    text = (TEMPLATES / name).read_text(encoding="utf-8")
    for key, value in values.items():
        text = text.replace(f"@{key}@", value)
    return text


def _make_plugin(name: str, wiring: Wiring) -> str:
    """Return the plugin for a program whose hooks cannot call commands."""
    command = json.dumps(wiring.hook(name))
    return _fill("plugin.js", PROGRAM=name, COMMAND=command) + _fill(f"{name}.js")


def _make_skill(base: Path, wiring: Wiring) -> Target:
    text = _fill("SKILL.md", CREWMEM=wiring.shell)
    return Target(base / "skills" / "crewmem" / "SKILL.md", text=text)


def _find_claude(place: WiringPlace, wiring: Wiring) -> list[Target]:
    base, servers = place.base / ".claude", place.base / ".claude.json"
    if place.project is not None:
        servers = place.project / ".mcp.json"
    elif named := place.variables.get("CLAUDE_CONFIG_DIR"):
        base, servers = Path(named), Path(named) / ".claude.json"
    server = ConfigEntry(("mcpServers", "crewmem"), {"type": "stdio", **wiring.server})
    hooks = _make_hooks("claude", wiring, tools="Read|Edit|Write|Bash")
    return [
        Target(base / "settings.json", hooks),
        Target(servers, (server,)),
        _make_skill(base, wiring),
    ]


def _find_codex(place: WiringPlace, wiring: Wiring) -> list[Target]:
    """Return the file that already has hooks, else hooks.json. Codex warns if both have hooks."""
    base = place.project / ".codex" if place.project else place.find("CODEX_HOME", ".codex")
    config = base / "config.toml"
    server = ConfigEntry(("mcp_servers", "crewmem"), wiring.server)
    hooks = _make_hooks("codex", wiring, tools="Bash|apply_patch|Edit|Write")
    skill = _make_skill(place.base / ".agents", wiring)
    if _has_hooks(config, other=base / "hooks.json"):
        return [Target(config, (*hooks, server)), skill]
    return [Target(base / "hooks.json", hooks), Target(config, (server,)), skill]


def _has_hooks(config: Path, *, other: Path) -> bool:
    """Tell whether *config* has our hooks, or has a user's hooks and *other* does not exist."""
    try:
        text = config.read_text(encoding="utf-8")
        hooks = tomllib.loads(text).get("hooks")
    except (OSError, ValueError):
        return False
    is_used = isinstance(hooks, dict) and bool(hooks.keys() - {"state"})
    return is_used and (" hook codex" in text or not other.exists())


def _find_gemini(place: WiringPlace, wiring: Wiring) -> list[Target]:
    base = place.base / ".gemini"
    server = ConfigEntry(("mcpServers", "crewmem"), wiring.server)
    tools = "read_file|read_many_files|replace|write_file|run_shell_command"
    hooks = _make_hooks("gemini", wiring, tools=tools, unit=1000, name="crewmem")
    return [Target(base / "settings.json", (*hooks, server)), _make_skill(base, wiring)]


def _find_opencode(place: WiringPlace, wiring: Wiring) -> list[Target]:
    base = config = place.find("XDG_CONFIG_HOME", ".config") / "opencode"
    if place.project is not None:
        base, config = place.project / ".opencode", place.project
    names = ("opencode.json", "opencode.jsonc")
    file = next((config / name for name in names if (config / name).exists()), config / names[0])
    server = {"type": "local", "command": wiring.mcp, "enabled": True}
    return [
        Target(base / "plugins" / "crewmem.js", text=_make_plugin("opencode", wiring)),
        Target(file, (ConfigEntry(("mcp", "crewmem"), server),)),
        _make_skill(base, wiring),
    ]


def _find_openclaw(place: WiringPlace, wiring: Wiring) -> list[Target]:
    """Return OpenClaw's files. Without conversation access a plugin does not see a turn's end."""
    state = place.find("OPENCLAW_STATE_DIR", ".openclaw")
    base = place.project / ".openclaw" if place.project else state
    plugin = base / "extensions" / "crewmem"
    access = {"allowConversationAccess": True, "allowPromptInjection": True, "timeoutMs": 10_000}
    entries = (
        ConfigEntry(("plugins", "entries", "crewmem"), {"enabled": True, "hooks": access}),
        ConfigEntry(("mcp", "servers", "crewmem"), wiring.server),
    )
    manifest = _fill("openclaw.plugin.json", VERSION=__version__)
    package = _fill("openclaw.package.json", VERSION=__version__)
    return [
        Target(plugin / "openclaw.plugin.json", text=manifest),
        Target(plugin / "package.json", text=package),
        Target(plugin / "index.js", text=_make_plugin("openclaw", wiring)),
        Target(state / "openclaw.json", entries),
        _make_skill(base, wiring),
    ]


PROGRAMS = {
    each.name: each
    for each in (
        Program(
            "claude",
            "Claude Code",
            ".claude",
            "Restart Claude Code, so that it reads the new configuration.",
            _find_claude,
        ),
        Program(
            "codex",
            "Codex",
            ".codex",
            "Codex runs a new hook only after you trusted it: open Codex and type /hooks.",
            _find_codex,
        ),
        Program(
            "gemini",
            "Gemini CLI",
            ".gemini",
            "Restart Gemini CLI, so that it reads the new configuration.",
            _find_gemini,
        ),
        Program(
            "opencode",
            "opencode",
            ".config/opencode",
            "Restart opencode, so that it loads the plugin.",
            _find_opencode,
        ),
        Program(
            "openclaw",
            "OpenClaw",
            ".openclaw",
            "Restart the gateway so that it loads the plugin: openclaw gateway restart.",
            _find_openclaw,
        ),
    )
}
