"""The five health metrics, which measure the quality of the stored memory."""

from __future__ import annotations

import statistics
from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import date, timedelta
from hashlib import sha256
from typing import TYPE_CHECKING, Any

from crewmem.health import get_level
from crewmem.storage.json_columns import load_list, load_texts
from crewmem.times import add_span, format_time

if TYPE_CHECKING:
    from crewmem.home import Home

WEIGHTS = {
    "freshness": 0.25,
    "coverage": 0.25,
    "coherence": 0.20,
    "efficiency": 0.15,
    "reachability": 0.15,
}

FULL = 99.5
"""Value from which a metric gives no advice."""

RECALL_DAYS = 30
"""Maximum age in days of the recalls that efficiency uses."""

MAX_RECALLS = 2000
"""Maximum number of recalls that efficiency uses; the newest ones."""

HALF_LIFE_DAYS = 30.0
"""Median age of episodes at which freshness is 50."""

MIN_EPISODES = 5
"""Minimum number of episodes for coherence and reachability."""

SAMPLE_SIZE = 64
"""Number of episodes whose nearest neighbours coherence examines."""

NEIGHBOURS = 3
"""Number of nearest neighbours of each of them."""

NEAR_DUPLICATE = 0.92
"""Minimum cosine of two hits that repeat each other."""


@dataclass(frozen=True, slots=True)
class MetricValue:
    """A metric.

    Attributes:
        value: 0 to 100; None if it cannot be measured.
        inputs: The values it was computed from.
        advice: The command that would raise it most; "" for none.
        weight: Its share of the score; 0 if it cannot be measured. `combine` sets it.
    """

    name: str
    value: float | None
    inputs: dict[str, Any]
    advice: str
    weight: float = 0.0


@dataclass(frozen=True, slots=True)
class Health:
    """Health of a workspace, or of a crew.

    Attributes:
        crew: The crew; "" for the workspace.
        score: 0 to 100; None if no metric can be measured.
        level: ``red``, ``yellow``, ``green`` or ``n/a``.
        measured: Whether it was measured now and not read from a snapshot.
    """

    workspace: str
    crew: str
    date: str
    score: float | None
    level: str
    metrics: tuple[MetricValue, ...]
    measured: bool

    @property
    def missing(self) -> list[str]:
        """Names of the metrics that cannot be measured."""
        return [metric.name for metric in self.metrics if metric.value is None]

    def rank_advice(self) -> list[MetricValue]:
        """Return metrics with different advice, the largest possible gain in score first.

        A metric that cannot be measured counts as 50.
        """
        gains = {
            metric.name: WEIGHTS[metric.name] * (100 - (50 if value is None else value))
            for metric in self.metrics
            if (value := metric.value) is None or value < FULL
        }
        ranked = sorted(self.metrics, key=lambda metric: -gains.get(metric.name, 0))
        by_advice: dict[str, MetricValue] = {}
        for metric in ranked:
            if metric.advice and metric.name in gains:
                by_advice.setdefault(metric.advice, metric)
        return list(by_advice.values())


def combine(
    workspace: str,
    crew: str,
    day: date,
    values: Sequence[MetricValue],
    *,
    measured: bool = True,
) -> Health:
    """Combine metrics into a score. Those without a value do not count.

    Args:
        crew: "" for the whole workspace.
        day: Day of the measurement.
        measured: Whether the metrics were measured now and not read from a snapshot.
    """
    total = sum(WEIGHTS[each.name] for each in values if each.value is not None)
    metrics = tuple(
        each
        if each.value is None
        else replace(each, value=round(each.value, 2), weight=WEIGHTS[each.name] / total)
        for each in values
    )
    score = None
    if total:
        # A whole number, so that the score shown, its colour and --min agree.
        score = float(round(sum(metric.weight * (metric.value or 0.0) for metric in metrics)))
    return Health(
        workspace=workspace,
        crew=crew,
        date=day.isoformat(),
        score=score,
        level=get_level(score),
        metrics=metrics,
        measured=measured,
    )


def compute_freshness(ages_in_days: Sequence[float]) -> float | None:
    """Return 100, halved for every HALF_LIFE_DAYS of the median age of episodes."""
    if not ages_in_days:
        return None
    median = max(0.0, statistics.median(ages_in_days))
    return float(100 * 0.5 ** (median / HALF_LIFE_DAYS))


