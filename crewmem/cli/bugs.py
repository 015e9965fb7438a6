"""Reports of unexpected errors."""

import platform
import sys
import tempfile
import traceback
from collections.abc import Sequence
from pathlib import Path

import apsw

from crewmem import __version__
from crewmem.cli.context import App
from crewmem.context import DATABASE_FILE
from crewmem.errors import CrewmemError
from crewmem.storage.filesystem import make_directory, replace_file
from crewmem.storage.sqlite import explain_error
from crewmem.times import format_time


def explain_sqlite(error: Exception) -> CrewmemError | None:
    """Return what an error of SQLite means; None for any other error."""
    return explain_error(error) if isinstance(error, apsw.Error) else None


def write_report(app: App, error: Exception, arguments: Sequence[str]) -> Path | None:
    """Write a report of *error* without the values that the user typed.

    Options are named, their values and all other arguments are not: they may be secret.

    Returns:
        The file, or None when it cannot be written.
    """
    shown = [word.partition("=")[0] if word.startswith("-") else "…" for word in arguments]
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
