"""Summaries by day and week, and what they let age."""

from __future__ import annotations

import hashlib
from array import array
from collections import Counter
from contextlib import nullcontext

from crewmem import times
from crewmem.memories import rollup_store
from crewmem.memories.draft import Draft
from crewmem.memories.memory import Owner
from crewmem.memories.periods import WEEKLY, day, week
from crewmem.memories.remember import UPDATE, remember
from crewmem.records import NamedTuple

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence
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


class Rolled(NamedTuple):
    """A summary of a period.

    Attributes:
        period: As 2026-05-01, or 2026-W18.
        owner: The agent whose it is, or workspace.
        action: created, updated, unchanged or quarantined; archived, where nothing
            that it told is held any more.
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
        sources: Where what it is made of is.
        fingerprint: Of the sources.
    """

    period: Period
    owner: Owner
    known: Memory | None
    sources: Sequence[int]
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
        running: Whether another rollup was running, and nothing was done.
    """

    rolled: list[Rolled]
    aged: list[Aged]
    left_out: tuple[str, ...] = ()
    running: bool = False


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
        self._db = desk.memories.db
        self._scan, self._tokenize, self._summariser = scan, tokenize, summariser
        self._told: dict[str, Told] = {}
        self._asked: Counter[tuple[str, Owner]] = Counter()
        self._written: dict[tuple[str, Owner], Rolled] = {}
        self._held: dict[Owner, dict[date, array[int]]] = {}
        self._left_out: set[str] = set()

    def run(self, periods: Iterable[Period] | None = None) -> Rollup:
        """Sum up *periods*; without any all days and weeks that are over."""
        wanted = None if periods is None else list(periods)
        while not (self._summariser.is_quick or self._dry_run) and self._ask(wanted):
            with self._desk.journal.transaction():
                for each in self._due(wanted):
                    if each.is_new and each.fingerprint in self._told:
                        self._rolled(each)
            self._told.clear()
        plans = nullcontext() if self._dry_run else self._desk.journal.transaction()
        with plans:
            rolled = [self._rolled(each) for each in self._due(wanted)]
            rolled += self._emptied(wanted)
            return Rollup(rolled, self._aged(), tuple(sorted(self._left_out)))

    def _ask(self, wanted: Sequence[Period] | None) -> bool:
        """Have some texts ready that are to be written; tell whether there were any.

        What changes all the time is not asked for without end.
        """
        asked = 0
        for each in self._due(wanted):
            if not each.is_new or each.fingerprint in self._told:
                continue  # a week may be of one day
            if self._asked[each.key] >= ROUNDS:
                continue
            if asked == BATCH or self._summariser.is_quick:
                return True
            asked += 1
            self._asked[each.key] += 1
            self._told[each.fingerprint] = self._summariser.told(self._read(each))
        return asked > 0

    def _due(self, wanted: Sequence[Period] | None) -> Iterator[_Due]:
        """Yield what there is to sum up, as it is now, by period and owner."""
        self._gather()
        periods = self._over() if wanted is None else wanted
        owners = sorted(self._held, key=str)
        for period in periods:
            for owner in owners:
                held = self._held[owner]
                if any(each in held for each in period.days()):
                    yield self._found(period, owner)

    def _gather(self) -> None:
        """See where what summaries are made of is: what agents hold, and what all do.

        However much there is, no more of it is in memory than its places.
        """
        self._held = {}
        owners = {"": Owner("workspace")}
        for seq, agent, at in rollup_store.dated(self._db, self._desk.workspace):
            if agent in self._desk.view.off:
                self._left_out.add(agent)
                continue
            owner = owners.setdefault(agent, Owner("agent", agent=agent))
            days = self._held.setdefault(owner, {})
            day_of = times.day(times.from_text(at), self._zone)
            days.setdefault(day_of, array("q")).append(seq)

    def _over(self) -> list[Period]:
        """Return the days, then the weeks, that memories are of and that are over."""
        today = times.day(self._desk.now, self._zone)
        every = {each for days in self._held.values() for each in days}
        past = sorted(each for each in every if each < today)
        weeks = {week(each) for each in past}
        return [
            *(day(each) for each in past),
            *(each for each in sorted(weeks) if each.last < today),
        ]

    def _found(self, period: Period, owner: Owner) -> _Due:
        held, memories = self._held[owner], self._desk.memories
        sources = [each for one in period.days() for each in held.get(one, ())]
        where = (self._desk.workspace, owner, "topic_key", period.topic)
        known = memories.active(*where)
        if known:  # what was put away for its age stays in it
            sources += rollup_store.put_away(self._db, known.seq, self._desk.now)
        lines = rollup_store.lines(self._db, sources)
        return _Due(period, owner, known, sources, _fingerprint(lines))

    def _read(self, due: _Due) -> list[Memory]:
        """Return what the summary that is *due* is made of, in its order."""
        found = self._desk.memories.by_seq(due.sources)
        return [found[each] for each in due.sources]

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

    def _write(self, due: _Due) -> Rolled:
        period, desk = due.period, self._desk
        told = self._told.get(due.fingerprint) or self._now(due)
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
            desk.relate(done.memory.seq, each, "derived_from")
        rolled = due.rolled(done.action, done.memory.id)
        self._written[due.key] = rolled._replace(made_by=told.made_by)
        return self._written[due.key]

    def _now(self, due: _Due) -> Told:
        """Return a text at once: while it is written no model is waited for."""
        writer = self._summariser
        read = self._read(due)
        return writer.told(read) if writer.is_quick else writer.extract(read)

    def _emptied(self, wanted: Sequence[Period] | None) -> Iterator[Rolled]:
        """Put away the summaries that tell nothing any more that is held."""
        desk, off = self._desk, sorted(self._desk.view.off)
        topics = None if wanted is None else {each.topic for each in wanted}
        found = rollup_store.emptied(self._db, desk.workspace, desk.now, off)
        for seq, topic in found:
            if topics is not None and topic not in topics:
                continue
            memory = desk.memories.by_seq([seq])[seq]
            name = str(topic).rpartition("/")[2]
            told = None if self._dry_run else memory.id
            yield Rolled(name, str(memory.owner), "archived", told, 0)
            if not self._dry_run:
                after = desk.memories.change(seq, {"status": "archived"})
                rule = "nothing of it is held any more"
                desk.tell("archived", after, **{"from": memory.status, "rule": rule})

    def _aged(self) -> list[Aged]:
        """Let age what a summary that is written holds."""
        desk, found = self._desk, list[Aged]()
        off = sorted(desk.view.off)
        for each in rollup_store.aging(self._db, desk.workspace, desk.now, off):
            found.append(Aged(each.id, each.title, each.wanted))
            if not self._dry_run:
                after = desk.memories.change(each.seq, {"status": each.wanted})
                desk.tell("aged", after, **{"from": each.status})
        return found


def _fingerprint(lines: Iterable[str]) -> str:
    """Return what is another one if any source is, or says, another."""
    return hashlib.sha256("\n".join(sorted(lines)).encode()).hexdigest()[:16]
