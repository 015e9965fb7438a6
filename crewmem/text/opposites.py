"""Decide whether two similar texts say different things.

Vectors and shared words cannot distinguish "always push to main" from "never push to main" (cosine
.96), PG 15 from PG 16 (.93), or "oak, not elm" from "elm, not oak" (the same words). Code that
would merge two similar texts asks here first. In doubt the answer is yes, and both are kept.
"""

from __future__ import annotations

import re
import tomllib
from collections.abc import Set as AbstractSet
from dataclasses import dataclass
from difflib import SequenceMatcher
from functools import cache, lru_cache
from pathlib import Path
from typing import Any, NamedTuple

from crewmem.text.tokens import all_stop_words, stems, stop_words

CLAUSE_ENDS = ",;.!?:()[]\n–—"
WORD_OR_END = rf"\w+(?:[.,:/-]\w+)*(?:'\w+)?|[{re.escape(CLAUSE_ENDS)}]"
DATE = re.compile(r"\b\d{4}-\d\d?-\d\d?\b|\b\d\d?[./]\d\d?[./]\d{2,4}\b")
TIME_STAMP = re.compile(r"\b\d{4}-\d\d-\d\d[T ]+\d\d:\d\d")
ELAPSED = re.compile(
    r"\b\d+(?:\.\d+)?\+?\s*(?:s|m|h|d|sec\w*|min\w*|hours?|hrs?|days?|weeks?|months?)\s"
    r"+(?:ago|since|left|elapsed|remaining|so far)\b"
    r"|\b(?:for|after|vor|seit)\s+(?:over\s+|about\s+)?\d+(?:\.\d+)?\+\s*\w+"
    r"|\b(?:vor|seit)\s+\d+\s*(?:stunden?|tagen?|minuten?|wochen?|monaten?)\b",
    re.IGNORECASE,
)
CODE = re.compile(r"`([^`]+)`")
NUMBERED = re.compile(
    r"(?:#|\b(?:number|nummer|numéro|no\.?|nr\.?)\s+"
    r"|\A\W*(?:\w{1,3} )?[^\W\d_]+ (?=\d+ ))(\w*\d\w*)"
)
"""A number that names a thing: "widget number 4", "#4", or "widget 4" at the start of a text."""

INABILITY = re.compile(r"(?i)(?:cannot|can't|could ?n[o']t|unable to|kann nicht|konnte nicht)\b")
"""Start of a text that reports a failure and forbids nothing."""

MAX_CLAIM = 200
"""Maximum characters of a text that makes one claim; a longer one denies many things."""

SAME_CLAIM = 0.6
"""Minimum share of the words that one text denies, or has on one side of a contrast, that the other
must affirm, or have on the other side, for both to be about the same thing. "Never rely on default
formatting" does not deny "use it when formatting numbers"."""

MAX_NAME = 3
"""Maximum number of words of a name that is all that two parallel texts differ in."""

SAME_NAME = 0.75
"""Minimum similarity of two spellings of a name or word, which are no two names."""


@dataclass(frozen=True, slots=True)
class _Lexicon:
    """The words of ``opposites.toml``.

    Attributes:
        sides: Group and side of each word that excludes others.
    """

    negations: frozenset[str]
    negation_characters: tuple[str, ...]
    no_negations: tuple[str, ...]
    contrasts: frozenset[str]
    contrast_phrases: tuple[str, ...]
    numbers: frozenset[str]
    sides: dict[str, tuple[int, int]]


class _Contrast(NamedTuple):
    """A contrasting word, such as "over", and the words before and after it in its clause."""

    word: str
    before: frozenset[str]
    after: frozenset[str]


@dataclass(frozen=True, slots=True)
class _Statement:
    """The words of a text, by their role.

    Attributes:
        denied: Words under a negation.
        affirmed: The other words.
        negations: Negations in scripts without spaces.
        numbers: Words that are numbers.
        numbered: Those that name a thing, such as "number 4".
        sides: Sides that the text names, by group of exclusive words.
    """

    denied: frozenset[str]
    affirmed: frozenset[str]
    contrasts: tuple[_Contrast, ...]
    negations: int
    numbers: set[str]
    numbered: set[str]
    sides: dict[int, set[int]]


