"""Bringing back what a bundle knows of entries: their priorities, and the archive.

The entries themselves come by `importing`: the chain says when they were added here.
Both are keyed by the entry, so that doing it again does nothing.
"""

from __future__ import annotations

from functools import partial

from crewmem import times
from crewmem.db.batches import batched
from crewmem.errors.journal import ChainKeyMissingError, EntryChangedError
from crewmem.journal import (
    archive_store,
    chain,
    chain_store,
    compact_store,
    priorities_store,
)
from crewmem.journal.entry import NAME_MOST, PRIORITIES, SUMMARY_MOST
from crewmem.journal.priorities import Change
from crewmem.journal.reading import BadLineError, json_object, lines
from crewmem.journal.verify import is_own
from crewmem.records import NamedTuple

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence
    from typing import BinaryIO, TypeVar

    from crewmem.journal.store import Journal
    from crewmem.journal.stored import Stored

    Spelled = TypeVar("Spelled")

BATCH = 2_000
"""Lines of one transaction: a few tenths of a second that others wait for."""

REASON = "import"
"""Why entries left the chain that were archived where they came from."""

SURROGATE = b"\\ud"
"""How half a character is spelled in JSON; alone it is no text."""

CHANGE_FIELDS = (
    "entry_id",
    "change",
    "from_priority",
    "to_priority",
    "reason",
    "set_by",
    "set_at",
)
"""What a bundle says of a change of a priority."""


class Restored(NamedTuple):
    """What came of it.

    Attributes:
        added: How many lines were new.
        known: How many were there already.
        troubles: What was not taken in, and why.
    """

    added: int = 0
    known: int = 0
    troubles: tuple[str, ...] = ()


def change_line(change: Change) -> str:
    """Return *change* as a line of a bundle; its signature is the home's alone."""
    record = change._asdict()
    return chain.encoded({name: record[name] for name in CHANGE_FIELDS})


def archived_line(entry_id: str, archived_at: str) -> str:
    """Return that an entry is archived as a line of a bundle."""
    return chain.encoded({"id": entry_id, "archived_at": archived_at})


def restored(
    journal: Journal,
    stream: BinaryIO,
    spelled: Callable[[int, dict[str, object], list[str]], Spelled | None],
    take: Callable[[list[Spelled], list[str]], tuple[int, int]],
) -> Restored:
    """Take in what the lines of *stream* spell, a batch in a transaction.

    Args:
        journal: Of the home.
        stream: JSON lines.
        spelled: Returns what a line of a number spells; None, and says why, if nothing.
        take: Takes in some of that; returns how many were new, and how many were there
            already, and says what it did not take in.
    """
    added = known = 0
    troubles: list[str] = []
    for batch in batched(records(stream, troubles), BATCH):
        found = [
            each
            for number, record in batch
            if (each := spelled(number, record, troubles))
        ]
        with journal.transaction():
            new, old = take(found, troubles)
        added, known = added + new, known + old
    return Restored(added, known, tuple(troubles))


def restore_priorities(journal: Journal, workspace: str, stream: BinaryIO) -> Restored:
    """Take in changes of priorities, in their order, of entries that are there."""
    return restored(
        journal,
        stream,
        partial(_change, workspace),
        partial(_take, journal, workspace),
    )


def read(
    stream: BinaryIO, spelled: Callable[[dict[str, object]], Spelled | None], none: str
) -> tuple[list[Spelled], list[str]]:
    """Return what the lines of *stream* spell, and what is wrong with the others.

    Of a line of which *spelled* makes None it is said that it is *none*.
    """
    found: list[Spelled] = []
    troubles: list[str] = []
    for number, record in records(stream, troubles):
        if each := spelled(record):
            found.append(each)
        else:
            troubles.append(f"line {number}: it is {none}")
    return found, troubles


def records(
    stream: BinaryIO, troubles: list[str]
) -> Iterator[tuple[int, dict[str, object]]]:
    """Yield what the lines of *stream* spell, with their numbers; tell of bad ones."""
    for line in lines(stream):
        if line.text is None:
            troubles.append(f"line {line.number}: it is too long")
            continue
        try:
            record = json_object(line.text)
            if SURROGATE in line.text.lower():
                chain.encoded(record).encode()
        except (BadLineError, UnicodeEncodeError) as error:
            why = error if isinstance(error, BadLineError) else "it is not UTF-8"
            troubles.append(f"line {line.number}: {why}")
        else:
            yield line.number, record


