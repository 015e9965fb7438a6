"""Tuning: one step of one parameter, tried on the suite, applied if it is better.

What is tried, and how it is applied, is handed in; here is the order of it.
"""

from __future__ import annotations

from datetime import timedelta

from crewmem.evaluation.candidates import candidates, drawn, halves
from crewmem.evaluation.comparing import differences
from crewmem.evaluation.deciding import judged
from crewmem.evaluation.gates import gates
from crewmem.evaluation.metric import metrics
from crewmem.records import NamedTuple

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Mapping, Sequence
    from datetime import datetime

    from crewmem.evaluation.candidates import Candidate
    from crewmem.evaluation.case import Case
    from crewmem.evaluation.comparing import Difference
    from crewmem.evaluation.evaluate import Config
    from crewmem.evaluation.gates import Gate
    from crewmem.evaluation.outcome import Outcome

    Try = Callable[[Sequence[Case], Config], list[Outcome]]

PAUSE = timedelta(hours=24)
"""Between two changes that are applied."""

LEAST = 20
"""Cases of a suite at least: of fewer, each half says nothing beyond noise."""


class Aim(NamedTuple):
    """What is tuned, and by what it is judged.

    Attributes:
        cases: All of the suite.
        values: The settings as they are, by key.
        without: Keys that are not touched: a person has set them.
        thresholds: Of the gates, by setting.
        k: Places that are looked at.
        seed: Of what is drawn.
    """

    cases: Sequence[Case]
    values: Mapping[str, float]
    without: Collection[str]
    thresholds: Mapping[str, float]
    k: int
    seed: int


class Tried(NamedTuple):
    """What came of a candidate.

    Attributes:
        status: candidate_better, or why it is skipped.
        reason: The same in a sentence.
        candidate: The step that was tried; null if none was.
        gates: Of the candidate, over all cases.
        tuning: How it differs over the half that is tuned on.
        held_out: The same of the half that was held out.
        before: What came of the cases as the settings are.
        after: What came of them with the candidate.
    """

    status: str
    reason: str
    candidate: Candidate | None = None
    gates: Sequence[Gate] = ()
    tuning: Sequence[Difference] = ()
    held_out: Sequence[Difference] = ()
    before: Sequence[Outcome] = ()
    after: Sequence[Outcome] = ()

    @property
    def is_better(self) -> bool:
        """Tell whether it may be applied."""
        return self.status == "candidate_better"


def is_too_soon(last: datetime | None, now: datetime) -> bool:
    """Tell whether a change was applied less than a day ago."""
    return last is not None and now - last < PAUSE


def tune(aim: Aim, run: Try) -> Tried:
    """Draw a candidate, and try it against what is.

    Args:
        aim: What is tuned.
        run: Puts cases to recall with some settings.
    """
    if len(aim.cases) < LEAST:
        said = f"the suite has {len(aim.cases)} cases, and {LEAST} are needed"
        return Tried("too_few_cases", said)
    candidate = drawn(candidates(aim.values, aim.without), aim.seed)
    if candidate is None:
        return Tried("no_candidate", "all that is tuned is set by hand")
    tuned, held = halves(aim.cases)
    every = [*tuned, *held]
    before = run(every, {})
    after = run(every, {candidate.key: candidate.new})
    many = len(tuned)
    on_tuned = differences(before[:many], after[:many], aim.k)
    on_held = differences(before[many:], after[many:], aim.k)
    passed = gates(metrics(after, aim.k), aim.thresholds)
    verdict = judged(passed, on_tuned, on_held)
    violations = [each.id for each in after if each.violations]
    if violations:
        said = f"what nobody there may read was laid out: {', '.join(violations[:5])}"
        verdict = verdict._replace(status="scope_violation", reason=said)
    return Tried(
        verdict.status,
        verdict.reason,
        candidate,
        passed,
        on_tuned,
        on_held,
        before,
        after,
    )
