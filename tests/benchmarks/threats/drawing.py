"""Sentences drawn from patterns in files: ``(this|that)``, and ``<gap>`` for a list's word.

What is drawn is always the same. A gap with a capital begins a sentence.
"""

from __future__ import annotations

import random
import re
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

HERE = Path(__file__).parent

CHOICE = re.compile(r"\(([^()]*)\)")
GAP = re.compile(r"<([a-zA-Z]+)>")

EACH = 16
"""Sentences of a pattern at most; of one with few choices there are fewer."""

SEED = 4


@cache
def _gaps() -> Mapping[str, list[str]]:
    lines = (HERE / "gaps.txt").read_text("utf-8").splitlines()
    named = (line.partition(": ") for line in lines)
    return {name: words.split("|") for name, _, words in named}


def drawn_from(name: str, each: int = EACH) -> Iterator[str]:
    """Yield sentences of the patterns in a file, each once."""
    dice = random.Random(SEED)  # noqa: S311 - examples
    for pattern in (HERE / f"{name}.txt").read_text("utf-8").splitlines():
        found = dict.fromkeys(_filled(pattern, dice) for _ in range(each))
        yield from found


def _filled(text: str, dice: random.Random) -> str:
    def word(gap: re.Match[str]) -> str:
        chosen = dice.choice(_gaps()[gap[1].lower()])
        return chosen[0].upper() + chosen[1:] if gap[1][0].isupper() else chosen

    text = CHOICE.sub(lambda each: dice.choice(each[1].split("|")), text)
    return GAP.sub(word, text)
