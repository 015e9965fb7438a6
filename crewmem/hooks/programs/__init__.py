"""The agent programs that crewmem can be wired to: a program is a module of this package."""

from importlib import import_module
from typing import cast

from crewmem.errors import UsageError
from crewmem.hooks.programs.base import Program

PROGRAMS = ("claude", "codex", "gemini", "opencode", "openclaw")


def get_program(name: str) -> Program:
    """Return a program.

    Raises:
        UsageError: If there is none of that name.
    """
    if name not in PROGRAMS:
        raise UsageError(
            f"there is no program '{name}'; programs are {', '.join(PROGRAMS)}",
            code="unknown-program",
            command="hooks install --help",
        )
    return cast(Program, import_module(f"{__name__}.{name}").PROGRAM)
