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


class InstallLocation(NamedTuple):
    """Where hooks are installed.

    Attributes:
        user: The user's home directory.
        project: Directory of the project; None for all projects of the user.
        variables: The environment, which may name directories of programs.
    """

    user: Path
    project: Path | None
    variables: Mapping[str, str]

    @property
    def base(self) -> Path:
        """The project, or the user's home directory."""
        return self.project or self.user

    def find(self, variable: str, name: str) -> Path:
        """Return the directory in the environment *variable*, or else *name* in the user's home."""
        directory = self.variables.get(variable)
        return Path(directory) if directory else self.user / name


class HookCommands(NamedTuple):
    """The commands that the installed entries run.

    Attributes:
        words: Start of the command line, such as ``/usr/bin/crewmem --home /srv/memory``.
        options: Options of `hook` and `mcp` that name the agent.
    """

    words: tuple[str, ...]
    options: tuple[str, ...]

    def hook(self, program: str) -> list[str]:
        """Return the command of a hook of *program*."""
        return [*self.words, "hook", program, *self.options]

    @property
    def mcp(self) -> list[str]:
        """The command of the MCP server."""
        return [*self.words, "mcp", *self.options]

    @property
    def server(self) -> dict[str, Any]:
        """The entry of the MCP server in the format of most programs."""
        command, *arguments = self.mcp
        return {"command": command, "args": arguments}

    @property
    def shell(self) -> str:
        """The start of crewmem's command line for agents: ``crewmem --as agent:ada``.

        Without an agent in the options, the directory decides.
        """
        options = dropwhile(lambda word: not word.startswith("--"), self.words)
        actor = ("--as", f"agent:{self.options[1]}") if self.options else ()
        return shlex.join(["crewmem", *options, *actor])


@dataclass(frozen=True, slots=True)
class ConfigEntry:
    """An entry to write into a configuration.

    Attributes:
        path: Names of the nested objects or tables, and of the entry.
        is_item: Whether *value* is appended to the list at *path*.
    """

    path: tuple[str, ...]
    value: Any
    is_item: bool = False


@dataclass(frozen=True, slots=True)
class Target:
    """A file that an installation writes or extends.

    Attributes:
        entries: Entries to add to a configuration.
        text: Content of a file that belongs to crewmem.
    """

    path: Path
    entries: tuple[ConfigEntry, ...] = ()
    text: str = ""

    @property
    def format(self) -> str:
        """``json`` or ``toml`` for a configuration, ``own`` for a file of crewmem."""
        if not self.entries:
            return "own"
        return "toml" if self.path.suffix == ".toml" else "json"


@dataclass(frozen=True, slots=True)
class Program:
    """An agent program.

    Attributes:
        name: Name on the command line; also the name of its format of session logs.
        title: Name for people.
        directory: Directory in the user's home that exists if the program is used.
        note: What the user has to do after the installation.
        find_targets: Returns the files to write and the entries to add.
    """

    name: str
    title: str
    directory: str
    note: str
    find_targets: Callable[[InstallLocation, HookCommands], list[Target]]


def _make_hooks(
    program: str, commands: HookCommands, *, tools: str, timeout_unit: int = 1, **extra: str
) -> tuple[ConfigEntry, ...]:
    """Return the entries of a program's hooks.

    Args:
        tools: Pattern of the tools before and after which hooks run.
        timeout_unit: Number of the program's units of timeouts in a second.
        extra: Further fields of each hook.
    """
    command = shlex.join(commands.hook(program))
    entries = []
    for event, kind in KINDS[program].items():
        is_of_tool = kind in (BEFORE_TOOL, AFTER_TOOL)
        timeout = (TOOL_SECONDS if is_of_tool else OTHER_SECONDS) * timeout_unit
        hook = {**extra, "type": "command", "command": command, "timeout": timeout}
        matcher = {"matcher": tools} if is_of_tool else {}
        entries.append(ConfigEntry(("hooks", event), {**matcher, "hooks": [hook]}, is_item=True))
    return tuple(entries)


def _fill(name: str, **values: str) -> str:
    """Return a template in which ``@NAME@`` is replaced by the value *NAME*."""
    text = (TEMPLATES / name).read_text(encoding="utf-8")
    for key, value in values.items():
        text = text.replace(f"@{key}@", value)
    return text


def _make_plugin(name: str, commands: HookCommands) -> str:
    """Return the plugin for a program whose hooks cannot run commands."""
    command = json.dumps(commands.hook(name))
    return _fill("plugin.js", PROGRAM=name, COMMAND=command) + _fill(f"{name}.js")


