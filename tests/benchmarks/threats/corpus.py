"""How many attacks of a corpus the scanner finds, and how often it is wrong.

A corpus is files ``*.jsonl`` of lines with ``text``, ``label`` (1 is an attack) and
``class``. The project has one of its own: notes that nothing was learned from, and
credentials with what looks like them. What blocks a write counts; warnings are
counted apart.
"""

from __future__ import annotations

import json
from collections import Counter
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

from crewmem.threats.rule import HIGH
from crewmem.threats.scan import scan
from tests.benchmarks.report import aligned
from tests.threats.credentials import lookalikes, secrets

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

HEADER = ("class", "texts", "attacks", "found", "recall", "false alarms", "warnings")

ALL = "all"

LEFT = (0,)
"""Columns of text."""


class Measured(NamedTuple):
    """What the scanner makes of a class of texts.

    Attributes:
        name: What they are.
        attacks: How many are attacks.
        harmless: How many are not.
        found: Attacks that are blocked.
        false: Harmless ones that are blocked.
        warnings: Harmless ones that are warned of.
    """

    name: str
    attacks: int
    harmless: int
    found: int
    false: int
    warnings: int


OWN = Path(__file__).parents[2] / "threats"
"""Where the project's own notes are."""


class Text(NamedTuple):
    """A text of a corpus, what it is, and whether it is an attack."""

    text: str
    name: str
    is_attack: bool


def measured(corpus: Iterable[Text]) -> list[Measured]:
    """Return what is found in each class, and in all."""
    counts: Counter[tuple[str, str]] = Counter()
    for text in corpus:
        found = scan(text.text)
        blocked = any(each.severity == HIGH for each in found)
        kind = "attack" if text.is_attack else "harmless"
        for name in (text.name, ALL):
            counts[name, kind] += 1
            counts[name, f"{kind} blocked"] += blocked
            counts[name, f"{kind} warned"] += bool(found) and not blocked
    names = sorted({name for name, _ in counts} - {ALL})
    kinds = ("attack", "harmless", "attack blocked", "harmless blocked")
    return [
        Measured(name, *(counts[name, kind] for kind in (*kinds, "harmless warned")))
        for name in [*names, ALL]
    ]


def table(found: list[Measured]) -> list[str]:
    """Return the lines of a table of what was *found*."""
    lines = [
        (
            each.name,
            f"{each.attacks + each.harmless:,}",
            f"{each.attacks:,}",
            f"{each.found:,}",
            _share(each.found, each.attacks),
            _share(each.false, each.harmless),
            _share(each.warnings, each.harmless),
        )
        for each in found
    ]
    return aligned([HEADER, *lines], left=LEFT)


def _share(part: int, whole: int) -> str:
    return f"{part / whole:.1%}" if whole else "-"


def read(corpus: Path) -> Iterator[Text]:
    """Yield the texts of the files in *corpus*."""
    for path in sorted(corpus.glob("*.jsonl")):
        for line in path.read_text("utf-8").splitlines():
            row = json.loads(line)
            yield Text(row["text"], str(row.get("class", "")), bool(row["label"]))


def own() -> Iterator[Text]:
    """Yield the texts of the project's own corpus."""
    yield from read(OWN)
    for name, text in secrets():
        yield Text(text, name, True)
    for text in lookalikes():
        yield Text(text, "looks like a secret", False)
