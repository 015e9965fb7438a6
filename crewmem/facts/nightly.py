"""What the job ``nightly`` does to shared facts.

Facts are shared, confirmed, superseded, made stale and archived (see `aging`); corrections and
signals are found. A plan decides, `apply_nightly` does it, one journal entry a step.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import timedelta
from typing import Any, NamedTuple

from crewmem.errors import ConflictError, RefusedError
from crewmem.facts import corrections
from crewmem.facts.aging import age_shared
from crewmem.facts.draft import Draft
from crewmem.facts.fact import BASE_QUALITY, LIVE, Fact, Owner
from crewmem.facts.remember import add_fact
from crewmem.facts.retention import days_unused, fact_quality
from crewmem.facts.sharing import copy_to
from crewmem.facts.table import COLUMNS, FactTable, make_fact
from crewmem.facts.votes import cast_vote
from crewmem.origins import lowest_origin
from crewmem.storage.json_columns import load_texts
from crewmem.storage.sqlite import transaction
from crewmem.text.opposites import is_opposite
from crewmem.text.similarity import find_similar_pairs, token_set
from crewmem.times import add_span, format_time, local_day, parse_time

SAME, SUPERSEDES = 0.85, 0.92
"""Similarity from which two facts say the same, and from which the better of two shared ones
supersedes the other."""

SHARED_KINDS = ("decision", "lesson", "preference", "fact")
"""Kinds that are shared on one agent's word."""

IMPORTANT, CONFIDENT = 4, 0.7
"""Importance and confidence that this takes."""

LEAST_IMPORTANCE, LEAST_CONFIDENCE = 3, 0.6
"""Below this a fact is never shared by the job."""

SIGNAL_WINDOW = timedelta(days=7)
MIN_FACTS = 10
"""Facts of the window from which on lift tells something."""

MIN_LIFT = 1.5
"""How much more often than by chance agents must have a name in common. A name that is in every
other fact is known to all agents, whatever happens."""


class Step(NamedTuple):
    """Something that a run does.

    Attributes:
        action: shared, confirmed, superseded, stale, archived, correction or signal.
        id: The fact; of a new correction or signal "".
        rule: Why.
        to: Owner of what is shared.
        other: The fact that confirms it, or supersedes it.
        agents: Agents of it, by name.
        sources: Further facts that it rests on.
        similarity: To the nearest other; 0 where none is compared.
    """

    action: str
    id: str
    title: str
    rule: str
    to: str = ""
    other: str = ""
    agents: tuple[str, ...] = ()
    sources: tuple[str, ...] = ()
    similarity: float = 0.0
    base_quality: float = 0.0


class NightlyPlan(NamedTuple):
    """What a run changes, in order."""

    steps: list[Step]


@dataclass(slots=True)
class _Compared:
    """A fact, as far as a run compares it.

    Attributes:
        place: Among those that are compared, oldest first.
        agents: Agents that a shared one rests on, by name.
        voters: Who voted on it, as actors.
        is_promoted: Whether something shared was made of it.
        near: Places of those that say the same, with their similarity.
    """

    place: int
    fact: Fact
    agents: tuple[str, ...]
    idle_days: float
    quality: float
    voters: tuple[str, ...]
    is_promoted: bool
    near: dict[int, float] = field(default_factory=dict)


def plan_nightly(table: FactTable) -> NightlyPlan:
    """Decide what a run changes; all facts count, whoever may read them."""
    table.context.access.require_operator("maintain shared facts")
    rows, token_sets = _load(table)
    for one, other, similarity in find_similar_pairs(token_sets, SAME):
        rows[one].near[other] = rows[other].near[one] = similarity
    del token_sets
    crews = corrections.crews_of_agents(table)
    gone: set[str] = set()
    steps = _plan_supersession(rows, gone)
    steps += _plan_sharing(table, rows, crews, gone)
    steps += _plan_aging(table, rows, gone)
    steps += _plan_corrections(table)
    steps += _plan_signals(table, crews)
    return NightlyPlan(steps)


