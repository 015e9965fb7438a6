"""Taking entries in from a file of JSON lines, many at once, each one once."""

from __future__ import annotations

import hashlib
import json

from crewmem.errors.cli import InputTooLargeError
from crewmem.errors.values import BadEntryError
from crewmem.ids import new
from crewmem.journal import imported_store
from crewmem.journal.entry import require_valid
from crewmem.journal.reading import BadLineError, Line, lines, read
from crewmem.journal.stored import told
from crewmem.journal.written import PAYLOAD, REFS, SHA, TS, WORDS, Written, written
from crewmem.records import NamedTuple

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from datetime import datetime
    from typing import BinaryIO

    from crewmem.journal.store import Journal
    from crewmem.journal.stored import Stored

    Tell = Callable[[int], None]

BATCH = 10_000
"""Entries of one transaction: a few tenths of a second that others wait for."""

BATCH_BYTES = 16 << 20
"""Bytes of lines of one transaction: large payloads make it shorter."""

LISTED = 100
"""Bad lines that are told one by one; the others are counted. And names of fields."""

NAME_SHOWN = 80
"""Characters of the name of a field that are told."""


class Trouble(NamedTuple):
    """A line that was not taken in.

    Attributes:
        line: Its number, counted from 1.
        reason: Why.
        id: The id of the entry that it conflicts with, if it does.
    """

    line: int
    reason: str
    id: str | None = None


class Imported(NamedTuple):
    """What came of an import.

    Attributes:
        lines: How many held something.
        added: Entries that are new.
        known: Entries that were there already, as they were.
        bad: Lines that are no entries.
        conflicts: Lines whose id another entry has.
        troubles: The bad lines and the conflicts, a hundred of them, by line.
        extra: Fields that no entry has, and that were not kept; a hundred of them.
        foreign: Entries that said they were of another workspace.
        cut: Entries whose payload is longer than what of it can be searched.
        stopped_at: The line at which --strict stopped; null: it did not.
    """

    lines: int = 0
    added: int = 0
    known: int = 0
    bad: int = 0
    conflicts: int = 0
    troubles: tuple[Trouble, ...] = ()
    extra: tuple[str, ...] = ()
    foreign: int = 0
    cut: int = 0
    stopped_at: int | None = None


class Policy(NamedTuple):
    """How an import goes about it.

    Attributes:
        strict: Whether it stops at the first line that is not taken in.
        dry_run: Whether nothing is written.
    """

    strict: bool = False
    dry_run: bool = False


USUAL = Policy()


class StoppedError(Exception):
    """A line was not taken in, and that was to be the end; never leaves this module."""


def import_entries(
    journal: Journal | None,
    workspace: str,
    stream: BinaryIO,
    *,
    now: datetime,
    policy: Policy = USUAL,
    tell: Tell | None = None,
) -> Imported:
    """Add the entries in *stream* to *workspace*, those that are there left alone.

    A batch is one transaction: whoever interrupts it leaves whole batches, and running
    it again adds the rest. A line without an id gets one that is made of the line.

    Args:
        journal: None: there is none yet, in a dry run.
        workspace: Where to; what a line says of that does not count.
        stream: Lines of JSON.
        now: When entries happened that do not say.
        policy: How to go about it.
        tell: Is told how many bytes are done.
    """
    run = _Run(journal, workspace, now, policy)
    try:
        for batch in _batches(stream):
            run.take(batch)
            if tell:
                tell(run.bytes)
    except StoppedError:
        pass
    return run.result()


def _batches(stream: BinaryIO) -> Iterator[list[Line]]:
    batch: list[Line] = []
    size = 0
    for line in lines(stream):
        batch.append(line)
        size += line.size
        if len(batch) >= BATCH or size >= BATCH_BYTES:
            yield batch
            batch, size = [], 0
    if batch:
        yield batch


