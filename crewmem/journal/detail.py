"""An entry with what people said about it."""

from dataclasses import dataclass, fields

from crewmem.journal.entry import Entry
from crewmem.journal.priorities import (
    PriorityChange,
    Relation,
    list_priority_changes,
    list_relations,
)
from crewmem.journal.store import Journal


@dataclass(frozen=True, slots=True)
class EntryDetail(Entry):
    """An entry with what people said about it."""

    priority_changes: tuple[PriorityChange, ...] = ()
    relations: tuple[Relation, ...] = ()


def describe_entry(journal: Journal, prefix: str) -> EntryDetail:
    """Return an entry, archived or not, with its changes of priority and its relations."""
    context, entry = journal.context, journal.get(prefix)
    return EntryDetail(
        **{field.name: getattr(entry, field.name) for field in fields(Entry)},
        priority_changes=tuple(list_priority_changes(context, entry.id)),
        relations=tuple(list_relations(context, entry.id)),
    )
