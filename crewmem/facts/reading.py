"""Reading facts: listings, and single facts by id."""

from __future__ import annotations

import builtins
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Unpack

from crewmem.errors import check_limit
from crewmem.facts.fact import Fact, stored_time
from crewmem.facts.filters import FactFilters, fact_filter
from crewmem.facts.kinds import parse_kind
from crewmem.facts.table import FactTable
from crewmem.ids import bad_cursor


@dataclass(frozen=True, slots=True)
class FactPage:
    """A page of facts.

    Attributes:
        next: Cursor of the next page; None at the end.
    """

    facts: builtins.list[Fact]
    next: str | None

    def __iter__(self) -> Iterator[Fact]:
        return iter(self.facts)


class FactReader:
    """The facts of a workspace, as an actor may see them; read-only.

    Attributes:
        context: The home, the actor and the clock.
        table: All rows, for jobs.
    """

    def __init__(self, table: FactTable) -> None:
        self.context, self.table = table.context, table

    def list(
        self,
        *,
        limit: int = 50,
        after: str | None = None,
        **filters: Unpack[FactFilters],
    ) -> FactPage:
        """List facts that hold, newest first.

        Args:
            limit: Maximum facts of a page.
            after: Cursor of the previous page.
            filters: Filters of facts. Kinds may be synonyms; ``as_of`` returns facts with their
                text at that time.

        Raises:
            UsageError: For an unknown kind, a bad cursor or a limit below 1.
        """
        check_limit(limit)
        if unknown := filters.keys() - FactFilters.__annotations__.keys():
            raise TypeError(f"facts cannot be listed by {', '.join(sorted(unknown))}")
        moment = stored_time(filters.get("as_of"))
        filters["kinds"] = [parse_kind(kind)[0] for kind in filters.get("kinds") or ()]
        if filters.get("sensitivity") == "restricted":
            filters["include_restricted"] = True
        condition = fact_filter(self.context, any_text=True, **filters)
        sql, params = condition.sql, dict(condition.params)
        if after:
            created_at, _, fact_id = after.partition(" ")
            if not fact_id:
                raise bad_cursor(after)
            sql += " and (facts.created_at, facts.id) < (:after_time, :after_id)"
            params |= {"after_time": created_at, "after_id": fact_id}
        params["limit"] = limit + 1
        found = self.table.select(
            sql, params, tail="order by facts.created_at desc, facts.id desc limit :limit"
        )
        page = found[:limit]
        cursor = f"{page[-1].created_at} {page[-1].id}" if len(found) > limit else None
        if moment:  # a text that was purged since does not come back
            page = [fact for fact in restore_facts(self.table, page, moment) if fact.content]
        return FactPage(page, cursor)

    def list_texts(
        self, *, limit: int, **filters: Unpack[FactFilters]
    ) -> builtins.list[tuple[str, str, str | None]]:
        """Return id, text and project of facts that hold, newest first; `list` for many facts."""
        condition = fact_filter(self.context, any_text=True, **filters)
        return self.table.read(
            "facts.id, facts.content, facts.source_project",
            condition.sql,
            {**condition.params, "limit": limit},
            tail="order by facts.created_at desc, facts.id desc limit :limit",
        )

    def get(self, prefix: str, *, include_restricted: bool = True) -> Fact:
        """Return the fact with this id or unique prefix of an id.

        Raises:
            NotFoundError: If there is none that the actor may see.
        """
        return self.table.find(prefix, include_restricted=include_restricted)


def restore_facts(table: FactTable, facts: Sequence[Fact], moment: str) -> list[Fact]:
    """Return *facts* with the text, kind, status and validity that they had at *moment*."""
    by_id = {fact.id: fact for fact in facts}
    rows = table.context.db.execute(
        "select fact_id, title, content, kind, status, valid_from, valid_until, superseded_by"
        " from fact_revisions where fact_id in (select value from json_each(:ids))"
        " and changed_at > :moment order by changed_at desc, number desc",
        {"ids": by_id, "moment": moment},
    )
    # The newest change first, so that the first change after the moment decides.
    for fact_id, title, content, kind, status, valid_from, valid_until, superseded_by in rows:
        fact = by_id[fact_id]._replace(
            kind=kind,
            status=status,
            valid_from=valid_from,
            valid_until=valid_until,
            superseded_by=superseded_by,
        )
        if content is not None:
            fact = fact._replace(title=title, content=content)
        by_id[fact_id] = fact
    return list(by_id.values())
