"""A run of a suite, as it is kept and shown. Pure."""

from __future__ import annotations

from crewmem.records import NamedTuple

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from datetime import datetime

    from crewmem.evaluation.gates import Gate
    from crewmem.evaluation.metric import Metric


class Run(NamedTuple):
    """A run of a suite.

    Attributes:
        id: r_ and 12 characters; "" if it is not kept.
        workspace: Where it was asked.
        at: When.
        actor: Who ran it.
        verb: run, gate or tune.
        suite: Where the cases are from.
        suite_hash: Of the cases: runs of other cases are not compared.
        k: Places that precision and recall look at.
        seed: Of the intervals.
        cases: How many cases there were.
        embedder: The model that was asked; "" for words alone.
        config: The settings of recall that were in force, by key.
        is_trial: Whether some of them were given for this run alone.
        metrics: By name.
        categories: The same of each category, by its name.
        gates: What recall has to be up to.
        missed: The gates that it missed.
        violations: Refs of what was laid before who may not read it.
        snapshot: The tuned settings that were in force; null for none.
    """

    id: str
    workspace: str
    at: datetime
    actor: str
    verb: str
    suite: str
    suite_hash: str
    k: int
    seed: int
    cases: int
    embedder: str
    config: Mapping[str, float]
    is_trial: bool
    metrics: Mapping[str, Metric]
    categories: Mapping[str, Mapping[str, Metric]]
    gates: Sequence[Gate]
    missed: Sequence[str]
    violations: Sequence[str]
    snapshot: str | None = None

    @property
    def passed(self) -> bool:
        """Tell whether no gate was missed."""
        return not (self.missed or self.violations)
