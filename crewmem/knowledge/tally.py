"""What is counted of memories while they are looked after: read for many at once."""

from __future__ import annotations

from crewmem import times
from crewmem.memories import accesses_store, votes_store
from crewmem.memories.accesses_store import NEVER
from crewmem.memories.held import quality_of
from crewmem.memories.trust import counted

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence
    from datetime import datetime, timedelta

    import apsw

    from crewmem.memories.accesses_store import Accessed
    from crewmem.memories.memory import Memory
    from crewmem.memories.trust import Trust


class Tally:
    """Votes and reads of memories; what is asked for in turn is read at once."""

    def __init__(self, db: apsw.Connection, now: datetime) -> None:
        self._db, self._now = db, now
        self._votes: dict[int, tuple[int, int]] = {}
        self._accesses: dict[int, Accessed] = {}

    def read(self, memories: Sequence[Memory]) -> None:
        """Read what is counted of *memories*, which are looked at next."""
        seqs = [each.seq for each in memories]
        votes = votes_store.counts(self._db, seqs)
        accesses = accesses_store.of(self._db, seqs)
        self._votes = {seq: votes.get(seq, (0, 0)) for seq in seqs}
        self._accesses = {seq: accesses.get(seq, NEVER) for seq in seqs}

    def forget(self, memory: Memory) -> None:
        """Read the votes on *memory* anew when they are asked for."""
        self._votes.pop(memory.seq, None)

    def trust(self, memory: Memory) -> Trust:
        """Return how far *memory* is trusted, votes counted."""
        votes = self._votes.get(memory.seq)
        if votes is None:
            votes = votes_store.counts(self._db, [memory.seq]).get(memory.seq, (0, 0))
        return counted(memory.confidence, *votes)

    def quality(self, memory: Memory) -> float:
        """Return how good *memory* is as shared knowledge, in [0, 1]."""
        trust, accessed = self.trust(memory), self._accessed(memory)
        return quality_of(memory, trust, accessed, self._now)

    def unasked(self, memory: Memory) -> timedelta:
        """Return since when nobody asked for it, nor said that it holds."""
        last = self._accessed(memory).last
        since = [memory.created_at, memory.verified_at or memory.created_at]
        since += [times.from_text(last)] if last else []
        return self._now - max(since)

    def confirmed_at(self, memory: Memory) -> datetime:
        """Return when somebody last said that it holds; else when it was written."""
        votes = votes_store.of(self._db, memory.seq)
        said = [times.from_text(each.at) for each in votes if each.is_up]
        return max([memory.verified_at or memory.created_at, *said])

    def _accessed(self, memory: Memory) -> Accessed:
        found = self._accesses.get(memory.seq)
        if found is None:
            found = accesses_store.of(self._db, [memory.seq]).get(memory.seq, NEVER)
        return found
