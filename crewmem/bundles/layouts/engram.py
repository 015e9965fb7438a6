"""A dump of Engram's memories, a file of JSON."""

from __future__ import annotations

from crewmem.bundles.layouts import dumps

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Collection

    from crewmem.bundles.reading import Aim, Reading
    from crewmem.bundles.source import Source

FORM = "engram"


def fits(names: Collection[str], source: Source) -> bool:
    """Tell whether it is such a dump."""
    return len(names) == 1 and dumps.is_of(source, FORM)


def read(source: Source, aim: Aim) -> Reading:
    """Return the memories that it holds."""
    return dumps.reading(source, aim, FORM)
