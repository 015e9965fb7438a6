"""Summaries by day and week, and what they let age."""

from __future__ import annotations

import hashlib
from collections import Counter
from contextlib import nullcontext

from crewmem import times
from crewmem.memories import edges_store
from crewmem.memories.memory import Draft, Owner
from crewmem.memories.periods import WEEKLY, ages, day, day_of, due, week
from crewmem.memories.remember import UPDATE, remember
from crewmem.records import NamedTuple

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence
    from datetime import date, tzinfo

    from crewmem.memories.desk import Desk
    from crewmem.memories.memory import Memory
    from crewmem.memories.periods import Period
    from crewmem.memories.remember import Scan
    from crewmem.memories.similar import Tokenize
    from crewmem.memories.summarise import Summariser, Told

SUMMARY, ORIGIN, QUARANTINED = "summary", "rollup", "quarantined"

ROUNDS = 3
"""Times that a model is asked for one that changes all the while; then titles do."""

BATCH = 10
"""Answers of a model that an interruption may lose."""

STEPS = {"active": "warm", "warm": "archived"}
"""What a memory that ages becomes next."""


class Rolled(NamedTuple):
    """A summary of a period.

    Attributes:
        period: As 2026-05-01, or 2026-W18.
        owner: The agent whose it is, or workspace.
        action: created, updated, unchanged or quarantined.
        memory: The id of the summary; null in a plan.
        sources: How many memories it is made of.
        made_by: What wrote it: extractive, or what the setting llm names; null if
            nothing was written.
    """

    period: str
    owner: str
    action: str
    memory: str | None
    sources: int
    made_by: str | None = None


class _Due(NamedTuple):
    """A period of an owner that something is held of.

    Attributes:
        known: The summary that there is.
        fingerprint: Of the sources.
    """

    period: Period
    owner: Owner
    known: Memory | None
    sources: list[Memory]
    fingerprint: str

    @property
    def is_new(self) -> bool:
        """Tell whether its summary is to be written."""
        known = self.known
        return known is None or known.metadata.get("fingerprint") != self.fingerprint

    @property
    def key(self) -> tuple[str, Owner]:
        """Of what it is the summary."""
        return self.period.name, self.owner

    def rolled(self, action: str, memory: str | None) -> Rolled:
        """Return what became of it."""
        owner, count = str(self.owner), len(self.sources)
        return Rolled(self.period.name, owner, action, memory, count)


class Aged(NamedTuple):
    """A memory that stands behind its summary, or was put away.

    Attributes:
        id: Its id.
        title: What it says.
        status: What it is now: warm or archived.
    """

    id: str
    title: str
    status: str


class Rollup(NamedTuple):
    """What a run did.

    Attributes:
        rolled: The summaries, by period and owner.
        aged: What was put behind them.
        left_out: Agents that hold something and whose memory is off.
    """

    rolled: list[Rolled]
    aged: list[Aged]
    left_out: tuple[str, ...] = ()


