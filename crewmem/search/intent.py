"""What a query asks for: events, rules, reasons, or work that needs no memory.

Events are in the journal, rules in facts and files. "ok, now fix the failing test" asks for no
information.
"""

import re
from functools import cache, lru_cache
from pathlib import Path
from typing import NamedTuple

from crewmem.text.tokens import detect_language, words
from crewmem.text.word_lists import read_word_lists

REQUEST_WORDS = Path(__file__).with_name("request_words.txt")
"""Words of requests and small talk, by language."""

CHANGE_WORDS = Path(__file__).with_name("change_words.txt")
"""Words that announce a change in a text, by language."""

OLD_VALUE = r"(\d[\d.,:]*)\w{0,5} ?(?:->|=>|\u2192) ?\d"
"""A number before the one that replaced it: "Postgres 14 -> 16"."""

FIRST = 0.3
"""Bonus for a sentence that begins with such a word: "rename …", "thanks, …"."""

MAX_TEXT = 2_000
"""Maximum characters of a query or text that are read."""


class Wanted(NamedTuple):
    """What a query asks for.

    Attributes:
        past: What happened.
        rule: What to do, or what is allowed.
        reason: Why.
        everything: All that is known of a thing.
    """

    past: bool = False
    rule: bool = False
    reason: bool = False
    everything: bool = False


def read_wanted(question: str) -> Wanted:
    """Return what *question* asks for.

    >>> read_wanted("why was the search so slow?")
    Wanted(past=True, rule=False, reason=True, everything=False)
    """
    phrases = _phrases_by_language().get(detect_language(question), {})
    typed = _as_words(question[:MAX_TEXT])
    return Wanted(
        **{name: any(phrase in typed for phrase in each) for name, each in phrases.items()}
    )


def measure_request(text: str, *, is_keywords: bool = False) -> float:
    """Return how much *text* is a request or small talk, from 0 for a question to 1.

    >>> measure_request("thanks, now do the same again") > 0.6
    True
    >>> measure_request("who renews the certificates?")
    0.0

    Args:
        text: As typed.
        is_keywords: Whether it is keywords; "test coverage" does not begin with a verb.
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
    """Return whether a text is of the kind that the query asks for.

    Returns 1 for an event if the query asks for events, or a rule if it asks for rules; -1 for
    other texts; 0 if it asks for neither, for both, or for everything as "what do we know about"
    does. A decision is both.
    """
    if wanted.past and wanted.rule:
        return 0.0
    if wanted.past:
        return 1.0 if is_event else -1.0
    if wanted.rule and not wanted.everything:
        return 1.0 if is_rule else -1.0
    return 0.0


@lru_cache(maxsize=256)
def tells_change(text: str) -> bool:
    """Return whether *text* says that something has changed."""
    if list_old_values(text):
        return True
    typed = set(words(text))
    languages = [
        each
        for each, listed in read_word_lists(CHANGE_WORDS).items()
        if not typed.isdisjoint(listed)
    ]
    return "en" in languages or (bool(languages) and detect_language(text) in languages)


def list_old_values(text: str) -> list[str]:
    """Return the numbers of *text* that were replaced by others.

    >>> list_old_values("Postgres 14 -> 16, 12 min")
    ['14']
    """
    return re.findall(OLD_VALUE, text) if ">" in text or "\u2192" in text else []


def _as_words(text: str) -> str:
    """Return the words of *text* with a space before and after each."""
    return " ".join(["", *re.findall(r"[^\W_]+", text.lower()), ""])


@cache
def _phrases_by_language() -> dict[str, dict[str, list[str]]]:
    """Return the phrases of each field of `Wanted`, by language and as words."""
    found: dict[str, dict[str, list[str]]] = {}
    path = Path(__file__).with_name("answer_words.txt")
    for line in path.read_text("utf-8").splitlines():
        key, colon, listed = line.partition(": ")
        if colon and not line.startswith("#"):
            language, _, name = key.partition(" ")
            found.setdefault(language, {})[name] = [*map(_as_words, listed.split(", "))]
    return found
