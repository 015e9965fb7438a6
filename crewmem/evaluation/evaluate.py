"""Replaying a suite: each case is put to a function that is handed in."""

from __future__ import annotations

from crewmem.errors import CrewmemError
from crewmem.evaluation.case import PROMOTION, RECALL
from crewmem.evaluation.outcome import Outcome
from crewmem.records import NamedTuple

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from crewmem.evaluation.case import Case
    from crewmem.evaluation.outcome import Retrieved

    Config = Mapping[str, float]
    """Values of settings that are not as they are set, by key."""

FOUND_MOST = 20
"""Places of a ranking that are kept."""


class Means(NamedTuple):
    """What cases are put to.

    Attributes:
        retrieve: Recalls for a case, with the settings of a config.
        recover: Returns the block that is given back.
        promote: Returns the ids of what would be shared, of those of the case.
    """

    retrieve: Callable[[Case, Config], Retrieved]
    recover: Callable[[Case, Config], str]
    promote: Callable[[Case, Config], Sequence[str]]


def evaluate(
    cases: Sequence[Case],
    means: Means,
    config: Config,
    *,
    tick: Callable[[int, int], None] | None = None,
) -> list[Outcome]:
    """Return what came of *cases*, in their order.

    What it takes to read everything for the first time is no part of any latency: the
    first question is asked once before. A case that cannot be asked says why.
    """
    first = next((each for each in cases if each.kind == RECALL), None)
    if first is not None:
        _outcome(first, means, config)
    outcomes: list[Outcome] = []
    for done, each in enumerate(cases, 1):
        outcomes.append(_outcome(each, means, config))
        if tick:
            tick(done, len(cases))
    return outcomes


def _outcome(case: Case, means: Means, config: Config) -> Outcome:
    plain = Outcome(
        id=case.id,
        kind=case.kind,
        category=case.category,
        query=case.query,
        relevant=case.relevant,
        should_inject=case.should_inject,
        should_promote=case.should_promote,
    )
    try:
        if case.kind == RECALL:
            return _recalled(plain, means.retrieve(case, config))
        if case.kind == PROMOTION:
            promoted = {*means.promote(case, config)} & {*case.memories}
            return plain._replace(promoted=bool(promoted))
        block = _folded(means.recover(case, config))
    except CrewmemError as error:
        return plain._replace(trouble=str(error))
    missing = tuple(each for each in case.expect if _folded(each) not in block)
    return plain._replace(missing=missing, did_inject=bool(block))


def _recalled(plain: Outcome, came: Retrieved) -> Outcome:
    return plain._replace(
        found=came.found[:FOUND_MOST],
        injected=came.injected,
        did_inject=came.did_inject,
        tokens=came.tokens,
        latency_ms=round(came.latency_ms, 3),
        violations=came.violations,
    )


def _folded(text: str) -> str:
    """Return *text* as it is compared: line breaks and case say nothing."""
    return " ".join(text.casefold().split())
