"""What a question asks for, and whether a text could be its answer.

A text that names a time may answer "when?", one with a number "how many?". What happened stands in
the journal; what to do stands in facts and files.
"""

from __future__ import annotations

import re
import tomllib
from functools import cache, lru_cache
from pathlib import Path
from typing import NamedTuple

from crewmem.text.tokens import detect_language

MAX_TEXT = 2_000
"""Characters of a text that are looked at."""


class Wanted(NamedTuple):
    """What a question asks for.

    Attributes:
        when: A time.
        amount: A number.
        past: What happened.
        rule: What to do, or what is allowed.
    """

    when: bool = False
    amount: bool = False
    past: bool = False
    rule: bool = False


def read_wanted(question: str) -> Wanted:
    """Return what *question* asks for.

    >>> read_wanted("how many parcels did we send?")
    Wanted(when=False, amount=True, past=True, rule=False)
    """
    typed = question[:MAX_TEXT].lower()
    language = detect_language(question)
    found = [
        (pattern := _pattern(language, name)) is not None and bool(pattern.search(typed))
        for name in ("when", "amount", "past", "rule")
    ]
    return Wanted(*found)


def tells(wanted: Wanted, text: str) -> bool:
    """Tell whether *text* has a time or a number, where one is asked for."""
    return (wanted.when and _has(text, "times")) or (wanted.amount and _has(text, "numbers"))


def matches_kind(wanted: Wanted, *, is_event: bool) -> float:
    """Tell whether a text is of the kind that is asked for.

    Returns 1 where a question of what happened meets an event, or one of a rule meets another
    text; -1 where it is the other way round; 0 where it asks for neither.
    """
    if wanted.past:
        return 1.0 if is_event else -1.0
    if wanted.rule:
        return -1.0 if is_event else 1.0
    return 0.0


@lru_cache(4096)
def _has(text: str, name: str) -> bool:
    """Tell whether *text* has a digit, or a word of the list *name* of its language."""
    sample = text[:MAX_TEXT].lower()
    if any(character.isdigit() for character in sample):
        return True
    pattern = _pattern(detect_language(text), name)
    return pattern is not None and bool(pattern.search(sample))


@cache
def _pattern(language: str, name: str) -> re.Pattern[str] | None:
    """Return what matches the words of a list of a language; None where there are none."""
    listed = _answer_words().get(language, {}).get(name)
    if not listed:
        return None
    words = (re.escape(phrase).replace(r"\*", r"\w*") for phrase in listed)
    return re.compile(rf"(?<!\w)(?:{'|'.join(words)})(?!\w)")


@cache
def _answer_words() -> dict[str, dict[str, list[str]]]:
    """Return the lists of words by language."""
    with Path(__file__).with_name("answer_words.toml").open("rb") as file:
        return tomllib.load(file)
