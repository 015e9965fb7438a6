"""Measuring recall: the lines of its table, and the same for JSON."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING

from tests.benchmarks.progress import tell
from tests.benchmarks.recall.bare_words import BareWords
from tests.benchmarks.recall.dataset import conversations, datasets
from tests.benchmarks.recall.memory_words import MemoryWords
from tests.benchmarks.recall.scores import Scores, mean, scores
from tests.benchmarks.report import aligned
from tests.benchmarks.row import Verdict

if TYPE_CHECKING:
    from collections.abc import Sequence

    from tests.benchmarks.recall.dataset import Conversation
    from tests.benchmarks.workbench import Workbench

LIMIT = 50
"""Chunks that a search answers at most."""

PRINTED = 3
"""Questions of a conversation that are asked on the command line as well."""

HEADER = ("data set", "asked", "R@10", "nDCG@10", "bare R@10", "nDCG@10", "")

LEFT = (0, 6)
"""Columns of text."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Recalled:
    """How well a data set is searched.

    Attributes:
        asked: How many questions.
        measured: By crewmem, each record a file.
        baseline: By a bare FTS5 table, each record a row.
        differing: Questions to which the command answered another than the search.
    """

    name: str
    asked: int
    measured: Scores
    baseline: Scores
    differing: int

    @property
    def verdict(self) -> Verdict:
        """Whether it is at least as good as the baseline, to the third digit."""
        one, other = map(_rounded, (self.measured, self.baseline))
        is_as_good = one.recall >= other.recall and one.ndcg >= other.ndcg
        return Verdict.OK if is_as_good and not self.differing else Verdict.MISS


def recalled(data: Path, bench: Workbench) -> list[Recalled]:
    """Search the data set in *data*, or all that are below it."""
    return [_recalled(dataset, bench) for dataset in datasets(data)]


def _recalled(dataset: Path, bench: Workbench) -> Recalled:
    measured: list[Scores] = []
    baseline: list[Scores] = []
    differing = 0
    for conversation in conversations(dataset):
        tell(f"{dataset.name}: {conversation.name}")
        with TemporaryDirectory(dir=bench.directory, prefix="recall-") as directory:
            own = MemoryWords(bench, Path(directory), conversation.records)
            measured += _scored(own, conversation)
            differing += _differing(own, conversation)
        baseline += _scored(BareWords(conversation.records), conversation)
    return Recalled(
        name=dataset.name,
        asked=len(measured),
        measured=mean(measured),
        baseline=mean(baseline),
        differing=differing,
    )


def _scored(words: MemoryWords | BareWords, conversation: Conversation) -> list[Scores]:
    return [
        scores(words.ranking(query.text, limit=LIMIT), query.relevant)
        for query in conversation.queries
    ]


def _differing(words: MemoryWords, conversation: Conversation) -> int:
    step = max(1, len(conversation.queries) // PRINTED)
    return sum(
        words.printed_ranking(query.text, limit=LIMIT)
        != words.ranking(query.text, limit=LIMIT)
        for query in conversation.queries[::step]
    )


def _rounded(exact: Scores) -> Scores:
    return Scores(round(exact.recall, 3), round(exact.ndcg, 3))


def table(found: Sequence[Recalled]) -> list[str]:
    """Return the lines of the table."""
    lines = [
        (
            each.name,
            str(each.asked),
            *(
                f"{score:.3f}"
                for score in (*_pair(each.measured), *_pair(each.baseline))
            ),
            str(each.verdict),
        )
        for each in found
    ]
    return aligned([HEADER, *lines], LEFT)


def record(each: Recalled) -> dict[str, object]:
    """Return *each* for JSON."""
    named = {"measured": each.measured, "baseline": each.baseline}
    return {
        "data_set": each.name,
        "asked": each.asked,
        **{
            name: {"recall_at_10": round(of.recall, 4), "ndcg_at_10": round(of.ndcg, 4)}
            for name, of in named.items()
        },
        "differing": each.differing,
        "verdict": str(each.verdict),
    }


def _pair(of: Scores) -> tuple[float, float]:
    return of.recall, of.ndcg
