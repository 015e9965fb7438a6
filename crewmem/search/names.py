"""Names in a query: authors whose texts it asks for, entities, and identifiers.

A name shows whose texts are asked for. As a word or in a vector it would only find texts addressed
to that person, so it is removed from both.
"""

import re
from collections.abc import Collection, Iterable
from typing import NamedTuple

from crewmem.text.tokens import common_stems, detect_language, stems, stop_words

PERSONS = frozenset({"user", "human"})
"""Authors that stand for the person who asks in a chat."""

MODELS = frozenset({"assistant", "ai", "bot", "model"})
"""Authors that stand for the model in a chat."""

FIRST_PERSON = r"\b(?:I|[Mm]e|[Mm]y|[Mm]ine|[Mm]yself)\b(?!\.)"

ASKS_MODEL = (
    r"\byou(?:'ve| have| had)? (?:\w+ly )?(?:said|told|gave|suggested|recommended"
    r"|mentioned|provided|explained|advised|listed|described|shared|wrote|showed)\b"
    r"|\bdid you (?:say|tell|give|suggest|recommend|mention|provide|explain|advise)\b"
    r"|\byour (?:answer|advice|suggestions?|recommendations?|explanation|list)\b"
)
"""Words that ask for what a model said; "can you" and similar phrases are only polite."""

SEPARATOR = r"[\s_.\-'\u2019]+"
"""Text between the parts of a name: `backend-lead` may be typed as two words."""


CODE = r"(?<![\w.:/-])[A-Za-z]{1,10}[-_#]?\d+[A-Za-z]?(?![\w:/-]|\.\w)"
"""An identifier with letters: `OPS-4711`, `B-037`, `kvm03`."""

NUMBER = r"(?<![\w.,:/#-])(?!(?:19|20)\d\d\b)\d+(?![\w:/-]|[.,]\d)"
"""An identifier without letters that is not a year: 31337 of "valve 31337", 3 of "chamber 3"."""

SHORT = 2
"""Maximum digits of a number that only tells things of a kind apart: chamber 3 from chamber 1. It
may also count: in "the last 3 deploys" a word follows that is no stop word."""

JOINER = r"\s*(?:[-\u2013,/&+]|\b(?:to|and|or|bis|und|oder|a|y|o|et|ou)\b)\s*"
"""Text between the numbers of a list or range."""

WIDE = "[\u3000-\U0010ffff]"
BORDER = rf"(?<={WIDE})(?=[!-~])|(?<=[!-~])(?={WIDE})"
"""Border between a script without spaces and an identifier: 请问B-014的水深.

Compiled on first use: so large a class takes longer than a search."""

ALONE = 4
"""Minimum digits of a number that is an identifier without a preceding noun."""


class Named(NamedTuple):
    """The authors that a query names.

    Attributes:
        authors: Authors whose texts are asked for, as the store names them.
        rest: The query without these names.
    """

    authors: frozenset[str]
    rest: str


class Identifier(NamedTuple):
    """An identifier that a query names.

    Attributes:
        kind: Pattern of identifiers of its kind; its group is the identifier.
        is_number: Whether it has no letters, so that it may be a value that changes.
        is_short: Whether it is a number of at most `SHORT` digits.
    """

    text: str
    kind: re.Pattern[str]
    is_number: bool
    is_short: bool = False

    def is_other(self, text: str, asked: Collection[str]) -> bool:
        """Return whether *text* has other identifiers of the kind, but none that is *asked*."""
        named = self._find_in(text)
        return bool(named) and named.isdisjoint(asked)

    def is_beside(self, text: str, other: str) -> bool:
        """Return whether *text* names it beside another one of the kind, which *other* has alone.

        "Chamber 1 is at 2 degrees, chamber 3 at 8" beside "Chamber 3 is at 10 degrees now".
        """
        named, alone = self._find_in(text), self._find_in(other)
        return self.text in named and self.text not in alone and not named.isdisjoint(alone)

    def _find_in(self, text: str) -> set[str]:
        """Return the identifiers of the kind in *text*, with those inside of a range."""
        found = [each.lower() for each in self.kind.findall(_set_apart(text))]
        if not self.is_short:
            return {*found}
        numbers = [[*map(int, re.findall(r"\d+", each))] for each in found]
        return {str(number) for each in numbers for number in range(min(each), max(each) + 1)}


