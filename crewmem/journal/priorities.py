"""Priorities and relations, which are set after an entry was written."""

from collections.abc import Sequence
from dataclasses import dataclass, fields
from typing import Any, NamedTuple

from crewmem.access import Scope
from crewmem.context import Context
from crewmem.errors import ConflictError, UsageError
from crewmem.journal.archive import load_rows
from crewmem.journal.chain import Chains, store_signed
from crewmem.journal.entry import PRIORITIES, RELATIONS, TABLES, Entry
from crewmem.security.secrets import redact
from crewmem.storage.sqlite import transaction


class PriorityChange(NamedTuple):
    """A change of an entry's priority.

    Attributes:
        by: Actor, such as ``operator:kim``.
    """

    number: int
    before: str
    after: str
    reason: str
    by: str
    at: str


class Relation(NamedTuple):
    """A relation between two entries.

    Attributes:
        relation: contradicts, supports or similar.
        weight: The cosine for ``similar``, else 1.
    """

    source: str
    target: str
    relation: str
    weight: float
    created_at: str


@dataclass(frozen=True, slots=True)
class EntryDetail(Entry):
    """An entry with its changes of priority and its relations."""

    priority_changes: tuple[PriorityChange, ...] = ()
    relations: tuple[Relation, ...] = ()


def describe_entry(context: Context, entry: Entry) -> EntryDetail:
    """Return *entry* with its changes of priority, oldest first, and its relations."""
    changes = context.db.execute(
        "select number, from_priority, to_priority, reason, set_by, set_at"
        " from journal_entry_priorities where workspace_id = ? and entry_id = ?"
        " order by number, set_at, set_by",
        (context.workspace, entry.id),
    )
    return EntryDetail(
        **{field.name: getattr(entry, field.name) for field in fields(Entry)},
        priority_changes=tuple(map(PriorityChange._make, changes)),
        relations=tuple(list_relations(context, entry.id)),
    )


def set_priority(
    context: Context, chains: Chains, entry: Entry, priority: str, reason: str
) -> None:
    """Change the priority of an entry.

    Raises:
        RefusedError: If the actor is neither an operator nor the lead of the entry's crew.
        ConflictError: If the entry is archived.
    """
    reason = redact(reason)
    context.access.require_lead(entry.crew_id, f"change the priority of {entry.id}")
    if priority not in PRIORITIES:
        raise UsageError(
            f"'{priority}' is not a priority: use {', '.join(PRIORITIES)}", code="bad-choice"
        )
    if not reason.strip():
        raise UsageError("say why, with --reason", code="empty-reason")
    if entry.archived_at:
        raise ConflictError(f"{entry.id} is archived; its priority is final", code="archived")
    with transaction(context.db):
        before = context.db.value(
            "select priority from journal_entries where seq = ?", (entry.seq,)
        )
        if before == priority:
            return
        number = context.db.value(
            "select coalesce(max(number), 0) + 1 from journal_entry_priorities"
            " where workspace_id = ? and entry_id = ?",
            (context.workspace, entry.id),
        )
        chains.require_key()
        actor = str(context.access.actor)
        store_signed(
            context, "priority", entry.id, number, context.now_text, actor, before, priority, reason
        )
        context.db.execute(
            "update journal_entries set priority = ? where seq = ?", (priority, entry.seq)
        )


def add_relation(
    context: Context, source: str, target: str, relation: str, *, weight: float = 1.0
) -> bool:
    """Add a relation between two entries; return whether it is new."""
    if relation not in RELATIONS:
        raise UsageError(
            f"'{relation}' is not a relation: use {' or '.join(RELATIONS)}", code="bad-choice"
        )
    if source == target:
        raise UsageError("an entry has no relation to itself", code="same-entry")
    return store_relations(context, [Relation(source, target, relation, weight, "")]) > 0


def store_relations(context: Context, relations: Sequence[Relation]) -> int:
    """Store the relations whose entries exist here; return how many are new.

    Args:
        relations: Their ``created_at`` is replaced by the current time.
    """
    if not relations:
        return 0
    here = load_rows(context, {end for each in relations for end in (each.source, each.target)})
    added = 0
    with transaction(context.db):
        for each in relations:
            if each.source in here and each.target in here:
                context.db.execute(
                    "insert or ignore into entry_relations (workspace_id, src_entry_id,"
                    " dst_entry_id, relation, weight, created_at) values (?, ?, ?, ?, ?, ?)",
                    (context.workspace, *each[:4], context.now_text),
                )
                added += context.db.changes()
    return added


def list_relations(context: Context, entry_id: str) -> list[Relation]:
    """Return the relations from and to an entry, if the actor may read the other entry."""
    readable: list[str] = []
    params: dict[str, Any] = {}
    for table in TABLES:
        access = context.access.journal(table=table, scope=Scope.CREW)
        readable.append(f"exists (select 1 from {table} where id = other_id and {access.sql})")
        params |= access.params
    rows = context.db.execute(
        "with near (source, target, relation, weight, created_at, other_id) as ("
        " select src_entry_id, dst_entry_id, relation, weight, created_at,"
        "  iif(src_entry_id = :id, dst_entry_id, src_entry_id) from entry_relations"
        "  where workspace_id = :workspace and (src_entry_id = :id or dst_entry_id = :id)"
        " union all select src.id, dst.id, 'similar', weight, created_at,"
        "  iif(src.id = :id, dst.id, src.id) from entry_similarities"
        "  join journal_entries src on src.seq = src_seq"
        "  join journal_entries dst on dst.seq = dst_seq"
        "  where src_seq = (select seq from journal_entries where workspace_id = :workspace"
        "   and id = :id) or dst_seq = (select seq from journal_entries"
        "   where workspace_id = :workspace and id = :id))"
        " select source, target, relation, weight, created_at from near"
        f" where {' or '.join(readable)} order by relation, weight desc, source, target",
        {**params, "id": entry_id, "workspace": context.workspace},
    )
    return [Relation._make(row) for row in rows]