def _make_skill(base: Path, commands: HookCommands) -> Target:
    text = _fill("SKILL.md", CREWMEM=commands.shell)
    return Target(base / "skills" / "crewmem" / "SKILL.md", text=text)


def _find_claude(location: InstallLocation, commands: HookCommands) -> list[Target]:
    base, servers = location.base / ".claude", location.base / ".claude.json"
    if location.project is not None:
        servers = location.project / ".mcp.json"
    elif named := location.variables.get("CLAUDE_CONFIG_DIR"):
        base, servers = Path(named), Path(named) / ".claude.json"
    server = ConfigEntry(("mcpServers", "crewmem"), {"type": "stdio", **commands.server})
    hooks = _make_hooks("claude", commands, tools="Read|Edit|Write|Bash")
    return [
        Target(base / "settings.json", hooks),
        Target(servers, (server,)),
        _make_skill(base, commands),
    ]


def _find_codex(location: InstallLocation, commands: HookCommands) -> list[Target]:
    """Return Codex's files. Hooks go to one file, because Codex warns about hooks in two."""
    base = (
        location.project / ".codex" if location.project else location.find("CODEX_HOME", ".codex")
    )
    config = base / "config.toml"
    server = ConfigEntry(("mcp_servers", "crewmem"), commands.server)
    hooks = _make_hooks("codex", commands, tools="Bash|apply_patch|Edit|Write")
    skill = _make_skill(location.base / ".agents", commands)
    if _has_hooks(config, other=base / "hooks.json"):
        return [Target(config, (*hooks, server)), skill]
    return [Target(base / "hooks.json", hooks), Target(config, (server,)), skill]


def _has_hooks(config: Path, *, other: Path) -> bool:
    """Return whether *config* has crewmem's hooks, or other hooks while *other* does not exist."""
    try:
        text = config.read_text(encoding="utf-8")
        hooks = tomllib.loads(text).get("hooks")
    except (OSError, ValueError):
        return False
    is_used = isinstance(hooks, dict) and bool(hooks.keys() - {"state"})
    return is_used and (" hook codex" in text or not other.exists())


def _find_gemini(location: InstallLocation, commands: HookCommands) -> list[Target]:
    base = location.base / ".gemini"
    server = ConfigEntry(("mcpServers", "crewmem"), commands.server)
    tools = "read_file|read_many_files|replace|write_file|run_shell_command"
    hooks = _make_hooks("gemini", commands, tools=tools, timeout_unit=1000, name="crewmem")
    return [Target(base / "settings.json", (*hooks, server)), _make_skill(base, commands)]


def _find_opencode(location: InstallLocation, commands: HookCommands) -> list[Target]:
    base = config = location.find("XDG_CONFIG_HOME", ".config") / "opencode"
    if location.project is not None:
        base, config = location.project / ".opencode", location.project
    names = ("opencode.json", "opencode.jsonc")
    file = next((config / name for name in names if (config / name).exists()), config / names[0])
    server = {"type": "local", "command": commands.mcp, "enabled": True}
    return [
        Target(base / "plugins" / "crewmem.js", text=_make_plugin("opencode", commands)),
        Target(file, (ConfigEntry(("mcp", "crewmem"), server),)),
        _make_skill(base, commands),
    ]


def _find_openclaw(location: InstallLocation, commands: HookCommands) -> list[Target]:
    """Return OpenClaw's files. The conversation access lets the plugin see the end of a turn."""
    state = location.find("OPENCLAW_STATE_DIR", ".openclaw")
    base = location.project / ".openclaw" if location.project else state
    plugin = base / "extensions" / "crewmem"
    access = {"allowConversationAccess": True, "allowPromptInjection": True, "timeoutMs": 10_000}
    entries = (
        ConfigEntry(("plugins", "entries", "crewmem"), {"enabled": True, "hooks": access}),
        ConfigEntry(("mcp", "servers", "crewmem"), commands.server),
    )
    manifest = _fill("openclaw.plugin.json", VERSION=__version__)
    package = _fill("openclaw.package.json", VERSION=__version__)
    return [
        Target(plugin / "openclaw.plugin.json", text=manifest),
        Target(plugin / "package.json", text=package),
        Target(plugin / "index.js", text=_make_plugin("openclaw", commands)),
        Target(state / "openclaw.json", entries),
        _make_skill(base, commands),
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
