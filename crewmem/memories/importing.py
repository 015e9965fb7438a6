"""Taking memories in, with all that hangs on them, each one once; all, or none.

What an import would come to is found by the same steps, but for those that write.
"""

from __future__ import annotations

from crewmem import ids, times
from crewmem.errors.bundles import NothingCarriedError
from crewmem.errors.cli import InputTooLargeError
from crewmem.errors.memories import BlankMemoryError
from crewmem.errors.registry import MemoryOffError, OutOfScopeError
from crewmem.errors.values import BadMemoryError, UnknownKindError
from crewmem.journal.reading import BadLineError
from crewmem.memories import carried_store, taken, written
from crewmem.memories.circles import circles
from crewmem.memories.draft import require_valid, settled
from crewmem.memories.dump import in_lines
from crewmem.memories.present import Present
from crewmem.memories.reading import read
from crewmem.memories.screening import screened
from crewmem.memories.taken import Tally
from crewmem.memories.view import require_writable
from crewmem.records import NamedTuple

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterable
    from typing import BinaryIO

    from crewmem.memories.beside import Link
    from crewmem.memories.desk import Desk
    from crewmem.memories.dump import Item
    from crewmem.memories.memory import Memory
    from crewmem.memories.reading import Read
    from crewmem.memories.remember import Scan
    from crewmem.memories.rows import Values
    from crewmem.memories.taken import Taken

    Items = Callable[[], Iterable[Item]]
    """Makes what is to be taken in, the same whenever it is asked."""

BAD = (
    BadLineError,
    BadMemoryError,
    BlankMemoryError,
    InputTooLargeError,
    UnknownKindError,
)
"""What is wrong with a line that is no memory."""

CIRCLE = "over others it takes its own place"


class Policy(NamedTuple):
    """How an import goes about it.

    Attributes:
        scan: Looks for attacks and secrets; None: it is all our own.
        allow: Rules of the scanner that an operator lets pass.
        replaces: Whether all memories of the workspace go before.
        dry_run: Whether nothing is written.
        off: Agents whose memory is switched off.
        told_as: What the journal calls the source; None: it says nothing, for
            whatever happened to them is in the journal that comes with them.
    """

    scan: Scan | None = None
    allow: frozenset[str] = frozenset()
    replaces: bool = False
    dry_run: bool = False
    off: frozenset[str] = frozenset()
    told_as: str | None = None


USUAL = Policy()


def import_memories(desk: Desk, stream: BinaryIO) -> Taken:
    """Add our own memories, lines in *stream*, those that are there left alone."""
    found = [*in_lines(stream)]
    return take(desk, lambda: found)


def take(desk: Desk, items: Items, policy: Policy = USUAL) -> Taken:
    """Add the memories in *items*, those that are there left alone; all, or none.

    What is without an id gets one that is made of it, so that it is added once. Of two
    that say the same the first is kept, as `remember` does.

    Raises:
        NothingCarriedError: If others were to go for them, and none can be added.
    """
    run = _Run(desk, policy)
    if policy.dry_run:
        return _taken(run, items)
    with desk.journal.transaction():
        if policy.replaces:
            gone = carried_store.remove_all(desk.memories.db, desk.workspace)
            run.tally.removed = gone
        done = _taken(run, items)
        if not done.added and policy.replaces:
            reasons = [each.reason for each in done.troubles[:1]]
            source = policy.told_as or "that"
            raise NothingCarriedError(source, reasons or ["it holds no memory"])
        if policy.told_as and done.added:
            _tell(desk, policy.told_as, done)
    return done


def _taken(run: _Run, items: Items) -> Taken:
    run.circles = circles(items(), run.present.successor)
    for item in items():
        run.take(item)
    run.relate()
    return run.tally.taken()


def _tell(desk: Desk, source: str, done: Taken) -> None:
    """Add to the journal that memories were imported: never what they say."""
    from crewmem.journal.entry import Draft

    actor = desk.actor
    told = done._asdict()
    names = ("total", "added", "known", "conflicts", "quarantined", "removed")
    entry = Draft(
        "memory.imported",
        f"{done.added:,} memories imported from {source}",
        agent_id=None if actor.is_operator else actor.name,
        actor_type="user" if actor.is_operator else "agent",
        actor_id=actor.name,
        payload={"from": source, **{name: told[name] for name in names}},
    )
    desk.journal.append(
        desk.workspace, [entry], now=desk.now, randomness=desk.randomness
    )


