"""Archiving old entries that nothing needs, and leaving one that counts them."""

from __future__ import annotations

import json

from crewmem import times
from crewmem.errors.journal import ChainKeyMissingError, EntryChangedError
from crewmem.journal import (
    archive_store,
    chain,
    chain_store,
    compact_store,
    imported_store,
    priorities,
    priorities_store,
)
from crewmem.journal.compaction import DAY, Group, is_kept, summed_up
from crewmem.journal.importing import is_same
from crewmem.journal.stored import told
from crewmem.journal.verify import is_own
from crewmem.journal.written import written
from crewmem.records import NamedTuple

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping, Sequence
    from datetime import datetime

    from crewmem.journal.compact_store import Candidate
    from crewmem.journal.store import Journal
    from crewmem.journal.stored import Stored
    from crewmem.journal.written import Written

    Selects = Callable[[str, str, Mapping[str, object], Mapping[str, object]], bool]
    Protects = Callable[[Sequence[int]], set[int]]
    Tell = Callable[[int, int], None]

BATCH = 2_000
"""Entries of a transaction, about: groups are whole. It takes a few tenths of a second,
for which others wait."""

MOST = 20_000
"""Entries of a group: there are days with a million of one type, and in one transaction
they would keep others waiting for longer than these do."""

REASON = "compaction"


class Guards(NamedTuple):
    """What is kept for the sake of other rooms, who say so themselves.

    Attributes:
        selects: Tells of type, severity, payload and refs whether recall wants it.
        protects: Returns which of some places something leans on.
    """

    selects: Selects
    protects: Protects


class Plan(NamedTuple):
    """What is to be archived.

    Attributes:
        before: Only what happened before.
        groups: By day, crew and type; very large ones in parts.
        seqs: The places of the entries of each group.
        kept: Old entries that stay, for whatever reason but severity and priority.
    """

    before: datetime
    groups: tuple[Group, ...] = ()
    seqs: tuple[tuple[int, ...], ...] = ()
    kept: int = 0

    @property
    def entries(self) -> int:
        """How many entries it is about."""
        return sum(group.entries for group in self.groups)


class Compacted(NamedTuple):
    """What compacting came to.

    Attributes:
        workspace: The workspace.
        before: Only what happened before was archived.
        groups: What was planned: entries of one crew, day and type each.
        entries: How many entries were archived.
        added: How many entries were left in their place.
        kept: Old entries that stay, as recall wants them or something leans on them.
        dry_run: Whether this is a plan only.
        running: Whether it was running already, so that nothing was done.
    """

    workspace: str
    before: datetime
    groups: tuple[Group, ...] = ()
    entries: int = 0
    added: int = 0
    kept: int = 0
    dry_run: bool = False
    running: bool = False


def plan(journal: Journal, workspace: str, before: datetime, guards: Guards) -> Plan:
    """Say what of *workspace* `compact` would archive, of what happened *before*.

    Raises:
        EntryChangedError: If an entry is not what was written.
    """
    found: dict[tuple[str, str, str], list[int]] = {}
    kept = 0
    stamp = times.to_text(before)
    for each in compact_store.candidates(journal.db, workspace, stamp):
        if is_kept(each.entry_type) or _is_wanted(each, guards):
            kept += 1
            continue
        key = (each.ts[:DAY], each.crew or "", each.entry_type)
        found.setdefault(key, []).append(each.seq)
    groups, seqs = [], []
    for key in sorted(found):
        protected = guards.protects(found[key])
        left = tuple(seq for seq in found[key] if seq not in protected)
        kept += len(found[key]) - len(left)
        day, crew, kind = key
        for at in range(0, len(left), MOST):
            some = left[at : at + MOST]
            groups.append(Group(crew or None, day, kind, len(some)))
            seqs.append(some)
    return Plan(before, tuple(groups), tuple(seqs), kept)


def _is_wanted(each: Candidate, guards: Guards) -> bool:
    try:
        payload, refs = json.loads(each.payload), json.loads(each.refs)
    except ValueError as error:
        raise EntryChangedError(each.id, each.seq) from error
    return guards.selects(each.entry_type, each.severity, payload, refs)


