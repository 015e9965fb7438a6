"""Settings of agent programs that switch crewmem's hooks or server off.

An entry that is switched off looks installed, and its command works, but the program never runs it.
"""

from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any, NamedTuple

from crewmem.errors import CrewmemError
from crewmem.hooks.configuration import find_value, parse
from crewmem.hooks.programs import HookCommands, InstallLocation, Program

HOOKS, SERVER = "hooks", "server"


def _is_false(value: Any) -> bool:
    return value is False


def _is_true(value: Any) -> bool:
    return value is True


def _names_crewmem(value: Any) -> bool:
    return isinstance(value, list) and "crewmem" in value


def _omits_crewmem(value: Any) -> bool:
    return isinstance(value, list) and bool(value) and "crewmem" not in value


class Switch(NamedTuple):
    """A setting that can switch crewmem off.

    Attributes:
        what: What it switches off, `HOOKS` or `SERVER`.
        path: Names of the nested objects or tables, and of the setting.
        is_off: Whether a value of the setting switches it off.
    """

    what: str
    path: tuple[str, ...]
    is_off: Callable[[Any], bool]


SWITCHES: dict[str, tuple[Switch, ...]] = {
    "claude": (
        Switch(HOOKS, ("disableAllHooks",), _is_true),
        Switch(SERVER, ("disabledMcpjsonServers",), _names_crewmem),
    ),
    "codex": (
        Switch(HOOKS, ("features", "hooks"), _is_false),
        Switch(HOOKS, ("features", "codex_hooks"), _is_false),
        Switch(SERVER, ("mcp_servers", "crewmem", "enabled"), _is_false),
    ),
    "gemini": (
        Switch(HOOKS, ("hooksConfig", "enabled"), _is_false),
        Switch(HOOKS, ("hooksConfig", "disabled"), _names_crewmem),
    ),
    "opencode": (Switch(SERVER, ("mcp", "crewmem", "enabled"), _is_false),),
    "openclaw": (
        Switch(HOOKS, ("plugins", "enabled"), _is_false),
        Switch(HOOKS, ("plugins", "deny"), _names_crewmem),
        Switch(HOOKS, ("plugins", "allow"), _omits_crewmem),
        Switch(HOOKS, ("plugins", "entries", "crewmem", "enabled"), _is_false),
    ),
}


def find_switched_off(program: Program, location: InstallLocation) -> dict[str, str]:
    """Return what is switched off, each with the name of the setting: ``{"hooks": "…"}``.

    A setting of the project counts before the same one of the user.
    """
    configurations = _read_configurations(program, location)
    off: dict[str, str] = {}
    for switch in SWITCHES.get(program.name, ()):
        found = (find_value(values, switch.path) for values in configurations)
        value = next((each for each in found if each is not None), None)
        if switch.is_off(value):
            off.setdefault(switch.what, ".".join(switch.path))
    return off


def _read_configurations(program: Program, location: InstallLocation) -> Sequence[dict[str, Any]]:
    """Read the program's configurations that can be read, those of the project first."""
    paths: dict[Path, str] = {}
    for each in (location, location._replace(project=None)):
        for target in program.find_targets(each, HookCommands(("crewmem",), ())):
            if target.format == "own":
                continue
            if program.name == "claude":  # its overrides that are not in git
                paths.setdefault(target.path.with_name("settings.local.json"), target.format)
            paths.setdefault(target.path, target.format)
    configurations = []
    for path, format_ in paths.items():
        try:
            configurations.append(parse(path.read_text(encoding="utf-8"), format_))
        except (OSError, ValueError, CrewmemError):  # the status reports it
            continue
    return configurations
