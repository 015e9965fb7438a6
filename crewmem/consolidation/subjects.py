"""Whether a line of a note names what it is about, so that it can be understood alone. Pure."""

from __future__ import annotations

import re
from functools import cache
from typing import NamedTuple

from crewmem.text.lasting import WORD, compile_phrases, load_words
from crewmem.text.statements import FIRST_WIDE


class SubjectWords(NamedTuple):
    """Words that tell whether a line names what it is about.

    Attributes:
        verbs: Finite ones.
        imperatives: A line that begins with one needs no subject.
        generic: Nouns that any thing of their sort is called by, and pronouns.
        articles: Words that say nothing of it.
    """

    verbs: frozenset[str]
    imperatives: frozenset[str]
    generic: frozenset[str]
    articles: frozenset[str]


@cache
def _subject_words() -> SubjectWords:
    words, wording = load_words("subjects"), load_words("wording")
    return SubjectWords(
        frozenset([*words["verb"], *wording["stative"], *wording["past"]]),
        frozenset([*wording["imperative"], *words["imperative"]]),
        frozenset([*words["generic"], *words["pronoun"]]),
        frozenset(words["article"]),
    )


PREDICATE = re.compile(r"\s[=≠>]\s|\b[a-z]{3,}s (?:the|an?|its|their|any|every|each)\b")
"""What says something of a noun, beside the verbs that are known."""


def _list_words(text: str) -> list[str]:
    """Return the words of a line without articles, in lower case."""
    articles = _subject_words().articles
    return [each for each in WORD.findall(text.lower()) if each not in articles]


def lacks_subject(text: str) -> bool:
    """Return whether a line does not name what it is about.

    Such a line begins with its verb or a word for anything, or is a noun with nothing said of it.

    >>> [lacks_subject(each) for each in ("Reads from the queue", "The service owns its state")]
    [True, True]
    >>> [lacks_subject(each) for each in ("Pumps need two seconds", "Ask before a deploy")]
    [False, False]
    """
    words = _list_words(text)
    if not words or any(ord(letter) > FIRST_WIDE for letter in text):
        return False
    if points_back(text):
        return True
    known = _subject_words()
    if words[0] in known.imperatives or words[-1] in known.imperatives:
        return False  # German tasks end with their verb
    return known.verbs.isdisjoint(words[1:]) and not PREDICATE.search(text)


def points_back(text: str) -> bool:
    """Return whether a line begins with its verb, a pronoun or a word for anything of its sort.

    >>> points_back("Reads from the queue"), points_back("The day shift reads the gauge")
    (True, False)
    """
    words = _list_words(text)
    known = _subject_words()
    if not words or words[0] in known.imperatives:
        return False
    is_verb = words[0] in known.verbs and words[0].endswith(("s", "t"))
    return words[0] in known.generic or (is_verb and known.verbs.isdisjoint(words[1:2]))


def reports_made(name: str) -> bool:
    """Return whether a heading or lead only says that the things below it were made or changed.

    >>> reports_made("Sensors installed"), reports_made("Built a new gauge page with")
    (True, True)
    >>> reports_made("Sensors"), reports_made("Agreed with the pilots")
    (False, False)
    """
    words = WORD.findall(name.lower())
    made = load_words("subjects")["made"]
    return bool(words) and (words[0] in made or words[-1] in made)


@cache
def _narration() -> re.Pattern[str]:
    return compile_phrases(load_words("narration")["heading"])


def is_narration(name: str) -> bool:
    """Return whether below a heading or label line it is told what happened, step by step.

    >>> is_narration("3. Root cause analysis"), is_narration("Hergang"), is_narration("Decisions")
    (True, True, False)
    """
    return _narration().search(name.lower()) is not None