class _Run:
    """An import that is going on; it counts."""

    def __init__(
        self, journal: Journal | None, workspace: str, now: datetime, policy: Policy
    ) -> None:
        self.journal, self.workspace = journal, workspace
        self.now, self.policy = now, policy
        self.bytes = self.lines = self.added = self.known = 0
        self.bad = self.conflicts = self.foreign = self.cut = 0
        self.stopped_at: int | None = None
        self.troubles: list[Trouble] = []
        self.extra: set[str] = set()
        self._alike: dict[bytes, int] = {}
        self._planned: dict[str, Written] = {}

    def result(self) -> Imported:
        """Return what came of it so far."""
        return Imported(
            lines=self.lines,
            added=self.added,
            known=self.known,
            bad=self.bad,
            conflicts=self.conflicts,
            troubles=tuple(sorted(self.troubles)),
            extra=tuple(sorted(self.extra)),
            foreign=self.foreign,
            cut=self.cut,
            stopped_at=self.stopped_at,
        )

    def take(self, batch: list[Line]) -> None:
        """Add what is new in *batch*, in one transaction."""
        ready: list[tuple[int, Written]] = []
        for line in batch:
            self.bytes += line.size
            self.lines += 1
            try:
                ready.append((line.number, self._written(line)))
            except (BadLineError, BadEntryError, InputTooLargeError) as error:
                if self.policy.strict:
                    self._fresh(ready)  # a conflict before it is the first
                self.bad += 1
                self._trouble(Trouble(line.number, str(error)))
        if self.journal is None or self.policy.dry_run:
            self._plan(ready)
            return
        with self.journal.transaction():
            fresh = self._counted_fresh(ready)
            self.journal.append_written(self.workspace, fresh)
        self.added += len(fresh)

    def _plan(self, ready: list[tuple[int, Written]]) -> None:
        fresh = self._counted_fresh(ready)
        self._planned.update((each.id, each) for each in fresh)
        self.added += len(fresh)

    def _written(self, line: Line) -> Written:
        if line.text is None:
            raise BadLineError("it is too long")
        found = read(line.text)
        if found.extra:
            self._notice(found.extra)
        if found.workspace not in {None, self.workspace}:
            self.foreign += 1
        draft = found.draft
        require_valid(draft)
        entry_id = draft.id or self._id_of(line.text)
        return written(draft, self.workspace, entry_id, self.now)

    def _notice(self, extra: frozenset[str]) -> None:
        """Keep names of fields that are not kept: a line may have a million."""
        self.extra |= {name[:NAME_SHOWN] for name in extra}
        if len(self.extra) > LISTED:
            self.extra = {*sorted(self.extra)[:LISTED]}

    def _id_of(self, text: bytes) -> str:
        """Make an id of a line, of which there may be several alike."""
        digest = hashlib.sha256(text).digest()
        before = self._alike.get(digest[:8], 0)
        self._alike[digest[:8]] = before + 1
        if before:
            digest = hashlib.sha256(digest + str(before).encode()).digest()
        return new("j", lambda size: digest[:size])

    def _counted_fresh(self, ready: list[tuple[int, Written]]) -> list[Written]:
        fresh = self._fresh(ready)
        self.cut += sum(each.is_cut for each in fresh)
        return fresh

    def _fresh(self, ready: list[tuple[int, Written]]) -> list[Written]:
        """Return what is not there yet; count what is, and what cannot be added."""
        there: dict[str, Stored] = {}
        if self.journal:
            ids = [each.id for _, each in ready]
            there = imported_store.there(self.journal.db, self.workspace, ids)
        fresh: dict[str, Written] = {}
        for line, each in ready:
            same = self._is_there(each, there, fresh)
            if same is None:
                fresh[each.id] = each
            elif same:
                self.known += 1
            else:
                self.conflicts += 1
                reason = f"another entry has the id {each.id!r}"
                self._trouble(Trouble(line, reason, each.id))
        return list(fresh.values())

    def _is_there(
        self, each: Written, there: dict[str, Stored], fresh: dict[str, Written]
    ) -> bool | None:
        """Tell whether *each* is there as it is; None: nothing has its id."""
        if row := there.get(each.id):
            return is_same(each, told(row))
        if other := fresh.get(each.id) or self._planned.get(each.id):
            return is_same(each, other.fields)
        return None

    def _trouble(self, trouble: Trouble) -> None:
        if len(self.troubles) < LISTED:
            self.troubles.append(trouble)
        if self.policy.strict:
            self.stopped_at = trouble.line
            raise StoppedError


def is_same(new: Written, there: tuple[str | None, ...]) -> bool:
    """Tell whether *new* says what the columns ``id`` to ``expires_at`` say.

    JSON is compared by what it means; a time that *new* does not say does not count.
    """
    apart = {PAYLOAD, WORDS, SHA, REFS}
    if new.draft.ts is None:
        apart.add(TS)
    fields = new.fields
    return (
        all(
            field == old
            for at, (field, old) in enumerate(zip(fields, there, strict=True))
            if at not in apart
        )
        and _is_same_json(fields[REFS], there[REFS])
        and _is_same_payload(str(fields[PAYLOAD]), there[PAYLOAD], there[SHA])
    )


def _is_same_payload(new: str, there: str | None, sha: str | None) -> bool:
    if sha is not None:  # it was purged: only its hash is left
        return hashlib.sha256(new.encode()).hexdigest() == sha
    return _is_same_json(new, there)


def _is_same_json(one: str | None, other: str | None) -> bool:
    return one == other or json.loads(one or "{}") == json.loads(other or "{}")
