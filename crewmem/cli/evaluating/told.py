"""A run of a suite as it is answered: the records of JSON."""

from __future__ import annotations

from crewmem.records import NamedTuple

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from datetime import datetime

    from crewmem.evaluation.gates import Gate
    from crewmem.evaluation.metric import Metric
    from crewmem.evaluation.outcome import Outcome
    from crewmem.evaluation.run import Run


class Shown(NamedTuple):
    """A run of a suite, with its cases.

    Attributes:
        incident: The file that tells a person of it; None for none.
    """

    run: Run
    outcomes: Sequence[Outcome]
    incident: str | None = None

    def record(self) -> dict[str, object]:
        """Return what is answered as JSON."""
        return {
            **told(self.run)._asdict(),
            "outcomes": self.outcomes,
            "incident": self.incident,
        }


class Measured(NamedTuple):
    """A metric of a run.

    Attributes:
        name: The metric.
        value: Null where no case says anything of it.
        cases: Of how many cases it is.
        low: Where the interval begins, in which it lies with 95 %; null without value.
        high: Where that ends.
    """

    name: str
    value: float | None
    cases: int
    low: float | None
    high: float | None


class Category(NamedTuple):
    """The metrics of the cases of one category.

    Attributes:
        category: Its name.
        measured: Each metric.
    """

    category: str
    measured: Sequence[Measured]


class Told(NamedTuple):
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
        metrics: The value of each metric, by name; null where no case says it.
        measured: The same with the number of cases and the interval.
        categories: The same of each category.
        gates: What recall has to be up to.
        passed: Whether no gate was missed, and nothing was laid before who may not
            read it; a gate that was not measured is not missed.
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
    metrics: Mapping[str, float | None]
    measured: Sequence[Measured]
    categories: Sequence[Category]
    gates: Sequence[Gate]
    passed: bool
    missed: Sequence[str]
    violations: Sequence[str]
    snapshot: str | None


def told(run: Run) -> Told:
    """Return *run* as it is answered."""
    known = run._asdict()
    known["metrics"] = {name: each.value for name, each in run.metrics.items()}
    known["measured"] = _measured(run.metrics)
    known["categories"] = [
        Category(name, _measured(each)) for name, each in run.categories.items()
    ]
    return Told(passed=run.passed, **known)


def _measured(metrics: Mapping[str, Metric]) -> list[Measured]:
    return [Measured(name, *each) for name, each in metrics.items()]
