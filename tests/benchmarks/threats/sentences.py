"""Sentences that the weights are learned from, all written for it.

``attacks.txt`` and ``harmless.txt`` have one a line; a line with a ``#`` names the
kind of those below it. The notes of the tests belong to them. The manual pages and the
docstrings of this project are harmless, too, and so is what the language's own manual
and library say about themselves.
"""

from __future__ import annotations

import ast
import re
from pathlib import Path
from pydoc_data.topics import topics
from typing import TYPE_CHECKING

from tests.threats.notes import ABOUT, ATTACKS, HARMLESS

if TYPE_CHECKING:
    from collections.abc import Iterator

HERE = Path(__file__).parent
ROOT = HERE.parents[2]

DOCSTRING = re.compile(r'"""(.*?)"""', re.DOTALL)
COMMENTS = re.compile(r"(?:^[ \t]*# .*\n){2,}", re.MULTILINE)
COMMENT = re.compile(r"^[ \t]*# ", re.MULTILINE)
ROFF = re.compile(r"^\.\w+ ?|\\f.|\\-", re.MULTILINE)

APART = frozenset({"site-packages", "test", "tests", "idle_test", "encodings"})
"""Folders of the library that are no part of it, or hold little prose."""


def written(name: str) -> Iterator[tuple[str, str]]:
    """Yield the sentences of a file, each with its kind."""
    for text in ATTACKS if name == "attacks" else (*ABOUT, *HARMLESS):
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
