"""Status of hooks: finds the installed entries, tries their commands, and checks their agents."""

import json
import os
import shlex
import subprocess
import time
from collections.abc import Callable, Mapping, Sequence
from functools import partial
from pathlib import Path
from typing import Any

from crewmem import __version__
from crewmem.config import find_home_directory
from crewmem.errors import CrewmemError
from crewmem.health.doctor import HookEntry
from crewmem.hooks.configuration import find_own, parse
from crewmem.hooks.events import KINDS, PROMPT
from crewmem.hooks.programs import PROGRAMS, ConfigEntry, HookCommands, InstallLocation, Program
from crewmem.hooks.receipts import list_receipts
from crewmem.hooks.switches import HOOKS, SERVER, find_switched_off

TRIAL_SECONDS = 10.0
"""Maximum duration of the trial of a command."""

PING = '{"jsonrpc": "2.0", "id": 1, "method": "ping"}\n'

UNREADABLE, SLOW, OFF = "unreadable", "it took", "switched off"
"""Prefixes of problems that installing again does not repair."""

DIRECTORY_GONE = "the directory is gone; if it was moved, install there"
"""The problem of a project that was moved or deleted."""


def list_entries(
    home: Path,
    *,
    user: Path,
    variables: Mapping[str, str],
    limit: float = 2.0,
    agents: Mapping[str, bool],
    find_agents: Callable[[Path], Sequence[str]],
) -> list[HookEntry]:
    """Test the entries of all installations for which the home has receipts.

    A broken configuration is reported as an entry with a problem. Equal commands are run once.

    Args:
        home: Directory of the home.
        user: The user's home directory.
        variables: The environment, for the trials.
        limit: Maximum seconds until a hook answers.
        agents: Slugs of the registered agents, each with whether its memory is on.
        find_agents: Returns the agents that work in a directory.
    """
    environ = {k: v for k, v in variables.items() if k != "CREWMEM_HOOKS_OFF"}
    try_command = partial(_try_command, home=home, environ=environ, limit=limit)
    tried: dict[tuple[str, str], tuple[str, float | None]] = {}
    entries: list[HookEntry] = []
    for name, project in sorted({(each.program, each.project) for each in list_receipts(home)}):
        if name not in PROGRAMS:
            continue
        option = ["--project", project] if project else ["--user"]
        words = ["crewmem", "--home", str(home), "hooks"]
        if project and not os.path.isdir(project):
            hint = shlex.join([*words, "remove", name, *option])
            entries.append(
                HookEntry(name, project, Path(project), "project", "", DIRECTORY_GONE, hint)
            )
            continue
        location = InstallLocation(user, Path(project) if project else None, variables)
        installed = _list_untested(PROGRAMS[name], location)
        commands = [each.command for each in installed if each.command]
        agent = _find_agent_option(commands)
        repair = shlex.join([*words, "install", name, *option, "--yes", *agent])
        for each in installed:
            if each.command:
                trial = each.command, project
                if trial not in tried:
                    problem = _check_agent(*trial, agents=agents, find_agents=find_agents)
                    tried[trial] = (problem, None) if problem else try_command(name, *trial)
                problem, each.seconds = tried[trial]
                each.problem = problem or each.problem
            # An unreadable file must be repaired by hand, because an installation is refused.
            # For a slow entry, and where hooks are off, installing again does not help.
            if each.problem and not each.problem.startswith((UNREADABLE, SLOW, OFF)):
                each.hint = repair
        entries += installed
    return entries


def find_entries_home(program: Program, location: InstallLocation) -> Path | None:
    """Return the home that the installed entries of a program use; None without entries."""
    for entry in _list_untested(program, location):
        if entry.command:
            return find_home_directory(_find_option(_split_command(entry.command), "--home"))
    return None


def _list_untested(program: Program, location: InstallLocation) -> list[HookEntry]:
    """Return the entries of one installation, untested."""
    name, project = program.name, str(location.project or "")
    off = find_switched_off(program, location)
    entries = []

    def add(file: Path, entry: str, command: str, problem: str) -> None:
        entries.append(HookEntry(name, project, file, entry, command, problem))

    for target in program.find_targets(location, HookCommands(("crewmem",), ())):
        exists = target.path.exists()
        if target.format == "own" or not exists:
            add(target.path, "file", "", "" if exists else "the file is gone")
            continue
        try:
            values = parse(target.path.read_text(encoding="utf-8"), target.format)
        except (OSError, ValueError, CrewmemError) as error:
            message = getattr(error, "message", "") or getattr(error, "strerror", "") or str(error)
            add(target.path, "file", "", f"{UNREADABLE}: {message}")
            continue
        for entry in target.entries:
            is_server = not entry.is_item and "command" in entry.value
            command = _find_command(values, entry, name) if entry.is_item or is_server else ""
            setting = off.get(SERVER if is_server else HOOKS)
            problem = f"{OFF} by {setting}" if setting else ""
            if not find_own(values, entry, name):
                problem = "the entry is missing"
            title = entry.path[-1] if entry.is_item else "mcp" if is_server else "plugin"
            add(target.path, title, command, problem)
    return entries