def is_opposite(a: str, b: str, share: float = 0.0) -> bool:
    """Return whether one text denies or changes what the other, similar one says.

    This is so if the other text affirms at least *share* of the words that one denies; if two
    things changed places around "not", "over" or "before"; or if each has a number, or a word of a
    group such as the days of the week, that the other lacks. A text that only says more is not
    opposite.

    >>> is_opposite("Use oak, not elm", "Use elm, not oak")
    True
    >>> is_opposite("Staging runs PG 16", "Staging runs PG 16 since May")
    False
    """
    first, second = _parse(a), _parse(b)
    return _oppose(first, second, share) or _have_other_values(first, second)


def _oppose(first: _Statement, second: _Statement, share: float) -> bool:
    """Return whether one text denies or reverses at least *share* of what the other says."""
    if _denies(first, second, share) or _denies(second, first, share):
        return True
    if bool(first.negations) != bool(second.negations):
        return True
    return _is_swapped(first, second, share)


def _have_other_values(first: _Statement, second: _Statement) -> bool:
    """Return whether each has a number, or a word of an exclusive group, that the other lacks."""
    if _differ(first.numbers, second.numbers):
        return True
    mine, theirs = first.sides, second.sides
    return any(_differ(mine[group], theirs[group]) for group in mine.keys() & theirs.keys())


def are_distinct(a: str, b: str) -> bool:
    """Return whether two similar texts say different things, so that neither stands for both.

    >>> are_distinct("Never push to main", "Always push to main")
    True
    >>> are_distinct("The office in Oslo opens at 9", "The office in Bergen opens at 9")
    True
    """
    return is_opposite(a, b) or is_parallel(a, b)


def is_parallel(a: str, b: str) -> bool:
    """Return whether two texts say the same of different things: only one word or name differs.

    >>> is_parallel("Ask Anna before you deploy", "Ask Peter Lang before you deploy")
    True
    >>> is_parallel("Ask Anna before you deploy", "Ask Anna before each deployment")
    False
    """
    first, second = _list_content(a), _list_content(b)
    codes = SequenceMatcher(None, first, second, autojunk=False).get_opcodes()
    changes = [code for code in codes if code[0] != "equal"]
    if len(changes) != 1 or changes[0][0] != "replace":
        return False
    _, start, end, other_start, other_end = changes[0]
    name, other = first[start:end], second[other_start:other_end]
    if max(len(name), len(other)) > MAX_NAME:
        return False
    return SequenceMatcher(None, " ".join(name), " ".join(other)).ratio() < SAME_NAME


def _list_content(text: str) -> list[str]:
    """Return the stems of a text in order, without negations and words that mean nothing alone."""
    ignored, lexicon = all_stop_words(), _lexicon()
    words = (word for clause in _clauses(_fold(text)) for word in clause)
    return stems(
        " ".join(word for word in words if word not in ignored and not _is_negation(word, lexicon))
    )


def is_contradiction(a: str, b: str) -> bool:
    """Return whether two opposite texts cannot both be true.

    Readings at different times, different pieces of code and values with different labels are
    opposite, so they are never merged, but both are true. A moved date is not a reading. Other
    values contradict only if both texts are about the same thing.

    >>> is_contradiction("The freeze begins on 2026-05-01", "The freeze begins on 2026-05-08")
    True
    >>> is_contradiction("The office in Oslo opens at 8", "The office in Bergen opens at 9")
    False
    >>> is_contradiction("Build of 2026-05-01: red", "Build of 2026-05-02: green")
    False
    """
    if max(len(a), len(b)) > MAX_CLAIM:
        return False
    if any(_is_reading(text) or INABILITY.match(text) for text in (a, b)):
        return False
    dates, other_dates = set(DATE.findall(a)), set(DATE.findall(b))
    if dates and other_dates and dates != other_dates:
        first, second = (_words(DATE.sub("", text)) for text in (a, b))
        if _differ(first, second):
            return False
    code, other_code = _names_in_code(a), _names_in_code(b)
    if code and other_code and code != other_code:
        return False
    one, other = _parse(a), _parse(b)
    if _oppose(one, other, SAME_CLAIM):
        return True
    label, other_label = (_words(text.rpartition(": ")[0]) for text in (a, b))
    if _differ(label, other_label):
        return False
    return _is_same_thing(one, other) and _have_other_values(one, other)


