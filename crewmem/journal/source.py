"""Episodes as search knows them: documents, words, vectors, neighbours; and how they fade."""

from collections.abc import Collection, Mapping, Sequence
from datetime import UTC, datetime
from functools import cached_property
from typing import TYPE_CHECKING, Any

from crewmem.access import Filter, Scope
from crewmem.documents import Document, FadingItem, retention_color
from crewmem.ids import bad_cursor
from crewmem.journal.entry import embedded_text, said_text
from crewmem.journal.episodes import DAY_MS, DECAY, PublishedEpisode, recency
from crewmem.storage.json_columns import load_object
from crewmem.storage.row_source import RowSource
from crewmem.storage.sqlite import COUNT_WAIT_MS, transaction, write_unless_busy
from crewmem.times import format_time

if TYPE_CHECKING:  # few commands ask for vectors
    from crewmem.embeddings.store import Vectors


DOCUMENT_COLUMNS = (
    *("entries.seq", "entries.id", "origin", "vector_key", "importance_score", "ts"),
    *("entry_type", "agent_id", "crew_id", "actor_type", "actor_id", "severity", "priority"),
    *("summary", "payload", "trace_id", "expires_at"),
)
"""What a document is made of; those from ``entry_type`` on are its further fields."""

MAX_AUTHORS = 1_000
"""Authors that may be named in a query: more are ids of machines."""


