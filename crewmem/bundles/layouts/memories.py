"""Memories of ours, a line of JSON each, as an export has them."""

from __future__ import annotations

from crewmem.bundles.layouts import dumps

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Collection

    from crewmem.bundles.reading import Aim, Reading
    from crewmem.bundles.source import Source

FORM = "ours"


def fits(names: Collection[str], source: Source) -> bool:
    """Tell whether it is such a file; one that holds nothing good is."""
    if len(names) != 1 or not dumps.is_json(source):
        return False
    found = dumps.found(source)
    is_named_so = next(iter(names)).lower().endswith(dumps.ENDINGS)
    is_bad = is_named_so and not any(each.record for each in found)
    return is_bad or not found or dumps.is_of(source, FORM)


def read(source: Source, aim: Aim) -> Reading:
    """Return the memories that it holds."""
    return dumps.reading(source, aim, FORM)
