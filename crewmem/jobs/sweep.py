"""The sweep: embed what is new, refresh the index, record outside changes, relate episodes."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any, NamedTuple

from crewmem.context import Context
from crewmem.embeddings.store import Vectors
from crewmem.embeddings.sync import Embedded, embed_store, is_up_to_date
from crewmem.errors import CrewmemError
from crewmem.files.memory import Memory
from crewmem.journal.store import Journal
from crewmem.protocols import Embedder, VectorSource
from crewmem.storage.locks import try_lock

SIMILAR_EPISODES = 0.80
"""Cosine from which an episode is related to an earlier one."""

SIMILAR_FACTS = 0.92
"""Cosine from which two facts are near duplicates."""

MOST_SIMILAR = 3
"""Earlier episodes that a new one is related to at most."""


class Parts(NamedTuple):
    """What a sweep works on; it acts with full rights."""

    context: Context
    memory: Memory
    facts: VectorSource
    relate_facts: Callable[[list[tuple[int, int, float]]], Any]
    journal: Journal
    vectors: Vectors
    open_embedder: Callable[[], Embedder | None]
    refresh_names: Callable[[int | None], int]


NAMED_AT_ONCE = 2_000
"""New texts of a store in which a sweep looks for names: a fifth of a second."""


@dataclass(slots=True)
class SweepReport:
    """What a sweep did.

    Attributes:
        result: ``ok``, ``nothing-new``, or ``skipped-locked`` when another sweep runs.
        indexed: Memory files that were added, changed or removed in the index.
        recorded: Outside changes that became versions.
        embedded: What was embedded, by store.
    """

    result: str
    indexed: int = 0
    recorded: int = 0
    embedded: tuple[Embedded, ...] = ()

    @property
    def counts(self) -> dict[str, int]:
        """Numbers for the log line of the job."""
        counts = {"indexed": self.indexed, "recorded": self.recorded}
        for report in self.embedded:
            counts[f"{report.store}_embedded"] = len(report.added)
        return {name: count for name, count in counts.items() if count}


def sweep(
    parts: Parts,
    *,
    limit: int | None = None,
    progress: Callable[[int, int], None] | None = None,
) -> SweepReport:
    """Sweep once; when another sweep runs, end at once."""
    with try_lock(parts.context.lock_path("sweep")) as is_alone:
        if not is_alone:
            return SweepReport("skipped-locked")
        return _sweep(parts, limit, progress)


def _sweep(
    parts: Parts, limit: int | None, progress: Callable[[int, int], None] | None
) -> SweepReport:
    refreshed = parts.memory.refresh()
    changes = refreshed.added + refreshed.changed + refreshed.removed
    outside = parts.memory.record_outside_changes()
    parts.refresh_names(limit if limit is None else max(limit, NAMED_AT_ONCE))
    report = SweepReport("ok", changes, outside.recorded)
    sources: dict[str, VectorSource] = {
        "memory": parts.memory.source,
        "facts": parts.facts,
        "journal": parts.journal,
    }
    workspace = parts.context.workspace
    pending = {
        name: source
        for name, source in sources.items()
        if not is_up_to_date(parts.vectors, (workspace, name), source.vector_state())
    }
    if pending:
        report.embedded = tuple(_embed(parts, pending, limit, progress))
    if not report.counts:
        report.result = "nothing-new"
    return report


def _embed(
    parts: Parts,
    pending: Mapping[str, VectorSource],
    limit: int | None,
    progress: Callable[[int, int], None] | None,
) -> list[Embedded]:
    context = parts.context
    try:
        embedder = parts.open_embedder()
    except CrewmemError as error:
        context.warn(error.code, error.message, error.hint)
        return []
    if embedder is None:
        return []
    reports = []
    for store, source in pending.items():
        report = embed_store(
            context, parts.vectors, embedder, store, source, limit=limit, progress=progress
        )
        if report.error:
            context.warn("embedder-failed", f"{store}: {report.error}", context.command("doctor"))
        if report.added and store == "journal":
            pairs = _find_similar(parts, store, report.added, SIMILAR_EPISODES)
            parts.journal.add_similarities(pairs)
        elif report.added and store == "facts":
            parts.relate_facts(_find_similar(parts, store, report.added, SIMILAR_FACTS))
        reports.append(report)
    return reports


def _find_similar(
    parts: Parts, store: str, keys: list[int], threshold: float
) -> list[tuple[int, int, float]]:
    """Return (row, earlier row, cosine) of texts that are alike; *keys* are new."""
    source: VectorSource = parts.journal if store == "journal" else parts.facts
    rows = {key: _as_rows(value) for key, value in source.visible_vector_keys().items()}
    order = {key: min(values) for key, values in rows.items() if values}
    found = []
    for key, other, cosine in parts.vectors.neighbours(
        (parts.context.workspace, store),
        [key for key in keys if key in order],
        threshold=threshold,
        limit=MOST_SIMILAR,
        order=order,
    ):
        found += [(row, order[other], cosine) for row in rows[key] if row != order[other]]
    return found


def _as_rows(value: Any) -> list[int]:
    if value is None:
        return []
    return list(value) if isinstance(value, list | tuple) else [value]


def reembed(parts: Parts) -> list[Embedded]:
    """Discard all vectors, and embed every text with the embedder in use."""
    workspace = parts.context.workspace
    for store in ("memory", "facts", "journal", "sessions"):
        parts.vectors.clear((workspace, store))
    parts.memory.refresh()
    embedder = parts.open_embedder()
    if embedder is None:
        return []
    sources: dict[str, VectorSource] = {
        "memory": parts.memory.source,
        "facts": parts.facts,
        "journal": parts.journal,
    }
    return [
        embed_store(parts.context, parts.vectors, embedder, store, source)
        for store, source in sources.items()
    ]