def find_identifiers(text: str) -> list[Identifier]:
    """Return the identifiers in a query.

    >>> [each.text for each in find_identifiers("is valve 31337 in B-037 or in the 500 rooms?")]
    ['b-037', '31337']
    """
    found: list[Identifier] = []
    if not any(map(str.isdigit, text)):
        return found  # most queries; compiling the patterns is slow
    text = _set_apart(text)
    for code in re.findall(CODE, text):
        pattern = re.sub(r"\d+", r"\\d+", re.escape(code))
        kind = re.compile(rf"(?<![\w-])({pattern})(?![\w-])", re.IGNORECASE)
        found.append(Identifier(code.lower(), kind, is_number=False))
    stop = stop_words(detect_language(text))
    for match in re.finditer(NUMBER, text):
        before = text[: match.start()].split()[-1:]
        noun = before[0].lower() if before and before[0].isalpha() else ""
        is_wide = not noun.isascii() and re.search(WIDE, noun)
        is_noun = bool(noun) and not is_wide and noun not in stop
        if len(match[0]) <= SHORT:
            after = re.match(r" (\w+)", text[match.end() :])
            is_count = after and after[1].lower() not in stop
            if is_noun and not is_count and stems(noun)[0] not in common_stems():
                kind = re.compile(
                    rf"\b{re.escape(noun.removesuffix('s'))}s?\W{{1,3}}"
                    rf"(\d{{1,{SHORT}}}(?:{JOINER}\d{{1,{SHORT}}})*)\b(?!\.\d)",
                    re.IGNORECASE,
                )
                found.append(Identifier(match[0], kind, is_number=True, is_short=True))
            continue
        if is_noun:
            kind = re.compile(
                rf"\b{re.escape(noun.removesuffix('s'))}s?\W{{1,3}}(\d+)", re.IGNORECASE
            )
        elif len(match[0]) >= ALONE:
            kind = re.compile(rf"(?<![\w.,:/-])(\d{{{len(match[0])}}})(?![\w:/-]|[.,]\d)")
        else:
            continue
        found.append(Identifier(match[0], kind, is_number=True))
    return found


def _set_apart(text: str) -> str:
    return text if text.isascii() else re.sub(BORDER, " ", text)


def find_authors(text: str, authors: Iterable[str], asker: str = "") -> Named:
    """Return those of *authors* that *text* names, and *text* without their names.

    A name in lower case may also be a word (`planner`): its author counts, but the word stays. "I"
    is *asker*, or the user of a chat.
    """
    rest, meant = text, set[str]()
    typed = {*_parts(text)}
    for author in sorted({*authors}, key=lambda each: (-len(each), each)):
        parts = _parts(author)
        if parts and typed.issuperset(parts):
            name = SEPARATOR.join(map(re.escape, parts))
            pattern = re.compile(rf"(?<!\w){name}(?:['\u2019]s?)?(?!\w)", re.IGNORECASE)
            if any(_is_name(match) for match in pattern.finditer(rest)):
                meant.add(author)
                rest = pattern.sub(_without_name, rest)
        if _is_spoken_of(author, text, asker):
            meant.add(author)
    rest = " ".join(rest.split())
    has_words = any(character.isalnum() for character in rest)
    return Named(frozenset(meant), rest if has_words else text)


def entity_key(name: str) -> str:
    """Return the key of *name*: `@Ada`, `Ada` and `ada` are one, and so are `Deploys`, `deploy`.

    >>> entity_key("@Ada"), entity_key("Feature Flags"), entity_key("src/app.py:12")
    ('ada', 'feature flag', 'src/app.py')
    """
    key = " ".join(name.casefold().strip(" `'\"@#[]().,:;").split())
    key = re.sub(r":\d+(?:-\d+)?$", "", key)
    if "/" in key or "." in key or "_" in key:
        return key.rstrip("/")
    if len(key) > 4 and key.endswith("ies"):
        return f"{key[:-3]}y"
    if len(key) > 3 and key.endswith("s") and not key.endswith(("ss", "us", "is")):
        return key[:-1]
    return key


def mentions(text: str, labels: Iterable[str], name: str) -> bool:
    """Return whether *text* or one of its *labels* mentions the entity *name*."""
    key = entity_key(name)
    if any(entity_key(label) == key for label in labels):
        return True
    wanted = stems(name)
    text_stems = stems(text)
    size = len(wanted)
    return bool(wanted) and any(
        text_stems[at : at + size] == wanted for at in range(len(text_stems))
    )


def _parts(text: str) -> list[str]:
    return "".join(each if each.isalnum() else " " for each in text.lower()).split()


def _is_name(match: re.Match[str]) -> bool:
    """Return whether *match* is a name, not an ordinary word: "Will" begins questions."""
    is_first = not match.string[: match.start()].strip()
    is_lower = match[0][0].islower()
    return match[0].lower() not in stop_words() or not (is_first or is_lower)


def _without_name(match: re.Match[str]) -> str:
    return " " if match[0][0].isupper() and _is_name(match) else match[0]


def _is_spoken_of(author: str, text: str, asker: str) -> bool:
    lowered = author.lower()
    if lowered in MODELS:
        return bool(re.search(ASKS_MODEL, text, re.IGNORECASE))
    is_asker = author == asker if asker else lowered in PERSONS
    return is_asker and bool(re.search(FIRST_PERSON, text))
