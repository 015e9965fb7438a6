"""Files of words, one language a line: ``en: now anymore longer``; ``#`` begins a comment."""

from functools import cache
from pathlib import Path


@cache
def read_word_lists(path: Path) -> dict[str, frozenset[str]]:
    """Return the words of each language in a file."""
    lines = (line.partition(": ") for line in path.read_text("utf-8").splitlines())
    return {
        language: frozenset(listed.split())
        for language, colon, listed in lines
        if colon and not language.startswith("#")
    }