def apply_nightly(table: FactTable, plan: NightlyPlan) -> list[Step]:
    """Apply a plan in one transaction. A step whose facts have changed since is left out.

    Returns:
        The steps that changed or made a fact.
    """
    table.context.access.require_operator("maintain shared facts")
    done = []
    with transaction(table.context.db):
        for step in plan.steps:
            try:
                is_changed = bool(_apply(table, step))
            except (ConflictError, RefusedError) as error:
                table.context.warn("nightly-step", f"{step.action} {step.id}: {error.message}")
                continue
            if is_changed:
                done.append(step)
    return done


def _load(table: FactTable) -> tuple[list[_Compared], list[frozenset[str]]]:
    """Return shared facts, and those of agents that may be shared, with their words."""
    context = table.context
    last_used = dict(context.db.all("select fact_id, last_used_at from fact_accesses"))
    facts = context.db.execute(
        f"select {COLUMNS} from facts where facts.workspace_id = :workspace"
        " and facts.content_hash <> '' and facts.status in ('active', 'warm', 'stale')"
        " and facts.scope <> 'session' and (facts.valid_until is null or facts.valid_until > :now)"
        " and (facts.scope <> 'agent' or facts.status = 'active'"
        "  and facts.importance >= :importance and facts.sensitivity <> 'restricted'"
        "  and facts.kind not in ('context', 'summary'))"
        " order by facts.rowid",
        {
            "workspace": context.workspace,
            "now": context.now_text,
            "importance": LEAST_IMPORTANCE,
        },
    )
    voters: dict[str, list[str]] = {}
    for fact_id, actor in context.db.execute(
        "select fact_id, actor from votes where workspace_id = ?", (context.workspace,)
    ):
        voters.setdefault(fact_id, []).append(actor)
    promoted = {
        fact_id
        for (fact_id,) in context.db.execute(
            "select dst_id from fact_relations join facts made on made.id = src_id"
            " where relation = 'promoted_from'"
            " or relation = 'derived_from' and made.kind = 'correction'"
        )
    }
    rows: list[_Compared] = []
    token_sets: list[frozenset[str]] = []
    known: dict[str, str] = {}  # one copy of each word, however many facts have it
    for fact in map(make_fact, facts):
        if not fact.is_shared and (
            fact.effective_confidence < LEAST_CONFIDENCE or "private" in fact.tags
        ):
            continue
        used_at = last_used.get(fact.id, "")
        words = token_set(fact.text())
        token_sets.append(frozenset(known.setdefault(word, word) for word in words))
        rows.append(
            _Compared(
                place=len(rows),
                fact=fact,
                agents=tuple(fact.metadata.get("agents", ())),
                idle_days=days_unused(fact.created_at, used_at, context.now),
                quality=fact_quality(fact, used_at, context.now),
                voters=tuple(voters.get(fact.id, ())),
                is_promoted=fact.id in promoted,
            )
        )
    return rows, token_sets


def _nearest(
    row: _Compared, rows: Sequence[_Compared], least: float
) -> list[tuple[float, _Compared]]:
    """Return the facts that say the same as *row* and do not contradict it, nearest first."""
    found = [(similarity, rows[at]) for at, similarity in row.near.items() if similarity >= least]
    text = row.fact.text()
    agreeing = [pair for pair in found if not is_opposite(text, pair[1].fact.text())]
    return sorted(agreeing, key=lambda pair: (-pair[0], pair[1].place))


def _plan_supersession(rows: Sequence[_Compared], gone: set[str]) -> list[Step]:
    steps = []
    for row in rows:
        fact = row.fact
        if not fact.is_shared or fact.id in gone or fact.status != "active":
            continue
        for similarity, other in _nearest(row, rows, SUPERSEDES):
            worse = other.fact
            if worse.id in gone or worse.owner != fact.owner or worse.status != "active":
                continue
            if worse.pin != "none" or worse.sensitivity != fact.sensitivity:
                continue
            if worse.kind == "summary" or (worse.topic_key and worse.topic_key != fact.topic_key):
                continue
            if (other.quality, -other.place) < (row.quality, -row.place):
                gone.add(worse.id)
                rule = f"{fact.id} says the same and has quality {row.quality:.2f}"
                steps.append(
                    Step("superseded", worse.id, worse.title, rule, other=fact.id,
                         similarity=round(similarity, 4))
                )  # fmt: skip
    return steps


