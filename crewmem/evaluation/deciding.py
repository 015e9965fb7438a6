"""Whether a candidate is better enough to take the place of what is. Pure."""

from __future__ import annotations

from crewmem.evaluation.comparing import BETTER, WORSE
from crewmem.evaluation.gates import missed, unmeasured
from crewmem.evaluation.metric import P50, P95, TOKENS
from crewmem.records import NamedTuple

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

    from crewmem.evaluation.comparing import Difference
    from crewmem.evaluation.gates import Gate

SLOWER = 0.10
"""Part by which the slowest may be slower: two runs of the same differ by as much."""

SLOWER_MS = 50.0
"""The same in milliseconds, a tenth of what recall may take: a busy machine adds it."""

UNJUDGED = frozenset({P50, P95, TOKENS})
"""What is no reason against a candidate by itself: the gates bound tokens and p95, and
whoever finds more, lays out more."""

NO_AIM = frozenset({P50, P95})
"""What is no reason for one: a clock blesses anything now and then."""


class Verdict(NamedTuple):
    """What is thought of a candidate.

    Attributes:
        is_better: Whether it may take the place.
        status: candidate_better, or why it is not: candidate_failed_gates,
            candidate_regressed, no_objective_improvement.
        reason: The same in a sentence.
    """

    is_better: bool
    status: str
    reason: str


def judged(
    gates: Sequence[Gate],
    tuned: Sequence[Difference],
    held: Sequence[Difference],
) -> Verdict:
    """Judge a candidate.

    Args:
        gates: Of the candidate, over all cases.
        tuned: How it differs over the half that is tuned on.
        held: The same of the half that was held out.
    """
    if names := missed(gates):
        return _no("candidate_failed_gates", f"it misses {', '.join(names)}")
    if names := unmeasured(gates):
        said = f"no case of the suite measures {', '.join(names)}"
        return _no("candidate_failed_gates", said)
    for where, half in (("tuning", tuned), ("held-out", held)):
        if names := regressed(half):
            said = f"{', '.join(names)} is worse on the {where} half"
            return _no("candidate_regressed", said)
    for where, half in (("tuning", tuned), ("held-out", held)):
        if not improved(half):
            said = f"nothing is better beyond noise on the {where} half"
            return _no("no_objective_improvement", said)
    said = f"{', '.join(improved(tuned))} is better beyond noise on both halves"
    return Verdict(is_better=True, status="candidate_better", reason=said)


def _no(status: str, reason: str) -> Verdict:
    return Verdict(is_better=False, status=status, reason=reason)


def regressed(found: Sequence[Difference]) -> list[str]:
    """Name what is worse beyond noise; of p95 a little more does not matter."""
    worse = [each for each in found if each.verdict == WORSE]
    return [
        each.name
        for each in worse
        if each.name not in UNJUDGED or (each.name == P95 and _is_slow(each))
    ]


def _is_slow(slowest: Difference) -> bool:
    before, change = slowest.before or 0.0, slowest.change or 0.0
    return change > max(SLOWER * before, SLOWER_MS)


def improved(found: Sequence[Difference]) -> list[str]:
    """Name what is better beyond noise."""
    return [
        each.name
        for each in found
        if each.verdict == BETTER and each.name not in NO_AIM
    ]
