"""The ways in which other programs, and we, lay out memory. Each is a module.

A layout is given names and a way to read what is under them, and returns documents
and what it leaves out. It writes nothing, and does not ask what is there already.
"""

from __future__ import annotations

from crewmem.typed import Protocol

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Collection

    from crewmem.bundles.reading import Aim, Reading
    from crewmem.bundles.source import Source


class Layout(Protocol):
    """What a module of this folder has."""

    def fits(self, names: Collection[str], source: Source) -> bool:
        """Tell whether files called *names* are laid out so."""

    def read(self, source: Source, aim: Aim) -> Reading:
        """Return what *source*, which is laid out so, holds."""


LAYOUTS = (
    "crewmem",
    "okf",
    "crewship",
    "nanoclaw",
    "openclaw",
    "ottercamp",
    "engram",
    "beads",
    "memories",
    "single",
)
"""By name, in the order in which they are tried."""

AUTO = "auto"
"""What is typed where the layout is to be told by the files."""


def layout(name: str) -> Layout:
    """Return the layout called *name*, one of `LAYOUTS`."""
    from importlib import import_module

    found: Layout = import_module(f"{__name__}.{name}")
    return found


def detected(source: Source) -> str | None:
    """Return the name of the layout that *source* has; None: it has none of them."""
    names = frozenset(source.sizes)
    for name in LAYOUTS:
        if layout(name).fits(names, source):
            return name
    return None
