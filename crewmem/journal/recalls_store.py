"""What was asked and answered, as it is kept for a while. The only SQL on `recalls`."""

from __future__ import annotations

from contextlib import contextmanager, suppress
from datetime import timedelta

from crewmem import times
from crewmem.db.connect import explained, fetch, transaction
from crewmem.encode import encoded
from crewmem.errors import BusyError, DataError, NotFoundError, RefusedError
from crewmem.records import NamedTuple

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence
    from datetime import datetime

    import apsw

KEPT = timedelta(days=30)
"""How long a row is kept."""

QUERY_MOST = 4_000
"""Characters of a query that are kept: who asks with a page of text asks once."""


class Recall(NamedTuple):
    """A question and its answer.

    Attributes:
        verb: As ``recall``, ``search`` or ``memory search``.
        k: How many were wanted.
        ids: What was found, in the order of the answer.
        relevances: Of each, in [0, 1]; none where there is no such number.
        cosines: The same.
        injected: Which of them went into a prompt.
    """

    workspace: str
    at: datetime
    actor: str
    verb: str
    query: str
    mode: str
    k: int
    ids: Sequence[str] = ()
    relevances: Sequence[float | None] = ()
    cosines: Sequence[float | None] = ()
    injected: Sequence[str] = ()
    latency_ms: float = 0.0


def note(open_to_write: Callable[[], apsw.Connection | None], *recalls: Recall) -> bool:
    """Keep *recalls*, and drop what is too old; tell whether they were kept.

    It is called after the answer is printed, and never fails: where the database is
    busy, is not there or cannot be written, the rows are dropped.
    """
    with suppress(BusyError, DataError, NotFoundError, RefusedError):
        if (db := open_to_write()) is None:
            return False
        # Nobody waits for this: the answer is there.
        db.set_busy_handler(None)
        with _in_passing(db), transaction(db), explained(db):
            for recall in recalls:
                _insert(db, recall)
            db.executemany(
                "delete from recalls where workspace_id = ? and at < ?",
                {(each.workspace, _oldest(each.at)) for each in recalls},
            )
        return True
    return False


@contextmanager
def _in_passing(db: apsw.Connection) -> Iterator[None]:
    """Commit without waiting for the disk: nothing was said to be kept.

    What a power cut takes of it is the newest rows; the database stays whole.
    """
    with explained(db):
        db.execute("pragma synchronous = normal")
        try:
            yield
        finally:
            db.execute("pragma synchronous = full")


def drop_old(db: apsw.Connection, now: datetime, workspace: str | None = None) -> int:
    """Drop what is too old of *workspace*, or of all; return how many."""
    where = "at < ?1 and (?2 is null or workspace_id = ?2)"
    values = (_oldest(now), workspace)
    if not fetch(db, f"select 1 from recalls where {where} limit 1", values):
        return 0
    with transaction(db):
        return len(fetch(db, f"delete from recalls where {where} returning 1", values))


def _oldest(at: datetime) -> str:
    """Return from when on recalls are kept."""
    return times.to_text(times.before(at, KEPT))


def _insert(db: apsw.Connection, recall: Recall) -> None:
    query = recall.query[:QUERY_MOST].encode("utf-8", "replace").decode()
    db.execute(
        """
        insert into recalls
               (workspace_id, at, actor, verb, query, mode, k, ids, relevances, cosines,
                injected, latency_ms)
        values (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)
        """,
        (
            recall.workspace,
            times.to_text(recall.at),
            recall.actor,
            recall.verb,
            query,
            recall.mode,
            recall.k,
            *(encoded(list(each)) for each in recall[7:11]),
            recall.latency_ms,
        ),
    )
