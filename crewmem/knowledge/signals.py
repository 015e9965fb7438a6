"""Signals: what several agents come across at the same time."""

from __future__ import annotations

import re
from datetime import UTC, datetime, timedelta

from crewmem import times
from crewmem.memories import votes_store
from crewmem.memories.draft import Draft
from crewmem.memories.memory import Owner
from crewmem.memories.remember import remember
from crewmem.memories.system_store import learned_since
from crewmem.memories.trust import Vote
from crewmem.records import NamedTuple

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from crewmem.knowledge.maintain import CrewsOf
    from crewmem.memories.desk import Desk
    from crewmem.memories.memory import Memory
    from crewmem.memories.remember import Scan
    from crewmem.memories.similar import Tokenize

WINDOW = timedelta(days=7)

EARLIEST = datetime.min.replace(tzinfo=UTC) + WINDOW
"""A clock may say anything; before this there are no seven days."""

AGENTS = 2
"""Agents that have to name an entity."""

BASE, STEP = 0.5, 0.1
"""Quality of a signal: as it begins, and for each agent; 1 at most."""

MANY = 10
"""Memories of the window from which on it can be told what is everywhere."""

LIFT = 1.5
"""How much more often than by chance agents have to have a name in common.

A name in every other memory is known to all agents whatever happens: it says nothing.
"""


class Signal(NamedTuple):
    """Something that several agents came across.

    Attributes:
        entity: Its name, as most of them spell it.
        agents: Who they are, by name.
        memories: The ids of the memories that name it, oldest first.
        lift: How much more often than by chance they have it in common.
        quality: How good a pattern of it is, in [0, 1].
        pattern: The id of the memory that keeps it; null if nobody recorded it.
    """

    entity: str
    agents: list[str]
    memories: list[str]
    lift: float
    quality: float
    pattern: str | None = None


def key_of(entity: str) -> str:
    """Return what all spellings of an entity have in common."""
    return re.sub(r"[\s_-]+", " ", entity.casefold()).strip()


def signals(
    desk: Desk, takes_part: Callable[[str], bool] = lambda _: True
) -> list[Signal]:
    """Return what agents came across in the last seven days, most of them first.

    What is restricted, or kept private, is not looked at.

    Args:
        desk: Who asks, and when.
        takes_part: Tells whether an agent does: it is registered, its memory on.
    """
    since = max(desk.now, EARLIEST) - WINDOW
    looked = [
        each
        for each in learned_since(desk.memories, desk.workspace, since)
        if (each.occurred_at or each.created_at) <= desk.now
        and each.sensitivity != "restricted"
        and "private" not in each.tags
        and takes_part(str(each.agent))
    ]
    named: dict[str, list[tuple[str, Memory]]] = {}
    for each in looked:
        for entity in {key_of(name): name for name in each.entities}.values():
            named.setdefault(key_of(entity), []).append((entity, each))
    active = len({each.agent for each in looked})
    found = [_signal(pairs, len(looked), active) for pairs in named.values()]
    told = [
        each for each in found if len(each.agents) >= AGENTS and _tells(each, looked)
    ]
    return sorted(told, key=lambda each: (-len(each.agents), -each.lift, each.entity))


def _tells(signal: Signal, looked: Sequence[Memory]) -> bool:
    return len(looked) < MANY or signal.lift >= LIFT


def _signal(pairs: Sequence[tuple[str, Memory]], total: int, active: int) -> Signal:
    spelled = [name for name, _ in pairs]
    agents = sorted({str(each.agent) for _, each in pairs})
    lift = (len(agents) / active) / (len(pairs) / total)
    return Signal(
        entity=max(sorted(set(spelled)), key=spelled.count),
        agents=agents,
        memories=[each.id for _, each in pairs],
        lift=round(lift, 6),
        quality=round(min(1.0, BASE + STEP * len(agents)), 6),
    )


def record(
    desk: Desk,
    found: Sequence[Signal],
    *,
    crews_of: CrewsOf,
    scan: Scan,
    tokenize: Tokenize,
) -> list[Signal]:
    """Keep signals as patterns, of the narrowest circle that holds all their agents.

    One that is kept already is confirmed, once a day.
    """
    done: list[Signal] = []
    with desk.journal.transaction():
        kept = {
            (each.owner, key_of(str(each.metadata.get("entity", "")))): each
            for each in desk.memories.of_subtype(desk.workspace, "pattern", "signal")
        }
        for each in found:
            owner = _owner(each.agents, crews_of)
            known = kept.get((owner, key_of(each.entity)))
            memory = (
                _confirmed(desk, known)
                if known
                else _kept(desk, each, owner, scan, tokenize)
            )
            done.append(each._replace(pattern=memory.id))
    return done


def _owner(agents: Sequence[str], crews_of: CrewsOf) -> Owner:
    common = set.intersection(*(set(crews_of(each)) for each in agents))
    return Owner("crew", crew=min(common)) if common else Owner("workspace")


def _kept(
    desk: Desk, signal: Signal, owner: Owner, scan: Scan, tokenize: Tokenize
) -> Memory:
    named = ", ".join(signal.agents)
    draft = Draft(
        f"{signal.entity} was come across by {named} within seven days.",
        owner,
        kind="pattern",
        subtype="signal",
        title=f"Cross-agent signal: {signal.entity}"[:200],
        base_quality=signal.quality,
        entities=[signal.entity],
        metadata={
            "entity": signal.entity,
            "agents": signal.agents,
            "memory_ids": signal.memories,
        },
        origin="signals",
    )
    memory = remember(desk, draft, scan=scan, tokenize=tokenize).memory
    for each in signal.memories:
        source = desk.memories.by_id(desk.workspace, each)
        if source:
            desk.relate(memory.seq, source.seq, "derived_from")
    return memory


def _confirmed(desk: Desk, memory: Memory) -> Memory:
    """Vote for a pattern that is met again, on another day than it was last."""
    day = times.to_text(desk.now)[:10]
    votes = votes_store.of(desk.memories.db, memory.seq)
    met = [each.at for each in votes if each.actor == "system"]
    if day not in {at[:10] for at in (times.to_text(memory.created_at), *met)}:
        vote = Vote("system", "", True, "met again", times.to_text(desk.now))
        votes_store.cast(desk.memories.db, memory.seq, vote)
        desk.tell("confirmed", memory)
    return memory
