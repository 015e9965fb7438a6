"""Files of words, one language a line: ``en: now anymore replac*``; ``#`` begins a comment.

With ``*``, in some files, a word is the beginning of words.
"""

from functools import cache
from pathlib import Path

MIN_BEGINNING = 3
"""Minimum letters of a beginning that is listed."""


@cache
def read_word_lists(path: Path) -> dict[str, frozenset[str]]:
    """Return the words of each language in a file."""
    lines = (line.partition(": ") for line in path.read_text("utf-8").splitlines())
    return {
        language: frozenset(listed.split())
        for language, colon, listed in lines
        if colon and not language.startswith("#")
    }


@cache
def read_languages_of_words(path: Path) -> dict[str, list[str]]:
    """Return the languages of each word in a file."""
    found: dict[str, list[str]] = {}
    for language, listed in read_word_lists(path).items():
        for word in listed:
            found.setdefault(word, []).append(language)
    return found


def list_beginnings(word: str) -> list[str]:
    """Return the beginnings of *word* as they may be listed.

    >>> list_beginnings("moved")
    ['mov*', 'move*', 'moved*']
    """
    return [f"{word[:end]}*" for end in range(MIN_BEGINNING, len(word) + 1)]
