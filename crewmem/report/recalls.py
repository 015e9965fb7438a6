"""The page's section on recall: logged recalls and evaluation runs."""

from __future__ import annotations

from typing import Any

from crewmem.prompt.recall_log import list_recalls
from crewmem.report.texts import PageSubject

MAX_RECALLS = 500
MAX_RUNS = 30
MAX_ANSWERS = 3

NO_RECALLS: dict[str, list[Any]] = {"recalls": [], "runs": []}


def collect_recalls(subject: PageSubject) -> dict[str, Any]:
    """Return the logged recalls and the evaluation runs, the oldest first."""
    home, texts, access = subject.home, subject.texts, subject.home.context.access
    recalls = []
    for recall in list_recalls(home.context, since=subject.selection.since, limit=MAX_RECALLS):
        if not subject.is_about(recall.actor.partition(":")[2]):
            continue
        others = [ref for ref in recall.refs if ref not in recall.injected]
        recalls.append(
            {
                "at": texts.local(recall.at),
                "who": recall.actor,
                "query": texts.clean(recall.query),
                "found": len(recall.refs),
                "answers": [*recall.injected, *others][:MAX_ANSWERS],
                "sure": len(recall.injected),  # so many of the first answers
            }
        )
    runs = home.evaluation.runs.list_runs(limit=MAX_RUNS) if access.is_operator else []
    return {
        "recalls": recalls,
        "runs": [
            {
                "at": texts.local(run.ts),
                "suite": run.suite,
                "use": run.use,
                "verdict": run.verdict,
                "metrics": {name: metric.value for name, metric in run.metrics.items()},
                "gates": [(gate.name, gate.value, gate.verdict) for gate in run.gates],
            }
            for run in reversed(runs)
        ],
    }
