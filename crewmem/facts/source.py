"""Facts as a search source: documents, words, vectors, neighbours; also at an earlier time.

A row is identified by its rowid. For an earlier time, a text that its fact no longer has is
identified by the negative rowid of its revision.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping, Sequence
from datetime import datetime
from functools import cached_property
from typing import Any

from crewmem.access import Filter
from crewmem.context import Context
from crewmem.documents import Document
from crewmem.facts.fact import statement_text
from crewmem.facts.filters import fact_filter
from crewmem.facts.retention import days_unused, find_prior, retention
from crewmem.facts.table import COLUMNS, make_fact
from crewmem.storage.fulltext import FullText
from crewmem.storage.json_columns import load_texts
from crewmem.storage.row_source import RowSource

MAX_AUTHORS = 1_000
"""Maximum names of agents that are read as possible authors."""

MAX_COUNTED = 10_000
"""Maximum facts of an agent that are counted one by one; beyond it the store's total is used."""

HIT_FIELDS = (
    "id", "content", "agent", "crew", "tags", "entities", "importance", "confidence",
    "effective_confidence", "up", "down", "status", "pin", "sensitivity", "valid_until", "session",
    "project", "created_by", "created_at",
)  # fmt: skip
"""Fields of a fact that its hits have, too."""


class FactSource(RowSource):
    """The facts that the actor may read.

    Filters: ``since``, ``until`` (creation), ``kinds``, ``agent``, ``crew``, ``scope``, ``tags``,
    ``entity``, ``session``, ``project``, ``min_importance``, ``deep`` (include archived facts),
    ``expired``, ``include_restricted``, ``as_of``.
    """

    table, key = "facts", "facts.rowid"
    newest_first = "facts.created_at desc, facts.rowid desc"
    text_table = "facts_fts"

    def __init__(self, context: Context) -> None:
        super().__init__(context)
        self._counts: dict[str, int] = {}

    @cached_property
    def _revision_text(self) -> FullText:
        return FullText(self.context.db, "fact_revisions_fts")

    # Rows

    def narrow(self, filters: Mapping[str, Any]) -> tuple[str, Filter]:
        return "", fact_filter(self.context, **filters)

    def match(self, expression: str, limit: int, **filters: Any) -> list[tuple[int, float]]:
        found = super().match(expression, limit, **filters)
        if filters.get("as_of"):
            found += self._match_revisions(expression, limit, filters)
            found.sort(key=lambda hit: (hit[1], hit[0]))
        return found[:limit]

    def _match_revisions(
        self, expression: str, limit: int, filters: Mapping[str, Any]
    ) -> list[tuple[int, float]]:
        """Return hits among the texts that facts had at ``as_of`` but no longer have."""
        condition = fact_filter(self.context, revised=True, **filters)
        found = self._revision_text.match(
            expression,
            join="fact_revisions revised on revised.rowid = hits.key"
            " cross join facts on facts.id = revised.fact_id",
            condition=condition,
            limit=limit,
            share=0.1,
        )
        return [(-key, score) for key, score in found]

    def count(self, **filters: Any) -> int:
        """Return the approximate number of facts in scope; it ignores kinds, times and tags."""
        access = self.context.access
        scope = filters.get("scope")
        agent, crew = filters.get("agent"), filters.get("crew")
        if access.is_operator and not (scope or agent or crew):
            return self.full_text.count()
        key = f"{scope} {agent} {crew}"
        if key not in self._counts:
            condition = fact_filter(self.context, scope=scope, agent=agent, crew=crew)
            counted = self.context.db.value(
                f"select count(*) from (select 1 from facts where {condition.sql} limit :most)",
                {**condition.params, "most": MAX_COUNTED},
            )
            self._counts[key] = counted if counted < MAX_COUNTED else self.full_text.count()
        return self._counts[key]

    def authors(self) -> Sequence[str]:
        """Return the agents that own facts in scope, up to a limit.

        Entities are no authors: what a fact is about is a word of the query like any other.
        """
        condition = fact_filter(self.context)
        return self.context.db.column(
            f"select distinct agent_id from facts where {condition.sql}"
            " and agent_id is not null order by agent_id limit :most",
            {**condition.params, "most": MAX_AUTHORS},
        )

    def documents(self, keys: Sequence[int]) -> list[Document]:
        """Return the documents of facts, and of former texts, that the actor may read."""
        access = self.context.access.facts(include_restricted=True)
        columns = (
            f"{COLUMNS}, facts.vector_key, coalesce(accesses.accessed + accesses.injected, 0),"
            " accesses.last_used_at"
        )
        tail = " left join fact_accesses accesses on accesses.fact_id = facts.id"
        params = {**access.params, "keys": keys}
        rows = self.context.db.all(
            f"select facts.rowid, facts.title, facts.content, {columns}"
            " from json_each(:keys) wanted cross join facts on facts.rowid = wanted.value"
            f"{tail} where wanted.value > 0 and facts.content_hash <> '' and {access.sql}",
            params,
        )
        if any(key < 0 for key in keys):
            rows += self.context.db.all(
                f"select -revised.rowid, revised.title, revised.content, {columns}"
                " from json_each(:keys) wanted"
                " cross join fact_revisions revised on revised.rowid = -wanted.value"
                f" cross join facts on facts.id = revised.fact_id{tail}"
                f" where wanted.value < 0 and facts.content_hash <> '' and {access.sql}",
                params,
            )
        repeats = self._list_repeats([row[3] for row in rows])
        return [_make_document(row, self.context.now, repeats.get(row[3], ())) for row in rows]

    def _list_repeats(self, fact_ids: Sequence[str]) -> dict[str, list[str]]:
        """Return what each fact repeats.

        A shared fact repeats its source, the summary of a day that of its week, and an active
        detail a summary whose details are all active, so that each is found by itself.
        """
        return self.context.db.group(
            "select shared.id, source.id from json_each(:ids) wanted"
            " cross join facts shared on shared.id = wanted.value"
            " join fact_relations made on made.src_id = shared.id"
            " join facts source on source.id = made.dst_id"
            " where made.relation = 'promoted_from' and source.content_hash = shared.content_hash"
            " union select day.id, week.id from json_each(:ids) wanted"
            " cross join facts day on day.id = wanted.value"
            " join fact_relations made on made.src_id = day.id"
            " join fact_relations weekly on weekly.dst_id = made.dst_id"
            " join facts week on week.id = weekly.src_id"
            " where made.relation = 'derived_from' and weekly.relation = 'derived_from'"
            " and day.topic_key glob 'rollup/daily/*' and week.topic_key glob 'rollup/weekly/*'"
            " union select detail.id, summary.id from json_each(:ids) wanted"
            " cross join facts detail on detail.id = wanted.value"
            " join fact_relations made on made.dst_id = detail.id"
            " join facts summary on summary.id = made.src_id"
            " where made.relation = 'derived_from' and detail.status = 'active'"
            " and summary.topic_key glob 'rollup/*'"
            " and not exists (select 1 from fact_relations other join facts aged"
            "  on aged.id = other.dst_id where other.src_id = summary.id"
            "  and other.relation = 'derived_from' and aged.status <> 'active')",
            {"ids": fact_ids},
        )

    # Vectors

    def newest_vector_keys(self, limit: int) -> list[int]:
        """Return the keys of the texts that were stored last."""
        return self.context.db.column(
            "select vector_key from facts where workspace_id = ? and vector_key <> 0"
            " and status <> 'quarantined' order by rowid desc limit ?",
            (self.context.workspace, limit),
        )

    def keys_of_entity(self, **filters: Any) -> list[int]:
        """Return the facts in scope whose entities include the filter ``entity``."""
        condition = fact_filter(self.context, **filters)
        return self.context.db.column(
            f"select rowid from facts where {condition.sql}", condition.params
        )

    def sample_texts(self, limit: int) -> list[str]:
        """Return the texts of the oldest facts."""
        rows = self.context.db.execute(
            "select title, content from facts where workspace_id = ? and vector_key <> 0"
            " and status <> 'quarantined' order by rowid limit ?",
            (self.context.workspace, limit),
        )
        return [statement_text(title, content) for title, content in rows]

    def names_of_vectors(self, vector_keys: Collection[int]) -> dict[int, list[str]]:
        """Return the entities of the facts with some of *vector_keys*."""
        rows = self.context.db.execute(
            "select facts.vector_key, facts.entities from json_each(?) wanted"
            " cross join facts on facts.vector_key = wanted.value"
            " where facts.workspace_id = ? and facts.entities <> '[]'",
            (vector_keys, self.context.workspace),
        )
        return {key: load_texts(names) for key, names in rows}

    def texts_of_vectors(self, vector_keys: Collection[int]) -> Iterator[tuple[int, str]]:
        rows = self.context.db.execute(
            "select facts.vector_key, facts.title, facts.content from json_each(?) wanted"
            " cross join facts on facts.vector_key = wanted.value"
            " where facts.workspace_id = ? group by facts.vector_key",
            (vector_keys, self.context.workspace),
        )
        for key, title, content in rows:
            yield key, statement_text(title, content)

    def vector_state(self) -> str:
        newest, revisions = self.context.db.one(
            "select (select coalesce(max(rowid), 0) from facts),"
            " (select coalesce(max(rowid), 0) from fact_revisions)"
        ) or (0, 0)
        return f"{newest} {revisions}"


