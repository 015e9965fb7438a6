"""Whether a line of a note names its subject, so that it can be understood alone. Pure."""

from __future__ import annotations

import re
from functools import cache
from typing import NamedTuple

from crewmem.text.lasting import WORD, compile_phrases, load_words
from crewmem.text.statements import FIRST_WIDE


class SubjectWords(NamedTuple):
    """Words that show whether a line names its subject.

    Attributes:
        verbs: Finite verbs.
        imperatives: A line that begins with one of them needs no subject.
        generic: Pronouns, and nouns that fit many things ("the service").
        articles: Words that are ignored.
        demonstratives: Words that point to another line.
    """

    verbs: frozenset[str]
    imperatives: frozenset[str]
    generic: frozenset[str]
    articles: frozenset[str]
    demonstratives: frozenset[str]


@cache
def _load_subject_words() -> SubjectWords:
    words, wording = load_words("subjects"), load_words("wording")
    return SubjectWords(
        frozenset([*words["verb"], *wording["stative"], *wording["past"]]),
        frozenset([*wording["imperative"], *words["imperative"]]),
        frozenset([*words["generic"], *words["pronoun"]]),
        frozenset(words["article"]),
        frozenset(words["demonstrative"]),
    )


PREDICATE = re.compile(r"\s[=≠>]\s|\b[a-z]{3,}s (?:the|an?|its|their|any|every|each)\b")
"""A predicate without one of the known verbs: "X = 3", "closes the gate"."""


def _list_words(text: str) -> list[str]:
    """Return the words of a line without articles, in lower case."""
    articles = _load_subject_words().articles
    return [word for word in WORD.findall(text.lower()) if word not in articles]


def lacks_subject(text: str) -> bool:
    """Return whether a line does not name its subject.

    Such a line begins with a verb or a generic word, points to another line, or is a noun without
    a predicate.

    >>> [lacks_subject(text) for text in ("Reads from the queue", "Never remove these pairs")]
    [True, True]
    >>> [lacks_subject(text) for text in ("Pumps need two seconds", "Ask before a deploy")]
    [False, False]
    """
    words = _list_words(text)
    if not words or any(ord(letter) > FIRST_WIDE for letter in text):
        return False
    known = _load_subject_words()
    if points_back(text) or not known.demonstratives.isdisjoint(words):
        return True
    if words[0] in known.imperatives or words[-1] in known.imperatives:
        return False  # a German task ends with its verb
    return known.verbs.isdisjoint(words[1:]) and not PREDICATE.search(text)


def points_back(text: str) -> bool:
    """Return whether a line begins with a verb or a generic word, so that its subject is above it.

    >>> points_back("Reads from the queue"), points_back("The day shift reads the gauge")
    (True, False)
    """
    words = _list_words(text)
    known = _load_subject_words()
    if not words or words[0] in known.imperatives:
        return False
    is_verb = words[0] in known.verbs and words[0].endswith(("s", "t"))
    return words[0] in known.generic or (is_verb and known.verbs.isdisjoint(words[1:2]))


@cache
def _narrative_headings() -> re.Pattern[str]:
    return compile_phrases(load_words("narration")["heading"])


def announces_narrative(heading: str) -> bool:
    """Return whether a heading or label line announces an account of events, step by step.

    >>> [announces_narrative(name) for name in ("3. Root cause analysis", "Hergang", "Decisions")]
    [True, True, False]
    """
    return _narrative_headings().search(heading.lower()) is not None
