"""What a question asks for: what happened, what to do, why, or work and not memory at all.

What happened stands in the journal, what to do in facts and files. "ok, now fix the failing test"
asks for nothing that is known.
"""

import re
from functools import cache, lru_cache
from pathlib import Path
from typing import NamedTuple

from crewmem.text.tokens import detect_language, words
from crewmem.text.word_lists import read_word_lists

REQUEST_WORDS = Path(__file__).with_name("request_words.txt")
"""By language the words of requests and small talk."""

CHANGE_WORDS = Path(__file__).with_name("change_words.txt")
"""By language the words by which a text tells of a change."""

FIRST = 0.3
"""Added for a sentence that begins with such a word: "rename …", "thanks, …"."""

MAX_TEXT = 2_000
"""Characters of a question or text that are looked at."""


class Wanted(NamedTuple):
    """What a question asks for.

    Attributes:
        past: What happened.
        rule: What to do, or what is allowed.
        reason: Why.
    """

    past: bool = False
    rule: bool = False
    reason: bool = False


def read_wanted(question: str) -> Wanted:
    """Return what *question* asks for.

    >>> read_wanted("why was the search so slow?")
    Wanted(past=True, rule=False, reason=True)
    """
    phrases = _phrases_by_language().get(detect_language(question), {})
    typed = _as_words(question[:MAX_TEXT])
    return Wanted(
        **{name: any(phrase in typed for phrase in each) for name, each in phrases.items()}
    )


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
    by_language = read_word_lists(REQUEST_WORDS)
    listed = by_language["en"] | by_language.get(detect_language(text), frozenset())
    share = sum(word in listed for word in typed) / len(typed)
    begins = typed[0] in listed and not is_keywords and "?" not in text
    return min(1.0, share + FIRST * begins)


def matches_kind(wanted: Wanted, *, is_event: bool, is_rule: bool) -> float:
    """Tell whether a text is of the kind that is asked for.

    Returns 1 where a question of what happened meets an event, or one of a rule meets a rule; -1
    where it meets another text; 0 where it asks for neither. A decision is both.
    """
    if wanted.past:
        return 1.0 if is_event else -1.0
    if wanted.rule:
        return 1.0 if is_rule else -1.0
    return 0.0


@lru_cache(maxsize=256)
def tells_change(text: str) -> bool:
    """Tell whether *text* says that something is different now."""
    typed = set(words(text))
    languages = [
        each
        for each, listed in read_word_lists(CHANGE_WORDS).items()
        if not typed.isdisjoint(listed)
    ]
    return "en" in languages or (bool(languages) and detect_language(text) in languages)


def _as_words(text: str) -> str:
    """Return the words of *text* with a space before and after each."""
    return " ".join(["", *re.findall(r"[^\W_]+", text.lower()), ""])


@cache
def _phrases_by_language() -> dict[str, dict[str, list[str]]]:
    """Return by language the phrases of each field of `Wanted`, as words."""
    found: dict[str, dict[str, list[str]]] = {}
    path = Path(__file__).with_name("answer_words.txt")
    for line in path.read_text("utf-8").splitlines():
        key, colon, listed = line.partition(": ")
        if colon and not line.startswith("#"):
            language, _, name = key.partition(" ")
            found.setdefault(language, {})[name] = [*map(_as_words, listed.split(", "))]
    return found