def compact(
    journal: Journal,
    workspace: str,
    planned: Plan,
    guards: Guards,
    *,
    now: datetime,
    tell: Tell | None = None,
) -> Compacted:
    """Do what was *planned*, in batches, each of them whole or not at all.

    What was changed since it was planned is looked at again. Interrupted and run again
    it comes to the same.

    Raises:
        EntryChangedError: If an entry is not what was written; what was done before
            stays done.
        ChainKeyMissingError: If it was written with a key, and there is none.
    """
    archived = added = done = 0
    for batch in _batches(planned.seqs):
        with journal.transaction():
            taken = [
                group
                for seqs in batch
                if (group := _let_go(journal, workspace, seqs, guards))
            ]
            added += _move(journal, workspace, taken, now)
        archived += sum(map(len, taken))
        done += sum(map(len, batch))
        if tell:
            tell(done, planned.entries)
    return Compacted(
        workspace=workspace,
        before=planned.before,
        groups=planned.groups,
        entries=archived,
        added=added,
        kept=planned.kept,
    )


def _batches(groups: Sequence[tuple[int, ...]]) -> Iterator[list[tuple[int, ...]]]:
    batch: list[tuple[int, ...]] = []
    for group in groups:
        batch.append(group)
        if sum(map(len, batch)) >= BATCH:
            yield batch
            batch = []
    if batch:
        yield batch


def _let_go(
    journal: Journal, workspace: str, seqs: Sequence[int], guards: Guards
) -> list[Stored]:
    """Return the entries at *seqs* that may go, now that nobody can change them."""
    protected = guards.protects(seqs)
    left = [seq for seq in seqs if seq not in protected]
    found = compact_store.still_there(journal.db, workspace, left)
    ids = [row.id for row in found]
    changes = priorities_store.changes(journal.db, workspace, ids)
    for row in found:
        if chain.is_keyed(row.entry_hash) and journal.key is None:
            raise ChainKeyMissingError(workspace)
        own = changes.get(row.id, ())
        if not (
            is_own(row, own, journal.key)
            and priorities.explain(row.priority, own, journal.key)
        ):
            raise EntryChangedError(row.id, row.seq)
    return found


def _move(
    journal: Journal, workspace: str, groups: Sequence[Sequence[Stored]], now: datetime
) -> int:
    """Archive *groups*, take them out, and add what stands for each; as one change.

    Returns how many were added.
    """
    gone = sorted((row for group in groups for row in group), key=lambda row: row.seq)
    if not gone:
        return 0
    stamp = times.to_text(now)
    archive_store.add(journal.db, gone, stamp)
    compact_store.remove(journal.db, [row.seq for row in gone])
    chain_store.add_checkpoint(
        journal.db,
        workspace,
        [(row.seq, row.entry_hash) for row in gone],
        reason=REASON,
        created_at=stamp,
        key=journal.key,
    )
    return len(
        journal.append_written(workspace, _sums(journal, workspace, groups, now))
    )


def _sums(
    journal: Journal, workspace: str, groups: Sequence[Sequence[Stored]], now: datetime
) -> list[Written]:
    """Return what is to stand for each of *groups*, and does not yet.

    It does where a listing of another journal was imported, what it had archived and
    what it had added for that. Whatever else has the id, what stands gets another.
    """
    found: list[Written] = []
    some, again = [*groups], 0
    while some:
        made = [_written(group, workspace, now, again) for group in some]
        ids = [each.id for each in made]
        there = imported_store.there(journal.db, workspace, ids)
        found += [each for each in made if each.id not in there]
        some = [
            group
            for group, each in zip(some, made, strict=True)
            if (row := there.get(each.id)) and not is_same(each, told(row))
        ]
        again += 1
    return found


def _written(
    group: Sequence[Stored], workspace: str, now: datetime, again: int
) -> Written:
    draft = summed_up(group, again)
    return written(draft, workspace, str(draft.id), now)