def compute_coverage(embeddable: int, embedded: int) -> float | None:
    """Return the percentage of texts that have a vector; None without texts."""
    return 100 * embedded / embeddable if embeddable else None


def compute_coherence(vectors: Any, ids: Sequence[str]) -> tuple[float, dict[str, Any]]:
    """Measure how clearly episodes form themes.

    The value compares the mean cosine of the nearest neighbours with that of all pairs: 0 if they
    are equal, 100 if all neighbours are identical.

    Args:
        vectors: A row of length 1 for each episode.
        ids: Ids of the episodes, from whose hashes the sample is chosen.

    Returns:
        The value and its inputs.
    """
    import numpy as np  # only where there are vectors

    count = len(ids)
    sample = sorted(range(count), key=lambda i: sha256(ids[i].encode()).digest())[:SAMPLE_SIZE]
    cosines = vectors[sample] @ vectors.T
    for row, own in enumerate(sample):
        cosines[row, own] = -1.0
    nearest = float(np.sort(cosines, axis=1)[:, -NEIGHBOURS:].mean())
    mean = vectors.mean(axis=0)
    overall = (count * float(mean @ mean) - 1) / (count - 1)  # mean cosine of all pairs
    inputs = {
        "episodes": count,
        "sample": len(sample),
        "nearest": round(nearest, 4),
        "all": round(overall, 4),
    }
    if overall >= 1:
        return 100.0, inputs
    return min(100.0, max(0.0, 100 * (nearest - overall) / (1 - overall))), inputs


