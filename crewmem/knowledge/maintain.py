"""The nightly upkeep of shared knowledge: promoted, confirmed, stale, put away."""

from __future__ import annotations

from array import array
from contextlib import nullcontext
from datetime import timedelta

from crewmem import times
from crewmem.knowledge import promotion
from crewmem.knowledge.promotion import Group
from crewmem.knowledge.share import promoted
from crewmem.knowledge.step import Step
from crewmem.knowledge.tally import Tally
from crewmem.memories import edges_store, votes_store
from crewmem.memories.change import confirm
from crewmem.memories.memory import Owner
from crewmem.memories.quality import start
from crewmem.memories.remember import remember
from crewmem.memories.system_store import pages, shared, trusted
from crewmem.memories.trust import Vote
from crewmem.memories.view import RESTRICTED

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

    from crewmem.memories.desk import Desk
    from crewmem.memories.likeness import Like, Likeness
    from crewmem.memories.memory import Memory
    from crewmem.memories.remember import Scan
    from crewmem.memories.rows import Values
    from crewmem.memories.similar import Tokenize

    CrewsOf = Callable[[str], Sequence[str]]
    """Gives the crews of an agent, its home first; none if it takes no part."""

POOR = 0.3
"""Quality below which what nobody asks for is stale."""

IDLE, PUT_AWAY = timedelta(days=30), timedelta(days=60)
"""For how long nobody asked; and for how long it is stale before it is archived."""


def compared(
    desk: Desk, tick: Callable[[int, int], None] | None = None
) -> Iterator[Memory]:
    """Yield the memories that are compared by an `Upkeep`, oldest first.

    Those of agents that are never promoted are not. Few are in memory at once; *tick*
    is told how far it has come.
    """
    memories, workspace = desk.memories, desk.workspace
    seqs = array("q", sorted([*_of_agents(desk), *shared(memories, workspace)]))
    done = 0
    for page in pages(memories, workspace, seqs):
        for each in page:
            if each.scope != "agent" or not promotion.barred(each, 1.0):
                yield each
        done += len(page)
        if tick:
            tick(done, len(seqs))


