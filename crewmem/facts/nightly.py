"""The part of the job ``nightly`` that maintains shared facts.

It shares, confirms, supersedes and ages facts (see `aging`), and finds corrections and signals. A
plan decides; `apply_nightly` carries it out, with one journal entry for each step.
"""

from __future__ import annotations

import re
import sys
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import timedelta
from typing import NamedTuple

from crewmem.errors import ConflictError, RefusedError
from crewmem.facts.aging import STALE_REASON, age_shared
from crewmem.facts.corrections import (
    agents_of,
    crews_of_agents,
    find_correction,
    group_by_reason,
    list_rejections,
    narrowest_owner,
    write_correction,
)
from crewmem.facts.fact import BASE_QUALITY, LIVE, LIVE_SQL, Fact, Owner
from crewmem.facts.fields import new_fact
from crewmem.facts.remember import add_fact
from crewmem.facts.retention import days_unused, fact_quality
from crewmem.facts.sharing import copy_to
from crewmem.facts.store import Facts
from crewmem.facts.table import COLUMNS, FactTable, make_fact
from crewmem.facts.votes import cast_vote, list_votes
from crewmem.origins import lowest_origin
from crewmem.storage.json_columns import load_texts
from crewmem.storage.sqlite import transaction
from crewmem.text.opposites import are_distinct
from crewmem.text.similarity import find_similar_pairs, token_set
from crewmem.times import add_span, format_time, stored_day

SAME, SUPERSEDES = 0.85, 0.92
"""Minimum similarity of facts that say the same, and of two shared facts of which the better one
supersedes the other."""

SHARED_KINDS = ("decision", "lesson", "preference", "fact")
"""Kinds that are shared even if only one agent holds them."""

IMPORTANT, CONFIDENT = 4, 0.7
"""Minimum importance and confidence for sharing such a fact."""

MIN_IMPORTANCE, MIN_CONFIDENCE = 3, 0.6
"""Minimum importance and confidence for sharing any fact."""

TAKEN_BACK = "its source was superseded"
"""Rule by which a shared fact is superseded when the agent's fact is."""

SIGNAL_WINDOW = timedelta(days=7)
MIN_FACTS = 10
"""Minimum facts of the window for a meaningful lift."""

MIN_LIFT = 1.5
"""Minimum ratio to chance with which agents share a name. A name in every other fact is known to
all agents anyway."""


class Step(NamedTuple):
    """A step of a run.

    Attributes:
        action: shared, confirmed, superseded, stale, archived, correction or signal.
        id: The fact; "" for a new correction or signal.
        rule: The reason.
        to: New owner of a shared fact.
        other: The fact that confirms or supersedes it.
        agents: Slugs of its agents.
        sources: Further facts that support it.
        base_quality: Initial quality of a shared fact or a new signal.
    """

    action: str
    id: str
    title: str
    rule: str
    to: Owner | None = None
    other: str = ""
    agents: tuple[str, ...] = ()
    sources: tuple[str, ...] = ()
    base_quality: float = 0.0


@dataclass(slots=True)
class _Compared:
    """A fact with its data for comparing.

    Attributes:
        place: Position among the compared facts, oldest first.
        near: Positions of the facts that say the same, with their similarity.
    """

    place: int
    fact: Fact
    idle_days: float
    quality: float
    near: dict[int, float] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Nightly:
    """The maintenance of shared facts."""

    table: FactTable

    def plan(self) -> list[Step]:
        """Plan the steps of a run; all facts count, whoever may read them."""
        self.table.context.access.require_operator("maintain shared facts")
        rows, token_sets = _load(self.table)
        for one, other, similarity in find_similar_pairs(token_sets, SAME):
            rows[one].near[other] = rows[other].near[one] = similarity
        del token_sets
        crews = crews_of_agents(self.table)
        restored = _find_restored(self.table)
        steps = [step for step in _plan_taking_back(self.table) if step.id not in restored]
        gone = {step.id for step in steps}
        steps += _plan_corrections(self.table, gone)
        steps += _plan_supersession(rows, restored, gone)
        steps += _plan_sharing(self.table, rows, crews, gone)
        for row in rows:
            fact = row.fact
            if fact.is_shared and fact.id not in gone:
                aged = age_shared(self.table, fact, quality=row.quality, idle_days=row.idle_days)
                if aged:
                    steps.append(Step(aged[0], fact.id, fact.title, aged[1]))
        return steps + _plan_signals(self.table, crews)

    def apply(self, plan: Iterable[Step]) -> list[Step]:
        """Apply a plan in one transaction; skip steps whose facts have changed since.

        Returns:
            The steps that changed or made a fact.
        """
        self.table.context.access.require_operator("maintain shared facts")
        done = []
        with transaction(self.table.context.db):
            for step in plan:
                try:
                    if _apply(self.table, step):
                        done.append(step)
                except (ConflictError, RefusedError) as error:
                    self.table.context.warn(
                        "nightly-step", f"{step.action} {step.id}: {error.message}"
                    )
        return done


