"""Is the chain whole? The first break of it, and what kind it is."""

from __future__ import annotations

import json
from enum import StrEnum

from crewmem.db.connect import one_moment
from crewmem.errors.journal import ChainKeyMissingError
from crewmem.journal import (
    chain,
    chain_store,
    priorities,
    priorities_store,
    verify_store,
)
from crewmem.journal import stored as spelled
from crewmem.journal.payload_text import payload_text
from crewmem.records import NamedTuple

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from crewmem.journal.priorities import Change
    from crewmem.journal.store import Journal
    from crewmem.journal.stored import Stored
    from crewmem.journal.verify_store import Link

    Tell = Callable[[int, int], None]

PLACES = 10_000
"""Places that are tried to tell a row that was moved from one that was changed."""

PURGE = "purge"
"""Reason of a checkpoint whose entries lost their payload, and stay."""


class Kind(StrEnum):
    """What a break is."""

    CHANGED = "changed"
    MISSING = "missing"
    REORDERED = "reordered"
    CUT = "cut"
    UNKEYED = "unkeyed"
    ARCHIVE = "archive"
    CHECKPOINT = "checkpoint"


class Break(NamedTuple):
    """Where a chain breaks first.

    Attributes:
        kind: changed: a row is not what was written; missing: rows before it are gone;
            reordered: rows have changed places; cut: the beginning or the end is gone;
            unkeyed: a row was written without the key; archive: the archive is not
            what was put into it; checkpoint: a removal is not signed.
        seq: The place of the entry; null where it is none.
        id: The entry.
        detail: What was seen.
    """

    kind: Kind
    seq: int | None
    id: str | None
    detail: str


class Verified(NamedTuple):
    """What verifying came to.

    Attributes:
        workspace: The workspace.
        ok: Whether the chain is whole.
        entries: How many were checked.
        archived: How many of them are in the archive.
        plain: How many were written without a key.
        keyed: Whether there is a key: without one only accidents are found.
        broken: The first break; null for none.
    """

    workspace: str
    ok: bool
    entries: int
    archived: int
    plain: int
    keyed: bool
    broken: Break | None


def verify(journal: Journal, workspace: str, tell: Tell | None = None) -> Verified:
    """Check the chain of *workspace* from its first entry to its last.

    Args:
        journal: Which journal.
        workspace: Of which workspace.
        tell: Is told how many entries are checked, and of how many.

    Raises:
        ChainKeyMissingError: If it was written with a key, and there is none.
    """
    with one_moment(journal.db):
        return _Walk(journal, workspace).verified(tell)


class _Told:
    """Which entries checkpoints tell of: a byte each, for there may be millions."""

    PLAIN, KEYED = 1, 2

    FAR = 1 << 26
    """From here on a place is one by itself: nobody has as many entries."""

    def __init__(self) -> None:
        self._how = bytearray()
        self._far: dict[int, int] = {}

    def add(self, seqs: Sequence[int], *, keyed: bool) -> None:
        """Add *seqs*, of a checkpoint that is signed, with the key if it is *keyed*."""
        how = self.KEYED if keyed else self.PLAIN
        last = max((seq for seq in seqs if seq < self.FAR), default=0)
        self._how.extend(bytes(max(0, last + 1 - len(self._how))))
        for seq in seqs:
            if 0 <= seq < self.FAR:
                self._how[seq] |= how
            else:
                self._far[seq] = self._far.get(seq, 0) | how

    def covers(self, row: Stored) -> bool:
        """Tell whether *row* is told of, with the key if it was written with it."""
        is_near = 0 <= row.seq < len(self._how)
        how = self._how[row.seq] if is_near else self._far.get(row.seq, 0)
        return how >= (self.KEYED if chain.is_keyed(row.entry_hash) else self.PLAIN)


