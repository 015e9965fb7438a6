"""The condition for facts that a listing or a search may find."""

from __future__ import annotations

from collections.abc import Collection
from typing import Any, TypedDict

from crewmem.access import Filter, Scope
from crewmem.context import Context
from crewmem.facts.fact import LIVE, LIVE_SQL, Time, stored_time

DEEP_SQL = str((*LIVE, "archived"))

COLUMNS = {
    "agent": "agent_id",
    "crew": "crew_id",
    "session": "source_session",
    "project": "source_project",
    "topic_key": "topic_key",
    "sensitivity": "sensitivity",
}
"""Columns that must equal the value of a filter."""


FORMER = "from fact_revisions former where former.fact_id = facts.id and former.changed_at > :now"
FORMER_TEXT = f"{FORMER} and former.content is not null"
FIRST = "order by former.changed_at, former.number limit 1"
"""For a past time: the revisions of later changes, and the first of them."""


class FactFilters(TypedDict, total=False):
    """Filters of facts. A missing, None or empty filter has no effect.

    Attributes:
        since, until: Only facts created in this time.
        tags: Only facts with all of these tags.
        entity: Only facts that name this entity.
        mentioned: Vector keys of further texts that mention it; see `Home.find_mentions`.
        session: Only facts of this session, including its notes.
        statuses: These statuses, instead of active, warm and stale.
        deep: Whether to include archived facts.
        expired: Expired facts, instead of valid ones.
        as_of: Facts as they were at that time.
        include_restricted: Whether to include restricted facts that the actor may read.
    """

    since: Time
    until: Time
    kinds: Collection[str]
    tags: Collection[str]
    scope: Scope | str | None
    agent: str | None
    crew: str | None
    entity: str | None
    mentioned: Collection[int]
    session: str | None
    project: str | None
    topic_key: str | None
    sensitivity: str | None
    min_importance: int | None
    statuses: Collection[str]
    deep: bool
    expired: bool
    as_of: Time
    include_restricted: bool


def fact_filter(
    context: Context,
    *,
    revised: bool = False,
    any_text: bool = False,
    **filters: Any,
) -> Filter:
    """Return the condition for the facts that the actor may read and a search may find.

    Args:
        context: The context.
        revised: Condition for a revision ``revised`` whose text was valid at ``as_of``, instead of
            for the present text of the fact.
        any_text: Whether the text that a fact had at ``as_of`` does not matter.
        filters: See `FactFilters`; filters of other stores are ignored.
    """
    scope, as_of = filters.get("scope"), filters.get("as_of")
    access = context.access.facts(
        scope=Scope(scope) if scope else None,
        include_restricted=bool(filters.get("include_restricted")),
    )
    conditions = [access.sql, "facts.content_hash <> ''"]
    params = {**access.params, "now": stored_time(as_of) or context.now_text}
    if as_of:
        conditions.append("facts.created_at <= :now")
        if revised:
            conditions.append(f"revised.rowid = (select former.rowid {FORMER_TEXT} {FIRST})")
        elif not any_text:
            conditions.append(f"not exists (select 1 {FORMER_TEXT})")
    status, valid_from, valid_until = (
        _column_as_of(column) if as_of else f"facts.{column}"
        for column in ("status", "valid_from", "valid_until")
    )
    if filters.get("statuses"):
        params["statuses"] = filters["statuses"]
        conditions.append(f"{status} in (select value from json_each(:statuses))")
    else:
        conditions.append(f"{status} in {DEEP_SQL if filters.get('deep') else LIVE_SQL}")
    if filters.get("expired"):
        conditions += [f"{valid_until} <= :now", "facts.scope <> 'session'"]
    else:
        conditions += [
            f"({valid_until} is null or {valid_until} > :now)",
            f"({valid_from} is null or {valid_from} <= :now)",
        ]
    for name, column in COLUMNS.items():
        if filters.get(name):
            conditions.append(f"facts.{column} = :wanted_{name}")
            wanted = filters[name]
            params[f"wanted_{name}"] = wanted.lower() if name == "topic_key" else wanted
    for name, operator in (("since", ">="), ("until", "<=")):
        if filters.get(name):
            conditions.append(f"facts.created_at {operator} :{name}")
            params[name] = stored_time(filters[name])
    if filters.get("kinds"):
        conditions.append("facts.kind in (select value from json_each(:kinds))")
        params["kinds"] = filters["kinds"]
    if filters.get("min_importance"):
        conditions.append("facts.importance >= :min_importance")
        params["min_importance"] = filters["min_importance"]
    for number, tag in enumerate(filters.get("tags") or ()):
        conditions.append(
            "exists (select 1 from json_each(facts.tags)"
            f" where casefold(value) = casefold(:tag_{number}))"
        )
        params[f"tag_{number}"] = tag
    if filters.get("entity"):
        conditions.append(
            "(exists (select 1 from json_each(facts.entities)"
            " where casefold(value) = casefold(:entity))"
            " or facts.vector_key in (select value from json_each(:mentioned)))"
        )
        params["entity"] = filters["entity"]
        params["mentioned"] = filters.get("mentioned") or ()
    return Filter(" and ".join(conditions), params)


def _column_as_of(column: str) -> str:
    """Return the value of a column at ``:now``: that of the first later revision."""
    return (
        f"case when exists (select 1 {FORMER})"
        f" then (select former.{column} {FORMER} {FIRST}) else facts.{column} end"
    )