def _load(table: FactTable) -> tuple[list[_Compared], list[frozenset[str]]]:
    """Return shared facts and shareable facts of agents, with their words.

    Shared facts are also those that somebody archived or replaced: nobody shares them again.
    """
    context = table.context
    last_used = dict(context.db.all("select fact_id, last_used_at from fact_accesses"))
    facts = context.db.execute(
        f"select {COLUMNS} from facts where facts.workspace_id = :workspace"
        f" and facts.content_hash <> '' and (facts.status in {LIVE_SQL} or facts.scope <> 'agent'"
        "  and facts.status in ('archived', 'superseded') and coalesce((select reason"
        "   from fact_revisions where fact_id = facts.id order by number desc limit 1), '')"
        "   not in (:stale, :taken_back))"
        " and facts.scope <> 'session' and (facts.valid_until is null or facts.valid_until > :now)"
        " and (facts.scope <> 'agent' or facts.status = 'active'"
        "  and facts.importance >= :importance and facts.sensitivity <> 'restricted'"
        "  and facts.kind not in ('context', 'summary'))"
        " order by facts.rowid",
        {
            "workspace": context.workspace,
            "now": context.now_text,
            "importance": MIN_IMPORTANCE,
            "stale": STALE_REASON,
            "taken_back": TAKEN_BACK,
        },
    )
    rows: list[_Compared] = []
    token_sets: list[frozenset[str]] = []
    for fact in map(make_fact, facts):
        if not fact.is_shared and (
            fact.effective_confidence < MIN_CONFIDENCE or "private" in fact.tags
        ):
            continue
        used_at = last_used.get(fact.id, "")
        confirmed_at = max(fact.created_at, fact.verified_at or "")
        token_sets.append(frozenset(map(sys.intern, token_set(fact.text()))))
        rows.append(
            _Compared(
                place=len(rows),
                fact=fact,
                idle_days=days_unused(confirmed_at, used_at, context.now),
                quality=fact_quality(fact, used_at, context.now),
            )
        )
    return rows, token_sets


def _nearest(row: _Compared, rows: Sequence[_Compared], least: float) -> list[_Compared]:
    """Return the facts that say the same as *row* and do not contradict it, nearest first."""
    text = row.fact.text()
    near = sorted(row.near.items(), key=lambda pair: (-pair[1], pair[0]))
    found = [rows[at] for at, similarity in near if similarity >= least]
    return [other for other in found if not are_distinct(text, other.fact.text())]


def _plan_taking_back(table: FactTable) -> list[Step]:
    """Plan to archive shared facts whose sources were all superseded."""
    found = table.context.db.execute(
        "select shared.id, shared.title, min(source.superseded_by) from facts shared"
        " join fact_relations made on made.src_id = shared.id and made.relation = 'promoted_from'"
        " join facts source on source.id = made.dst_id"
        f" where shared.workspace_id = ? and shared.status in {LIVE_SQL}"
        " and shared.pin = 'none' group by shared.id"
        " having min(source.status = 'superseded') and min(source.superseded_by) <> shared.id"
        " and max(source.content_hash = shared.content_hash) order by shared.rowid",
        (table.context.workspace,),
    )
    return [Step("superseded", id_, title, TAKEN_BACK, other=by) for id_, title, by in found]


def _find_restored(table: FactTable) -> set[str]:
    """Return the ids of facts that were superseded once: somebody restored those that are live."""
    sql = "select distinct fact_id from fact_revisions where status = 'superseded'"
    return set(table.context.db.column(sql))


def _plan_supersession(
    rows: Sequence[_Compared], restored: Collection[str], gone: set[str]
) -> list[Step]:
    """Plan to supersede shared facts by better ones that say the same; *gone* gets their ids."""
    steps = []
    for row in rows:
        fact = row.fact
        if not fact.is_shared or fact.id in gone or fact.status != "active":
            continue
        for other in _nearest(row, rows, SUPERSEDES):
            worse = other.fact
            if worse.id in gone or worse.owner != fact.owner or worse.status != "active":
                continue
            if worse.pin != "none" or worse.id in restored or worse.sensitivity != fact.sensitivity:
                continue
            if worse.kind == "summary" or (worse.topic_key and worse.topic_key != fact.topic_key):
                continue
            if (other.quality, -other.place) < (row.quality, -row.place):
                gone.add(worse.id)
                rule = f"{fact.id} says the same and has quality {row.quality:.2f}"
                steps.append(Step("superseded", worse.id, worse.title, rule, other=fact.id))
    return steps


