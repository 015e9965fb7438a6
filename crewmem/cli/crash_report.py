"""Reports of unexpected errors."""

import json
import os
import platform
import re
import sys
import tempfile
import traceback
from collections.abc import Sequence
from pathlib import Path

from crewmem import __version__
from crewmem.cli.app import App
from crewmem.context import DATABASE_FILE
from crewmem.errors import CrewmemError, DamagedError, NotFoundError
from crewmem.storage.filesystem import convert_os_error, make_directory, replace_file
from crewmem.storage.sqlite import ERRORS, convert_error
from crewmem.times import format_time

OPTION = re.compile(r"--[a-z][a-z-]*(?=$|=)|-[a-zA-Z]$")


def explain_cause(error: Exception) -> CrewmemError | None:
    """Return an error to show instead if damaged data or a file caused *error*; else None."""
    if isinstance(error, OSError) and error.filename is not None:
        return convert_os_error(error, Path(os.fsdecode(error.filename)), "use")
    if isinstance(error, FileNotFoundError):  # without a file name: the current directory
        return NotFoundError(
            "this directory was removed", code="path-not-found", hint="cd to an existing directory"
        )
    if isinstance(error, json.JSONDecodeError):
        return DamagedError(f"stored data is not JSON: {error}", code="database-damaged")
    return convert_error(error) if isinstance(error, ERRORS) else None


def write_report(app: App, error: Exception, arguments: Sequence[str]) -> Path | None:
    """Write a report of *error* without the values that the user typed.

    It names the options, but not their values or other arguments, which may be secret.

    Returns:
        The file, or None if it cannot be written.
    """
    shown = [match[0] if (match := OPTION.match(word)) else "…" for word in arguments]
    lines = [
        f"crewmem {__version__}, Python {platform.python_version()}, {sys.platform}",
        f"time: {format_time(app.clock())}",
        f"command: crewmem {' '.join(shown)}",
        "",
    ]
    frames = traceback.extract_tb(error.__traceback__)
    lines += [f"  {frame.filename}:{frame.lineno} in {frame.name}" for frame in frames]
    lines.append(type(error).__name__)
    try:
        has_home = (app.home_path / DATABASE_FILE).is_file()
        directory = app.home_path / "incidents" if has_home else Path(tempfile.gettempdir())
        make_directory(directory)
        stamp = format_time(app.clock()).replace(":", "").replace(".", "")
        path = directory / f"bug-{stamp}.txt"
        replace_file(path, "\n".join(lines).encode() + b"\n")
    except (CrewmemError, OSError):
        return None
    return path
