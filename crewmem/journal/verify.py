"""Verifying hash chains: finds the first break of each chain, and the reason."""

import json
from collections.abc import Iterable
from dataclasses import dataclass
from typing import NamedTuple

from crewmem.context import Context
from crewmem.errors import DamagedError
from crewmem.journal.archive import iterate_archive
from crewmem.journal.chain import FIRST, KEYED, hashed_text, is_signed, load_signed, make_digest
from crewmem.journal.entry import COLUMNS, Row


class ChainBreak(NamedTuple):
    """The first break of a chain.

    Attributes:
        kind: ``changed row``, ``missing row``, ``reordered row``, or ``unkeyed row`` if an entry
            with a plain hash follows keyed ones.
        entry_id: Id of the entry, or of the one before a missing entry; "" for the chain itself.
        seq: Position of the entry; 0 if it is archived or missing.
        message: The problem, as a sentence.
    """

    kind: str
    entry_id: str
    seq: int
    message: str


@dataclass(slots=True)
class ChainReport:
    """The result of verifying a chain; for agents without numbers.

    Attributes:
        entries: Number of entries in the journal.
        archived: Number of entries in the archive.
        purged: Number of purged entries.
        keyed: Number of entries with a keyed hash.
        broken: The first break; None if the chain is intact.
    """

    chain: str
    entries: int = 0
    archived: int = 0
    purged: int = 0
    keyed: int = 0
    broken: ChainBreak | None = None


class SignedFacts(NamedTuple):
    """Signed changes and purges of entries, by id.

    Attributes:
        written: Original priority of entries whose priority was changed.
        current: Current priority of these entries.
        forged: Entries with a change that does not match its signature.
        purged: Purged entries.
    """

    written: dict[str, str]
    current: dict[str, str]
    forged: set[str]
    purged: set[str]


def verify_chains(context: Context) -> list[ChainReport]:
    """Verify every chain of the workspace, including its archive."""
    workspace = context.workspace
    names = context.db.column(
        "select chain from journal_chains where workspace_id = :workspace"
        " union select distinct chain from journal_entries where workspace_id = :workspace"
        " order by chain",
        {"workspace": workspace},
    )
    facts = load_signed_facts(context)
    reports = [ChainReport(name) for name in names]
    for report in reports:
        report.broken = _find_break(context, report, facts)
    return reports


def load_signed_facts(context: Context, ids: Iterable[str] | None = None) -> SignedFacts:
    """Read the signed changes of priority and the signed purges.

    Args:
        ids: Only of these entries.
    """
    only, params = "true", {}
    if ids is not None:
        only, params = (
            "entry_id in (select value from json_each(:ids))",
            {"ids": ids},
        )
    written: dict[str, str] = {}
    current: dict[str, str] = {}
    forged: set[str] = set()
    reached: dict[tuple[str, int], set[str]] = {}  # priorities by entry and number of the change
    for fields, is_right in load_signed(context, "priority", only, **params):
        entry_id, number, _, _, before, after, _ = fields
        earlier = reached.setdefault((entry_id, number - 1), {before} if number == 1 else set())
        if not is_right or before not in earlier:
            forged.add(entry_id)
        reached.setdefault((entry_id, number), set()).add(after)
        written.setdefault(entry_id, before)
        current[entry_id] = after
    purged = {
        fields[0] for fields, is_right in load_signed(context, "purge", only, **params) if is_right
    }
    return SignedFacts(written, current, forged, purged)


def find_change(context: Context, row: Row, facts: SignedFacts) -> str:
    """Return how *row* was tampered with, or ""."""
    if row.id in facts.forged:
        return "the changes of its priority were changed"
    if row.priority != facts.current.get(row.id, row.priority):
        return "its priority is not the one that was set last"
    written = row._replace(priority=facts.written[row.id]) if row.id in facts.written else row
    if not is_signed(row.entry_hash, hashed_text(written), context.chain_key):
        return "its fields do not match its hash"
    if row.salt:
        if make_digest(row.salt, row.summary) != row.summary_digest:
            return "its summary does not match its digest"
        if make_digest(row.salt, row.payload) != row.payload_digest:
            return "its payload does not match its digest"
    elif row.id not in facts.purged:
        return "its text is blank, and no purge is recorded"
    elif row.summary or row.payload != "{}" or row.search_text:
        return "it was purged and has a text"
    return ""


