"""Exchanging journals between homes: each home's chain is sent whole, and verified on arrival.

Records are the stored rows without their local columns, and the signed records about them, such as
purges and changes of priority.
"""

from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from typing import Any, NamedTuple

from crewmem.context import Context
from crewmem.errors import ConflictError, DamagedError
from crewmem.journal import episodes
from crewmem.journal.archive import add_to_archive, iterate_archive, load_rows
from crewmem.journal.chain import (
    SIGNED_TABLES,
    Head,
    blank_row,
    hashed_text,
    is_signed,
    matches_hash,
)
from crewmem.journal.entry import COLUMNS, Row, said_text
from crewmem.journal.purge import blank_entry
from crewmem.journal.store import Journal
from crewmem.journal.verify import (
    find_change,
    load_removed,
    load_signed_facts,
)
from crewmem.journal.writing import insert_rows
from crewmem.storage.json_columns import load_object
from crewmem.storage.sqlite import transaction
from crewmem.text.tokens import search_text

TABLES = {
    **{
        kind: (table, f"{columns}, signature")
        for kind, (table, columns) in SIGNED_TABLES.items()
        if kind != "head"
    },
    "passed-over": (
        "passed_over_entries",
        "workspace_id, chain, entry_id, prev_hash, entry_hash",
    ),
    "relation": (
        "entry_relations",
        "workspace_id, src_entry_id, dst_entry_id, relation, weight, created_at",
    ),
}
"""Records about entries, by kind: table and columns."""


LOCAL_COLUMNS = ("seq", "search_text")
"""Columns of an entry that each home fills itself."""


class Received(NamedTuple):
    """What was received.

    Attributes:
        entries: Number of new entries, including archived ones.
        purged: Number of entries that were blanked because another home had purged them.
    """

    entries: int
    purged: int


def export_records(context: Context) -> Iterator[dict[str, Any]]:
    """Yield the records of all chains of the workspace: first the records about entries.

    The order is fixed, so equal journals give equal records.
    """
    for kind, (table, columns) in TABLES.items():
        names = columns.split(", ")
        for values in context.db.execute(
            f"select {columns} from {table} where workspace_id = ? order by {columns}",
            (context.workspace,),
        ):
            yield {"record": kind, **dict(zip(names, values, strict=True))}
    for row, _ in iterate_archive(context):
        yield {**_to_record(row), "archived": True}
    for values in context.db.execute(
        f"select {COLUMNS} from journal_entries where workspace_id = ? order by chain, seq",
        (context.workspace,),
    ):
        yield _to_record(Row._make(values))


def receive_records(journal: Journal, records: Iterable[Mapping[str, Any]]) -> Received:
    """Add the records of another home in one transaction; adding them again changes nothing.

    If something was purged, call `storage.sqlite.scrub` afterwards.

    Raises:
        ConflictError: If the chain has another entry with the same id here.
        DamagedError: If a chain is broken. Then nothing is added.
    """
    context = journal.context
    by_hash: dict[str, Row] = {}
    archived: set[str] = set()  # hashes
    passed_over: list[Mapping[str, Any]] = []
    with transaction(context.db):
        for record in records:
            kind = record["record"]
            if kind == "entry":
                row = _to_row(record, context.workspace)
                known = by_hash.get(row.entry_hash)
                if known is None or known.salt:  # a purged copy wins
                    by_hash[row.entry_hash] = row
                if record.get("archived"):
                    archived.add(row.entry_hash)
            elif kind == "passed-over":
                passed_over.append(record)
            elif kind != "priority" or _follows(context, record):
                _receive_record(context, kind, record)
        purges = context.db.column(
            "select entry_id from journal_purges where workspace_id = ? order by entry_id",
            (context.workspace,),
        )
        purged = sum(blank_entry(context, entry_id) for entry_id in purges)
        current = _apply_priorities(context)  # may be later than the row
        rows = [
            row._replace(priority=current.get(row.id, row.priority)) for row in by_hash.values()
        ]
        compacted = [row for row in rows if row.entry_hash in archived]
        _receive_passed_over(context, passed_over, by_hash)
        new = _choose_new(context, rows)
        new_compacted = [row for row in new if row.entry_hash in archived]
        add_to_archive(context.db, new_compacted, context.now_text)
        _archive_compacted(context, compacted)
        for chain in dict.fromkeys(row.chain for row in rows):
            _receive_chain(
                journal,
                chain,
                [row for row in new if row.chain == chain and row.entry_hash not in archived],
                [row for row in compacted if row.chain == chain],
            )
        ids = {record["entry_id"] for record in passed_over}
        if lacking := ids - load_rows(context, ids).keys():
            raise DamagedError(f"the entry {min(lacking)} is missing", code="chain-gap")
    return Received(len(new), purged)


def _receive_chain(
    journal: Journal, chain: str, rows: Sequence[Row], archived: Sequence[Row]
) -> None:
    """Append the new *rows* of a chain, in its order, behind its head in this home.

    Args:
        archived: Rows of the chain that were compacted: the head may be among them.
    """
    context = journal.context
    head = journal.chains.head(chain)
    removed = {row.prev_hash: (row.entry_hash, 1) for row in archived}
    removed |= load_removed(context, chain)
    following = {row.prev_hash: row for row in rows}
    first, added = journal.chains.next_seq(), list[Row]()
    current, count = head.last_hash, head.entries
    while current in following or current in removed:
        row = following.pop(current, None)
        if row is not None:
            added.append(row._replace(seq=first + len(added)))
            current, count = row.entry_hash, count + 1
        else:
            current, skipped = removed.pop(current)
            count += skipped
    reached = {row.entry_hash for row in added}
    if lost := [row for row in rows if row.entry_hash not in reached]:
        if chain == journal.chains.find_name():
            raise DamagedError(
                "this home was restored from an old copy, or is a copy of another home, and has"
                f" written since: its journal has entries in place of {lost[0].id}. Export it, sync"
                " a new home, and import the bundle there",
                code="chain-forked",
                hint=context.command("export", "--out", "rescued"),
            )
        raise DamagedError(
            f"entry {lost[0].id} does not follow the entries of chain {chain} in this home",
            code="chain-gap",
            hint="export the whole journal of the other home again",
        )
    if added:
        insert_rows(context, added)
        episodes.select_new(context.db, context.workspace, first - 1, context.now)
    if count != head.entries:
        journal.chains.set_head(chain, Head(count, current))


