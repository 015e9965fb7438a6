"""What is shown of a memory file whose text is poison, or holds a secret. Pure."""

from __future__ import annotations

from crewmem.threats.notice import gravest, notice
from crewmem.threats.rule import HIGH, SECRET

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

    from crewmem.files.read import Document
    from crewmem.threats.rule import Finding, Scan


def shielded(document: Document, whole: str, scan: Scan) -> Document:
    """Return *document* without what no reader should meet.

    Poison is replaced by its notice, all of the text with it; of secrets only they.
    Lines of a file are poison where any of it reaches into them, so that nothing is
    read in pieces that is not to be read.

    Args:
        document: What is to be shown: a file, or lines of it.
        whole: All that the file says.
        scan: Looks for what should not be met.
    """
    start = _start(whole, document)
    end = start + len(document.text)
    found = [
        each._replace(start=each.start - start, end=each.end - start)
        for each in scan(whole)
        if each.severity == HIGH and each.start < end and each.end > start
    ]
    if poison := gravest(each for each in found if each.category != SECRET):
        text = f"{notice(document.ref, poison)}\n"
        return document._replace(text=text, withheld=(poison.rule,))
    if not found:
        return document
    rules = tuple(sorted({each.rule for each in found}))
    text = _redacted(document.text, found)
    return document._replace(text=text, withheld=rules)


def _start(whole: str, document: Document) -> int:
    """Return where in *whole* the lines of *document* begin."""
    if document.first_line == 1:
        return 0
    from io import StringIO

    lines = StringIO(whole, newline="\n").readlines() if "\n" in whole else []
    if not lines:
        lines = whole.splitlines(keepends=True)
    return sum(map(len, lines[: document.first_line - 1]))


def _redacted(text: str, found: Sequence[Finding]) -> str:
    from crewmem.threats.scan import redacted

    within = [
        each._replace(start=max(each.start, 0), end=min(each.end, len(text)))
        for each in found
    ]
    return redacted(text, within)