class Meter:
    """Measures the health of a home."""

    def __init__(self, home: Home, command: Callable[..., str]) -> None:
        """Measure *home*, which must be opened with full rights.

        Args:
            command: `Context.command` of the user who gets the advice.
        """
        self._home = home
        self._command = command
        self._context = home.context
        self._vectors = home.vectors
        self._embedder = home.describe_embedder()
        self._has_vectors = home.vectors.exists or self._embedder.name != "none"

    def measure(self, crew: str = "") -> Health:
        """Measure the health of the workspace, or of a crew.

        A query that fails raises an error; it does not count as 0.
        """
        values = (
            self._measure_freshness(crew),
            self._measure_coverage(crew),
            self._measure_coherence(crew),
            self._measure_efficiency(crew),
            self._measure_reachability(crew),
        )
        return combine(self._context.workspace, crew, self._context.today, values)

    def _measure_freshness(self, crew: str) -> MetricValue:
        times = self._context.db.column(
            "select indexed_ms from episodes join journal_entries using (seq)"
            " where workspace_id = :workspace and (:crew = '' or crew_id = :crew)",
            {"workspace": self._context.workspace, "crew": crew},
        )
        now = self._context.now.timestamp()
        ages = [(now - milliseconds / 1000) / 86_400 for milliseconds in times]
        median = round(statistics.median(ages), 2) if ages else None
        newest = round(min(ages), 2) if ages else None
        inputs = {"episodes": len(ages), "median_age_days": median, "newest_age_days": newest}
        advice = self._command("consolidate run")
        return MetricValue("freshness", compute_freshness(ages), inputs, advice)

    def _measure_coverage(self, crew: str) -> MetricValue:
        """Measure the share of episodes and chunks that have a vector.

        Without an embedder all count as covered, because words find them.
        """
        inputs: dict[str, Any] = {}
        workspace = self._context.workspace
        embeddable = embedded = 0
        filters = {"crew": crew} if crew else {}
        sources = self._home.text_sources
        for name in ("journal", "memory"):
            keys = set(sources[name].visible_vector_keys(**filters))
            missing = keys - self._vectors.keys((workspace, name)) if self._has_vectors else set()
            inputs[name] = len(keys)
            inputs[f"{name}_missing"] = len(missing)
            embeddable += len(keys)
            embedded += len(keys) - len(missing)
        value = compute_coverage(embeddable, embedded)
        return MetricValue("coverage", value, inputs, self._command("sweep --all"))

    def _measure_coherence(self, crew: str) -> MetricValue:
        if not self._has_vectors:
            inputs = {"reason": "no vectors"}
            return MetricValue("coherence", None, inputs, self._embedder.hint)
        filters = {"crew": crew} if crew else {}
        keys = sorted(set(self._home.episodes.visible_vector_keys(**filters)))
        vectors = self._vectors.get((self._context.workspace, "journal"), keys)
        count = len(vectors)
        if count < MIN_EPISODES:
            advice = self._command("sweep --all")
            return MetricValue("coherence", None, {"episodes_with_vector": count}, advice)
        import numpy as np  # only where there are vectors

        matrix = np.stack(list(vectors.values()))
        value, inputs = compute_coherence(matrix, [str(key) for key in vectors])
        advice = self._command("consolidate run")
        return MetricValue("coherence", value, inputs, advice)

    def _measure_efficiency(self, crew: str) -> MetricValue:
        """Measure the share of recalled hits that are relevant and do not repeat a better hit."""
        context = self._context
        threshold = context.settings["recall.min_relevance"]
        since = format_time(add_span(context.now, -timedelta(days=RECALL_DAYS)))
        rows = [
            (load_texts(refs), load_list(relevances))
            for refs, relevances in context.db.execute(
                "select refs, relevances from recalls where workspace_id = :workspace"
                " and ts >= :since and (:crew = '' or substr(actor, instr(actor, ':') + 1) in"
                " (select slug from agents where workspace_id = :workspace and crew = :crew))"
                " order by ts desc limit :limit",
                {
                    "workspace": context.workspace,
                    "since": since,
                    "crew": crew,
                    "limit": MAX_RECALLS,
                },
            )
        ]
        vectors = self._load_vectors({ref for refs, _ in rows for ref in refs})
        total = relevant = repeated = 0
        for refs, relevances in rows:
            better: list[str] = []
            for ref, relevance in zip(refs, relevances, strict=False):
                total += 1
                if any(_is_near_duplicate(vectors, ref, other) for other in better):
                    repeated += 1
                elif relevance >= threshold:
                    relevant += 1
                better.append(ref)
        inputs = {"recalls": len(rows), "hits": total, "relevant": relevant, "repeated": repeated}
        value = 100 * relevant / total if total else None
        advice = self._command("fact condense" if total else "hooks install all")
        return MetricValue("efficiency", value, inputs, advice)

    def _load_vectors(self, refs: Collection[str]) -> dict[str, Any]:
        """Return the vectors of recalled facts and entries, by id.

        Chunks of memory files have none here; only equal refs count as repeated.
        """
        by_id: dict[str, Any] = {}
        for store, table, prefix in (
            ("facts", "facts", "f_"),
            ("journal", "episodes join journal_entries using (seq)", "j_"),
        ):
            ids = [ref for ref in refs if ref.startswith(prefix)]
            if not ids or not self._vectors.exists:
                continue
            keys = dict(
                self._context.db.all(
                    f"select id, vector_key from {table} where workspace_id = ?"
                    " and id in (select value from json_each(?))",
                    (self._context.workspace, ids),
                )
            )
            vectors = self._vectors.get((self._context.workspace, store), set(keys.values()))
            by_id |= {id_: vectors[key] for id_, key in keys.items() if key in vectors}
        return by_id

    def _measure_reachability(self, crew: str) -> MetricValue:
        row = self._context.db.one(
            "select count(*), sum(exists (select 1 from entry_similarities"
            " where src_seq = episodes.seq or dst_seq = episodes.seq)"
            " or exists (select 1 from entry_relations r"
            " where r.workspace_id = journal_entries.workspace_id"
            " and (src_entry_id = journal_entries.id or dst_entry_id = journal_entries.id)))"
            " from episodes join journal_entries using (seq)"
            " where workspace_id = :workspace and (:crew = '' or crew_id = :crew)",
            {"workspace": self._context.workspace, "crew": crew},
        )
        count, related = (row[0], row[1] or 0) if row else (0, 0)
        inputs = {"episodes": count, "related": related}
        value = 100 * related / count if count >= MIN_EPISODES else None
        advice = self._command("consolidate run")
        return MetricValue("reachability", value, inputs, advice)


def _is_near_duplicate(vectors: Mapping[str, Any], ref: str, other: str) -> bool:
    if ref == other:
        return True
    if ref in vectors and other in vectors:
        return float(vectors[ref] @ vectors[other]) >= NEAR_DUPLICATE
    return False
