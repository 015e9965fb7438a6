"""A report of a failure that nobody foresaw, for whoever mends it."""

from __future__ import annotations

import os
import sys
import traceback
from pathlib import Path

from crewmem import __version__, disk
from crewmem.errors import CrewmemError

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence


def report(
    argv: Sequence[str], environ: Mapping[str, str], error: BaseException
) -> Path | None:
    """Write what is known of *error* below the home; return where, or None.

    What was typed is part of it; what is stored, and the environment, are not.
    """
    text = "\n".join(
        (
            f"crewmem {__version__}, Python {sys.version}, {sys.platform}",
            f"arguments: {list(argv)!r}",
            "",
            *traceback.format_exception(error),
        )
    )
    name = f"incident-{os.getpid()}-{os.urandom(4).hex()}.txt"
    for folder in _folders(environ):
        try:
            with disk.make_root(folder) as root:
                disk.write(root, name, text.encode("utf-8", "backslashreplace"))
        except (CrewmemError, OSError):
            continue
        return folder / name
    return None


def _folders(environ: Mapping[str, str]) -> list[Path]:
    """Return where a report may go: a home that is there, else a temporary place."""
    from tempfile import gettempdir

    home = environ.get("CREWMEM_HOME")
    homes = [Path(home) / "incidents"] if home and Path(home).is_dir() else []
    return [*homes, Path(gettempdir()) / f"crewmem-{os.getuid()}"]
