"""Texts that are alike, and say something else: numbers, a "not", a word's opposite.

Vectors and common words cannot tell "always push to main" from "never push to main"
(cosine .96) nor PG 15 from PG 16 (.93). What is counted as the same claim may be
superseded, or confirmed, by the other: so this is asked first. Pure.
"""

from __future__ import annotations

import re

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable

WORD = re.compile(r"[^\W_]+(?:[.,:][^\W_]+)*(?:['\u2019][^\W_]+)?")
"""A word, or a number with what is inside of it: 3.54, 10:30, don't."""

DENIED = """
    not no never none cannot without neither nor nobody nothing nowhere avoid
    nicht kein keine keinen keinem keiner nie niemals ohne
    ne pas jamais aucun aucune sans nunca sin nenhum nenhuma mai senza
"""
"""Words that turn a claim around."""

COUNTED = "zero one two three four five six seven eight nine ten eleven twelve"
"""Numbers that are written as words."""

OPPOSITES = """
    monday mondays | tuesday tuesdays | wednesday wednesdays | thursday thursdays | \
    friday fridays | saturday saturdays | sunday sundays
    january | february | march | april | june | july | august | september | october | \
    november | december
    before | after
    always | sometimes | rarely seldom
    on | off
    up | down
    left | right
    first | last
    more | less fewer
    above over | below under
    early earlier | late later
    open opened opens | close closed closes shut
    enable enabled enables enabling | disable disabled disables disabling
    allow allowed allows | deny denied denies forbid forbidden forbids
    start started starts | stop stopped stops
    add added adds | remove removed removes
    accept accepted accepts | reject rejected rejects refuse refused refuses
    increase increased increases raise raised | decrease decreased decreases lower
    true | false
    yes | no
    required mandatory | optional
    public | private | internal
    read reads | write writes
    staging | production prod | development dev
    north | south | east | west
    old | new
    minimum min least | maximum max most
    succeeds succeeded pass passes passed | fail fails failed
    morning | afternoon | evening
    hourly | daily | weekly | monthly | yearly
    second seconds | minute minutes | hour hours | day days | week weeks | \
    month months | year years
    kb kib | mb mib | gb gib | tb tib
    sync synchronous | async asynchronous
    red | green | blue | yellow | black | white
"""
"""Words of which two texts that are alike mean another thing, if each has its own.

A line is a group; between bars stand forms of the same.
"""

DENIALS, NUMBERS = frozenset(DENIED.split()), frozenset(COUNTED.split())

SIDES = {
    word: (number, side)
    for number, opposites in enumerate(OPPOSITES.splitlines())
    for side, forms in enumerate(opposites.split("|"))
    for word in forms.split()
}


def opposed(one: str, other: str) -> bool:
    """Tell whether two texts that are alike say something else.

    One denies what the other does not; or each has a number, or a word of a group,
    that the other has not. A text that only says more is not opposed to one that says
    less. It errs on the side of two claims: both are kept then.
    """
    first, second = _words(one), _words(other)
    if _denies(first) != _denies(second):
        return True
    if _differ(_numbers(first), _numbers(second)):
        return True
    mine, theirs = _sides(first), _sides(second)
    return any(_differ(mine[each], theirs[each]) for each in mine.keys() & theirs)


def _words(text: str) -> frozenset[str]:
    return frozenset(
        each.replace("\u2019", "'") for each in WORD.findall(text.casefold())
    )


def _denies(words: Iterable[str]) -> bool:
    return any(each in DENIALS or each.endswith("n't") for each in words)


def _numbers(words: frozenset[str]) -> set[str]:
    return {
        each
        for each in words
        if each in NUMBERS or any(char.isdigit() for char in each)
    }


def _sides(words: frozenset[str]) -> dict[int, set[int]]:
    """Return by group of opposites on which sides *words* are."""
    found: dict[int, set[int]] = {}
    for each in words & SIDES.keys():
        group, side = SIDES[each]
        found.setdefault(group, set()).add(side)
    return found


def _differ(first: set[str] | set[int], second: set[str] | set[int]) -> bool:
    return bool(first - second) and bool(second - first)
