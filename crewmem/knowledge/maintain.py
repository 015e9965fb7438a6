"""The nightly upkeep of shared knowledge: promoted, confirmed, stale, put away."""

from __future__ import annotations

from datetime import timedelta

from crewmem import times
from crewmem.knowledge import promotion
from crewmem.knowledge.promotion import Group
from crewmem.knowledge.share import promoted
from crewmem.memories import edges_store, votes_store
from crewmem.memories.change import confirm
from crewmem.memories.memory import Owner
from crewmem.memories.quality import START, quality, start
from crewmem.memories.remember import remember
from crewmem.memories.similar import alike
from crewmem.memories.trust import Vote, counted
from crewmem.records import NamedTuple

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from crewmem.memories.desk import Desk
    from crewmem.memories.memory import Memory
    from crewmem.memories.remember import Scan
    from crewmem.memories.rows import Values
    from crewmem.memories.similar import Tokenize
    from crewmem.memories.trust import Trust

    CrewsOf = Callable[[str], Sequence[str]]
    """Gives the crews of an agent, its home first; none if it takes no part."""

POOR = 0.3
"""Quality below which what nobody asks for is stale."""

IDLE, PUT_AWAY = timedelta(days=30), timedelta(days=60)
"""For how long nobody asked; and for how long it is stale before it is archived."""

DAY = 86_400


class Step(NamedTuple):
    """Something that the upkeep does.

    Attributes:
        action: promoted, confirmed, stale, archived or superseded.
        id: The id of the memory that it is about.
        title: What that says.
        rule: Why.
        to: crew:NAME or workspace, of what is promoted; null for the rest.
        other: The id of what confirms it, was made of it, or took its place; null
            for none, and for what a plan would make.
    """

    action: str
    id: str
    title: str
    rule: str
    to: str | None = None
    other: str | None = None


