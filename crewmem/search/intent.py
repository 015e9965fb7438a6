"""What a query asks for: events, rules, reasons, or work that needs no memory.

Events are in the journal, rules in facts and files. "ok, now fix the failing test" asks for no
information.
"""

import re
from collections.abc import Collection, Iterable
from functools import cache, lru_cache
from pathlib import Path
from typing import NamedTuple

from crewmem.text.tokens import detect_language, words
from crewmem.text.word_lists import list_beginnings, read_languages_of_words, read_word_lists

REQUEST_WORDS = Path(__file__).with_name("request_words.txt")
"""Words of requests and small talk, by language."""

CHANGE_WORDS = Path(__file__).with_name("change_words.txt")
"""Words that announce a change in a text, and with ``*`` beginnings of such words, by language."""

OLD_VALUE = r"(\d[\d.,:]*)\w{0,5} ?(?:->|=>|\u2192) ?\d"
"""A number before the one that replaced it: "Postgres 14 -> 16"."""

FIRST = 0.3
"""Bonus for a sentence that begins with such a word: "rename …", "thanks, …"."""

LONG = 7
"""Minimum letters of a word of change that counts in a text of another language: that of a short
text is often mistaken."""

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
    phrases = _read_phrases(detect_language(question))
    typed = _as_words(question[:MAX_TEXT])
    return Wanted(
        **{name: any(phrase in typed for phrase in each) for name, each in phrases.items()}
    )


def measure_request(text: str, language: str = "", *, is_keywords: bool = False) -> float:
    """Return how much *text* is a request or small talk, from 0 for a question to 1.

    >>> measure_request("thanks, now do the same again") > 0.6
    True
    >>> measure_request("who renews the certificates?")
    0.0

    Args:
        text: As typed.
        language: Of the text; by default as it is detected.
        is_keywords: Whether it is keywords; "test coverage" does not begin with a verb.
    """
    typed = words(text[:MAX_TEXT])
    if not typed:
        return 0.0
    listed = _request_words("en") | _request_words(language or detect_language(text))
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
    found = _find_change_words(text)
    if "en" in found:
        return True
    language = detect_language(text)
    if language in read_word_lists(CHANGE_WORDS):
        return language in found or (language != "en" and _has_long(found.values()))
    return bool(found)


def _has_long(lists: Iterable[Collection[str]]) -> bool:
    """Return whether a word is too long to be another word of another language."""
    return any(len(word) >= LONG for listed in lists for word in listed)


def _find_change_words(text: str) -> dict[str, set[str]]:
    """Return the words of *text*, without accents, that announce a change, by language."""
    languages = read_languages_of_words(CHANGE_WORDS)
    found: dict[str, set[str]] = {}
    for word in set(words(text)):
        for each in (word, *list_beginnings(word)):
            for language in languages.get(each, ()):
                found.setdefault(language, set()).add(word)
    return found


def list_old_values(text: str) -> list[str]:
    """Return the numbers of *text* that were replaced by others.

    >>> list_old_values("Postgres 14 -> 16, 12 min")
    ['14']
    """
    return re.findall(OLD_VALUE, text) if ">" in text or "\u2192" in text else []


@cache
def _request_words(language: str) -> frozenset[str]:
    """Return the words of requests of a language without accents, which many people omit."""
    return frozenset(words(" ".join(read_word_lists(REQUEST_WORDS).get(language, ()))))


def _as_words(text: str) -> str:
    """Return the words of *text*, without accents, with a space before and after each."""
    return " ".join(["", *words(text), ""])


@cache
def _read_phrases(wanted: str) -> dict[str, list[str]]:
    """Return the phrases of each field of `Wanted` in a language, as words."""
    found: dict[str, list[str]] = {}
    path = Path(__file__).with_name("answer_words.txt")
    for line in path.read_text("utf-8").splitlines():
        key, colon, listed = line.partition(": ")
        language, _, name = key.partition(" ")
        if colon and language == wanted:
            found[name] = [*map(_as_words, listed.split(", "))]
    return found