def _plan_sharing(
    table: FactTable,
    rows: Sequence[_Compared],
    crews: Mapping[str, Sequence[str]],
    gone: set[str],
) -> list[Step]:
    promoted = set(
        table.context.db.column(
            "select dst_id from fact_relations join facts made on made.id = src_id"
            " where relation = 'promoted_from'"
            " or relation = 'derived_from' and made.kind = 'correction'"
        )
    )
    # A person decides on these, or has decided that they stay their owner's.
    reviewed = set(
        table.context.db.column(
            "select fact_id from review_items where workspace_id = ?"
            " and kind in ('share', 'fact') and status in ('open', 'rejected')",
            (table.context.workspace,),
        )
    )
    excluded = promoted | reviewed
    steps: list[Step] = []
    for row in rows:
        fact, agent = row.fact, str(row.fact.agent)
        if fact.is_shared or agent not in crews or fact.id in gone or fact.id in excluded:
            continue
        near = [each.fact for each in _nearest(row, rows, SAME) if each.fact.id not in gone]
        shared = [each for each in near if each.scope == "workspace" or each.crew in crews[agent]]
        if shared:
            live = [each for each in shared if each.status in LIVE]
            steps += _plan_confirmation(table, fact, live)
            continue
        agreeing = [
            each
            for each in near
            if not each.is_shared and str(each.agent) in crews and each.id not in reviewed
        ]
        agents = sorted({agent, *(str(each.agent) for each in agreeing)})
        trust = fact.effective_confidence
        if len(agents) > 1:
            rule = f"{len(agents)} agents state it"
        elif fact.kind in SHARED_KINDS and fact.importance >= IMPORTANT and trust >= CONFIDENT:
            rule = f"importance {fact.importance}, confidence {trust:.2f}"
        else:
            continue
        gone |= {fact.id, *(each.id for each in agreeing)}
        steps.append(
            Step(
                "shared",
                fact.id,
                fact.title,
                rule,
                to=narrowest_owner(table, [agent, *agents]),
                agents=tuple(agents),
                sources=tuple(each.id for each in agreeing),
                base_quality=round(min(0.9, BASE_QUALITY + 0.1 * (len(agents) - 1)), 6),
            )
        )
    return steps


def _plan_confirmation(table: FactTable, fact: Fact, shared: Sequence[Fact]) -> list[Step]:
    """Return an agent's up vote for a shared fact that repeats its own fact, at most once."""
    slug = str(fact.agent)
    voter = f"agent:{slug}"
    others = [
        each
        for each in shared
        if slug not in each.listed("agents") and each.created_by not in (voter, f"lead:{slug}")
    ]
    votes = list_votes(table, [each.id for each in others])
    if not others or any(vote.actor == voter for cast in votes.values() for vote in cast):
        return []
    best = next((each for each in others if each.status == "active"), others[0])
    rule = f"{slug} holds the same"
    return [Step("confirmed", best.id, best.title, rule, other=fact.id, agents=(slug,))]


def _plan_corrections(table: FactTable, gone: set[str]) -> list[Step]:
    steps = []
    for group in group_by_reason(list_rejections(table)):
        agents = tuple(sorted({str(fact.agent) for fact in group}))
        known = find_correction(table, group)
        # One that is not live was archived by somebody.
        if known is not None and (known.status not in LIVE or agents_of(known) >= set(agents)):
            continue
        if len(agents) > 1:
            ids = tuple(fact.id for fact in group)
            gone.update(ids)
            rule = f"{len(agents)} agents were corrected for this"
            first = group[0]
            step = Step("correction", first.id, first.title, rule, agents=agents, sources=ids)
            steps.append(step)
    return steps