class Upkeep:
    """One run over the memories of a workspace; what it decides it does, or only says.

    It is one transaction: who kills it leaves things as they were, and who runs it
    again has the same end.
    """

    def __init__(
        self,
        desk: Desk,
        *,
        crews_of: CrewsOf,
        scan: Scan,
        tokenize: Tokenize,
        promote: bool,
        dry_run: bool,
    ) -> None:
        """Work at *desk*, which is the system's.

        Args:
            desk: Of the system.
            crews_of: Gives the crews of an agent. Who is in none is not asked: it is
                not registered any more, or its memory is off.
            scan: The scanner.
            tokenize: The tokenizer of the full text.
            promote: Whether what agents hold is promoted by itself.
            dry_run: Whether nothing is changed.
        """
        self._desk, self._crews_of = desk, crews_of
        self._scan, self._tokenize = scan, tokenize
        self._promote, self._dry_run = promote, dry_run
        self._steps: list[Step] = []
        self._taken: set[int] = set()

    def run(self) -> list[Step]:
        """Do what is due; return it in the order in which it was done."""
        memories = self._desk.memories
        with self._desk.journal.transaction():
            if self._promote:
                for each in memories.live(self._desk.workspace, shared=False):
                    self._look_at(each)
            for each in memories.live(self._desk.workspace, shared=True):
                self._age(each)
            for each in memories.live(self._desk.workspace, shared=True):
                self._compare(each)
        return self._steps

    # What agents hold

    def _look_at(self, memory: Memory) -> None:
        """Confirm, or promote, what an agent holds, if that is due."""
        if memory.seq in self._taken or memory.is_over(self._desk.now):
            return
        crews = self._crews_of(str(memory.agent))
        if not crews:
            return
        confidence = self._trust(memory).confidence
        if promotion.barred(memory, confidence) or self._is_promoted(memory):
            return
        near = alike(
            self._desk.memories,
            self._desk.workspace,
            memory,
            self._tokenize,
            promotion.ALIKE,
        )
        near = [pair for pair in near if not pair[1].is_over(self._desk.now)]
        shared = [each for _, each in near if _reaches(each, crews)]
        if shared:
            # What is active first: what is stale may say the same as one of those.
            shared.sort(key=lambda each: each.status != "active")
            self._confirm(shared[0], memory)
            return
        group = Group(memory, [each for _, each in near if self._agrees(each, memory)])
        if len(group.agents) > 1:
            self._share(group, f"{len(group.agents)} agents hold it")
        elif promotion.is_enough(memory, confidence):
            self._share(group, "it matters, and is trusted")

    def _agrees(self, other: Memory, memory: Memory) -> bool:
        """Tell whether *other* is another agent's, and may be promoted."""
        if other.scope != "agent" or other.agent == memory.agent:
            return False
        if not self._crews_of(str(other.agent)):
            return False
        return not promotion.barred(other, self._trust(other).confidence)

    def _is_promoted(self, memory: Memory) -> bool:
        return edges_store.has_target(
            self._desk.memories.db, memory.seq, "promoted_from"
        )

    def _confirm(self, shared: Memory, memory: Memory) -> None:
        vote = Vote(
            actor=f"agent:{memory.agent}",
            day="",
            is_up=True,
            reason=f"holds {memory.id}",
            at=times.to_text(self._desk.now),
        )
        db = self._desk.memories.db
        votes = votes_store.of(db, shared.seq)
        if any(each.actor == vote.actor for each in votes):
            return
        rule = f"{memory.agent} holds the same"
        self._steps.append(
            Step("confirmed", shared.id, shared.title, rule, other=memory.id)
        )
        if self._dry_run:
            return
        votes_store.cast(db, shared.seq, vote)
        after = confirm(self._desk, shared)
        if after == shared:
            self._desk.tell("confirmed", shared, by=vote.actor)

    def _share(self, group: Group, rule: str) -> None:
        """Promote *group* to the narrowest scope that holds all who say it."""
        memory, owner = group.memory, self._narrowest(group.agents)
        self._taken |= {each.seq for each in group.others}
        draft = promoted(memory, owner, None)._replace(
            base_quality=start(len(group.agents)),
            topic_key=None,
            metadata={**memory.metadata, "agents": group.agents},
        )
        to = f"crew:{owner.crew}" if owner.crew else owner.scope
        step = Step("promoted", memory.id, memory.title, rule, to)
        if self._dry_run:
            self._steps.append(step)
            return
        done = remember(self._desk, draft, scan=self._scan, tokenize=self._tokenize)
        if done.action == "quarantined":
            return
        self._steps.append(step._replace(other=done.memory.id))
        for each in (memory, *group.others):
            edges_store.add(
                self._desk.memories.db,
                done.memory.seq,
                each.seq,
                "promoted_from",
                by=self._desk.by,
                at=self._desk.now,
            )

    def _narrowest(self, agents: Sequence[str]) -> Owner:
        crews = [set(self._crews_of(each)) for each in agents]
        common = set.intersection(*crews) if crews else set()
        home = next(iter(self._crews_of(agents[0])), None)
        if home in common:
            return Owner("crew", crew=str(home))
        return Owner("crew", crew=min(common)) if common else Owner("workspace")

    # What is shared

    def _age(self, memory: Memory) -> None:
        """Let what nobody asks for, and few trust, become stale, then archived."""
        if memory.pin != "none":
            return
        stale_at = self._desk.memories.stale_at(memory.seq)
        if memory.status == "stale":
            since = stale_at or memory.updated_at
            if self._desk.now - since >= PUT_AWAY:
                self._move(memory, "archived", "stale for 60 days")
            return
        told, idle = self._quality(memory), self._unasked(memory)
        if memory.status == "active" and told < POOR and idle >= IDLE:
            self._move(memory, "stale", f"quality {told:.2f}, and nobody asked")

    def _compare(self, memory: Memory) -> None:
        """Let the better of two that say the same take the other's place."""
        if memory.seq in self._taken or memory.is_over(self._desk.now):
            return
        near = alike(
            self._desk.memories,
            self._desk.workspace,
            memory,
            self._tokenize,
            promotion.SUPERSEDES,
        )
        own = self._quality(memory)
        for _, each in near:
            if each.owner != memory.owner or each.seq in self._taken:
                continue
            if each.pin != "none" or each.sensitivity != memory.sensitivity:
                continue
            if self._quality(each) < own or (
                self._quality(each) == own and each.seq < memory.seq
            ):
                self._taken.add(each.seq)
                rule = "another says the same, and is better"
                self._move(each, "superseded", rule, by=memory)

    def _move(
        self, memory: Memory, status: str, rule: str, by: Memory | None = None
    ) -> None:
        other = by.id if by else None
        self._steps.append(Step(status, memory.id, memory.title, rule, other=other))
        if self._dry_run:
            return
        values: Values = {"status": status}
        if status == "stale":
            values["stale_at"] = times.to_text(self._desk.now)
        if by:
            values["superseded_by"] = by.id
        after = self._desk.memories.change(memory.seq, values)
        self._desk.tell(status, after, **{"from": memory.status, "rule": rule})

    # What is counted

    def _trust(self, memory: Memory) -> Trust:
        votes = votes_store.counts(self._desk.memories.db, [memory.seq])
        return counted(memory.confidence, *votes.get(memory.seq, (0, 0)))

    def _idle(self, memory: Memory) -> timedelta:
        found = votes_store.delivered(self._desk.memories.db, [memory.seq])
        _, last = found.get(memory.seq, (0, None))
        return self._desk.now - (times.from_text(last) if last else memory.created_at)

    def _unasked(self, memory: Memory) -> timedelta:
        """Return since when nobody asked for it, nor said that it holds."""
        looked = memory.verified_at
        idle = self._idle(memory)
        return min(idle, self._desk.now - looked) if looked else idle

    def _quality(self, memory: Memory) -> float:
        trust = self._trust(memory)
        age = self._desk.now - memory.created_at
        base = START if memory.base_quality is None else memory.base_quality
        return quality(
            base,
            trust.up,
            trust.down,
            idle_days=self._idle(memory).total_seconds() / DAY,
            age_days=age.total_seconds() / DAY,
        )


def _reaches(shared: Memory, crews: Sequence[str]) -> bool:
    """Tell whether an agent of *crews* holds *shared* as well."""
    return shared.scope == "workspace" or shared.crew in crews
