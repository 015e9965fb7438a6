"""A report of a failure that nobody foresaw, for whoever mends it."""

from __future__ import annotations

import os
import sys
import traceback
from itertools import pairwise
from pathlib import Path

from crewmem import __version__, disk
from crewmem.cli.user import linux_data_path
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
    for folder in _folders(argv, environ):
        try:
            with disk.make_root(folder) as root:
                disk.write(root, name, text.encode("utf-8", "backslashreplace"))
        except (CrewmemError, OSError):
            continue
        return folder / name
    return None


def _folders(argv: Sequence[str], environ: Mapping[str, str]) -> list[Path]:
    """Return where a report may go: a home that is there, else a temporary place."""
    from tempfile import gettempdir

    home = _home(argv, environ)
    is_there = home is not None and os.path.isdir(home)  # noqa: PTH112 - raises nothing
    homes = [home / "incidents"] if home and is_there else []
    return [*homes, Path(gettempdir()) / f"crewmem-{os.getuid()}"]


def _home(argv: Sequence[str], environ: Mapping[str, str]) -> Path | None:
    """Return the home that was meant, by a command line that may not parse."""
    if named := _option(argv) or environ.get("CREWMEM_HOME"):
        return Path(named).absolute()
    if not environ.get("HOME", "").startswith("/"):
        return None
    return Path(linux_data_path(environ))


def _option(argv: Sequence[str]) -> str:
    words = list(argv)
    if "--" in words:
        words = words[: words.index("--")]
    named = ""
    for word, after in pairwise([*words, ""]):
        if word == "--home":
            named = after
        elif word.startswith("--home="):
            named = word.removeprefix("--home=")
    return named
