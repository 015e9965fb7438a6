"""Sentences that the weights are learned from, all written for it.

``attacks.txt``, ``harmless.txt`` and ``chats.txt``, what people say to each other in
chats, mails, meetings and forums, have one a line; a line with a ``#`` names the kind
of those below it. The notes of the tests belong to the first two. The manual pages and the
docstrings of this project are harmless, too. Patterns of work are in ``work_orders.txt``
and ``work_notes.txt`` (`drawing`). Nothing is learned from what a machine
happens to have, so that the weights are the same wherever they are made.
"""

from __future__ import annotations

import re
from pathlib import Path
from typing import TYPE_CHECKING

from tests.threats.notes import ABOUT, ATTACKS, HARMLESS

if TYPE_CHECKING:
    from collections.abc import Iterator

HERE = Path(__file__).parent
ROOT = HERE.parents[2]

DOCSTRING = re.compile(r'"""(.*?)"""', re.DOTALL)
ROFF = re.compile(r"^\.\w+ ?|\\f.|\\-", re.MULTILINE)

NOTED = {"attacks": ATTACKS, "harmless": [*ABOUT, *HARMLESS]}
"""The notes of the tests, by the file they belong to."""


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
