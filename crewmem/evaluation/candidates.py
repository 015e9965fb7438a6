"""What may be tuned, within which bounds, and by which step at once. Pure.

Scope and sensitivity are not among it, and never are.
"""

from __future__ import annotations

from hashlib import sha256
from random import Random

from crewmem.records import NamedTuple

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Collection, Mapping, Sequence
    from typing import TypeVar

    from crewmem.evaluation.case import Case

    Item = TypeVar("Item")


class Parameter(NamedTuple):
    """Something that is tuned.

    Attributes:
        key: The setting that it is.
        least: Never less than this.
        most: Never more.
        step: By which it changes at once.
    """

    key: str
    least: float
    most: float
    step: float


PARAMETERS = (
    Parameter("recall_min_relevance", 0.60, 0.95, 0.05),
    Parameter("recall_max_results", 1, 10, 1),
    Parameter("recall_max_chars", 500, 8_000, 250),
    Parameter("recall_words_weight", 0.5, 2.0, 0.1),
    Parameter("recall_prior_weight", 0.0, 0.5, 0.05),
)
"""All of them. The bounds of the first three are those of OtterCamp; of the weights
beyond theirs nothing was ever better on the development halves."""

KEYS = tuple(each.key for each in PARAMETERS)


class Candidate(NamedTuple):
    """One step of one parameter.

    Attributes:
        key: The setting.
        old: What it is.
        new: What it would be.
    """

    key: str
    old: float
    new: float


def candidates(
    values: Mapping[str, float], without: Collection[str] = ()
) -> list[Candidate]:
    """Return every step from *values* that stays within the bounds.

    What stands outside of them, for a person put it there, is not touched; nor are
    the keys of *without*.
    """
    return [
        Candidate(each.key, values[each.key], new)
        for each in PARAMETERS
        if each.key not in without and each.least <= values[each.key] <= each.most
        for way in (-1, 1)
        if each.least <= (new := _stepped(each, values[each.key], way)) <= each.most
    ]


def _stepped(parameter: Parameter, value: float, way: int) -> float:
    new = round(value + way * parameter.step, 6)
    is_whole = isinstance(parameter.step, int)
    return round(new) if is_whole else new


def drawn(found: Sequence[Candidate], seed: int) -> Candidate | None:
    """Return one of *found* by chance, which is the same for a *seed*; None of none.

    A parameter is drawn first, then the way: one at its bound has but one.
    """
    if not found:
        return None
    chance = Random(seed)  # noqa: S311 - no secret is made of it
    key = chance.choice(sorted({each.key for each in found}))
    return chance.choice([each for each in found if each.key == key])


def halves(cases: Sequence[Case]) -> tuple[list[Case], list[Case]]:
    """Return the cases that are tuned on, and those that are held out.

    A case is of the same half whatever else is in the suite: a hash of its id decides.
    """
    tuned: list[Case] = []
    held: list[Case] = []
    for each in cases:
        (held if is_held_out(each.id) else tuned).append(each)
    return tuned, held


def is_held_out(case_id: str) -> bool:
    """Tell whether a case is kept from what tunes."""
    return bool(sha256(case_id.encode("utf-8", "backslashreplace")).digest()[0] & 1)
