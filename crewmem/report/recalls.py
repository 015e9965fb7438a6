"""What was asked of memory, what was shown, and how recall measures up, for the page."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, field

from crewmem.access import Actor
from crewmem.prompt.recall_log import list_recalls
from crewmem.report.texts import Subject

MOST_RECALLS = 500
MOST_RUNS = 30
MOST_USED = 50
MOST_STARTS = 50
MOST_ANSWERS = 3

ASKED = {"pull": "recall", "push": "hook"}
"""How a question was asked, by the use that the log has."""


@dataclass(slots=True)
class RecallRow:
    """A question, and what was shown.

    Attributes:
        asked: How: with ``recall`` or ``search``, or by a ``hook``.
        found: How many texts were relevant.
        relevance: Of the best one; None when nothing was found.
        answers: Refs of some of them, sure ones first; the first *sure* are sure.
    """

    at: str
    who: str
    query: str
    asked: str
    found: int
    relevance: float | None
    answers: list[str]
    sure: int


@dataclass(slots=True)
class RunRow:
    """An evaluation run.

    Attributes:
        gates: Name, value and verdict of each.
    """

    id: str
    at: str
    suite: str
    use: str
    verdict: str
    metrics: dict[str, float | None]
    gates: list[tuple[str, float | None, str]]


@dataclass(slots=True)
class StartBlock:
    """What an agent is told when its next session begins.

    Attributes:
        lines: Ref, kind and text of each.
        more: Lines for which there is no room.
    """

    agent: str
    lines: list[tuple[str, str, str]]
    more: int


@dataclass(slots=True)
class RecallData:
    """Everything about recall.

    Attributes:
        starts: Of each agent whose memory the actor may read.
        surest: Refs that were sure answers most often, with how often.
        runs: Evaluation runs, the oldest first; empty for others than operators.
    """

    recalls: list[RecallRow] = field(default_factory=list)
    surest: list[tuple[str, int]] = field(default_factory=list)
    runs: list[RunRow] = field(default_factory=list)
    starts: list[StartBlock] = field(default_factory=list)


def collect_recalls(subject: Subject) -> RecallData:
    """Return what was asked and shown, and the evaluation runs."""
    home, texts = subject.home, subject.texts
    data = RecallData()
    surest: Counter[str] = Counter()
    for recall in list_recalls(home.context, since=subject.selection.since, limit=MOST_RECALLS):
        if not subject.is_about(recall.actor.partition(":")[2]):
            continue
        surest.update(recall.injected)
        others = [ref for ref in recall.refs if ref not in recall.injected]
        data.recalls.append(
            RecallRow(
                at=texts.local(recall.at),
                who=recall.actor,
                query=texts.clean(recall.query),
                asked=ASKED.get(recall.use, recall.use),
                found=len(recall.refs),
                relevance=recall.relevances[0] if recall.relevances else None,
                answers=[*recall.injected, *others][:MOST_ANSWERS],
                sure=len(recall.injected),
            )
        )
    data.surest = sorted(surest.items(), key=lambda item: (-item[1], item[0]))[:MOST_USED]
    if home.context.access.is_operator:
        for run in reversed(home.evaluation.runs.list_runs(limit=MOST_RUNS)):
            data.runs.append(
                RunRow(
                    id=run.id,
                    at=texts.local(run.ts),
                    suite=run.suite,
                    use=run.use,
                    verdict=run.verdict,
                    metrics={name: metric.value for name, metric in run.metrics.items()},
                    gates=[(gate.name, gate.value, gate.verdict) for gate in run.gates],
                )
            )
    data.starts = _list_starts(subject)
    return data


def _list_starts(subject: Subject) -> list[StartBlock]:
    home, texts = subject.home, subject.texts
    starts: list[StartBlock] = []
    actor = home.context.access.actor
    for agent in home.registry.list_agents():
        if not subject.is_about(agent.slug):
            continue
        if not home.context.access.is_operator and actor.name != agent.slug:
            continue
        if len(starts) == MOST_STARTS:
            break
        block = home.as_actor(Actor("agent", agent.slug)).recall_start()
        lines = [
            (item.ref, item.kind, texts.clean(item.text, file=item.ref))
            for item in block.hits
            if item.shown
        ]
        if lines:
            starts.append(StartBlock(agent.slug, lines, block.hidden))
    return starts
