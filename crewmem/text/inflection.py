"""Forms of one word: *школы* and *школах*, *trésorier* and *trésorière*.

The full-text index stems words as in English. In other languages a word has more forms, which a
query must find: two stems are of one word if they begin alike, and end in endings of the language.
"""

from __future__ import annotations

from functools import cache, lru_cache
from pathlib import Path
from typing import TYPE_CHECKING

from crewmem.text.word_lists import read_word_lists

if TYPE_CHECKING:
    from collections.abc import Collection

ENDINGS = Path(__file__).with_name("endings.txt")

MIN_BASE, MIN_OTHER_BASE = 4, 3
"""Minimum letters that forms of a word have in common, in Latin script and in others."""


@lru_cache(maxsize=4096)
def list_bases(stem: str, language: str) -> tuple[str, ...]:
    """Return *stem* without each of its endings, shortest first; none in an unknown language.

    >>> list_bases("paczkami", "pl")
    ('pacz', 'paczk', 'paczkam', 'paczkami')
    """
    endings = _read_endings(language)
    least = MIN_BASE if stem.isascii() else MIN_OTHER_BASE
    if not endings or not stem.isalpha():
        return ()
    return tuple(stem[:end] for end in range(least, len(stem) + 1) if stem[end:] in endings)


def are_forms(one: str, other: str, language: str) -> bool:
    """Return whether two stems are forms of one word.

    >>> are_forms("школах", "школы", "ru"), are_forms("школах", "шкала", "ru")
    (True, False)
    """
    endings = _read_endings(language)
    return any(
        other.startswith(base) and other[len(base) :] in endings
        for base in list_bases(one, language)
    )


def find_form(stem: str, others: Collection[str], language: str) -> str:
    """Return the one of *others* that is a form of the same word, or *stem* itself."""
    if stem in others or not list_bases(stem, language):
        return stem
    return next((each for each in sorted(others) if are_forms(stem, each, language)), stem)


@cache
def _read_endings(language: str) -> frozenset[str]:
    """Return the endings of a language, with none at all as one of them."""
    listed = read_word_lists(ENDINGS).get(language, frozenset())
    return listed | {""} if listed else listed