class EpisodeSource(RowSource):
    """The episodes that the actor may read.

    Filters of its methods: ``since``, ``until``, ``as_of``, ``kinds`` (entry types), ``agent``,
    ``crew``, ``scope``, ``session`` (a trace). Others do not apply to episodes.
    """

    table, key, newest_first = "episodes", "episodes.seq", "episodes.seq desc"
    text_table = "journal_entries_fts"

    # Rows

    def count(self, **filters: Any) -> int:
        """Return how many episodes are in scope; times and types are not looked at."""
        return self._find_owners(filters)[1]

    def authors(self) -> Sequence[str]:
        """Return who wrote the episodes in scope, by name; not all of many."""
        access = self.context.access.journal(table="episode_owners")
        return self.context.db.column(
            f"select distinct actor_id from episode_owners where {access.sql}"
            " and actor_id is not null and episodes > 0 order by actor_id limit :limit",
            {**access.params, "limit": MAX_AUTHORS},
        )

    def documents(self, keys: Sequence[int]) -> list[Document]:
        """Return the records of the episodes at *keys* that the actor may read.

        Of the widest scope: the keys were filtered more closely before.
        """
        access = self.context.access.journal(table="entries", scope=Scope.CREW)
        rows = self.context.db.execute(
            f"select {', '.join(DOCUMENT_COLUMNS)} from json_each(:keys) wanted"
            " cross join journal_entries entries on entries.seq = wanted.value"
            f" cross join episodes on episodes.seq = wanted.value where {access.sql}",
            {**access.params, "keys": keys},
        )
        documents = []
        for seq, entry_id, origin, vector_key, importance, ts, *values in rows:
            extra = {"entry_id": entry_id, **dict(zip(DOCUMENT_COLUMNS[6:], values, strict=True))}
            payload = extra["payload"] = load_object(extra["payload"])
            crew, agent = extra["crew_id"], extra["agent_id"]
            # What was consolidated is in a fact, or in a line of a memory file.
            store = "facts" if str(payload.get("file", "")).startswith("f_") else "memory"
            documents.append(
                Document(
                    store="journal",
                    key=seq,
                    ref=entry_id,
                    title="",
                    text=said_text(extra["summary"], payload),
                    at=ts,
                    scope="agent" if agent else "crew" if crew else "workspace",
                    owner="/".join(name for name in (crew, agent) if name),
                    kind=extra["entry_type"],
                    origin=origin,
                    author=extra["actor_id"] or "",
                    group=extra["trace_id"] or "",
                    vector_key=vector_key,
                    importance=importance,
                    copy_of=store if extra["entry_type"] == "memory.consolidated" else "",
                    extra=extra,
                )
            )
        return documents

    def list_episodes(
        self, *, limit: int, after: str | None = None, vectors: "Vectors | None" = None
    ) -> tuple[list[tuple[PublishedEpisode, str]], str | None]:
        """Return a page of episodes, newest first, each with its summary, and the next cursor.

        Args:
            vectors: Where their vectors are, when these are asked for.
        """
        access = self.context.access.journal(table="entries")
        if after is not None and not after.isdecimal():
            raise bad_cursor(after)
        rows = self.context.db.all(
            "select entries.seq, id, indexed_ms, importance_score, reference_count,"
            " last_referenced_at, vector_key, summary from episodes"
            " cross join journal_entries entries on entries.seq = episodes.seq"
            f" where {access.sql} and (:after is null or episodes.seq < :after)"
            " order by episodes.seq desc limit :limit",
            {**access.params, "after": after and int(after), "limit": limit + 1},
        )
        collection = (self.context.workspace, "journal")
        stored = vectors.find(collection) if vectors is not None else None
        embedded = vectors.get(collection, {row[6] for row in rows}) if vectors and stored else {}
        found = []
        for _, entry_id, indexed_ms, *weights, vector_key, summary in rows[:limit]:
            indexed_at = format_time(datetime.fromtimestamp(indexed_ms / 1000, UTC))
            episode = PublishedEpisode(entry_id, None, None, None, indexed_at, *weights)
            if stored is not None and vector_key in embedded:
                vector = embedded[vector_key].tolist()
                episode = episode._replace(vector=vector, dim=stored.dim, model=stored.model)
            found.append((episode, summary))
        return found, str(rows[limit - 1][0]) if len(rows) > limit else None

    # Vectors

    def vector_state(self) -> str:
        """Return a text that changes whenever an episode is added or removed."""
        db, workspace = self.context.db, (self.context.workspace,)
        episodes = db.value(
            "select total(episodes) from episode_owners where workspace_id = ?", workspace
        )
        purges = db.value("select count(*) from journal_purges where workspace_id = ?", workspace)
        newest = db.value("select coalesce(max(seq), 0) from episodes")
        return f"{episodes:.0f} {newest} {purges}"

    def texts_of_vectors(self, vector_keys: Collection[int]) -> list[tuple[int, str]]:
        """Return (vector key, text to embed) of the workspace's episodes with these keys."""
        rows = self.context.db.execute(
            "select found.vector_key, summary, payload from json_each(:vector_keys) wanted"
            " cross join episodes found on found.vector_key = wanted.value"
            " cross join journal_entries entries on entries.seq = found.seq"
            " where workspace_id = :workspace order by found.seq",
            {"vector_keys": vector_keys, "workspace": self.context.workspace},
        )
        texts = {
            key: embedded_text(summary, load_object(payload)) for key, summary, payload in rows
        }
        return list(texts.items())

    def sample_texts(self, limit: int) -> list[str]:
        """Return the texts of the oldest episodes."""
        rows = self.context.db.execute(
            "select summary, payload from episodes join journal_entries using (seq)"
            " where workspace_id = ? order by seq limit ?",
            (self.context.workspace, limit),
        )
        return [embedded_text(summary, load_object(payload)) for summary, payload in rows]

    # Neighbours

    def neighbours(
        self, keys: Sequence[int], count: int = 3, **filters: Any
    ) -> Mapping[int, tuple[list[int], list[int]]]:
        """Return up to *count* episodes before and after each of *keys* in its trace.

        By time, then place; nearest first. Entries without a trace have none.
        """
        tables, condition = self.narrow(filters)
        columns = ", ".join(
            "(select group_concat(seq, ' ') from (select near.seq from journal_entries near"
            f" cross join episodes on episodes.seq = near.seq {tables}"
            " where near.workspace_id = this.workspace_id and near.trace_id = this.trace_id"
            f" and (near.ts, near.seq) {side} (this.ts, this.seq) and {condition.sql}"
            f" order by near.ts {order}, near.seq {order} limit :count))"
            for side, order in (("<", "desc"), (">", "asc"))
        )
        rows = self.context.db.execute(
            f"select this.seq, {columns} from json_each(:keys) wanted"
            " cross join journal_entries this on this.seq = wanted.value",
            {**condition.params, "keys": keys, "count": count},
        )
        return {seq: (_split_keys(before), _split_keys(after)) for seq, before, after in rows}

    def similar(self, keys: Sequence[int]) -> list[tuple[int, int, float]]:
        """Return (key, neighbour, cosine) along ``similar`` relations, read both ways."""
        access = self.context.access.journal(table="entries")
        found: list[tuple[int, int, float]] = self.context.db.all(
            "select wanted.value, other, max(weight) from json_each(:keys) wanted join ("
            " select src_seq as seq, dst_seq as other, weight from entry_similarities"
            " union all select dst_seq, src_seq, weight from entry_similarities) near"
            " on near.seq = wanted.value join journal_entries entries on entries.seq = other"
            f" where {access.sql} group by 1, 2 order by 1, 3 desc, 2",
            {**access.params, "keys": keys},
        )
        return found

    # Fading and counting

    def list_fading(self, *, limit: int = 20) -> list[FadingItem]:
        """Return the episodes in sight, the least remembered first."""
        access = self.context.access.journal(table="entries")
        now_ms = round(self.context.now.timestamp() * 1000)
        rows = self.context.db.execute(
            "select entries.id, entry_type, summary, indexed_ms, reference_count,"
            f" {DECAY} as now, {DECAY.replace(':now_ms', ':later_ms')} as later"
            " from episodes cross join journal_entries entries using (seq)"
            f" where {access.sql} order by indexed_ms, seq limit :limit",
            {
                **access.params,
                "now_ms": now_ms,
                "later_ms": now_ms + 30 * DAY_MS,
                "limit": limit,
            },
        )
        found = []
        for entry_id, entry_type, summary, indexed_ms, references, importance, later in rows:
            days = (now_ms - indexed_ms) / DAY_MS
            left = recency(days)
            found.append(
                FadingItem(
                    store="journal",
                    id=entry_id,
                    title=summary,
                    kind=entry_type,
                    age_days=round(days, 1),
                    uses=references,
                    retention=round(left, 4),
                    in_30_days=round(left * later / importance if importance else 0, 4),
                    color=retention_color(left),
                    importance=round(importance, 4),
                    importance_in_30_days=round(later, 4),
                )
            )
        return found

    def apply_decay(self) -> int:
        """Recompute the importance of every episode of every workspace; return how many changed."""
        db = self.context.db
        with transaction(db, local=True):
            db.execute(
                f"update episodes set importance_score = {DECAY}"
                f" where importance_score is not {DECAY}",
                {"now_ms": round(self.context.now.timestamp() * 1000)},
            )
            return db.changes()

    def add_references(self, keys: Collection[int]) -> None:
        """Count that the episodes at *keys* were delivered into a prompt, unless it must wait."""
        statement = (
            "update episodes set reference_count = reference_count + 1, last_referenced_at = ?"
            " where seq = ?"
        )
        rows = [(self.context.now_text, key) for key in keys]
        if rows:
            write_unless_busy(self.context.db, (statement, rows), wait_ms=COUNT_WAIT_MS)

    def add_similarities(self, pairs: Sequence[tuple[int, int, float]]) -> None:
        """Add ``similar`` relations: (key of the new episode, of the earlier one, cosine)."""
        with transaction(self.context.db, local=True):
            self.context.db.executemany(
                "insert or ignore into entry_similarities (src_seq, dst_seq, weight, created_at)"
                " values (?, ?, ?, ?)",
                [(*pair, self.context.now_text) for pair in pairs],
            )

    def delete_orphans(self) -> int:
        """Delete similarities of episodes that are gone; return how many."""
        db = self.context.db
        with transaction(db, local=True):
            db.execute(
                "delete from entry_similarities where src_seq not in (select seq from episodes)"
                " or dst_seq not in (select seq from episodes)"
            )
            return db.changes()

    # Scope

    def _find_owners(self, filters: Mapping[str, Any]) -> tuple[str, int]:
        """Return the numbers of the owners in scope, for SQL, and how many episodes they have."""
        scope = filters.get("scope")
        access = self.context.access.journal(
            table="episode_owners", scope=Scope(scope) if scope else None
        )
        rows = self.context.db.all(
            f"select id, episodes from episode_owners where {access.sql} and episodes > 0"
            " and (:crew is null or crew_id = :crew)"
            " and (:agent is null or agent_id = :agent)",
            {**access.params, "crew": filters.get("crew"), "agent": filters.get("agent")},
        )
        owners = ", ".join(str(owner) for owner, _ in rows)
        return owners, sum(episodes for _, episodes in rows)

    def narrow(self, filters: Mapping[str, Any]) -> tuple[str, Filter]:
        """Return the tables to join, and the condition.

        The wide table of entries is joined only where something in it is asked for.
        """
        owners, _ = self._find_owners(filters)
        conditions = [f"+episodes.owner in ({owners})"]
        params: dict[str, Any] = {}
        if filters.get("since"):
            conditions.append("entries.ts >= :since")
            params["since"] = filters["since"]
        ends = [filters[name] for name in ("until", "as_of") if filters.get(name)]
        if ends:
            conditions.append("entries.ts <= :until")
            params["until"] = min(ends)
        if filters.get("session"):
            conditions.append("entries.trace_id = :session")
            params["session"] = filters["session"]
        if filters.get("kinds"):
            conditions.append("entries.entry_type in (select value from json_each(:kinds))")
            params["kinds"] = filters["kinds"]
        if self._has_expiring:
            conditions.append("(entries.expires_at is null or entries.expires_at > :now)")
            params["now"] = self.context.now_text
        entries = "cross join journal_entries entries on entries.seq = episodes.seq"
        tables = entries if len(conditions) > 1 else ""
        return tables, Filter(" and ".join(conditions), params)

    @cached_property
    def _has_expiring(self) -> bool:
        """Whether any entry expires: most journals have none, and asking costs a join."""
        return (
            self.context.db.value(
                "select 1 from journal_entries where expires_at is not null limit 1"
            )
            is not None
        )


def _split_keys(text: str | None) -> list[int]:
    return [int(key) for key in text.split()] if text else []
