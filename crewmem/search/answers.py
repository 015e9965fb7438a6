"""What a question asks for: what happened stands in the journal, what to do in facts and files."""

from __future__ import annotations

import re
import tomllib
from functools import cache
from pathlib import Path
from typing import NamedTuple

from crewmem.text.tokens import detect_language

MAX_TEXT = 2_000
"""Characters of a question that are looked at."""


class Wanted(NamedTuple):
    """What a question asks for.

    Attributes:
        past: What happened.
        rule: What to do, or what is allowed.
    """

    past: bool = False
    rule: bool = False


def read_wanted(question: str) -> Wanted:
    """Return what *question* asks for.

    >>> read_wanted("why was the search so slow?")
    Wanted(past=True, rule=False)
    """
    typed = question[:MAX_TEXT].lower()
    patterns = _patterns_by_language().get(detect_language(question), {})
    return Wanted(**{name: bool(pattern.search(typed)) for name, pattern in patterns.items()})


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


@cache
def _patterns_by_language() -> dict[str, dict[str, re.Pattern[str]]]:
    """Return by language what matches the phrases of each field of `Wanted`."""
    with Path(__file__).with_name("answer_words.toml").open("rb") as file:
        listed = tomllib.load(file)
    return {
        language: {
            name: re.compile(rf"(?<!\w)(?:{'|'.join(map(re.escape, phrases))})(?!\w)")
            for name, phrases in lists.items()
        }
        for language, lists in listed.items()
    }
