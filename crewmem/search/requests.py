"""Requests and small talk: "ok, now fix the failing test" asks for work, not for what is known."""

from __future__ import annotations

import re
from pathlib import Path

from crewmem.text.tokens import detect_language
from crewmem.text.word_lists import read_word_lists

WORDS = Path(__file__).with_name("request_words.txt")
"""By language the words of requests and small talk."""

FIRST = 0.3
"""Added for a sentence that begins with such a word: "rename …", "thanks, …"."""

MAX_TEXT = 2_000
"""Characters of a text that are looked at."""


def measure_request(text: str, *, is_keywords: bool = False) -> float:
    """Return how far *text* is a request or small talk, from 0 for a question to 1.

    >>> measure_request("thanks, now do the same again") > 0.6
    True
    >>> measure_request("who renews the certificates?")
    0.0

    Args:
        text: As typed.
        is_keywords: Whether it is words to look up; "test coverage" does not begin with a verb.
    """
    typed = re.findall(r"[^\W_]+", text[:MAX_TEXT].lower())
    if not typed:
        return 0.0
    by_language = read_word_lists(WORDS)
    listed = by_language["en"] | by_language.get(detect_language(text), frozenset())
    share = sum(word in listed for word in typed) / len(typed)
    begins = typed[0] in listed and not is_keywords and "?" not in text
    return min(1.0, share + FIRST * begins)
