"""Who a question is about: actors that are known, by the names typed in it. Pure.

A name says whose entries are meant. In the words and in the vector of a question it
only leads to those who speak *to* the one that is meant, so it is taken out of both.
"""

from __future__ import annotations

import re

from crewmem.records import NamedTuple
from crewmem.retrieval.stopwords import STOP_WORDS

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable

PERSONS = frozenset({"user", "human"})
"""Actors that stand for whoever is asking, in a chat."""

MODELS = frozenset({"assistant", "ai", "bot", "model"})
"""Actors that stand for who is asked, in a chat."""

FIRST_PERSON = r"\b(?:I|[Mm]e|[Mm]y|[Mm]ine|[Mm]yself)\b(?!\.)"

TOLD = (
    r"\byou(?:'ve| have| had)? (?:\w+ly )?(?:said|told|gave|suggested|recommended"
    r"|mentioned|provided|explained|advised|listed|described|shared|wrote|showed)\b"
    r"|\bdid you (?:say|tell|give|suggest|recommend|mention|provide|explain|advise)\b"
    r"|\byour (?:answer|advice|suggestions?|recommendations?|explanation|list)\b"
)
"""What asks for something that a model said; "can you" and the like are manners."""

SEPARATOR = r"[\s_.\-'\u2019]+"
"""Between the parts of a name: ``backend-lead`` may be typed as two words."""


class Named(NamedTuple):
    """What a question says of actors.

    Attributes:
        actors: Whose entries are meant, as they are known.
        known: How many of them are named as one names a person: Caroline.
        rest: The question without names.
    """

    actors: frozenset[str]
    known: int
    rest: str


def named(text: str, actors: Iterable[str], asker: str = "") -> Named:
    """Return who of *actors* is meant in *text*, and *text* without their names.

    A name that begins with a small letter may be a word as well (``planner``): its
    entries are meant, and the word stays. "I" is *asker*, or the user of a chat.
    """
    rest, known, meant = text, 0, set[str]()
    words = {*_parts(text)}
    for actor in sorted(set(actors), key=lambda each: (-len(each), each)):
        parts = _parts(actor)
        if parts and words.issuperset(parts):
            pattern = _pattern(parts)
            typed = [match for match in pattern.finditer(rest) if _is_name(match)]
            if typed:
                meant.add(actor)
                bare = pattern.sub(_without, rest)
                known += bare != rest
                rest = bare
        if _is_spoken_of(actor, text, asker):
            meant.add(actor)
    told = " ".join(rest.split())
    has_words = any(char.isalnum() for char in told)
    return Named(frozenset(meant), known, told if has_words else text)


def _parts(text: str) -> list[str]:
    """Return the words of *text* in small letters, and numbers."""
    return "".join(char if char.isalnum() else " " for char in text.lower()).split()


def _pattern(parts: list[str]) -> re.Pattern[str]:
    name = SEPARATOR.join(map(re.escape, parts))
    return re.compile(rf"(?<!\w){name}(?:['\u2019]s?)?(?!\w)", re.IGNORECASE)


def _is_name(match: re.Match[str]) -> bool:
    """Tell whether *match* is no mere word: ``Will`` begins questions."""
    is_first = not match.string[: match.start()].strip()
    is_small = match[0][0].islower()
    return match[0].lower() not in STOP_WORDS or not (is_first or is_small)


def _without(match: re.Match[str]) -> str:
    return " " if match[0][0].isupper() and _is_name(match) else match[0]


def _is_spoken_of(actor: str, text: str, asker: str) -> bool:
    if actor.lower() in MODELS:
        return bool(re.search(TOLD, text, re.IGNORECASE))
    is_asker = actor == asker if asker else actor.lower() in PERSONS
    return is_asker and bool(re.search(FIRST_PERSON, text))