def _plan_sharing(
    table: FactTable,
    rows: Sequence[_Compared],
    crews: Mapping[str, Sequence[str]],
    gone: set[str],
) -> list[Step]:
    steps: list[Step] = []
    for row in rows:
        fact, agent = row.fact, str(row.fact.agent)
        if fact.is_shared or fact.id in gone or row.is_promoted or agent not in crews:
            continue
        near = [pair for pair in _nearest(row, rows, SAME) if pair[1].fact.id not in gone]
        shared = [
            pair
            for pair in near
            if pair[1].fact.scope == "workspace" or pair[1].fact.crew in crews[agent]
        ]
        if shared:
            steps += _plan_confirmation(row, shared)
            continue
        agreeing = [
            pair for pair in near if not pair[1].fact.is_shared and str(pair[1].fact.agent) in crews
        ]
        agents = sorted({agent, *(str(other.fact.agent) for _, other in agreeing)})
        trust = fact.effective_confidence
        if len(agents) > 1:
            rule = f"{len(agents)} agents state it"
        elif fact.kind in SHARED_KINDS and fact.importance >= IMPORTANT and trust >= CONFIDENT:
            rule = f"importance {fact.importance}, confidence {trust:.2f}"
        else:
            continue
        gone |= {fact.id, *(other.fact.id for _, other in agreeing)}
        owner = corrections.narrowest_owner(table, [agent, *(a for a in agents if a != agent)])
        steps.append(
            Step(
                "shared",
                fact.id,
                fact.title,
                rule,
                to=f"crew:{owner.crew}" if owner.crew else "workspace",
                agents=tuple(agents),
                sources=tuple(other.fact.id for _, other in agreeing),
                similarity=round(agreeing[0][0], 4) if agreeing else 0.0,
                base_quality=round(min(0.9, BASE_QUALITY + 0.1 * (len(agents) - 1)), 6),
            )
        )
    return steps


def _plan_confirmation(row: _Compared, shared: Sequence[tuple[float, _Compared]]) -> list[Step]:
    """Return an up vote of the agent for a shared fact that says what it holds, once."""
    slug = str(row.fact.agent)
    voter = f"agent:{slug}"
    others = [
        pair
        for pair in shared
        if slug not in pair[1].agents and pair[1].fact.created_by not in (voter, f"lead:{slug}")
    ]
    if not others or any(voter in other.voters for _, other in others):
        return []
    similarity, best = min(others, key=lambda pair: pair[1].fact.status != "active")
    return [
        Step(
            "confirmed",
            best.fact.id,
            best.fact.title,
            f"{slug} holds the same",
            other=row.fact.id,
            agents=(slug,),
            similarity=round(similarity, 4),
        )
    ]


def _plan_aging(table: FactTable, rows: Iterable[_Compared], gone: set[str]) -> list[Step]:
    steps = []
    for row in rows:
        fact = row.fact
        if fact.is_shared and fact.id not in gone:
            aged = age_shared(table, fact, quality=row.quality, idle_days=row.idle_days)
            if aged:
                status, rule = aged
                steps.append(Step(status, fact.id, fact.title, rule))
    return steps


def _plan_corrections(table: FactTable) -> list[Step]:
    steps = []
    for group in corrections.group_by_reason(corrections.list_rejections(table)):
        agents = tuple(sorted({str(fact.agent) for fact in group}))
        if len(agents) > 1 and corrections.needs_correction(table, group):
            steps.append(
                Step(
                    "correction",
                    group[0].id,
                    group[0].title,
                    f"{len(agents)} agents were corrected for this",
                    agents=agents,
                    sources=tuple(fact.id for fact in group),
                )
            )
    return steps


