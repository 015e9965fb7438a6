"""The entries of a file that is a list: items with all their lines. Pure."""

from __future__ import annotations

import re

from crewmem.files.fences import fence_at

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from crewmem.files.fences import Fence

LINE = r"\n([ \t]*+)(?=\S)((?:[-*+]|\d{1,9}[.)])(?!\S))?"
"""The start of a line with text: its indentation, and its mark if it is an item."""

YAML_LIST = r"\nentries:[ \t]*+(?=\n[ \t]*+-[ \t])"
"""What a list of lessons opens with where it is YAML, in which a hash is a comment."""


def is_yaml(text: str, start: int) -> bool:
    """Tell whether the list from *start* is YAML rather than markdown."""
    return re.compile(YAML_LIST).search(text, start) is not None


def entries(
    text: str, begin: int, end: int, fences: Sequence[Fence]
) -> Iterator[tuple[int, int]]:
    """Cut *text* from *begin* to *end* before every entry, and where a list ends.

    An entry is an item that is not below another, with all that is indented under it
    or follows without a blank line.
    """
    width: int | None = None
    for line in re.compile(LINE).finditer(text, begin - 1, end):
        indent, mark = line.groups()
        if mark is None:
            opens = width is not None and not indent and text[line.start() - 1] == "\n"
        else:
            opens = width is None or len(indent) <= width
        start = line.start() + 1
        if not opens or fence_at(fences, start):
            continue
        if start > begin:
            yield begin, start
            begin = start
        width = None if mark is None else len(indent)
    yield begin, end