def _plan_signals(table: FactTable, crews: Mapping[str, Sequence[str]]) -> list[Step]:
    """Return a step for each name that several agents mention within the window."""
    since = format_time(add_span(table.context.now, -SIGNAL_WINDOW))
    rows = table.context.db.all(
        "select id, agent_id, created_at, entities, tags from facts"
        " where workspace_id = :workspace"
        " and scope = 'agent' and status in ('active', 'warm') and sensitivity <> 'restricted'"
        " and content_hash <> '' and created_at >= :since and created_at <= :now"
        " order by created_at, id",
        {
            "workspace": table.context.workspace,
            "since": since,
            "now": table.context.now_text,
        },
    )
    seen = [
        (fact_id, agent, created_at, load_texts(entities))
        for fact_id, agent, created_at, entities, tags in rows
        if agent in crews and "private" not in load_texts(tags)
    ]
    named: dict[str, list[tuple[str, str, str]]] = {}
    recorded = _recorded_signals(table)
    forgotten = _forgotten_signals(table)
    for fact_id, agent, created_at, entities in seen:
        for key, name in {normalize_entity(name): name for name in entities}.items():
            if created_at > forgotten.get(key, ""):
                named.setdefault(key, []).append((fact_id, agent, name))
    active = len({agent for _, agent, _, _ in seen})
    steps = []
    for key, mentions in sorted(named.items()):
        agents = tuple(sorted({agent for _, agent, _ in mentions}))
        if len(agents) < 2 or not key:
            continue
        lift = (len(agents) / active) / (len(mentions) / len(seen))
        if len(seen) >= MIN_FACTS and lift < MIN_LIFT:
            continue
        known = recorded.get(key)
        if known and known[1] >= str(table.context.today):
            continue
        names = [name for _, _, name in mentions]
        steps.append(
            Step(
                "signal",
                known[0] if known else "",
                max(sorted(set(names)), key=names.count),
                f"{len(agents)} agents mention it within {SIGNAL_WINDOW.days} days",
                agents=agents,
                sources=tuple(fact_id for fact_id, _, _ in mentions),
                base_quality=round(min(1.0, 0.5 + 0.1 * len(agents)), 6),
            )
        )
    return steps


def _recorded_signals(table: FactTable) -> dict[str, tuple[str, str]]:
    """Return the pattern that records a name and its last confirmation, by normalised name."""
    zone = table.context.zone
    found = {}
    for fact in table.select(
        f"facts.kind = 'pattern' and facts.subtype = 'signal' and facts.status in {LIVE_SQL}",
        {},
        tail="order by facts.created_at desc, facts.id",
    ):
        voted = table.context.db.value(
            "select max(voted_at) from votes where fact_id = ? and actor = 'system:signals'",
            (fact.id,),
        )
        day = stored_day(max(fact.created_at, voted or ""), zone)
        found[normalize_entity(str(fact.metadata.get("entity", "")))] = fact.id, str(day)
    return found


def _forgotten_signals(table: FactTable) -> dict[str, str]:
    """Return when each pattern was archived, by normalised name: older mentions do not count."""
    found = table.select(
        "facts.kind = 'pattern' and facts.subtype = 'signal' and facts.status = 'archived'",
        {},
        tail="order by facts.updated_at, facts.id",
    )
    return {
        normalize_entity(str(fact.metadata.get("entity", ""))): fact.updated_at for fact in found
    }


def normalize_entity(name: str) -> str:
    """Return a key that is equal for all spellings of an entity."""
    return re.sub(r"[\s_-]+", " ", name.casefold()).strip()


def _apply(table: FactTable, step: Step) -> bool:
    """Apply one step; return whether a fact changed."""
    if step.action == "signal" and not step.id:
        _write_signal(table, step)
        return True
    facts = table.by_ids([step.id, step.other, *step.sources])
    sources = [facts[fact_id] for fact_id in step.sources if fact_id in facts]
    fact = facts.get(step.id)
    if fact is None or fact.status not in LIVE:
        return False
    if step.action == "correction":
        write_correction(table, sources)
    elif step.action == "signal":
        cast_vote(table, fact, up=True, reason="mentioned again", voter="system:signals")
    elif step.action == "confirmed":
        voter = f"agent:{step.agents[0]}"
        cast_vote(table, fact, up=True, reason=f"holds {step.other}", voter=voter)
    elif step.action == "superseded":
        Facts(table).supersede(fact.id, step.other, reason=step.rule)
    elif step.to is not None:
        added = copy_to(
            table,
            fact._replace(topic_key=None),  # a topic of the agent is not one of the crew
            step.to,
            base_quality=step.base_quality,
            sources=sources,
            metadata={"agents": list(step.agents), "rule": step.rule},
        )
        table.record("promoted", fact, payload={"to": added.id, "rule": step.rule})
    else:
        reason = step.rule if step.action != "stale" else f"stale: {step.rule}"
        after = table.change_status(fact, step.action, reason=reason)
        table.record(step.action, after, payload={"rule": step.rule})
    return True


def _write_signal(table: FactTable, step: Step) -> None:
    sources = table.by_ids(step.sources)
    signal = new_fact(
        f"{step.title} was mentioned by {', '.join(step.agents)} within {SIGNAL_WINDOW.days} days.",
        narrowest_owner(table, step.agents),
        lowest_origin(["agent", *(fact.origin for fact in sources.values())]),
        "pattern",
        subtype="signal",
        title=f"Several agents work on {step.title}"[:200],
        entities=[step.title],
        metadata={"entity": step.title, "agents": list(step.agents)},
        base_quality=step.base_quality,
    )
    added = add_fact(table, signal)
    for fact_id in sources:
        table.relate(added.id, fact_id, "derived_from")
