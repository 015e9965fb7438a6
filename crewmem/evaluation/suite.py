"""The cases of a suite, line by line; a bad line costs itself and no other. Pure."""

from __future__ import annotations

from hashlib import sha256

from crewmem.evaluation import case as cases
from crewmem.evaluation.case import BadCaseError
from crewmem.records import NamedTuple

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from crewmem.evaluation.case import Case

    Numbered = tuple[int, Mapping[str, object] | str]
    """A line by its number: the object that it is, or why it is none."""

CORPUS = "corpus"
"""The one field of a first line that names where what is asked about stands."""


SKIP = "skip"
"""What public sets have of questions that are not to be asked."""


class Bad(NamedTuple):
    """A line that is no case.

    Attributes:
        line: Its number, counted from 1.
        reason: Why.
    """

    line: int
    reason: str


class Suite(NamedTuple):
    """What a suite holds.

    Attributes:
        cases: In their order.
        bad: The lines that are none.
        corpus: The file of what is asked about, as the suite names it; "" for none.
        extra: Fields that no case has.
        digest: Of all cases: a suite that is another one has another.
    """

    cases: tuple[Case, ...]
    bad: tuple[Bad, ...]
    corpus: str
    extra: frozenset[str]
    digest: str


def suite(lines: Iterable[Numbered]) -> Suite:
    """Return the suite that *lines* are."""
    found: dict[str, Case] = {}
    bad: list[Bad] = []
    corpus, extra = "", set[str]()
    for number, told in lines:
        if isinstance(told, str):
            bad.append(Bad(number, told))
        elif {*told} == {CORPUS} and isinstance(told[CORPUS], str):
            corpus = str(told[CORPUS])
        elif told.get(SKIP) is not True:
            try:
                case = cases.read(told, number)
            except BadCaseError as error:
                bad.append(Bad(number, str(error)))
                continue
            if case.id in found:
                bad.append(Bad(number, f"another case has the id {case.id!r}"))
                continue
            found[case.id] = case
            extra |= cases.unknown(told)
    every = tuple(found.values())
    return Suite(every, tuple(bad), corpus, frozenset(extra), digest(every))


def digest(every: Iterable[Case]) -> str:
    """Return a hash of cases, whatever their order."""
    lines = sorted(repr(tuple(each)) for each in every)
    return sha256("\n".join(lines).encode("utf-8", "backslashreplace")).hexdigest()[:16]
