"""What a text cites of memory files: ``path.md:line``, as search prints it. Pure."""

from __future__ import annotations

import re

from crewmem.records import NamedTuple

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

CITED = re.compile(
    r"(?<![\w./:@-])"
    r"(?P<path>(?:(?:agent|crew|workspace):)?[\w][\w./-]{0,199}?\.md)"
    r":(?P<line>[1-9][0-9]{0,6})(?![\w/])",
    re.IGNORECASE,
)
"""A file and a line of it. What has a scheme, a host or a link in it is none."""

DAY = re.compile(r"(?P<before>(?:^|.*/)daily/)(?P<name>(?P<year>\d{4})-\d\d-\d\d\.md)")
"""The notes of a day, which are put away when all that they say is settled."""


class Citation(NamedTuple):
    """A line of a file that a text names.

    Attributes:
        at: The line of the text, counted from 1.
        path: As it stands there: a ref, or a path below a memory directory.
        line: Of that file, counted from 1.
    """

    at: int
    path: str
    line: int

    def __str__(self) -> str:
        return f"{self.path}:{self.line}"


def citations(text: str) -> Iterator[Citation]:
    """Yield what *text* cites, in order."""
    if ".md:" not in text and ".MD:" not in text:
        return
    for at, line in enumerate(text.splitlines(), 1):
        for found in CITED.finditer(line):
            if ".." not in found["path"]:
                yield Citation(at, found["path"], int(found["line"]))


def put_away(path: str) -> str:
    """Return where the notes of a day are once they are put away; "" for others."""
    found = DAY.fullmatch(path)
    return f"{found['before']}archive/{found['year']}/{found['name']}" if found else ""
