"""Where a text may be cut without cutting what a reader takes for one character. Pure.

The rules that matter of Unicode's extended grapheme clusters (UAX 29), by the character
database that Python carries: marks, emoji sequences, flags, jamo, conjuncts.
"""

from __future__ import annotations

JOINER = "\u200d"
"""Zero width joiner: what follows it belongs to the same emoji."""

TRAILING = frozenset("\u200c\u200d\u0e33\u0eb3\uff9e\uff9f")
"""What extends a character without being a mark by category."""

VIRAMA = 9
"""Combining class of the sign that joins two consonants."""


def boundary(text: str, at: int, floor: int) -> int:
    """Return the last place up to *at* where *text* may be cut.

    It is *at* itself where one character fills all from *floor*, which is a boundary.
    """
    cut = at
    while cut > floor and is_within(text, cut, floor):
        cut -= 1
    return cut if cut > floor else at


def is_within(text: str, at: int, floor: int = 0) -> bool:
    """Tell whether a cut of *text* at *at* would go through a character.

    Nothing before *floor* is looked at, which is a boundary itself.
    """
    if not floor < at < len(text) or text[at] < "\u0300":
        return False
    before, after = text[at - 1], text[at]
    if before == "\n":
        return False
    from unicodedata import combining  # a quarter of a millisecond, for few texts

    return (
        _extends(after)
        or before == JOINER
        or _is_jamo_pair(before, after)
        or (_is_flag(after) and _flags_before(text, at, floor) % 2 == 1)
        or (combining(before) == VIRAMA and after.isalpha())
    )


def _extends(char: str) -> bool:
    from unicodedata import category

    return (
        category(char)[0] == "M"
        or char in TRAILING
        or "\U0001f3fb" <= char <= "\U0001f3ff"  # skin tones
        or "\U000e0020" <= char <= "\U000e007f"  # tags, of the flags of regions
    )


def _is_flag(char: str) -> bool:
    return "\U0001f1e6" <= char <= "\U0001f1ff"


def _flags_before(text: str, at: int, floor: int) -> int:
    start = at
    while start > floor and _is_flag(text[start - 1]):
        start -= 1
    return at - start


def _is_jamo_pair(before: str, after: str) -> bool:
    """Tell whether *after* goes on with the Korean syllable of *before*."""
    if "\u1160" <= after <= "\u11ff":
        return "\u1100" <= before <= "\u11ff" or "\uac00" <= before <= "\ud7a3"
    return "\u1100" <= before <= "\u115f" and (
        "\u1100" <= after <= "\u115f" or "\uac00" <= after <= "\ud7a3"
    )
