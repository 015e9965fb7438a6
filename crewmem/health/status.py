"""Status: counts of stored items, the state of each part, and the most useful next command."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

from crewmem.context import SESSIONS_FILE, VECTORS_FILE, Context
from crewmem.embeddings.local import can_embed
from crewmem.errors import DamagedError
from crewmem.facts.fact import LIVE_SQL
from crewmem.health import get_level
from crewmem.storage.sqlite import SESSIONS_SCHEMA, SharedStatus
from crewmem.text.wording import count
from crewmem.times import format_time

if TYPE_CHECKING:
    from crewmem.home import Home

TEXT_KEYS = {
    "memory": "select vector_key from chunks where vector_key <> 0",
    "facts": "select vector_key from facts where workspace_id = :workspace and vector_key <> 0"
    f" and status in {LIVE_SQL} and sensitivity <> 'restricted'"
    " and (valid_until is null or valid_until > :now)",
    "journal": "select vector_key from episodes join journal_entries using (seq)"
    " where workspace_id = :workspace and :now <> ''",
}
"""Queries for the keys of the texts to embed, by store."""


class LastJob(NamedTuple):
    """The last run of a job."""

    job: str
    at: str
    result: str
    failures: int
    error: str


class Status(NamedTuple):
    """Counts and state of what the actor may see.

    Attributes:
        home: Directory of the home or tree.
        review: Number of open review items, by kind.
        episodic: How searches work: ``vector`` by words and meaning, ``sparse-only`` by words,
            ``vector-degraded`` by words because the embedder of the vectors is unavailable.
        model: Model of the vectors; "" without vectors.
        backlog: Number of texts without a vector; None without an embedder.
        store: The shared store that the home mirrors; None without one.
        health: Score of the newest snapshot; None if there is none.
        next: The most useful next command; *reason* explains it.
    """

    home: str
    workspace: str
    actor: str
    review: dict[str, int]
    crews: int = 0
    agents: int = 0
    files: int = 0
    chunks: int = 0
    skipped: int = 0
    facts: int = 0
    entries: int = 0
    episodes: int = 0
    sessions: int = 0
    episodic: str = "sparse-only"
    model: str = ""
    backlog: int | None = None
    jobs: tuple[LastJob, ...] = ()
    store: SharedStatus | None = None
    health: float | None = None
    health_level: str = "n/a"
    health_date: str = ""
    next: str = ""
    reason: str = ""


def make_status(home: Home) -> Status:
    """Return the status of a home or tree."""
    context = home.context
    report = home.memory_index.load().report()
    files, chunks, skipped = report.files, report.chunks, report.skipped
    if not context.access.is_operator:  # who sees all files needs no count by directory
        readable = home.memory_index.status()
        files, chunks, skipped = readable.files, readable.chunks, len(readable.skipped)
    model, backlog = _count_backlog(home)
    status = Status(
        home=str(context.place),
        workspace=context.workspace,
        actor=str(context.access.actor),
        review={},
        files=files,
        chunks=chunks,
        skipped=skipped,
        model=model,
        backlog=backlog,
    )
    if model:
        has_embedder = home.describe_embedder().name != "none"
        status = status._replace(episodic="vector" if has_embedder else "vector-degraded")
    if context.has_db:
        status = status._replace(**_read_database(home))
    command, reason = _choose_next(home, status)
    return status._replace(next=command, reason=reason)


def _read_database(home: Home) -> dict[str, Any]:
    """Return the fields of Status that come from crewmem.db."""
    context = home.context
    db = context.db
    facts = context.access.facts(include_restricted=True)
    entries = context.access.journal()
    workspace = (context.workspace,)
    crews = context.access.crews  # None without a registry
    own = {
        "workspace": context.workspace,
        "all": context.access.is_operator or crews is None,
        "crews": sorted(crews or ()),
    }
    snapshot = db.one(
        "select score, snapshot_date from memory_health_snapshots where workspace_id = ?"
        " and crew_id = '' and snapshot_date <= ? order by snapshot_date desc limit 1",
        (*workspace, context.today.isoformat()),
    )
    score = snapshot[0] if snapshot else None
    return {
        "crews": db.value(
            "select count(*) from crews where workspace_id = :workspace and removed_at is null"
            " and (:all or name in (select value from json_each(:crews)))",
            own,
        ),
        "agents": db.value(
            "select count(*) from agents where workspace_id = :workspace and removed_at is null"
            " and (:all or crew in (select value from json_each(:crews)) or slug in"
            " (select agent from memberships where workspace_id = :workspace"
            " and crew in (select value from json_each(:crews))))",
            own,
        ),
        "facts": db.value(
            f"select count(*) from facts where {facts.sql} and status in {LIVE_SQL}", facts.params
        ),
        "entries": db.value(
            f"select count(*) from journal_entries where {entries.sql}", entries.params
        ),
        "episodes": db.value(
            f"select count(*) from episodes join journal_entries using (seq) where {entries.sql}",
            entries.params,
        ),
        "sessions": _count_sessions(context),
        "review": home.review_items.count(),
        "jobs": _list_jobs(home),
        "store": db.shared.describe() if db.shared is not None else None,
        "health": score,
        "health_level": get_level(score),
        "health_date": snapshot[1] if snapshot else "",
    }


def _count_sessions(context: Context) -> int:
    path = context.home / SESSIONS_FILE if context.home is not None else None
    if path is None or not path.is_file():
        return 0
    condition = context.access.sessions()
    try:
        db = context.open_database(path, SESSIONS_SCHEMA)
    except DamagedError as error:
        context.warn(error.code, error.message, context.command("sessions sync"))
        return 0
    sql = f"select count(*) from sessions where {condition.sql}"
    number = int(db.value(sql, condition.params))
    db.close()
    return number


def _list_jobs(home: Home) -> tuple[LastJob, ...]:
    """Return the last run of each job, the newest first."""
    jobs = [
        LastJob(name, format_time(run.started), run.result, run.failures, run.error)
        for name, run in home.last_runs.items()
        if run.started is not None
    ]
    return tuple(sorted(jobs, key=lambda job: job.at, reverse=True))


def _count_backlog(home: Home) -> tuple[str, int | None]:
    """Return the model of the vectors, and the number of texts without one.

    It reads the keys with SQL because the stores take longer to import.
    """
    context = home.context
    if context.home is None or not context.has_db or context.settings["embedder"] == "none":
        return "", None
    stored: dict[str, set[int]] = {}
    model = ""
    if (context.home / VECTORS_FILE).is_file():
        vectors = home.vectors
        try:
            model = min((name for name, _ in vectors.find_models()), default="")
            stored = {store: vectors.keys((context.workspace, store)) for store in TEXT_KEYS}
        except DamagedError as error:
            context.warn(error.code, error.message, context.command("sweep --all"))
    if not model and not can_embed(context):
        return "", None
    texts = {"memory": home.memory_index.load().db.column(TEXT_KEYS["memory"])}
    for store in ("facts", "journal"):
        params = {"workspace": context.workspace, "now": context.now_text}
        texts[store] = context.db.column(TEXT_KEYS[store], params)
    backlog = sum(len(set(keys).difference(stored.get(store, ()))) for store, keys in texts.items())
    return model, backlog


def _choose_next(home: Home, status: Status) -> tuple[str, str]:
    """Return the most useful next command, and the reason."""
    context = home.context
    if context.tree is not None or context.read_only:
        return context.command("search", "QUESTION"), "look something up"
    operator = context.access.is_operator
    failed = [job for job in status.jobs if job.failures]
    if operator and status.store is not None and not status.store.id:
        has_data = status.crews or status.facts or status.entries
        command = context.command("sync --push-all" if has_data else "init --store")
        return command, "this home has not joined its shared store"
    if operator and not status.crews:
        return context.command("agent add", "NAME"), "there is no agent yet"
    if not (status.files or status.facts or status.episodes or status.sessions):
        return context.command("remember", "TEXT"), "nothing is stored yet"
    if operator and failed:
        return context.command("timers status"), f"the job {failed[0].job} failed"
    if operator and any(status.review.values()):
        number = sum(status.review.values())
        waits = count(number, "item waits", "items wait")
        return context.command("review list"), f"{waits} for a decision"
    may_lack_model = status.backlog != 0 and not can_embed(context)
    if operator and may_lack_model and context.settings["embedder"] != "none":
        embedder = home.describe_embedder()
        if embedder.missing:
            return embedder.hint, f"searches use words only: {embedder.missing}"
        if status.backlog is None:
            return context.command("sweep", "--all"), "nothing is embedded yet"
    if status.backlog:
        texts = count(status.backlog, "text has", "texts have")
        return context.command("sweep", "--all"), f"{texts} no vector"
    if operator and not status.jobs:
        return context.command("timers install"), "no jobs are scheduled yet"
    if status.health is None:
        return context.command("memory health", "--measure"), "health was never measured"
    if status.health_level != "green":
        is_bad = status.health_level == "red"
        reason = "health is bad" if is_bad else "health could be better"
        return context.command("memory health", "--explain"), reason
    return context.command("search", "QUESTION"), "all is well: look something up"
