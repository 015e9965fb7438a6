"""Which facts a listing or a search may find: one condition for all of them."""

from __future__ import annotations

import json
from collections.abc import Collection
from datetime import datetime
from typing import Any

from crewmem.access import Filter, Scope
from crewmem.context import Context
from crewmem.times import format_time

LIVE_SQL = "('active', 'warm', 'stale')"
DEEP_SQL = "('active', 'warm', 'stale', 'archived')"


def fact_filter(
    context: Context,
    *,
    table: str = "facts",
    as_of: datetime | str | None = None,
    revised: bool = False,
    any_text: bool = False,
    since: datetime | str | None = None,
    until: datetime | str | None = None,
    kinds: Collection[str] = (),
    agent: str | None = None,
    crew: str | None = None,
    scope: Scope | str | None = None,
    tags: Collection[str] = (),
    entity: str | None = None,
    mentioned: Collection[int] = (),
    session: str | None = None,
    project: str | None = None,
    topic_key: str | None = None,
    sensitivity: str | None = None,
    min_importance: int | None = None,
    statuses: Collection[str] = (),
    deep: bool = False,
    expired: bool = False,
    include_restricted: bool = False,
    **_others: Any,
) -> Filter:
    """Return the condition for the facts that the actor may read and that a search may find.

    Args:
        context: The surroundings.
        table: Alias of the table of facts.
        as_of: Facts as they were held then.
        revised: Condition for a revision ``revised`` whose text was held at *as_of*, instead of
            for the text that the fact has now.
        any_text: Whether it does not matter which text a fact had at *as_of*.
        since: Only facts created since.
        until: Only facts created until.
        kinds: Only these kinds.
        agent: Only facts of this agent.
        crew: Only facts of this crew.
        scope: Only facts of this scope.
        tags: Only facts with all of these tags.
        entity: Only facts that name this entity.
        mentioned: Vector keys of texts that mention it, for facts whose list of names does not.
        session: Only facts of this session.
        project: Only facts of this project.
        topic_key: Only the facts on this topic.
        sensitivity: Only facts of this sensitivity.
        min_importance: Only facts at least so important.
        statuses: Only these statuses; by default those of facts that hold.
        deep: Whether archived facts are included.
        expired: Whether expired facts are looked for, instead of valid ones.
        include_restricted: Whether restricted facts are included, where the actor may read them.
    """
    wanted_scope = Scope(scope) if scope else None
    access = context.access.facts(
        table=table, scope=wanted_scope, include_restricted=include_restricted
    )
    conditions = [access.sql, f"{table}.content_hash <> ''"]
    params: dict[str, Any] = dict(access.params)
    now = _as_text(as_of) if as_of else context.now_text
    status, valid_from, valid_until = (
        f"{table}.status",
        f"{table}.valid_from",
        f"{table}.valid_until",
    )
    if as_of:
        status, valid_from, valid_until = (
            f"coalesce((select then_.{column} from fact_revisions then_ where then_.fact_id ="
            f" {table}.id and then_.changed_at > :now order by then_.changed_at, then_.number"
            " limit 1)" + (f", {table}.status)" if column == "status" else ", '')")
            for column in ("status", "valid_from", "valid_until")
        )
        changed = (
            f"exists (select 1 from fact_revisions then_ where then_.fact_id = {table}.id"
            " and then_.changed_at > :now)"
        )
        valid_from = f"iif({changed}, {valid_from}, coalesce({table}.valid_from, ''))"
        valid_until = f"iif({changed}, {valid_until}, coalesce({table}.valid_until, ''))"
        conditions.append(f"{table}.created_at <= :now")
        if revised:
            conditions.append(
                "revised.rowid = (select former.rowid from fact_revisions former"
                f" where former.fact_id = {table}.id and former.changed_at > :now"
                " and former.content is not null order by former.changed_at, former.number"
                " limit 1)"
            )
        elif not any_text:
            conditions.append(
                f"not exists (select 1 from fact_revisions former where former.fact_id ="
                f" {table}.id and former.changed_at > :now and former.content is not null)"
            )
    params["now"] = now
    if statuses:
        conditions.append(f"{status} in (select value from json_each(:statuses))")
        params["statuses"] = json.dumps(list(statuses))
    else:
        conditions.append(f"{status} in {DEEP_SQL if deep else LIVE_SQL}")
    if expired:
        conditions.append(f"nullif({valid_until}, '') <= :now")
        conditions.append(f"{table}.scope <> 'session'")
    elif as_of:
        conditions.append(f"coalesce(nullif({valid_until}, ''), '9999') > :now")
        conditions.append(f"coalesce({valid_from}, '') <= :now")
    else:
        conditions.append(f"({valid_until} is null or {valid_until} > :now)")
        conditions.append(f"({valid_from} is null or {valid_from} <= :now)")
    for name, column, value in (
        ("agent", "agent_id", agent),
        ("crew", "crew_id", crew),
        ("session", "source_session", session),
        ("project", "source_project", project),
        ("topic_key", "topic_key", topic_key),
        ("sensitivity", "sensitivity", sensitivity),
    ):
        if value:
            conditions.append(f"{table}.{column} = :wanted_{name}")
            params[f"wanted_{name}"] = value
    if since:
        conditions.append(f"{table}.created_at >= :since")
        params["since"] = _as_text(since)
    if until:
        conditions.append(f"{table}.created_at <= :until")
        params["until"] = _as_text(until)
    if kinds:
        conditions.append(f"{table}.kind in (select value from json_each(:kinds))")
        params["kinds"] = json.dumps(list(kinds))
    if min_importance:
        conditions.append(f"{table}.importance >= :min_importance")
        params["min_importance"] = min_importance
    for number, tag in enumerate(tags):
        conditions.append(
            f"exists (select 1 from json_each({table}.tags) where lower(value) = :tag_{number})"
        )
        params[f"tag_{number}"] = tag.lower()
    if entity:
        conditions.append(
            f"(exists (select 1 from json_each({table}.entities) where lower(value) = :entity)"
            f" or {table}.vector_key in (select value from json_each(:mentioned)))"
        )
        params["entity"] = entity.lower()
        params["mentioned"] = json.dumps(list(mentioned))
    return Filter(" and ".join(conditions), params)


def _as_text(moment: datetime | str) -> str:
    return moment if isinstance(moment, str) else format_time(moment)