def _choose_new(context: Context, rows: Sequence[Row]) -> list[Row]:
    """Return the new rows among *rows*; each must match its hash.

    If an entry of another chain has the same id, the row is passed over: a bundle or JSON lines
    brought one entry into both chains. If both arrive together, the one to which the signed
    records belong is added.
    """
    facts = load_signed_facts(context)
    rows = [blank_row(row) if row.id in facts.purged and row.salt else row for row in rows]
    changes = {row.entry_hash: find_change(context, row, facts) for row in rows}
    here = load_rows(context, [row.id for row in rows])
    unchanged = {row.id: row for row in rows if not changes[row.entry_hash]}
    kept = {row.id: row for row in rows} | unchanged | here
    new = []
    for row in rows:
        change, other = changes[row.entry_hash], kept[row.id]
        if other.entry_hash == row.entry_hash and row.id in here:
            continue
        if other.chain != row.chain and matches_hash(context, row):
            if row.salt and other.salt and row.summary != other.summary:
                context.warn(
                    "entry-passed-over",
                    f"an entry of the chain {row.chain} was left out: another entry here has the id"
                    f" '{row.id}'",
                )
            _receive_record(context, "passed-over", {**row._asdict(), "entry_id": row.id})
        elif other.entry_hash != row.entry_hash and other.chain == row.chain:
            raise ConflictError(f"another entry has the id '{row.id}'", code="id-conflict")
        elif change:
            raise DamagedError(
                f"entry {row.id} was changed in transit: {change}", code="journal-changed"
            )
        else:
            new.append(row)
    return new


def _receive_passed_over(
    context: Context, records: Sequence[Mapping[str, Any]], arriving: Collection[str]
) -> None:
    """Record the entries that another home passed over, unless they are here or *arriving*."""
    here = load_rows(context, {record["entry_id"] for record in records})
    for record in records:
        row, entry_hash = here.get(record["entry_id"]), record["entry_hash"]
        if entry_hash not in arriving and (row is None or row.entry_hash != entry_hash):
            _receive_record(context, "passed-over", record)


def _follows(context: Context, record: Mapping[str, Any]) -> bool:
    """Return whether a change of priority belongs to the entry with its id in this home, if any.

    Else it belongs to an entry of another chain with the same id.
    """
    row = load_rows(context, [record["entry_id"]]).get(record["entry_id"])
    if row is None:
        return True
    if record["number"] == 1:
        text = hashed_text(row._replace(priority=record["from_priority"]))
        return is_signed(row.entry_hash, text, context.chain_key)
    found = context.db.value(
        "select 1 from journal_entry_priorities"
        " where workspace_id = ? and entry_id = ? and number = ? and to_priority = ?",
        (context.workspace, row.id, record["number"] - 1, record["from_priority"]),
    )
    return found is not None


def _archive_compacted(context: Context, rows: list[Row]) -> None:
    """Archive the entries in this home that were compacted in their own home."""
    mine = {
        "workspace": context.workspace,
        "ids": [row.id for row in rows],
        "hashes": [row.entry_hash for row in rows],
    }
    wanted = (
        "workspace_id = :workspace and id in (select value from json_each(:ids))"
        " and entry_hash in (select value from json_each(:hashes))"
    )
    here = set(context.db.column(f"select id from journal_entries where {wanted}", mine))
    add_to_archive(context.db, [row for row in rows if row.id in here], context.now_text)
    context.db.execute(f"delete from journal_entries where {wanted}", mine)


def _receive_record(context: Context, kind: str, record: Mapping[str, Any]) -> None:
    table, columns = TABLES[kind]
    names = columns.split(", ")
    values = [context.workspace, *(record[name] for name in names[1:])]
    context.db.execute(
        f"insert or ignore into {table} ({columns}) values ({', '.join('?' * len(names))})", values
    )


def _apply_priorities(context: Context) -> dict[str, str]:
    """Set the priority that was signed last, and return it by entry."""
    current = load_signed_facts(context).current
    for entry_id, priority in current.items():
        context.db.execute(
            "update journal_entries set priority = ?1"
            " where workspace_id = ?2 and id = ?3 and priority != ?1",
            (priority, context.workspace, entry_id),
        )
    for row, archived_at in list(iterate_archive(context, ids=current)):
        if row.priority != current[row.id]:
            add_to_archive(context.db, [row._replace(priority=current[row.id])], archived_at)
    return current


def _to_record(row: Row) -> dict[str, Any]:
    columns = {name: each for name, each in row._asdict().items() if name not in LOCAL_COLUMNS}
    return {"record": "entry", **columns}


def _to_row(record: Mapping[str, Any], workspace: str) -> Row:
    text = ""
    if record["salt"]:
        text = search_text(said_text(record["summary"], load_object(record["payload"])))
    columns = {name: record[name] for name in Row._fields if name not in LOCAL_COLUMNS}
    row = Row(seq=0, search_text=text, **columns)
    if row.workspace_id != workspace:
        raise DamagedError(
            f"the records are of workspace '{row.workspace_id}', not '{workspace}'",
            code="other-workspace",
        )
    return row
