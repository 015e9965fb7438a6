"""Status of hooks: finds each entry, tries its command, and checks its agent."""

import json
import os
import shlex
import subprocess
import time
from collections.abc import Collection, Mapping, Sequence
from pathlib import Path
from typing import Any

from crewmem import __version__
from crewmem.errors import CrewmemError
from crewmem.health.doctor import HookEntry
from crewmem.hooks.configuration import find_ours, parse
from crewmem.hooks.events import KINDS, PROMPT
from crewmem.hooks.install import list_receipts
from crewmem.hooks.programs import PROGRAMS, ConfigEntry, Program, Wiring, WiringPlace

TRIAL_LIMIT = 10.0
"""Seconds after which the trial of a command is stopped."""

PING = '{"jsonrpc": "2.0", "id": 1, "method": "ping"}\n'

UNREADABLE, SLOW = "unreadable", "it took"
"""Beginnings of problems that a new installation does not repair."""


def list_entries(
    home: Path,
    *,
    user: Path,
    variables: Mapping[str, str],
    limit: float = 2.0,
    known_agents: Collection[str],
) -> list[HookEntry]:
    """Test the entries of all installations for which the home has receipts.

    A broken configuration is a problem of its entry. Each distinct command is called once.

    Args:
        home: The home.
        user: The user's home directory.
        variables: The environment, for the trials.
        limit: Seconds within which a hook must answer.
        known_agents: Slugs of the registry.
    """
    environ = {k: v for k, v in variables.items() if k != "CREWMEM_HOOKS_OFF"}
    tried: dict[str, tuple[str, float | None]] = {}
    entries: list[HookEntry] = []
    for name, project in sorted({(each.program, each.place) for each in list_receipts(home)}):
        if name not in PROGRAMS:
            continue
        place = WiringPlace(user, Path(project) if project else None, variables)
        found = _list_of(PROGRAMS[name], place)
        commands = [each.command for each in found if each.command]
        where = ["--project", project] if project else ["--user"]
        words = ["crewmem", "--home", str(home), "hooks", "install", name, *where, "--yes"]
        repair = shlex.join([*words, *_name_agent(commands)])
        for each in found:
            if each.command:
                if each.command not in tried:
                    tried[each.command] = _try(
                        name, each.command, environ, limit=limit, known_agents=known_agents
                    )
                each.problem, each.seconds = tried[each.command]
            # A person must repair an unreadable file: an installation would be refused.
            # A slow entry is installed already.
            if each.problem and not each.problem.startswith((UNREADABLE, SLOW)):
                each.hint = repair
        entries += found
    return entries


def _list_of(program: Program, place: WiringPlace) -> list[HookEntry]:
    """Return the entries of one installation, untested."""
    name, project = program.name, str(place.project or "")
    entries = []

    def add(file: Path, entry: str, command: str, problem: str) -> None:
        entries.append(HookEntry(name, project, file, entry, command, problem))

    for target in program.find_targets(place, Wiring(("crewmem",), ())):
        is_there = target.path.exists()
        if target.format == "own" or not is_there:
            add(target.path, "file", "", "" if is_there else "the file is gone")
            continue
        try:
            values = parse(target.path.read_text(encoding="utf-8"), target.format)
        except (OSError, ValueError, CrewmemError) as error:
            message = getattr(error, "message", "") or getattr(error, "strerror", "") or str(error)
            add(target.path, "file", "", f"{UNREADABLE}: {message}")
            continue
        for entry in target.entries:
            if "command" in json.dumps(entry.value):
                command = _find_command(values, entry, name)
                problem = "" if command else "the entry is missing"
                add(target.path, entry.path[-1] if entry.is_item else "mcp", command, problem)
    return entries


def _name_agent(commands: Sequence[str]) -> list[str]:
    """Return the option that names the entries' agent, so that a repair keeps it."""
    for command in commands:
        words = shlex.split(command)
        if "--agent" in words[:-1]:
            return ["--agent", words[words.index("--agent") + 1]]
    return []


def _find_command(values: Any, entry: ConfigEntry, program: str) -> str:
    """Return the command in a configuration's entry; "" for none."""
    ours = find_ours(values, entry, program)
    if not ours:
        return ""
    if entry.is_item:
        return str(ours[-1]["hooks"][0]["command"])
    server = ours[0] if isinstance(ours[0], dict) else {}
    command = server.get("command", [])
    words = command if isinstance(command, list) else [command, *server.get("args", ())]
    return shlex.join(str(word) for word in words)


def _try(
    program: str,
    command: str,
    environ: Mapping[str, str],
    *,
    limit: float,
    known_agents: Collection[str],
) -> tuple[str, float | None]:
    """Return what is wrong with a command, and the duration of the call in seconds."""
    words = shlex.split(command)
    executable = words[0]
    if not (os.path.isfile(executable) and os.access(executable, os.X_OK)):
        return f"there is no program {executable}", None
    for option in ("--agent", "--fallback"):
        slug = words[words.index(option) + 1] if option in words[:-1] else ""
        if slug and slug not in known_agents:
            return f"there is no agent '{slug}'", None
    is_hook = "hook" in words
    at = words.index("hook" if is_hook else "mcp")
    try:
        version = _call([*words[:at], "--version"], "", environ).strip()
        if version.removeprefix("crewmem ") != __version__:
            return f"it is {version or 'not crewmem'}, not {__version__}", None
        prompts = [event for event, kind in KINDS[program].items() if kind == PROMPT]
        dry = {"hook_event_name": prompts[0], "prompt": ""}  # nothing is stored for it
        started = time.monotonic()
        answer = _call(words, json.dumps(dry) if is_hook else PING, environ)
        seconds = time.monotonic() - started
    except (OSError, subprocess.SubprocessError) as error:
        return f"it cannot be called: {error}", None
    if not is_hook and '"result"' not in answer:
        return "the server does not answer", seconds
    if seconds > limit:
        return f"{SLOW} {seconds:.1f} s, more than {limit:g} s", seconds
    return "", seconds


def _call(words: Sequence[str], text: str, environ: Mapping[str, str]) -> str:
    return subprocess.run(
        words,
        input=text,
        capture_output=True,
        text=True,
        timeout=TRIAL_LIMIT,
        env=environ,
        check=False,
    ).stdout