class _Walk:
    """A walk along a chain."""

    def __init__(self, journal: Journal, workspace: str) -> None:
        self.db, self.key, self.workspace = journal.db, journal.key, workspace
        self.total = verify_store.count(self.db, workspace)
        self.changes = priorities_store.changes(self.db, workspace)
        self.removed, self.purged = _Told(), _Told()
        self.entries = self.archived = self.plain = self.last_seq = 0
        self.last_hash = chain.FIRST

    def verified(self, tell: Tell | None) -> Verified:
        """Walk to the end, or to the first break."""
        broken = self._broken_checkpoint() or self._walk(tell) or self._broken_end()
        return Verified(
            workspace=self.workspace,
            ok=broken is None,
            entries=self.entries,
            archived=self.archived,
            plain=self.plain,
            keyed=self.key is not None,
            broken=broken,
        )

    def _walk(self, tell: Tell | None) -> Break | None:
        for link in verify_store.links(self.db, self.workspace):
            if broken := self._broken(link):
                return broken
            assert link.row is not None  # noqa: S101 - else it were broken
            self.last_seq, self.last_hash = link.seq, link.row.entry_hash
            self.entries += 1
            self.archived += link.is_archived
            self.plain += not chain.is_keyed(self.last_hash)
            if tell:
                tell(self.entries, self.total)
        return None

    def _broken_checkpoint(self) -> Break | None:
        for each in chain_store.checkpoints(self.db, self.workspace):
            self._require_key(each.mac)
            if not each.is_signed(self.key):
                detail = f"checkpoint {each.id} is not as it was signed"
                return Break(Kind.CHECKPOINT, None, None, detail)
            known = self.purged if each.reason == PURGE else self.removed
            keyed = chain.is_keyed(each.mac)
            known.add([seq for seq, _ in json.loads(each.removed)], keyed=keyed)
        return None

    def _require_key(self, signature: str) -> None:
        if chain.is_keyed(signature) and self.key is None:
            raise ChainKeyMissingError(self.workspace)

    def _broken(self, link: Link) -> Break | None:
        row = link.row
        if row is None:
            return _at(link, Kind.ARCHIVE, "the archive is not what was put into it")
        self._require_key(row.entry_hash)
        if not self._is_own(row):
            return self._moved_or_changed(row)
        if row.prev_hash != self.last_hash:
            return self._unlinked(row)
        was_keyed = chain.is_keyed(self.last_hash) and not chain.is_keyed(
            row.entry_hash
        )
        if self.key is not None and was_keyed:
            return _at(row, Kind.UNKEYED, "it was written without the key")
        if link.is_archived and not self.removed.covers(row):
            return _at(row, Kind.ARCHIVE, "nothing signed says that it was taken out")
        return None

    def _is_own(self, row: Stored) -> bool:
        """Tell whether *row* is as it was written, whatever stands around it."""
        changes = self.changes.get(row.id, ())
        return (
            is_own(row, changes, self.key)
            and priorities.explain(row.priority, changes, self.key)
            and self._has_payload(row)
        )

    def _has_payload(self, row: Stored) -> bool:
        if row.payload_sha is not None:
            empty = (row.payload, row.payload_text) == ("{}", "")
            return empty and self.purged.covers(row)
        try:
            return payload_text(json.loads(row.payload)) == row.payload_text
        except (ValueError, AttributeError):
            return False

    def _moved_or_changed(self, row: Stored) -> Break:
        expected = verify_store.after(self.db, self.workspace, self.last_hash)
        if expected and expected.seq != row.seq:
            first = self.last_seq + 1
            changes = self.changes.get(expected.id, ())
            for seq in range(first, min(row.seq, first + PLACES) + 1):
                if is_own(expected._replace(seq=seq), changes, self.key):
                    detail = f"{expected.id}, now at {expected.seq}, was written here"
                    return _at(row, Kind.REORDERED, detail)
        detail = "it is not what was written"
        if self.key is not None and not chain.is_keyed(self.last_hash):
            detail += ", or was written with another key"
        return _at(row, Kind.CHANGED, detail)

    def _unlinked(self, row: Stored) -> Break:
        """Tell why *row*, which is as it was written, does not follow the last."""
        expected = verify_store.after(self.db, self.workspace, self.last_hash)
        if expected and expected.seq > row.seq:
            detail = f"{expected.id}, now at {expected.seq}, was written before it"
            return _at(row, Kind.REORDERED, detail)
        if self.entries == 0:
            return _at(row, Kind.CUT, "entries before it are gone")
        head = chain_store.head(self.db, self.workspace)
        if head.entries == self.total:
            return _at(row, Kind.CHANGED, "the entry before it was written anew")
        return _at(row, Kind.MISSING, "entries before it are gone")

    def _broken_end(self) -> Break | None:
        found = chain_store.signed_head(self.db, self.workspace)
        if found is None:
            if not self.entries:
                return None
            return Break(Kind.CUT, None, None, "nothing says where the chain ends")
        head, mac = found
        self._require_key(mac)
        if not chain.is_signed(mac, chain.head_text(self.workspace, head), self.key):
            detail = "what says where the chain ends is not as it was signed"
            return Break(Kind.CHANGED, None, None, detail)
        if head != (self.entries, self.last_seq, self.last_hash):
            gone = head.entries - self.entries
            detail = f"{gone:,} entries at the end are gone"
            return Break(Kind.CUT, self.last_seq or None, None, detail)
        if self.key is not None and not chain.is_keyed(mac) and self.entries:
            detail = "the chain does not end with an entry that has the key"
            return Break(Kind.UNKEYED, head.last_seq, None, detail)
        return None


def is_own(row: Stored, changes: Sequence[Change], key: bytes | None) -> bool:
    """Tell whether the hash of *row* is that of its fields, as far as *key* tells.

    *changes* are those of its priority, in order.
    """
    if not (row.prev_hash.isalnum() or row.prev_hash == chain.FIRST):
        return False
    try:
        content = spelled.content(row, priorities.at_writing(row.priority, changes))
        text = chain.linked(row.prev_hash, row.seq, content)
        return chain.is_signed(row.entry_hash, text, key)
    except UnicodeEncodeError:
        return False


def _at(where: Link | Stored, kind: Kind, detail: str) -> Break:
    return Break(kind, where.seq, where.id, detail)
