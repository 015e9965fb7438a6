"""What a memory file says line by line, so that the same fact is known twice. Pure."""

from __future__ import annotations

import re
import unicodedata

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

LEAST_WORDS = 3
"""Words of a line that says something by itself; ``See below`` may stand anywhere."""

LEAST_CHARS = 12
"""The same, in characters."""

MARK = re.compile(r"\s*(?:[-*+]|\d{1,3}[.)])\s+(?:\[[ xX]\]\s+)?")
"""How an item of a list begins."""

SEEN = re.compile(r"\s*\((?:seen|evidence)\b[^()]*\)\s*$", re.IGNORECASE)
"""What consolidation adds to a line: whence it has it. Two may have it from others."""

PLAIN = re.compile(r"[*_`~]+")
"""Signs of emphasis and code."""

FENCE = ("```", "~~~")


def facts(text: str) -> Iterator[tuple[int, str]]:
    """Yield the lines of *text* that say something, each with its number.

    They are made alike where they differ in nothing that matters: list marks, emphasis,
    case, white space and the stop at the end. Headings, remarks and code are none.
    """
    fence = ""
    for number, line in enumerate(text.splitlines(), 1):
        bare = line.strip()
        if fence or bare.startswith(FENCE):
            fence = _fenced(fence, bare)
        elif bare and not bare.startswith(("#", "<!--", "|", ">", "**Source:**")):
            said = _alike(line)
            if len(said) >= LEAST_CHARS and said.count(" ") + 1 >= LEAST_WORDS:
                yield number, said


def _fenced(fence: str, bare: str) -> str:
    """Return the fence that is open behind a line; "" if none is."""
    if not fence:
        return bare[:3]
    return "" if bare.startswith(fence) else fence


def _alike(line: str) -> str:
    plain = PLAIN.sub("", SEEN.sub("", MARK.sub("", line, count=1)))
    folded = unicodedata.normalize("NFKC", plain).casefold()
    return " ".join(folded.split()).rstrip(".!;,: ")