def _change(
    workspace: str, number: int, record: dict[str, object], troubles: list[str]
) -> Change | None:
    """Return the change that *record* spells; None, and why, if it spells none."""
    values = [record.get(name) for name in CHANGE_FIELDS]
    place = values.pop(1)
    texts = [value for value in values if type(value) is str]
    if len(texts) == len(values) and type(place) is int:
        entry_id, before, after, reason, by, at = texts
        if (
            {before, after} <= {*PRIORITIES}
            and 0 < len(entry_id) <= NAME_MOST
            and 0 < len(by) <= NAME_MOST
            and len(reason) <= SUMMARY_MOST
            and is_instant(at)
        ):
            return Change(workspace, entry_id, place, before, after, reason, by, at, "")
    troubles.append(f"line {number}: it is no change of a priority")
    return None


def is_instant(text: str) -> bool:
    """Tell whether *text* is a time as it is stored."""
    try:
        return times.to_text(times.from_text(text)) == text
    except ValueError:
        return False


def _take(
    journal: Journal, workspace: str, changes: Sequence[Change], troubles: list[str]
) -> tuple[int, int]:
    """Add those of *changes* that go on what is known; return how many, and known."""
    ids = [change.entry_id for change in changes]
    before = priorities_store.changes(journal.db, workspace, ids)
    live = journal.by_id(workspace, dict.fromkeys(ids))
    now = {entry_id: entry.priority for entry_id, entry in live.items()}
    added = known = 0
    for change in changes:
        mine = before.setdefault(change.entry_id, [])
        if change.change <= len(mine) and mine[change.change - 1][:8] == change[:8]:
            known += 1
        elif (
            change.change == len(mine) + 1
            and now.get(change.entry_id) == change.from_priority
        ):
            mac = chain.signed(chain.priority_text(change[:8]), journal.key)
            signed = change._replace(mac=mac)
            priorities_store.add(journal.db, signed)
            mine.append(signed)
            now[change.entry_id] = change.to_priority
            added += 1
        else:
            troubles.append(
                f"the change {change.change} of the priority of {change.entry_id} "
                "does not go on what is here"
            )
    return added, known


def restore_archive(journal: Journal, workspace: str, stream: BinaryIO) -> Restored:
    """Archive entries that were archived where they come from, at the same times.

    Raises:
        EntryChangedError: If one is not what was written.
        ChainKeyMissingError: If it was written with a key, and there is none.
    """

    def take(found: list[tuple[str, str]], _: list[str]) -> tuple[int, int]:
        stamps = dict(found)
        moved = _move(journal, workspace, stamps)
        return moved, len(stamps) - moved

    return restored(journal, stream, _stamp, take)


def _stamp(
    number: int, record: dict[str, object], troubles: list[str]
) -> tuple[str, str] | None:
    """Return which entry was archived when; None, and why, if *record* says neither."""
    entry_id, at = record.get("id"), record.get("archived_at")
    if isinstance(entry_id, str) and isinstance(at, str) and is_instant(at):
        return entry_id, at
    troubles.append(f"line {number}: it is no archived entry")
    return None


def _move(journal: Journal, workspace: str, stamps: dict[str, str]) -> int:
    """Move the entries of *stamps* that are not archived yet; return how many."""
    live = {each.id: each.seq for each in journal.by_id(workspace, stamps).values()}
    if not live:
        return 0
    found = compact_store.rows_at(journal.db, [*live.values()])
    changes = priorities_store.changes(journal.db, workspace, [*live])
    for row in found:
        if chain.is_keyed(row.entry_hash) and journal.key is None:
            raise ChainKeyMissingError(workspace)
        if not is_own(row, changes.get(row.id, ()), journal.key):
            raise EntryChangedError(row.id, row.seq)
    by_stamp: dict[str, list[Stored]] = {}
    for row in found:
        by_stamp.setdefault(stamps[row.id], []).append(row)
    for stamp, some in by_stamp.items():
        archive_store.add(journal.db, some, stamp)
    seqs = sorted((row.seq, row.entry_hash) for row in found)
    compact_store.remove(journal.db, [seq for seq, _ in seqs])
    chain_store.add_checkpoint(
        journal.db,
        workspace,
        seqs,
        reason=REASON,
        created_at=max(by_stamp),
        key=journal.key,
    )
    return len(found)
