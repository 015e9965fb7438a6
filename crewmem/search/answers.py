"""What a question asks for: what happened stands in the journal, what to do in facts and files.

A text that names nobody does not answer a question of who it is.
"""

import re
from functools import cache
from pathlib import Path
from typing import NamedTuple

from crewmem.text.tokens import detect_language

MAX_TEXT = 2_000
"""Characters of a question or text that are looked at."""

NAME = re.compile(r"(?<=[\w,)] )[A-Z\u00c0-\u00de][a-z\u00df-\u00ff]{2,}\b")
"""A word with a capital inside a sentence. German has one in every sentence."""


class Wanted(NamedTuple):
    """What a question asks for.

    Attributes:
        past: What happened.
        rule: What to do, or what is allowed.
        person: Who it is.
    """

    past: bool = False
    rule: bool = False
    person: bool = False


def read_wanted(question: str) -> Wanted:
    """Return what *question* asks for.

    >>> read_wanted("why was the search so slow?")
    Wanted(past=True, rule=False, person=False)
    """
    phrases = _phrases_by_language().get(detect_language(question), {})
    typed = _as_words(question[:MAX_TEXT])
    return Wanted(
        **{name: any(phrase in typed for phrase in each) for name, each in phrases.items()}
    )


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


def names_somebody(text: str) -> bool:
    """Tell whether *text* may name a person.

    >>> names_somebody("Ask for Rafa."), names_somebody("The report is due on the 5th.")
    (True, False)
    """
    return NAME.search(text, 0, MAX_TEXT) is not None


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
