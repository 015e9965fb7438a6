"""Log of recalls, and of the texts that each session already got, in tables of this host."""

import json
from collections.abc import Iterable, Sequence
from datetime import datetime, timedelta
from hashlib import sha256
from typing import Any, NamedTuple

from crewmem.context import Context
from crewmem.ids import new_id
from crewmem.security.secrets import redact
from crewmem.storage.json_columns import load_list
from crewmem.storage.sqlite import (
    COUNT_WAIT_MS,
    run_unless_busy,
    transaction,
    write_unless_busy,
)
from crewmem.times import add_span, format_time

KEPT_DAYS = 30
"""Days after which recalls are deleted."""


class LoggedRecall(NamedTuple):
    """A query, its hits, and what was shown.

    Attributes:
        use: ``pull``, ``push`` or ``search``.
        refs: The hits, best first; *relevances* has the relevance of each.
        injected: The hits that were shown as sure.
    """

    id: str
    at: str
    actor: str
    session: str
    query: str
    use: str
    mode: str
    refs: list[str]
    relevances: list[float]
    injected: list[str]


class GivenStore:
    """Record of the texts that a session of an agent program was given.

    Only rows of the session's current epoch count, so texts are given again after a context loss.
    """

    def __init__(self, context: Context, session: str) -> None:
        self._context = context
        self._session = session

    @property
    def _is_recorded(self) -> bool:
        return bool(self._session) and self._context.has_db

    def get_epoch(self) -> int:
        """Return the number of context losses of the session so far."""
        return int(
            self._context.db.value(
                "select count(*) from context_losses where workspace_id = ? and native_id = ?",
                (self._context.workspace, self._session),
            )
        )

    def find_given(self, items: Iterable[tuple[str, str]]) -> set[str]:
        """Return the refs of *items* (ref, text) whose text the session got in this epoch.

        A fact and its shared copy have the same text.
        """
        if not self._is_recorded:
            return set()
        epoch = self.get_epoch()
        given = set(
            self._context.db.column(
                "select content_hash from given where session = ? and epoch = ?",
                (self._session, epoch),
            )
        )
        return {ref for ref, text in items if hash_text(text) in given}

    def add(self, items: Sequence[tuple[str, str]]) -> set[str]:
        """Record that the session is given *items* (ref, text).

        If the database stays busy, they are not recorded: an answer must not wait for it.

        Returns:
            The refs of those that another process gave just now: programs call hooks in parallel.
        """
        given: set[str] = set()
        if not self._is_recorded or self._context.read_only or not items:
            return given
        epoch = self.get_epoch()
        now = self._context.now_text
        statement = (
            "insert or ignore into given (session, ref, content_hash, epoch, given_at)"
            " values (?, ?, ?, ?, ?)"
        )
        rows = [(self._session, ref, hash_text(text), epoch, now) for ref, text in items]

        def record() -> None:
            given.update(self.find_given(items))
            self._context.db.executemany(statement, rows)

        run_unless_busy(self._context.db, record, wait_ms=COUNT_WAIT_MS)
        return given

    def forget(self) -> None:
        """Delete the record of the session, so that it gets the texts again."""
        if self._is_recorded and not self._context.read_only:
            statement = "delete from given where session = ?"
            write_unless_busy(
                self._context.db, (statement, [(self._session,)]), wait_ms=COUNT_WAIT_MS
            )


def hash_text(text: str) -> str:
    """Return a hash of *text* that ignores differences in white space."""
    return sha256(" ".join(text.split()).encode("utf-8", "replace")).hexdigest()[:16]


def log_recall(
    context: Context,
    query: str,
    *,
    use: str,
    mode: str,
    k: int,
    hits: Sequence[Any],
    injected: Sequence[str] = (),
    tokens: int = 0,
    latency_ms: float = 0.0,
    session: str = "",
) -> None:
    """Log a query and its answer, for health and `eval capture`.

    If the database is busy or read-only, nothing is logged: an answer never waits for its log.
    """
    if not context.has_db or context.read_only:
        return
    row = (
        new_id("q", context.random),
        context.workspace,
        context.now_text,
        str(context.access.actor),
        session,
        redact(query)[:2000],
        use,
        mode,
        k,
        json.dumps([hit.ref for hit in hits]),
        json.dumps([round(hit.relevance, 4) for hit in hits]),
        json.dumps([None if hit.cosine is None else round(hit.cosine, 4) for hit in hits]),
        json.dumps(list(injected)),
        tokens,
        latency_ms,
    )
    statement = (
        "insert into recalls (id, workspace_id, ts, actor, session, query, use, mode, k,"
        " refs, relevances, cosines, injected, tokens, latency_ms)"
        " values (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)"
    )
    write_unless_busy(context.db, (statement, [row]))


def list_recalls(
    context: Context, *, since: datetime | None = None, limit: int = 200
) -> list[LoggedRecall]:
    """Return the logged recalls that the actor may see, newest first."""
    access = context.access.recalls()
    rows = context.db.all(
        "select id, ts, actor, session, query, use, mode, refs, relevances, injected from recalls"
        f" where {access.sql} and ts >= :since"
        " order by ts desc, id desc limit :limit",
        {**access.params, "since": format_time(since) if since else "", "limit": limit},
    )
    return [LoggedRecall(*row[:7], *map(load_list, row[7:])) for row in rows]


def prune_recalls(context: Context) -> int:
    """Delete old recalls and records of given texts; return the number of recalls."""
    before = format_time(add_span(context.now, -timedelta(days=KEPT_DAYS)))
    with transaction(context.db, local=True):
        context.db.execute(
            "delete from recalls where workspace_id = ? and ts < ?", (context.workspace, before)
        )
        count = context.db.changes()
        context.db.execute("delete from given where given_at < ?", (before,))
        context.db.execute("delete from nudges where nudged_at < ?", (before,))
    return count