def _plan_signals(table: FactTable, crews: Mapping[str, Sequence[str]]) -> list[Step]:
    """Return a step for each name that several agents mention within the window."""
    since = format_time(add_span(table.context.now, -SIGNAL_WINDOW))
    rows = table.context.db.all(
        "select id, agent_id, entities, tags from facts where workspace_id = :workspace"
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
        (fact_id, agent, load_texts(entities))
        for fact_id, agent, entities, tags in rows
        if agent in crews and "private" not in load_texts(tags)
    ]
    named: dict[str, list[tuple[str, str, str]]] = {}
    for fact_id, agent, entities in seen:
        for key, name in {normalize_entity(name): name for name in entities}.items():
            named.setdefault(key, []).append((fact_id, agent, name))
    active = len({agent for _, agent, _ in seen})
    recorded = _recorded_signals(table)
    steps = []
    for key, mentions in sorted(named.items()):
        agents = tuple(sorted({agent for _, agent, _ in mentions}))
        if len(agents) < 2 or not key:
            continue
        lift = (len(agents) / active) / (len(mentions) / len(seen))
        if len(seen) >= MIN_FACTS and lift < MIN_LIFT:
            continue
        known = recorded.get(key)
        if known and known[1] >= str(local_day(table.context.now, table.context.zone)):
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
    """Return by normalised name the pattern that records it, and the day it was last confirmed."""
    zone = table.context.zone
    found = {}
    for fact in table.select(
        "facts.kind = 'pattern' and facts.subtype = 'signal'"
        " and facts.status in ('active', 'warm', 'stale')",
        {},
        tail="order by facts.created_at desc, facts.id",
    ):
        voted = table.context.db.value(
            "select max(voted_at) from votes where fact_id = ? and actor = 'system:signals'",
            (fact.id,),
        )
        day = local_day(parse_time(max(fact.created_at, voted or "")), zone)
        found[normalize_entity(str(fact.metadata.get("entity", "")))] = fact.id, str(day)
    return found


def normalize_entity(name: str) -> str:
    """Return what all spellings of an entity have in common."""
    return re.sub(r"[\s_-]+", " ", name.casefold()).strip()


def _apply(table: FactTable, step: Step) -> str:
    """Apply one step; return the fact that changed, "" when none did."""
    if step.action == "correction":
        facts = table.by_ids(step.sources)
        group = [facts[fact_id] for fact_id in step.sources if fact_id in facts]
        return corrections.write_correction(table, group).id if len(group) > 1 else ""
    if step.action == "signal":
        return _apply_signal(table, step)
    fact = table.by_id(step.id)
    if fact is None or fact.status not in LIVE:
        return ""
    if step.action == "shared":
        return _apply_share(table, step)
    if step.action == "confirmed":
        cast_vote(
            table, fact, up=True, reason=f"holds {step.other}", voter=f"agent:{step.agents[0]}"
        )
        return fact.id
    changes: dict[str, Any] = {"superseded_by": step.other} if step.action == "superseded" else {}
    reason = step.rule if step.action != "stale" else f"stale: {step.rule}"
    after = table.change_status(fact, step.action, reason=reason, changes=changes)
    if step.other:
        table.relate(step.other, fact.id, "supersedes")
    table.record(step.action, after, payload={"rule": step.rule, "by": step.other})
    return fact.id


def _apply_share(table: FactTable, step: Step) -> str:
    facts = table.by_ids([step.id, *step.sources])
    fact = facts[step.id]
    kind, _, name = step.to.partition(":")
    owner = Owner("crew", crew=name) if kind == "crew" else Owner("workspace")
    added = copy_to(
        table,
        fact._replace(topic_key=None),  # a topic of the agent is not one of the crew
        owner,
        base_quality=step.base_quality,
        sources=[facts[fact_id] for fact_id in step.sources if fact_id in facts],
        metadata={"agents": list(step.agents), "rule": step.rule},
    )
    table.record("promoted", fact, payload={"to": added.id, "rule": step.rule})
    return added.id


def _apply_signal(table: FactTable, step: Step) -> str:
    if step.id:
        fact = table.by_id(step.id)
        if fact is None:
            return ""
        cast_vote(table, fact, up=True, reason="mentioned again", voter="system:signals")
        return fact.id
    sources = table.by_ids(step.sources)
    draft = Draft(
        content=f"{step.title} was mentioned by {', '.join(step.agents)} within"
        f" {SIGNAL_WINDOW.days} days.",
        owner=corrections.narrowest_owner(table, step.agents),
        origin=lowest_origin(["agent", *(fact.origin for fact in sources.values())]),
        kind="pattern",
        subtype="signal",
        title=f"Several agents work on {step.title}"[:200],
        entities=[step.title],
        metadata={"entity": step.title, "agents": list(step.agents)},
        base_quality=step.base_quality,
    )
    added = add_fact(table, draft)
    for fact_id in sources:
        table.relate(added.id, fact_id, "derived_from")
    return added.id
