"""How healthy memory is: as it was measured, or as it was kept of a day. Pure."""

from __future__ import annotations

from crewmem.health.metric import Judged, band, composite, judge
from crewmem.health.metrics import METRICS
from crewmem.health.snapshot_store import Snapshot
from crewmem.journal.entry import Draft
from crewmem.records import NamedTuple

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence
    from typing import TypeVar

    from crewmem.health.metric import Counts, Metric
    from crewmem.scope import Actor

    Number = TypeVar("Number", float | None, float | int | None)

MEASURED = "memory.health_measured"
"""Type of the entry that tells how healthy memory is."""

NEWS = 1.0
"""Points by which a score has to move within a day to be told again."""

DECIMALS = 2
"""Of a score: what is finer is not known."""

PLACES = 4
"""Of what it is computed from."""


class Action(NamedTuple):
    """What would raise the score.

    Attributes:
        command: What to type.
        why: What it is for.
        points: By how much the score would be higher, at most; of what is recalled
            once the recalls of 30 days are others.
        score: What it would be then.
        metrics: The metrics that would be higher.
    """

    command: str
    why: str
    points: float
    score: float
    metrics: Sequence[str]


class Health(NamedTuple):
    """How healthy the memory of a workspace, or of one of its crews, is.

    Attributes:
        workspace: The workspace; null for a tree that was named, or found elsewhere.
        crew: The crew; null for the whole workspace.
        date: The day, in UTC, of which it is.
        kept: Whether it is kept as the snapshot of that day.
        score: From 0 to 100; null where there is nothing to judge by.
        band: ``red`` below 50, ``yellow`` below 75, else ``green``; null for no score.
        metrics: How each metric stands.
        left_out: Agents whose memory is off: nothing of them was counted. Empty where
            that was not kept.
        actions: What would raise the score most, best first; null unless asked for.
        history: The snapshots of the time asked for, oldest first; null unless asked.
    """

    workspace: str | None
    crew: str | None
    date: str
    kept: bool
    score: float | None
    band: str | None
    metrics: Sequence[Judged]
    left_out: Sequence[str] = ()
    actions: Sequence[Action] | None = None
    history: Sequence[Snapshot] | None = None


def measured(
    workspace: str, crew: str, day: str, counts: Counts, left_out: Sequence[str] = ()
) -> Health:
    """Return the health that *counts* tell of, in which who is *left_out* is not."""
    found = _health(workspace, crew, day, judge(METRICS, counts), kept=False)
    return found._replace(left_out=left_out)


def remembered(snapshot: Snapshot) -> Health:
    """Return the health that was kept; what it was computed from was not."""
    scores: dict[str, float | None] = snapshot._asdict()
    whole = sum(each.WEIGHT for each in METRICS if scores[each.NAME] is not None)
    found = [_kept(each, scores[each.NAME], whole) for each in METRICS]
    of = snapshot.workspace_id, snapshot.crew_id, snapshot.snapshot_date
    return _health(*of, found, kept=True)._replace(
        score=snapshot.score, band=band(snapshot.score)
    )


def _kept(metric: Metric, score: float | None, whole: float) -> Judged:
    return Judged(
        name=metric.NAME,
        question=metric.QUESTION,
        weight=metric.WEIGHT,
        share=None if score is None else metric.WEIGHT / whole,
        score=score,
        why="",
        inputs=(),
    )


def _health(
    workspace: str, crew: str, day: str, judged: Sequence[Judged], *, kept: bool
) -> Health:
    score = _rounded(composite(judged))
    return Health(
        workspace=workspace or None,
        crew=crew or None,
        date=day,
        kept=kept,
        score=score,
        band=band(score),
        metrics=[
            each._replace(
                score=_rounded(each.score),
                share=_part(each.share),
                inputs=[one._replace(value=_part(one.value)) for one in each.inputs],
            )
            for each in judged
        ],
    )


def _rounded(score: float | None) -> float | None:
    return None if score is None else round(score, DECIMALS)


def _part(number: Number) -> Number:
    """Return *number* with as many figures as anybody reads; a whole one as it is."""
    return round(number, PLACES) if isinstance(number, float) else number


def snapshot_of(health: Health) -> Snapshot:
    """Return what is kept of *health*."""
    scores = {each.name: each.score for each in health.metrics}
    return Snapshot(
        workspace_id=health.workspace or "",
        crew_id=health.crew or "",
        snapshot_date=health.date,
        freshness=scores["freshness"],
        coverage=scores["coverage"],
        coherence=scores["coherence"],
        efficiency=scores["efficiency"],
        reachability=scores["reachability"],
        score=health.score,
    )


def is_news(before: Snapshot | None, now: Snapshot) -> bool:
    """Tell whether it is worth an entry that the snapshot of a day is *now* this.

    Args:
        before: What it was earlier that day; None: it is the first.
    """
    if now.score is None:
        return False
    if before is None or before.score is None:
        return True
    return abs(before.score - now.score) >= NEWS


def event(health: Health, actor: Actor | None) -> Draft:
    """Return the entry that tells of *health*.

    Args:
        actor: Who measured it; None: a job.
    """
    of = f"crew {health.crew}" if health.crew else f"workspace {health.workspace}"
    told = "n/a" if health.score is None else f"{int(health.score)} ({health.band})"
    return Draft(
        MEASURED,
        f"The health of the memory of {of} is {told}",
        crew_id=health.crew,
        actor_type=_kind(actor),
        actor_id=actor.name if actor else None,
        payload={
            "date": health.date,
            "score": health.score,
            "band": health.band,
            **{each.name: each.score for each in health.metrics},
        },
    )


def _kind(actor: Actor | None) -> str:
    if actor is None:
        return "system"
    return "user" if actor.is_operator else "agent"
