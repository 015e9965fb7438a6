"""The sweep: embed new texts, refresh indexes, record outside changes, relate similar texts."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING

from crewmem.context import DATABASE_FILE
from crewmem.embeddings.embed_report import EmbedReport
from crewmem.errors import STORAGE_FAILED, CrewmemError, DamagedError, NotFoundError
from crewmem.protocols import Embedder, VectorSource
from crewmem.storage.filesystem import check_free_space
from crewmem.storage.locks import try_lock

if TYPE_CHECKING:
    from crewmem.embeddings.sync import StoreEmbedder
    from crewmem.home import Home

SIMILAR_EPISODES = 0.80
"""Minimum cosine that relates an episode to an earlier one."""

SIMILAR_FACTS = 0.92
"""Minimum cosine of two facts that are near duplicates."""

EMBEDDED_AT_ONCE, CHARACTERS_AT_ONCE = 8, 8_000
"""Maximum texts to embed when a fact is added, and their characters together: the fact, and others
that have no vector yet. MiniLM takes two seconds for so many characters. The next sweep embeds the
rest."""

MAX_SIMILAR = 3
"""Maximum number of earlier episodes that a new one is related to."""

MENTION_READS = 2_000
"""Number of new texts of a store that even a limited sweep reads for mentions of names. Reading
them takes 0.2 s."""

COUNT_NAMES = {"memory": "chunks", "journal": "entries"}
"""What the texts of a store are called in counts, if not like the store."""


@dataclass(slots=True)
class SweepReport:
    """The result of a sweep.

    Attributes:
        result: ``ok``, ``nothing-new``, or ``skipped-locked`` if another sweep runs.
        indexed: Number of memory files added, changed or removed in the index.
        recorded: Number of outside changes that became versions.
        embedded: Results of embedding, by store.
    """

    result: str
    indexed: int = 0
    recorded: int = 0
    embedded: tuple[EmbedReport, ...] = ()

    @property
    def counts(self) -> dict[str, int]:
        """Counts for the log line of the job, without zeros."""
        counts = {"files_indexed": self.indexed, "changes_recorded": self.recorded}
        for report in self.embedded:
            name = COUNT_NAMES.get(report.store, report.store)
            counts[f"{name}_embedded"] = report.added
        return {name: count for name, count in counts.items() if count}


def sweep(
    home: Home,
    *,
    limit: int | None = None,
    progress: Callable[[int, int], None] | None = None,
) -> SweepReport:
    """Sweep *home*, which must have full rights; do nothing if another sweep runs.

    Raises:
        DamagedError: If the disk is full.
    """
    if home.context.home is not None:
        check_free_space(home.context.home / DATABASE_FILE)
    with try_lock(home.context.lock_path("sweep")) as is_alone:
        if not is_alone:
            return SweepReport("skipped-locked")
        indexed = home.reindex()
        changes = indexed.added + indexed.changed + indexed.removed
        home.mentions.refresh(limit=None if limit is None else max(limit, MENTION_READS))
        report = SweepReport("ok", changes, indexed.recorded)
        try:
            report.embedded = tuple(_embed_new(home, limit, progress))
        except DamagedError as error:
            if not home.vectors.discard_damaged(error):
                raise
            report.embedded = tuple(_embed_new(home, limit, progress))
        if not report.counts:
            report.result = "nothing-new"
        return report


def _embed_new(
    home: Home, limit: int | None, progress: Callable[[int, int], None] | None
) -> list[EmbedReport]:
    """Embed the new texts of each store, and relate them to similar older ones."""
    context = home.context
    pending = {
        store: source
        for store, source in home.text_sources.items()
        if not home.vectors.is_up_to_date((context.workspace, store), source.vector_state())
    }
    if not pending:
        return []
    try:
        embedder = home.embedder
    except CrewmemError as error:
        if error.code in STORAGE_FAILED:
            raise
        context.warn(error.code, error.message, error.hint)
        return []
    if embedder is None:
        return []
    reports = []
    for store, source in pending.items():
        report = _open_store(home, store, source, embedder).embed_all(
            limit=limit, progress=progress
        )
        if report.error:
            context.warn("embedder-failed", f"{store}: {report.error}", context.command("doctor"))
        if report.added and store == "journal":
            pairs = _find_similar(home, store, source, report._keys, SIMILAR_EPISODES)
            home.episodes.add_similarities(pairs)
        elif report.added and store == "facts":
            pairs = _find_similar(home, store, source, report._keys, SIMILAR_FACTS)
            home.facts.add_similarities(pairs)
        reports.append(report)
    return reports


def _open_store(home: Home, store: str, source: VectorSource, embedder: Embedder) -> StoreEmbedder:
    """Return what embeds the texts of a store."""
    from crewmem.embeddings.sync import StoreEmbedder  # most sweeps find no new text

    return StoreEmbedder(home.context, home.vectors, embedder, store, source)


def _find_similar(
    home: Home, store: str, source: VectorSource, keys: list[int], threshold: float
) -> list[tuple[int, int, float]]:
    """Return (row, earlier row, cosine) of texts similar to those of the new *keys*."""
    rows = source.visible_vector_keys()
    first_rows = {key: min(rows_of_key) for key, rows_of_key in rows.items()}
    neighbours = home.vectors.neighbours(
        (home.context.workspace, store),
        keys,
        threshold=threshold,
        limit=MAX_SIMILAR,
        order=first_rows,
    )
    return [
        (row, first_rows[earlier_key], cosine)
        for key, earlier_key, cosine in neighbours
        for row in rows[key]
    ]


def reembed(home: Home) -> list[EmbedReport]:
    """Discard all vectors of *home*, and embed every text with the embedder of the settings.

    Raises:
        NotFoundError: If the embedder is missing; the vectors are kept.
    """
    choice = home.embedder_choice
    embedder = choice.open(ignore_stored=True)
    if embedder is None and home.settings["embedder"] != "none":
        missing, hint = choice.explain_missing()
        raise NotFoundError(f"there is no embedder: {missing}", code="no-embedder", hint=hint)
    try:
        home.vectors.check()
        for store in ("memory", "facts", "journal", "sessions"):
            home.vectors.clear((home.context.workspace, store))
    except DamagedError as error:
        if not home.vectors.discard_damaged(error):
            raise
    home.memory_index.refresh()
    if embedder is None:
        return []
    return [
        _open_store(home, store, source, embedder).embed_all()
        for store, source in home.text_sources.items()
    ]


def embed_new_facts(home: Home) -> None:
    """Embed the newest facts of *home*, if the model runs in this process.

    The facts are stored already, so a failure is a warning.
    """
    try:
        embedder = home.embedder
        if embedder is not None and embedder.name in ("minilm", "multilingual"):
            keys = home.fact_source.newest_vector_keys(EMBEDDED_AT_ONCE)
            facts = _open_store(home, "facts", home.fact_source, embedder)
            facts.embed_some(keys, max_characters=CHARACTERS_AT_ONCE)
    except CrewmemError as error:
        home.context.warn(error.code, error.message, error.hint)
