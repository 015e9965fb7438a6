"""httpx without its command line: ``from crewmem.backends.libraries import httpx``.

That part of it is a third of its import, and nothing here uses it.
"""

from __future__ import annotations

import sys
from types import ModuleType

__all__ = ["httpx"]

COMMAND = "httpx._main"


def _load() -> None:
    """Import httpx while the module of its command is a name without content."""
    if "httpx" in sys.modules:
        return
    stand_in = ModuleType(COMMAND)
    stand_in.main = lambda: None  # type: ignore[attr-defined] # httpx takes no more
    sys.modules[COMMAND] = stand_in
    try:
        import httpx  # noqa: F401 - it is loaded here, and named below
    finally:
        del sys.modules[COMMAND]


_load()

import httpx  # noqa: E402 - its command had to be kept out first