def _is_same_thing(first: _Statement, second: _Statement) -> bool:
    """Return whether two statements may give values of one thing.

    At least half of their words are the same, and not each names something that the other does not:
    "port 5432 of the main database, port 5433 of the test database". Nor are ``db-2`` and ``db-3``
    one thing if their values differ, too.
    """
    exclusive = _lexicon().sides.keys()
    words, other_words = ((each.denied | each.affirmed) - each.numbers for each in (first, second))
    if _differ(words - exclusive, other_words - exclusive):
        return False
    if _name_other_things(first, second):
        return False
    return 2 * len(words & other_words) >= max(len(words), len(other_words))


def have_other_subjects(a: str, b: str) -> bool:
    """Return whether two texts give different values of different things with numbers.

    >>> have_other_subjects("Widget number 0 needs 3 screws", "Widget number 1 needs 5 screws")
    True
    >>> have_other_subjects("Port number 5432 is used", "Port number 5433 is used")
    False
    """
    return _name_other_things(_parse(a), _parse(b))


def _name_other_things(first: _Statement, second: _Statement) -> bool:
    """Return whether each names a thing that the other does not, and has another value or name."""
    names, other_names = (
        {number for number in each.numbers if not number[0].isdigit()} | each.numbered
        for each in (first, second)
    )
    if not _differ(names, other_names):
        return False
    if _differ(first.numbers - names, second.numbers - other_names):
        return True
    return min(len(names - other_names), len(other_names - names)) > 1


@lru_cache(maxsize=1 << 15)
def _is_reading(text: str) -> bool:
    """Return whether a text reports a state at a moment."""
    return bool(ELAPSED.search(text) or TIME_STAMP.search(text))


def _names_in_code(text: str) -> set[str]:
    """Return the code in a text without its numbers, which are values, not names."""
    return {re.sub(r"\d+", "", code) for code in CODE.findall(text)}


def _denies(one: _Statement, other: _Statement, share: float) -> bool:
    """Return whether *one* denies at least *share* of what *other* affirms.

    If both deny something, each must deny what the other affirms: "the docs are not in the
    wiki" and "not the wiki but the repository holds the docs" agree.
    """
    denied = one.denied - one.affirmed
    if not denied:
        denied = one.denied
    contradicted = denied & (other.affirmed - other.denied)
    if not contradicted or len(contradicted) < share * len(denied):
        return False
    if not other.denied:
        return True
    return bool((other.denied - other.affirmed) & (one.affirmed - one.denied))


def _is_swapped(one: _Statement, other: _Statement, share: float) -> bool:
    """Return whether at least *share* of the words changed sides of a contrast."""
    for mine in one.contrasts:
        for theirs in other.contrasts:
            if mine.word == theirs.word:
                moved_right = (mine.before - mine.after) & (theirs.after - theirs.before)
                moved_left = (mine.after - mine.before) & (theirs.before - theirs.after)
                if (
                    moved_right
                    and moved_left
                    and len(moved_right) >= share * len(theirs.after)
                    and len(moved_left) >= share * len(mine.after)
                ):
                    return True
    return False