def _make_document(row: Sequence[Any], now: datetime, repeats: Sequence[str]) -> Document:
    """Convert a row of `FactSource.documents` to a document."""
    key, title, content, *values, vector, uses, last_used = row
    fact = make_fact(values)._replace(title=title, content=content)
    left = retention(fact.kind, days_unused(fact.created_at, last_used, now), uses)
    topic = fact.topic_key or ""
    topic_words = topic.replace("/", " ").replace("-", " ").replace("_", " ").strip()
    labels = [title, topic_words, *fact.entities, *fact.tags]
    return Document(
        store="facts",
        key=key,
        ref=fact.id,
        title=title,
        text=fact.text(),
        at=fact.stated_at if key > 0 else fact.occurred_at or fact.created_at,
        scope=fact.scope,
        owner=fact.agent or fact.crew or "",
        kind=fact.kind,
        origin=fact.origin,
        author=fact.created_by.partition(":")[2],
        group=fact.session or "",
        vector_key=vector if key > 0 else 0,
        labels=tuple(dict.fromkeys(label for label in labels if label)),
        prior=find_prior(fact.importance, fact.effective_confidence, left),
        importance=(fact.importance - 1) / 4,
        superseded_by=fact.superseded_by or "",
        repeats=tuple(repeats),
        topic_key=topic,
        extra={
            **{name: getattr(fact, name) for name in HIT_FIELDS},
            "retention": round(left, 6),
            "uses": uses,
            "pinned_by": fact.metadata.get("pinned_by", ""),
            "evidence": fact.listed("evidence"),
        },
    )