class _Run:
    """An import that is going on."""

    def __init__(self, desk: Desk, policy: Policy) -> None:
        self.desk, self.policy = desk, policy
        self.tally = Tally()
        is_empty = policy.dry_run and policy.replaces
        self.present = Present(desk.memories, desk.workspace, is_empty=is_empty)
        self.circles: frozenset[str] = frozenset()
        self._same: dict[str, str] = {}
        self._links: list[tuple[Memory, tuple[Link, ...]]] = []
        if is_empty:
            every = carried_store.Wanted(desk.view._replace(restricted=True))
            self.tally.removed = carried_store.count(desk.memories.db, every)

    def take(self, item: Item) -> None:
        """Add what *item* is, or say why not."""
        tally = self.tally
        tally.count(taken.TOTAL)
        if item.record is None:
            what = taken.LEFT_OUT if item.is_left_out else taken.BAD
            tally.trouble(what, item.number, item.reason)
            return
        try:
            found = self._read(item.record)
            require_valid(found.draft)
            values = self._values(found, item.record)
            self._require_on(found, values)
            if self.policy.scan and not self.present.holds(values):
                found = screened(found, self.policy.scan, self.policy.allow)
                values = self._values(found, item.record)
        except (OutOfScopeError, MemoryOffError) as error:
            tally.trouble(taken.LEFT_OUT, item.number, str(error))
        except BAD as error:
            tally.trouble(taken.BAD, item.number, str(error))
        else:
            self._settle(item.number, found, values)

    def _read(self, record: dict[str, object]) -> Read:
        desk = self.desk
        found = read(record, desk.now)
        self.tally.notice(found.extra)
        require_writable(desk.actor, desk.view, found.draft.owner)
        if found.id in self.circles:
            raise BadLineError(CIRCLE)
        if desk.actor.is_operator:
            return found
        # Others' votes, and what operators alone give, are not an agent's to bring.
        by = str(desk.actor)
        more = {**found.more, "pin": "none", "base_quality": None}
        beside = found.beside
        edges = tuple(each._replace(created_by=by) for each in beside.edges)
        said = tuple(each._replace(replaced_by=by) for each in beside.revisions)
        own = beside._replace(votes=(), accesses=None, edges=edges, revisions=said)
        return found._replace(created_by=by, more=more, beside=own)

    def _require_on(self, found: Read, values: Values) -> None:
        """Refuse what is new to an agent whose memory is off; what is here stays."""
        agent = found.draft.owner.agent
        if agent in self.policy.off:
            same, conflict = self.present.there(values)
            if conflict or not same:
                raise MemoryOffError(agent)

    def _values(self, found: Read, record: dict[str, object]) -> Values:
        made = found.created_at or self.desk.now
        values = written.columns(
            settled(found.draft),
            workspace=self.desk.workspace,
            memory_id=found.id or _id_of(record),
            by=found.created_by or str(self.desk.actor),
            now=made,
            status=found.status,
        )
        changed = times.to_text(found.updated_at or made)
        return {**values, **found.more, "updated_at": changed}

    def _settle(self, number: int, found: Read, values: Values) -> None:
        memory_id, tally = str(values["id"]), self.tally
        same, reason = self.present.there(values)
        if reason:
            tally.trouble(taken.CONFLICTS, number, reason, memory_id)
        elif same:
            tally.count(taken.KNOWN)
            if same != memory_id:
                self._same[memory_id] = same
        else:
            tally.count(taken.ADDED)
            if found.rules:
                tally.count(taken.QUARANTINED)
            if found.dropped:
                tally.warn("lost texts from before: the scanner warns of them")
            if self.policy.dry_run:
                self.present.plan(values)
            else:
                self._add(found, values)

    def _add(self, found: Read, values: Values) -> None:
        memories = self.desk.memories
        memory = memories.add(values)
        carried_store.hang(memories.db, memory.seq, found.beside)
        if found.rules:
            self.desk.tell("quarantined", memory, rules=[*found.rules])
        if found.beside.edges or memory.superseded_by:
            self._links.append((memory, found.beside.edges))

    def relate(self) -> None:
        """Relate what was added to what it names, as far as that is here."""
        memories = self.desk.memories
        for memory, edges in self._links:
            if memory.superseded_by:
                successor = self._named(memory.superseded_by)
                if successor is None:
                    self.tally.warn("were superseded by what is not here")
                after = successor.id if successor else None
                if after != memory.superseded_by:
                    memories.change(memory.seq, {"superseded_by": after})
            for edge in edges:
                other = self._named(edge.to)
                if other is None:
                    self.tally.warn("relations to what is not here are not kept")
                elif other.seq != memory.seq:
                    carried_store.relate(memories.db, memory.seq, other.seq, edge)

    def _named(self, memory_id: str) -> Memory | None:
        found = self.present.by_id(self._same.get(memory_id, memory_id))
        view = self.desk.view._replace(restricted=True)
        is_own = found and (view.agent is None or found.agent == view.agent)
        return found if is_own and found and view.sees(found) else None


def _id_of(record: dict[str, object]) -> str:
    import json

    text = json.dumps(record, sort_keys=True, default=str)
    return ids.made_of("m", text.encode())