@lru_cache(maxsize=1 << 15)
def _parse(text: str) -> _Statement:
    lexicon = _lexicon()
    text = _fold(text)
    counted = text
    for word in lexicon.no_negations:
        counted = counted.replace(word, " ")
    negations = sum(counted.count(mark) for mark in lexicon.negation_characters)
    phrases = {phrase.replace(" ", "_") for phrase in lexicon.contrast_phrases}
    everything: set[str] = set()
    denied: set[str] = set()
    affirmed: set[str] = set()
    contrasts = []
    said: set[str] = set()  # as everything, without what is denied or replaced
    for clause in _clauses(text):
        everything.update(clause)
        end = len(clause)
        places = [at for at, word in enumerate(clause) if _is_negation(word, lexicon)]
        if places:
            first, last = places[0], places[-1]
            following = _content(clause[last + 1 :])
            if following or len(clause) == 1:
                denied |= following
                affirmed |= _content(clause[:first])
                end = first
            else:
                denied |= _content(clause[:first])
        else:
            affirmed |= _content(clause)
        for at, word in enumerate(clause):
            if word in lexicon.contrasts or word in phrases:
                before, after = _content(clause[:at]), _content(clause[at + 1 :])
                contrasts.append(_Contrast(word, before, after))
                if word in phrases:
                    end = min(end, at)
        said.update(clause[:end])
    numbers = {
        each for each in everything if each in lexicon.numbers or any(map(str.isdigit, each))
    }
    return _Statement(
        denied=frozenset(denied),
        affirmed=frozenset(affirmed),
        contrasts=tuple(contrasts),
        negations=negations,
        numbers=numbers,
        numbered=numbers & set(NUMBERED.findall(text)),
        # "on Thursdays, not Wednesdays" names Thursdays; "never on Wednesdays" names Wednesdays.
        sides=_sides(everything) | _sides(said),
    )


def _fold(text: str) -> str:
    """Return *text* in lower case, with each contrasting phrase as one word."""
    text = text.casefold().replace("\u2019", "'")
    for phrase in _lexicon().contrast_phrases:
        if phrase in text:
            text = text.replace(phrase, phrase.replace(" ", "_"))
    return text


def _words(text: str) -> set[str]:
    return {word for clause in _clauses(_fold(text)) for word in clause}


def _clauses(text: str) -> list[list[str]]:
    """Return the words of each clause; "3.5", "10:30" and "don't" are words."""
    found: list[list[str]] = [[]]
    for match in re.finditer(WORD_OR_END, text):
        if match[0] in CLAUSE_ENDS:
            found.append([])
        else:
            found[-1].append(match[0])
    return [clause for clause in found if clause]


def _content(words: list[str]) -> frozenset[str]:
    """Return *words* without those that mean nothing alone; all if there are no others."""
    lexicon = _lexicon()
    plain = [word for word in words if not _is_negation(word, lexicon)]
    empty, sides = stop_words(), lexicon.sides
    content = frozenset(word for word in plain if word not in empty and word not in sides)
    return content or frozenset(plain)


def _is_negation(word: str, lexicon: _Lexicon) -> bool:
    return word in lexicon.negations or word.endswith("n't")


def _sides(words: set[str]) -> dict[int, set[int]]:
    """Return the sides that *words* name, by group of exclusive words."""
    found: dict[int, set[int]] = {}
    sides = _lexicon().sides
    for word in words:
        if word not in sides:
            continue
        group, side = sides[word]
        found.setdefault(group, set()).add(side)
    return found


def _differ(first: AbstractSet[Any], second: AbstractSet[Any]) -> bool:
    """Return whether each has something that the other lacks."""
    return bool(first - second) and bool(second - first)


@cache
def _lexicon() -> _Lexicon:
    with Path(__file__).with_name("opposites.toml").open("rb") as file:
        data = tomllib.load(file)
    return _Lexicon(
        negations=frozenset(data["negations"].split()),
        negation_characters=tuple(data["negation_characters"].split()),
        no_negations=tuple(data["no_negations"].split()),
        contrasts=frozenset(data["contrasts"].split()),
        contrast_phrases=tuple(data["contrast_phrases"]),
        numbers=frozenset(data["numbers"].split()),
        sides={
            word: (group, side)
            for group, line in enumerate(data["groups"].strip().splitlines())
            for side, forms in enumerate(line.split("|"))
            for word in forms.split()
        },
    )