def load_removed(context: Context, chain: str) -> dict[str, tuple[str, int]]:
    """Return the runs of entries that were removed from a chain legitimately.

    The key is the hash before a run; the value its last hash and its number of entries. An entry
    that was passed over is a run of one, unless it is part of a run of a checkpoint.

    Raises:
        DamagedError: If a checkpoint was changed.
    """
    removed = {
        before: (last, 1)
        for before, last in context.db.execute(
            "select prev_hash, entry_hash from passed_over_entries"
            " where workspace_id = ? and chain = ?",
            (context.workspace, chain),
        )
    }
    for fields, is_right in load_signed(context, "checkpoint", "chain = :chain", chain=chain):
        if not is_right:
            raise DamagedError(
                f"checkpoint {fields[1]} of the chain {chain} was changed", code="journal-changed"
            )
        for before, last, count in json.loads(fields[4]):
            removed[before] = last, count
    return removed


def _find_break(context: Context, report: ChainReport, facts: SignedFacts) -> ChainBreak | None:
    """Return the first break of the chain of *report*; fill the counts of the report."""
    chain = report.chain
    try:
        removed = load_removed(context, chain)
    except DamagedError as error:
        return ChainBreak("changed row", "", 0, error.message)
    current, last_id, removed_count = FIRST, "", 0
    for values in context.db.execute(
        f"select {COLUMNS} from journal_entries where workspace_id = ? and chain = ? order by seq",
        (context.workspace, chain),
    ):
        row = Row._make(values)
        report.entries += 1
        report.purged += not row.salt
        is_keyed = row.entry_hash.startswith(KEYED)
        where = f"entry {row.id} (row {row.seq})"
        if change := find_change(context, row, facts):
            return ChainBreak("changed row", row.id, row.seq, f"{where} was changed: {change}")
        if report.keyed and not is_keyed:
            return ChainBreak(
                "unkeyed row",
                row.id,
                row.seq,
                f"{where} has no keyed hash, unlike those before",
            )
        report.keyed += is_keyed
        while current != row.prev_hash and current in removed:
            current, count = removed.pop(current)
            removed_count += count
        if current != row.prev_hash:
            return _explain_gap(context, chain, current, row, last_id)
        current, last_id = row.entry_hash, row.id
    while current in removed:
        current, count = removed.pop(current)
        removed_count += count
    return _check_end(
        context, chain, current, last_id, report.entries + removed_count
    ) or _check_archive(context, report, removed_count, facts)


def _explain_gap(context: Context, chain: str, expected: str, row: Row, last_id: str) -> ChainBreak:
    """Return why *row* does not follow the hash *expected*: it was moved, or a row is missing."""
    successor = context.db.one(
        "select id, seq, entry_hash from journal_entries"
        " where workspace_id = ? and chain = ? and prev_hash = ?",
        (context.workspace, chain, expected),
    )
    if successor is None:
        after = f"after entry {last_id}" if last_id else "at its beginning"
        return ChainBreak(
            "missing row",
            last_id or row.id,
            row.seq,
            f"the chain lacks an entry {after}, before entry {row.id} (row {row.seq})",
        )
    moved_id, moved_seq, moved_hash = successor
    if moved_hash != row.prev_hash:
        moved_id, moved_seq = row.id, row.seq
    return ChainBreak(
        "reordered row",
        moved_id,
        moved_seq,
        f"entry {moved_id} (row {moved_seq}) is not in its place",
    )


def _check_end(
    context: Context, chain: str, current: str, last_id: str, entries: int
) -> ChainBreak | None:
    heads = list(load_signed(context, "head", "chain = :chain", chain=chain))
    if not heads:
        return ChainBreak("missing row", last_id, 0, "the record of the chain's end is missing")
    [((_, count, last_hash), is_right)] = heads
    if not is_right:
        return ChainBreak("changed row", "", 0, "the record of the chain's end was changed")
    if last_hash != current or count != entries:
        after = f" after entry {last_id}" if last_id else ""
        return ChainBreak("missing row", last_id, 0, f"the chain lacks its last entries{after}")
    return None


def _check_archive(
    context: Context, report: ChainReport, removed: int, facts: SignedFacts
) -> ChainBreak | None:
    for row, _ in iterate_archive(context, chain=report.chain):
        report.archived += 1
        report.purged += not row.salt
        if change := find_change(context, row, facts):
            return ChainBreak(
                "changed row", row.id, 0, f"archived entry {row.id} was changed: {change}"
            )
    passed_over = context.db.value(
        "select count(*) from passed_over_entries where workspace_id = ? and chain = ?",
        (context.workspace, report.chain),
    )
    lacking = removed - report.archived - passed_over
    if lacking > 0:
        return ChainBreak(
            "missing row", "", 0, f"the archive lacks {lacking} of the chain's entries"
        )
    return None
