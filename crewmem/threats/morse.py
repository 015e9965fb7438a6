"""Morse code: letters of dots and dashes, and the way back from them."""

from __future__ import annotations

import re
from functools import cache

from crewmem.threats.lazy import lazy

SIGN = r"[.\u00b7\u2022\u2219\u22c5_-]"
"""A dot or a dash, as they are typed."""

MORSE = lazy(
    rf"(?<![^\s\"'`(>:]){SIGN}{{1,6}}"
    rf"(?:(?: {{1,7}}| ?[/|] ?|\r?\n){SIGN}{{1,6}}){{11,}}(?!\w)"
)
"""Twelve letters at least; what is between words is more than what is between letters."""

GAP = lazy(r" {2,}| ?[/|] ?|\r?\n")

ITEM = lazy(r"(?:^|\n)-(?: |$)")
"""The mark of a list, or the letter t."""

STROKES = str.maketrans("\u00b7\u2022\u2219\u22c5_", "....-")

SWAPPED = str.maketrans("/ ", " /")

LETTERS = "abcdefghijklmnopqrstuvwxyz0123456789.,?'/:@-"

CODES = (
    ".- -... -.-. -.. . ..-. --. .... .. .--- -.- .-.. -- -. --- .--. --.- .-. ... - "
    "..- ...- .-- -..- -.-- --.. ----- .---- ..--- ...-- ....- ..... -.... --... ---.. "
    "----. .-.-.- --..-- ..--.. .----. -..-. ---... .--.-. -....-"
)
"""What stands for each of `LETTERS`, in their order."""

KNOWN = 0.9
"""Of what looks like letters, those that are; rules of dashes are none."""

FEWEST = 5
"""Different letters of what says something; dotted lines repeat one."""


@cache
def _alphabet() -> dict[str, str]:
    return dict(zip(CODES.split(), LETTERS, strict=True))


def unkeyed(run: str) -> str:
    """Return what *run* says in Morse code; "" where it is none.

    What may be the mark of a list is a letter, too: such runs are read in both ways.
    """
    bare = ITEM.sub("\n", run)
    said = _unkeyed(run)
    return said if bare == run or not said else f"{said}.\n\n{_unkeyed(bare)}"


def _unkeyed(run: str) -> str:
    letters = _alphabet()
    if run.count("/") > run.count(" "):  # the stroke is between letters
        run = run.translate(SWAPPED)
    words = [word.split() for word in GAP.split(run.translate(STROKES))]
    said = [[letters.get(code, "") for code in word] for word in words]
    every = [letter for word in said for letter in word]
    known = [letter for letter in every if letter]
    if len(known) < KNOWN * len(every) or len(set(known)) < FEWEST:
        return ""
    return re.sub(r"\s+", " ", " ".join(map("".join, said)))
