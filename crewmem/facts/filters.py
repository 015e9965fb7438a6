"""The condition for facts that a listing or a search may find."""

from __future__ import annotations

from collections.abc import Callable, Collection
from typing import Any, TypedDict

from crewmem.access import Filter, Scope
from crewmem.context import Context
from crewmem.facts.fact import LIVE, LIVE_SQL, Time, stored_time

DEEP_SQL = str((*LIVE, "archived"))

WANTED = {
    "agent": "facts.agent_id = :wanted_agent",
    "crew": "facts.crew_id = :wanted_crew",
    "session": "facts.source_session = :wanted_session",
    "project": "facts.source_project = :wanted_project",
    "topic_key": "facts.topic_key = :wanted_topic_key",
    "sensitivity": "facts.sensitivity = :wanted_sensitivity",
    "since": "facts.created_at >= :wanted_since",
    "until": "facts.created_at <= :wanted_until",
    "stated_since": "(facts.created_at >= :wanted_stated_since or exists (select 1"
    " from fact_revisions revision where revision.fact_id = facts.id"
    " and revision.content is not null and revision.changed_at >= :wanted_stated_since))",
    "kinds": "facts.kind in (select value from json_each(:wanted_kinds))",
    "min_importance": "facts.importance >= :wanted_min_importance",
    "entity": "(exists (select 1 from json_each(facts.entities)"
    " where casefold(value) = casefold(:wanted_entity))"
    " or facts.vector_key in (select value from json_each(:mentioned)))",
    "tags": "not exists (select 1 from json_each(:wanted_tags) wanted where casefold(wanted.value)"
    " not in (select casefold(value) from json_each(facts.tags)))",
}
"""Conditions of the filters that do not depend on others."""

CONVERTERS: dict[str, Callable[[Any], Any]] = {
    "topic_key": str.lower,
    "since": stored_time,
    "stated_since": stored_time,
    "until": stored_time,
}
"""Conversions of the values of these filters to their stored form."""


FORMER = "from fact_revisions former where former.fact_id = facts.id and former.changed_at > :now"
FORMER_TEXT = f"{FORMER} and former.content is not null"
FIRST = "order by former.changed_at, former.number limit 1"
"""For a past time: the revisions of later changes, and the first of them."""


class FactFilters(TypedDict, total=False):
    """Filters of facts. A missing, None or empty filter has no effect.

    Attributes:
        since, until: Only facts created in this time.
        stated_since: Only facts that were created, or got their text, since this time.
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
    stated_since: Time
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
    for name, condition in WANTED.items():
        if value := filters.get(name):
            conditions.append(condition)
            params[f"wanted_{name}"] = CONVERTERS.get(name, lambda same: same)(value)
    params["mentioned"] = filters.get("mentioned") or ()
    return Filter(" and ".join(conditions), params)


def _column_as_of(column: str) -> str:
    """Return the value of a column at ``:now``: that of the first later revision."""
    return (
        f"case when exists (select 1 {FORMER})"
        f" then (select former.{column} {FORMER} {FIRST}) else facts.{column} end"
    )
