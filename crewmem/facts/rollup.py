"""Rollups: daily and weekly summaries, which let details age."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import date, timedelta
from hashlib import sha256
from typing import TYPE_CHECKING, NamedTuple

from crewmem.errors import UsageError
from crewmem.facts.aging import Aged, age_facts
from crewmem.facts.fact import BASE_QUALITY, LIVE_SQL, Fact, Owner
from crewmem.facts.fields import new_fact
from crewmem.facts.remember import add_fact, find_attacks
from crewmem.facts.summaries import Summarizer, Summary
from crewmem.facts.table import FactTable
from crewmem.origins import lowest_origin
from crewmem.storage.sqlite import transaction
from crewmem.times import day_start, format_time, stored_day

if TYPE_CHECKING:
    from crewmem.llm.client import LanguageModel

HAPPENED_SQL = "coalesce(facts.occurred_at, facts.created_at)"
"""Time that decides in which summaries a fact is. A statement that is learned from a note after
midnight belongs to the day of the note."""


EMPTIED = "none of its facts are left"
"""Reason with which a summary is archived. One that was archived for another reason was forgotten,
and is written again only when a source changes."""

WEEK = re.compile(r"(\d{4})-W(\d{1,2})", re.IGNORECASE)


class Period(NamedTuple):
    """A day, or a week from Monday to Sunday.

    Attributes:
        kind: daily or weekly.
        name: 2026-05-01, or 2026-W18.
    """

    kind: str
    name: str
    first: date
    last: date

    @property
    def topic_key(self) -> str:
        """Topic key of its summary; an owner has one summary a period."""
        return f"rollup/{self.kind}/{self.name}".lower()


class Rolled(NamedTuple):
    """The summary of a period.

    Attributes:
        action: created, updated, unchanged or archived; in a dry run, what it would be.
        id: The summary; "" if it does not exist yet.
        sources: Number of facts that it summarises.
    """

    period: str
    owner: str
    action: str
    id: str
    sources: int


class RollupReport(NamedTuple):
    """The result of a run, or the facts of a period.

    Attributes:
        summaries: Summaries by period and owner.
        aged: Facts that became warm or archived.
        facts: For a day or week to show, its summaries, or its facts.
    """

    summaries: list[Rolled]
    aged: list[Aged]
    facts: list[Fact]


def day_period(day: date) -> Period:
    return Period("daily", day.isoformat(), day, day)


def week_period(day: date) -> Period:
    """Return the ISO week that contains a day."""
    year, number, weekday = day.isocalendar()
    first = day - timedelta(days=weekday - 1)
    return Period("weekly", f"{year}-W{number:02}", first, first + timedelta(days=6))


def parse_day(text: str) -> date:
    """Parse 2026-05-01.

    Raises:
        UsageError: If it is not a date.
    """
    try:
        return date.fromisoformat(text)
    except ValueError:
        raise UsageError(f"'{text}' is not a date such as 2026-05-01", code="bad-date") from None


def parse_week(text: str) -> Period:
    """Parse 2026-W18, or a day of the week."""
    match = WEEK.fullmatch(text)
    try:
        if match is None:
            return week_period(date.fromisoformat(text))
        return week_period(date.fromisocalendar(int(match[1]), int(match[2]), 1))
    except ValueError:
        raise UsageError(
            f"'{text}' is neither a week such as 2026-W18 nor a day of one", code="bad-week"
        ) from None


@dataclass(frozen=True, slots=True)
class Rollups:
    """The summaries of days and weeks."""

    table: FactTable

    def write(
        self,
        *,
        daily: str | None = None,
        weekly: str | None = None,
        model: LanguageModel | None = None,
    ) -> RollupReport:
        """Write the summaries of finished periods, then let details age.

        Each period has one summary for each agent, and one for what the workspace shares. A summary
        is renewed only if a source changed.

        Args:
            daily: Only this day.
            weekly: Only this week, or the week of a day.
            model: Writes the summaries; without one they are extractive.
        """
        context = self.table.context
        context.access.require_operator("roll up facts")
        ids_by_owner = _gather(self.table)
        if daily or weekly:
            periods = [day_period(parse_day(daily))] if daily else []
            periods += [parse_week(weekly)] if weekly else []
        else:
            past = sorted(
                {day for days in ids_by_owner.values() for day in days if day < context.today}
            )
            weeks = sorted({week_period(day) for day in past})
            periods = [*map(day_period, past), *(w for w in weeks if w.last < context.today)]
        summarizer = Summarizer(self.table, model)
        summaries = []
        for period in periods:
            for owner, days in sorted(ids_by_owner.items(), key=lambda item: str(item[0])):
                of_period = sorted(day for day in days if period.first <= day <= period.last)
                ids = [fact_id for day in of_period for fact_id in days[day]]
                if ids:
                    summaries.append(_roll(self.table, period, owner, ids, summarizer))
        summaries += _archive_emptied(self.table, ids_by_owner)
        return RollupReport(summaries, age_facts(self.table), [])

    def show(self, name: str) -> tuple[list[Fact], bool]:
        """Return the summaries of a period that the actor may read, or its facts if there are none.

        Args:
            name: A day such as 2026-05-01, or a week such as 2026-W18.

        Returns:
            The facts, and whether they are summaries.
        """
        period = parse_week(name) if WEEK.fullmatch(name) else day_period(parse_day(name))
        access = self.table.context.access.facts()
        summaries = self.table.select(
            f"facts.topic_key = :topic and facts.status = 'active' and {access.sql}",
            {"topic": period.topic_key, **access.params},
            tail="order by facts.scope desc, facts.agent_id",
        )
        if summaries:
            return summaries, True
        zone = self.table.context.zone
        start, end = (
            day_start(period.first, zone),
            day_start(period.last + timedelta(days=1), zone),
        )
        facts = self.table.select(
            f"{HAPPENED_SQL} >= :start and {HAPPENED_SQL} < :end and facts.scope <> 'session'"
            f" and facts.status in {LIVE_SQL} and facts.kind <> 'summary'"
            f" and {access.sql}",
            {"start": format_time(start), "end": format_time(end), **access.params},
            tail="order by facts.created_at, facts.id",
        )
        return facts, False


def _gather(table: FactTable) -> dict[Owner, dict[date, list[str]]]:
    """Return the ids of the facts to summarise, by owner and day.

    An agent's facts are summarised for the agent, those that the workspace shares for the
    workspace. Left out are facts of crews (others must not read them), restricted facts, facts that
    expire (a summary would hold them after their end), facts of agents whose memory is off, and
    archived facts unless they aged and nobody forgot them since.
    """
    context = table.context
    ids_by_owner: dict[Owner, dict[date, list[str]]] = {}
    rows = context.db.execute(
        f"select facts.id, facts.agent_id, {HAPPENED_SQL} from facts where facts.workspace_id = ?"
        " and facts.scope in ('agent', 'workspace') and facts.kind <> 'summary'"
        " and facts.sensitivity <> 'restricted' and facts.content_hash <> ''"
        " and facts.valid_until is null"
        f" and (facts.status in {LIVE_SQL} or facts.status = 'archived'"
        "  and (select reason from fact_revisions r where r.fact_id = facts.id"
        "   and (r.status <> 'archived' or r.content is null) order by number desc limit 1)"
        "   = 'aged')"
        " and not exists (select 1 from agents where agents.workspace_id = facts.workspace_id"
        "  and agents.slug = facts.agent_id and agents.memory = 0)"
        " order by facts.created_at, facts.id",
        (context.workspace,),
    )
    for fact_id, agent, at in rows:
        owner = Owner("agent", agent=agent) if agent else Owner("workspace")
        day = stored_day(at, context.zone)
        ids_by_owner.setdefault(owner, {}).setdefault(day, []).append(fact_id)
    return ids_by_owner


def _roll(
    table: FactTable,
    period: Period,
    owner: Owner,
    ids: Sequence[str],
    summarizer: Summarizer,
) -> Rolled:
    known = table.active_topic(period.topic_key, owner)
    by_id = table.by_ids(ids)
    facts = [by_id[fact_id] for fact_id in ids if fact_id in by_id]
    states = sorted(f"{fact.id} {fact.content_hash} {fact.state}" for fact in facts)
    fingerprint = sha256("\n".join(states).encode()).hexdigest()[:16]
    latest = known or _find_forgotten(table, period, owner)
    if latest is not None and latest.metadata.get("fingerprint") == fingerprint:
        return Rolled(period.name, str(owner), "unchanged", latest.id, len(facts))
    action = "created" if known is None else "updated"
    summary = summarizer.summarize(facts)
    if find_attacks(table, summary.text):  # the titles are harmless alone
        summary = Summary(f"{len(facts)} facts; their titles cannot be shown together.", "count")
    kind = "Week" if period.kind == "weekly" else "Day"
    rollup = new_fact(
        summary.text,
        owner,
        lowest_origin(fact.origin for fact in facts),
        "summary",
        subtype=period.kind,
        title=f"{kind} {period.name}, {owner.agent or 'workspace'}",
        topic_key=period.topic_key,
        occurred_at=format_time(day_start(period.first, table.context.zone)),
        metadata={"period": period.name, "fingerprint": fingerprint, "made_by": summary.made_by},
        base_quality=None if owner.agent else BASE_QUALITY,
    )
    with transaction(table.context.db):
        added = add_fact(table, rollup, if_exists="update", check_writer=False)
        table.context.db.execute(
            "delete from fact_relations where src_id = ? and relation = 'derived_from'",
            (added.id,),
        )
        for fact in facts:
            table.relate(added.id, fact.id, "derived_from")
    return Rolled(period.name, str(owner), action, added.id, len(facts))


def _find_forgotten(table: FactTable, period: Period, owner: Owner) -> Fact | None:
    """Return the newest summary of a period that somebody archived."""
    found = table.select(
        "facts.kind = 'summary' and facts.status = 'archived' and facts.topic_key = :topic"
        " and facts.scope = :scope and coalesce(facts.agent_id, '') = :agent",
        {"topic": period.topic_key, "scope": owner.scope, "agent": owner.agent or ""},
        tail="order by facts.updated_at desc, facts.id limit 1",
    )
    if not found:
        return None
    revisions = table.list_revisions([found[0].id]).get(found[0].id, [])
    return None if revisions and revisions[-1].reason == EMPTIED else found[0]


def _archive_emptied(
    table: FactTable, ids_by_owner: dict[Owner, dict[date, list[str]]]
) -> list[Rolled]:
    """Archive summaries of periods without remaining facts."""
    kept = {
        (owner, period.topic_key)
        for owner, days in ids_by_owner.items()
        for day in days
        for period in (day_period(day), week_period(day))
    }
    done = []
    for fact in table.select(
        "facts.kind = 'summary' and facts.status = 'active'"
        " and facts.topic_key glob 'rollup/*' and facts.pin = 'none'",
        {},
        tail="order by facts.topic_key, facts.id",
    ):
        period = fact.metadata.get("period")  # only in summaries of rollups
        if period is None or (fact.owner, fact.topic_key) in kept:
            continue
        after = table.change_status(fact, "archived", reason=EMPTIED)
        table.record("archived", after, payload={"reason": EMPTIED})
        done.append(Rolled(str(period), str(fact.owner), "archived", fact.id, 0))
    return done