def _of_agents(desk: Desk) -> array[int]:
    """Return where what agents hold is that may be promoted, or confirm: it is few."""
    return trusted(
        desk.memories,
        desk.workspace,
        importance=promotion.LEAST_IMPORTANT,
        confidence=promotion.LEAST_CONFIDENT,
    )


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
        likeness: Likeness,
        promote: bool,
        dry_run: bool,
        tick: Callable[[int, int], None] | None = None,
    ) -> None:
        """Work at *desk*, which is the system's.

        Args:
            desk: Of the system.
            crews_of: Gives the crews of an agent. Who is in none is not asked: it is
                not registered any more, or its memory is off.
            scan: The scanner.
            tokenize: The tokenizer of the full text.
            likeness: Tells what says the same, of what was `compared`; what was
                written since is left to the next run.
            promote: Whether what agents hold is promoted by itself.
            dry_run: Whether nothing is changed.
            tick: Is told how far each pass has come.
        """
        self._tick = tick
        self._likeness = likeness
        self._desk, self._crews_of = desk, crews_of
        self._scan, self._tokenize = scan, tokenize
        self._promote, self._dry_run = promote, dry_run
        self._steps: list[Step] = []
        self._taken: set[int] = set()
        self._tally = Tally(desk.memories.db, desk.now)

    def run(self) -> list[Step]:
        """Do what is due; return it in the order in which it was done."""
        memories, workspace = self._desk.memories, self._desk.workspace
        plans = nullcontext() if self._dry_run else self._desk.journal.transaction()
        with plans:
            # First: who holds the same confirms the one that is left.
            self._each(shared(memories, workspace), self._compare)
            if self._promote:
                self._each(_of_agents(self._desk), self._look_at)
            self._each(shared(memories, workspace), self._age)
        return self._steps

    def _each(self, seqs: array[int], act: Callable[[Memory], None]) -> None:
        done = 0
        for page in pages(self._desk.memories, self._desk.workspace, seqs):
            self._tally.read(page)
            for each in page:
                act(each)
            done += len(page)
            if self._tick:
                self._tick(done, len(seqs))

    def _is_out(self, memory: Memory) -> bool:
        """Tell whether it is no more, was dealt with, or was not compared yet."""
        is_gone = memory.seq in self._taken or memory.is_over(self._desk.now)
        return is_gone or not self._likeness.knows(memory)

    # What agents hold

    def _look_at(self, memory: Memory) -> None:
        """Confirm, or promote, what an agent holds, if that is due."""
        if self._is_out(memory):
            return
        crews = self._crews_of(str(memory.agent))
        if not crews:
            return
        confidence = self._tally.trust(memory).confidence
        if promotion.barred(memory, confidence) or self._is_promoted(memory):
            return
        near = [
            like
            for like in self._likeness.of(memory, promotion.ALIKE)
            if not like.memory.is_over(self._desk.now)
        ]
        shared = [like for like in near if _reaches(like.memory, crews)]
        if shared:
            # What is active first: what is stale may say the same as one of those. And
            # what one has said oneself is no confirmation.
            others = [like for like in shared if not _is_from(like.memory, memory)]
            others.sort(key=lambda like: like.memory.status != "active")
            if others and not any(self._has_voted(each, memory) for each in others):
                self._confirm(others[0], memory)
            return
        agreed = [like for like in near if self._agrees(like.memory, memory)]
        group = Group(memory, [like.memory for like in agreed])
        if len(group.agents) > 1:
            self._share(group, f"{len(group.agents)} agents hold it", agreed[0])
        elif promotion.is_enough(memory, confidence):
            self._share(group, "it matters, and is trusted")

    def _agrees(self, other: Memory, memory: Memory) -> bool:
        """Tell whether *other* is another agent's, and may be promoted."""
        if other.scope != "agent" or other.agent == memory.agent:
            return False
        if not self._crews_of(str(other.agent)):
            return False
        return not promotion.barred(other, self._tally.trust(other).confidence)

    def _is_promoted(self, memory: Memory) -> bool:
        return edges_store.has_target(
            self._desk.memories.db, memory.seq, "promoted_from"
        )

    def _confirm(self, like: Like, memory: Memory) -> None:
        shared = like.memory
        vote = Vote(
            actor=f"agent:{memory.agent}",
            day="",
            is_up=True,
            reason=f"holds {memory.id}",
            at=times.to_text(self._desk.now),
        )
        db = self._desk.memories.db
        rule = f"{memory.agent} holds the same"
        step = Step("confirmed", shared.id, _title(shared), rule, other=memory.id)
        self._steps.append(step.told_by(like))
        if self._dry_run:
            return
        votes_store.cast(db, shared.seq, vote)
        self._tally.forget(shared)
        after = confirm(self._desk, shared)
        if after == shared:
            self._desk.tell("confirmed", shared, by=vote.actor)

    def _has_voted(self, like: Like, memory: Memory) -> bool:
        """Tell whether the agent has its vote on what says the same: one is enough."""
        votes = votes_store.of(self._desk.memories.db, like.memory.seq)
        return any(each.actor == f"agent:{memory.agent}" for each in votes)

    def _share(self, group: Group, rule: str, like: Like | None = None) -> None:
        """Promote *group* to the narrowest scope that holds all who say it."""
        memory, owner = group.memory, self._narrowest(group.agents)
        self._taken |= {each.seq for each in group.others}
        draft = promoted(memory, owner, None)._replace(
            base_quality=start(len(group.agents)),
            topic_key=None,
            metadata={**memory.metadata, "agents": group.agents},
        )
        to = f"crew:{owner.crew}" if owner.crew else owner.scope
        step = Step("promoted", memory.id, memory.title, rule, to).told_by(like)
        if self._dry_run:
            self._steps.append(step)
            return
        done = remember(self._desk, draft, scan=self._scan, tokenize=self._tokenize)
        if done.action == "quarantined":
            return
        self._likeness.meet(done.memory)
        self._steps.append(step._replace(other=done.memory.id))
        if done.action == "created":
            self._desk.tell("shared", done.memory)
        for each in (memory, *group.others):
            if self._desk.relate(done.memory.seq, each.seq, "promoted_from"):
                self._desk.tell("promoted", each, to=done.memory.id)

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
        if memory.status == "stale":
            stale_at = self._desk.memories.stale_at(memory.seq)
            since = max(stale_at or memory.updated_at, self._tally.confirmed_at(memory))
            if self._desk.now - since >= PUT_AWAY:
                self._move(memory, "archived", "stale for 60 days")
            return
        told, idle = self._tally.quality(memory), self._tally.unasked(memory)
        if memory.status == "active" and told < POOR and idle >= IDLE:
            self._move(memory, "stale", f"quality {told:.2f}, and nobody asked")

    def _compare(self, memory: Memory) -> None:
        """Let the better of two that say the same take the other's place."""
        if self._is_out(memory):
            return
        own = self._tally.quality(memory)
        if memory.topic_key and memory.status == "active":
            self._replace_topic(memory)
        for like in self._likeness.of(memory, promotion.SUPERSEDES):
            each = like.memory
            if each.owner != memory.owner or each.seq in self._taken:
                continue
            if each.pin != "none" or each.sensitivity != memory.sensitivity:
                continue
            if self._tally.quality(each) < own or (
                self._tally.quality(each) == own and each.seq < memory.seq
            ):
                self._taken.add(each.seq)
                rule = "another says the same, and is better"
                self._move(each, "superseded", rule, by=memory, like=like)

    def _replace_topic(self, memory: Memory) -> None:
        """Let the active word on a topic take the place of one that was left stale."""
        for status in ("stale", "warm"):
            older = self._desk.memories.active(
                self._desk.workspace,
                memory.owner,
                "topic_key",
                str(memory.topic_key),
                status=status,
            )
            if older and older.pin == "none" and older.seq not in self._taken:
                self._taken.add(older.seq)
                rule = f"another is the word on {memory.topic_key}"
                self._move(older, "superseded", rule, by=memory)

    def _move(
        self,
        memory: Memory,
        status: str,
        rule: str,
        by: Memory | None = None,
        like: Like | None = None,
    ) -> None:
        other = by.id if by else None
        step = Step(status, memory.id, _title(memory), rule, other=other)
        self._steps.append(step.told_by(like))
        if self._dry_run:
            return
        values: Values = {"status": status}
        if status == "stale":
            values["stale_at"] = times.to_text(self._desk.now)
        if by:
            values["superseded_by"] = by.id
        after = self._desk.memories.change(memory.seq, values)
        self._desk.tell(status, after, **{"from": memory.status, "rule": rule})


def _reaches(shared: Memory, crews: Sequence[str]) -> bool:
    """Tell whether an agent of *crews* holds *shared* as well."""
    return shared.scope == "workspace" or shared.crew in crews


def _is_from(shared: Memory, memory: Memory) -> bool:
    """Tell whether *shared* was told by the agent that holds *memory*."""
    agents = shared.metadata.get("agents")
    known = agents if isinstance(agents, list) else []
    slug = str(memory.agent)
    return slug in known or shared.created_by in {f"agent:{slug}", f"lead:{slug}"}


def _title(memory: Memory) -> str:
    """Return what *memory* says, unless that is for its owner alone."""
    return RESTRICTED if memory.sensitivity == RESTRICTED else memory.title