def _find_agent_option(commands: Sequence[str]) -> list[str]:
    """Return the ``--agent`` option of the commands, so that a repair keeps the agent."""
    for command in commands:
        if agent := _find_option(_split_command(command), "--agent"):
            return ["--agent", agent]
    return []


def _split_command(command: str) -> list[str]:
    """Return the words of a command, which somebody may have left with an open quote."""
    try:
        return shlex.split(command)
    except ValueError:
        return command.split()


def _find_option(words: Sequence[str], option: str) -> str:
    """Return the value of an option of a command; "" for none."""
    return words[words.index(option) + 1] if option in words[:-1] else ""


def _find_command(values: Any, entry: ConfigEntry, program: str) -> str:
    """Return the command of crewmem's entry in a configuration; "" for none."""
    own = find_own(values, entry, program)
    if not own:
        return ""
    if entry.is_item:
        return str(own[-1]["hooks"][0]["command"])
    server = own[0] if isinstance(own[0], dict) else {}
    command = server.get("command", [])
    words = command if isinstance(command, list) else [command, *server.get("args", ())]
    return shlex.join(str(word) for word in words)


def _check_agent(
    command: str,
    directory: str,
    *,
    agents: Mapping[str, bool],
    find_agents: Callable[[Path], Sequence[str]],
) -> str:
    """Return why no agent gets an answer from a command; "" if one does."""
    words = _split_command(command)
    slugs = [slug for name in ("--agent", "--fallback") if (slug := _find_option(words, name))]
    if directory and not slugs:
        slugs = list(find_agents(Path(directory)))
        if len(slugs) != 1:
            return f"not exactly one agent works in {directory}"
    for slug in slugs:
        if slug not in agents:
            return f"there is no agent '{slug}'"
        if not agents[slug]:
            return f"{OFF} for agent {slug}, whose memory is off"
    return ""


def _try_command(
    program: str,
    command: str,
    directory: str,
    *,
    home: Path,
    environ: Mapping[str, str],
    limit: float,
) -> tuple[str, float | None]:
    """Run a command; return its problem, "" for none, and its duration in seconds.

    Args:
        directory: The project, in which the program runs it; "" for any directory.
    """
    words = _split_command(command)
    executable = words[0]
    if not (os.path.isfile(executable) and os.access(executable, os.X_OK)):
        return f"{executable} does not exist or is not executable", None
    named = _find_option(words, "--home")
    if named and Path(named).resolve() != home.resolve():
        # A hook answers nothing, with status 0, if there is no home: a trial would not show it.
        return f"it uses the home {named}", None
    is_hook = "hook" in words
    at = words.index("hook" if is_hook else "mcp")
    try:
        version = _run_command([*words[:at], "--version"], "", environ, directory).strip()
        if version.removeprefix("crewmem ") != __version__:
            return f"it is {version or 'not crewmem'}, not {__version__}", None
        prompts = [event for event, kind in KINDS[program].items() if kind == PROMPT]
        event = {"hook_event_name": prompts[0], "prompt": ""}  # nothing is stored for it
        started = time.monotonic()
        answer = _run_command(words, json.dumps(event) if is_hook else PING, environ, directory)
        seconds = time.monotonic() - started
    except (OSError, subprocess.SubprocessError) as error:
        return f"it cannot be run: {error}", None
    if not is_hook and '"result"' not in answer:
        return "the server does not answer", seconds
    if seconds > limit:
        return f"{SLOW} {seconds:.1f} s, more than {limit:g} s", seconds
    return "", seconds


def _run_command(
    words: Sequence[str], text: str, environ: Mapping[str, str], directory: str
) -> str:
    return subprocess.run(
        words,
        input=text,
        cwd=directory or None,
        capture_output=True,
        text=True,
        timeout=TRIAL_SECONDS,
        env=environ,
        check=False,
    ).stdout
