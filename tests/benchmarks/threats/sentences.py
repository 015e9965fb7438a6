"""Sentences that the weights are learned from, all written for it.

``attacks.txt``, ``harmless.txt`` and ``chats.txt``, what people say to each other in
chats, mails, meetings and forums, have one a line; a line with a ``#`` names the kind
of those below it. The notes of the tests belong to the first two. The manual pages and the
docstrings of this project are harmless, too, and so is what the language's own manual
and library say about themselves, and half of the manual pages and package pages that
the machine has; the other half is for measuring.
"""

from __future__ import annotations

import ast
import gzip
import re
from collections import Counter
from importlib.metadata import distributions
from pathlib import Path
from pydoc_data.topics import topics
from typing import TYPE_CHECKING
from zlib import crc32

from tests.threats.notes import ABOUT, ATTACKS, HARMLESS

if TYPE_CHECKING:
    from collections.abc import Iterator

HERE = Path(__file__).parent
ROOT = HERE.parents[2]

DOCSTRING = re.compile(r'"""(.*?)"""', re.DOTALL)
COMMENTS = re.compile(r"(?:^[ \t]*# .*\n){2,}", re.MULTILINE)
COMMENT = re.compile(r"^[ \t]*# ", re.MULTILINE)
ROFF = re.compile(r"^\.\w+ ?|\\f.|\\-", re.MULTILINE)

NOTED = {"attacks": ATTACKS, "harmless": [*ABOUT, *HARMLESS]}
"""The notes of the tests, by the file they belong to."""

PAGES = Path("/usr/share/man")
"""Where a machine has its manual."""

ALIKE = 3
"""Pages of one program, which say much the same."""

FAMILY = re.compile("[-_.0-9]")
"""Behind the name of a program: which of its pages it is."""

MACROS = re.compile(r"^[.'].*(?:\n|$)|\\f\[?\w+\]?|\\[&|^~:]|\\\(\w\w", re.MULTILINE)
"""How a manual page is laid out."""

APART = frozenset({"site-packages", "test", "tests", "idle_test", "encodings"})
"""Folders of the library that are no part of it, or hold little prose."""


def written(name: str) -> Iterator[tuple[str, str]]:
    """Yield the sentences of a file, each with its kind."""
    for text in NOTED.get(name, ()):
        yield "noted", text
    kind = ""
    for line in (HERE / f"{name}.txt").read_text("utf-8").splitlines():
        if re.fullmatch(r"#\w+", line):
            kind = line[1:]
        elif line:
            yield kind, line


def documents() -> Iterator[str]:
    """Yield what this project says about itself, but for what is about attacks."""
    for page in sorted((ROOT / "man").glob("*.1")):
        yield ROFF.sub("", page.read_text("utf-8"))
    for note in sorted((ROOT / "crewmem" / "sample").rglob("*.md")):
        yield note.read_text("utf-8")
    for room in ("crewmem", "tests"):
        for module in sorted((ROOT / room).rglob("*.py")):
            if "threats" not in module.parts:
                yield from DOCSTRING.findall(module.read_text("utf-8"))


def manuals() -> Iterator[str]:
    """Yield what the language's own manual and library say about themselves."""
    yield from topics.values()
    library = Path(ast.__file__).parent
    for module in sorted(library.rglob("*.py")):
        if not APART.intersection(module.relative_to(library).parts):
            text = module.read_text("utf-8", errors="replace")
            yield from DOCSTRING.findall(text)
            yield from (COMMENT.sub(" ", block[0]) for block in COMMENTS.finditer(text))


def pages() -> Iterator[str]:
    """Yield half of the manual pages and of the pages of packages that are here."""
    met: Counter[str] = Counter()
    for path in sorted(PAGES.glob("man*/*.gz")):
        family = FAMILY.split(path.name)[0]
        if is_learned(path.name) and met[family] < ALIKE:
            met[family] += 1
            text = gzip.decompress(path.read_bytes()).decode("utf-8", "replace")
            yield plain(text)
    for each in distributions():
        if is_learned(each.name):
            yield each.read_text("METADATA") or ""


def is_learned(name: str) -> bool:
    """Tell whether a page belongs to the half that is learned from."""
    return crc32(name.encode()) % 2 == 0


def plain(page: str) -> str:
    """Return what a manual page says."""
    return MACROS.sub("", page).replace("\\-", "-")