class Roller:
    """One run over a workspace: writes summaries, and lets age what they hold.

    It is one transaction; run again it does nothing more. A language model is asked
    before, outside of any: what it says is written as it comes, so that an
    interruption loses little, and what changed meanwhile is asked for again.
    """

    def __init__(
        self,
        desk: Desk,
        *,
        summariser: Summariser,
        zone: tzinfo,
        scan: Scan,
        tokenize: Tokenize,
        dry_run: bool = False,
    ) -> None:
        """Work at *desk*, which is the system's; days are of *zone*."""
        self._desk, self._zone, self._dry_run = desk, zone, dry_run
        self._scan, self._tokenize, self._summariser = scan, tokenize, summariser
        self._told: dict[str, Told] = {}
        self._asked: Counter[tuple[str, Owner]] = Counter()
        self._written: dict[tuple[str, Owner], Rolled] = {}
        self._sources: dict[Owner, dict[date, list[Memory]]] = {}
        self._left_out: set[str] = set()

    def run(self, periods: Iterable[Period] | None = None) -> Rollup:
        """Sum up *periods*; without any all days and weeks that are over."""
        wanted = None if periods is None else list(periods)
        if not self._summariser.is_quick and not self._dry_run:
            while self._ask(wanted):
                with self._desk.journal.transaction():
                    for each in self._due(wanted):
                        if each.is_new and each.fingerprint in self._told:
                            self._rolled(each)
        plans = nullcontext() if self._dry_run else self._desk.journal.transaction()
        with plans:
            rolled = [self._rolled(each) for each in self._due(wanted)]
            return Rollup(rolled, self._aged(), tuple(sorted(self._left_out)))

    def _ask(self, wanted: Sequence[Period] | None) -> bool:
        """Have some texts ready that are to be written; tell whether there were any.

        What changes all the time is not asked for without end.
        """
        new = [
            each
            for each in self._due(wanted)
            if each.is_new
            and each.fingerprint not in self._told
            and self._asked[each.key] < ROUNDS
        ]
        for number, each in enumerate(new):
            if number >= BATCH and not self._summariser.is_quick:
                break
            self._asked[each.key] += 1
            if each.fingerprint not in self._told:  # a week may be of one day
                self._told[each.fingerprint] = self._summariser.told(each.sources)
        return bool(new)

    def _due(self, wanted: Sequence[Period] | None) -> list[_Due]:
        """Return what there is to sum up, as it is now, by period and owner."""
        self._gather()
        periods = self._over() if wanted is None else wanted
        owners = sorted(self._sources, key=str)
        found = [self._found(each, owner) for each in periods for owner in owners]
        return [each for each in found if each.sources]

    def _gather(self) -> None:
        """Read what summaries are made of: what agents hold, and what all do."""
        self._sources = {}
        for shared in (False, True):
            for each in self._desk.memories.live(self._desk.workspace, shared=shared):
                if each.kind == SUMMARY or each.sensitivity == "restricted":
                    continue
                if each.scope == "crew":  # it is for its members alone
                    continue
                if each.agent in self._desk.view.off:
                    self._left_out.add(str(each.agent))
                    continue
                owner = each.owner if each.scope == "agent" else Owner("workspace")
                days = self._sources.setdefault(owner, {})
                days.setdefault(day_of(each, self._zone), []).append(each)

    def _every(self) -> list[Memory]:
        return [
            each
            for days in self._sources.values()
            for some in days.values()
            for each in some
        ]

    def _over(self) -> list[Period]:
        """Return the days, then the weeks, that memories are of and that are over."""
        today = times.day(self._desk.now, self._zone)
        every = {each for days in self._sources.values() for each in days}
        past = sorted(each for each in every if each < today)
        weeks = {week(each) for each in past}
        return [
            *(day(each) for each in past),
            *(each for each in sorted(weeks) if each.last < today),
        ]

    def _found(self, period: Period, owner: Owner) -> _Due:
        held = self._sources[owner]
        sources = [each for one in period.days() for each in held.get(one, ())]
        known = None
        if sources:
            known = self._desk.memories.active(
                self._desk.workspace, owner, "topic_key", period.topic
            )
            sources += self._put_away(known)
        return _Due(period, owner, known, sources, _fingerprint(sources))

    def _rolled(self, due: _Due) -> Rolled:
        """Write the summary that is *due*, if it is not written yet."""
        before = self._written.get(due.key)
        if before and (not due.is_new or before.action == QUARANTINED):
            return before
        if due.known and not due.is_new:
            return due.rolled("unchanged", due.known.id)
        if self._dry_run:
            return due.rolled("updated" if due.known else "created", None)
        return self._write(due)

    def _put_away(self, known: Memory | None) -> list[Memory]:
        """Return what a summary holds that was put away for its age: it stays in it."""
        if known is None:
            return []
        return [
            each
            for each in self._desk.memories.sources_of(known.seq)
            if each.status == "archived"
            and ages(each)
            and due(each, self._desk.now) == "archived"
        ]

    def _write(self, due: _Due) -> Rolled:
        period, desk = due.period, self._desk
        told = self._told.get(due.fingerprint) or self._summariser.extract(due.sources)
        kind = "Week" if period.kind == WEEKLY else "Day"
        draft = Draft(
            told.text,
            due.owner,
            kind=SUMMARY,
            subtype=period.kind,
            title=f"{kind} {period.name}, {due.owner}",
            topic_key=period.topic,
            metadata={
                "period": period.name,
                "fingerprint": due.fingerprint,
                **told.metadata,
            },
            origin=ORIGIN,
        )
        done = remember(
            desk, draft, scan=self._scan, tokenize=self._tokenize, if_exists=UPDATE
        )
        for each in due.sources:
            edges_store.add(
                desk.memories.db,
                done.memory.seq,
                each.seq,
                "derived_from",
                by=desk.by,
                at=desk.now,
            )
        rolled = due.rolled(done.action, done.memory.id)
        self._written[due.key] = rolled._replace(made_by=told.made_by)
        return self._written[due.key]

    def _aged(self) -> list[Aged]:
        """Let age what a summary that is written holds."""
        found: list[Aged] = []
        db = self._desk.memories.db
        for each in self._every():
            wanted = due(each, self._desk.now) if ages(each) else each.status
            if wanted == each.status or each.status not in STEPS:
                continue
            if wanted == "active" or not edges_store.has_target(
                db, each.seq, "derived_from"
            ):
                continue
            found.append(Aged(each.id, each.title, wanted))
            if not self._dry_run:
                after = self._desk.memories.change(each.seq, {"status": wanted})
                self._desk.tell("aged", after, **{"from": each.status})
        return found


def _fingerprint(sources: Sequence[Memory]) -> str:
    """Return what is another one if any source is, or says, another."""
    lines = sorted(f"{each.id} {each.content_hash} {each.state}" for each in sources)
    return hashlib.sha256("\n".join(lines).encode()).hexdigest()[:16]
