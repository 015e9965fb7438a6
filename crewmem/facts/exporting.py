"""Exports facts as records in a fixed order; equal facts give equal records."""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from typing import Any

from crewmem.facts.table import STORED, FactTable

BATCH = 5_000
"""Number of facts that are read at a time."""

FIELDS = STORED[: STORED.index("content_hash")]
"""Fields of a record, in order; empty ones are left out."""


def export_facts(table: FactTable, *, include_restricted: bool = False) -> Iterator[dict[str, Any]]:
    """Yield the facts that the actor may read, by id, with revisions, votes and relations.

    Equal facts give equal records. Session notes are left out, because they are local and
    short-lived. A purged fact has only its id, so that no bundle restores its text.
    """
    access = table.context.access.facts(include_restricted=include_restricted)
    last = ""
    while True:
        facts = table.select(
            f"facts.id > :last and facts.scope <> 'session' and {access.sql}",
            {"last": last, **access.params},
            tail=f"order by facts.id limit {BATCH}",
        )
        if not facts:
            return
        last = facts[-1].id
        beside = _read_beside(table, [fact.id for fact in facts])
        for fact in facts:
            if not fact.content_hash:
                yield {"id": fact.id, "purged": True, "updated_at": fact.updated_at}
                continue
            record = {
                name: value
                for name in FIELDS
                if (value := getattr(fact, name)) not in (None, "", [], {})
            }
            yield record | beside.get(fact.id, {})


def _read_beside(table: FactTable, ids: Sequence[str]) -> dict[str, dict[str, list[Any]]]:
    """Return revisions, votes and relations of facts, by id and name."""
    named = {"ids": json.dumps(list(ids))}
    found: dict[str, dict[str, list[Any]]] = {}
    for name, parent, table_name, fields, order in (
        (
            "revisions", "fact_id", "fact_revisions",
            ("title", "content", "kind", "status", "valid_from", "valid_until", "superseded_by",
             "changed_by", "changed_at", "reason"),
            "changed_at, content, number",
        ),
        ("votes", "fact_id", "votes", ("actor", "day", "vote", "reason", "voted_at"), "actor, day"),
        (
            "relations", "src_id", "fact_relations",
            ("relation", "dst_id", "weight", "created_by", "created_at"),
            "relation, dst_id",
        ),
    ):  # fmt: skip
        sql = (
            f"select {parent}, {', '.join(fields)} from {table_name} where {parent} in"
            f" (select value from json_each(:ids)) order by {parent}, {order}"
        )
        for fact_id, *values in table.context.db.execute(sql, named):
            item = {k: v for k, v in zip(fields, values, strict=True) if v not in (None, "")}
            found.setdefault(fact_id, {}).setdefault(name, []).append(item)
    return found
