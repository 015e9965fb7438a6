"""Appending entries to the journal of a workspace: `home.journal_writer`."""

from collections.abc import Iterable, Sequence
from typing import Unpack

from crewmem.context import Context
from crewmem.errors import check_text
from crewmem.journal import episodes
from crewmem.journal.chain import Chains
from crewmem.journal.entry import (
    COLUMNS,
    MAX_SUMMARY,
    DumpedEntry,
    NewEntry,
    Row,
    check_entry,
    dump_entry,
)
from crewmem.origins import lowest_origin
from crewmem.protocols import EntryFields
from crewmem.storage.sqlite import transaction

ACTOR_TYPES_BY_KIND = {"agent": "agent", "lead": "agent", "operator": "user", "system": "system"}


class JournalWriter:
    """The journal, as crewmem appends to it.

    Attributes:
        chains: Its hash chains.
    """

    def __init__(self, context: Context) -> None:
        self.context = context
        self.chains = Chains(context)

    def append(self, entry_type: str, summary: str, **fields: Unpack[EntryFields]) -> str:
        """Append an entry of crewmem's own, inside the open transaction if there is one.

        Its texts were screened where they came in; `add` is for others. By default it
        is about the actor, when that is an agent.

        Args:
            entry_type: Such as ``memory.updated``.
            summary: What happened, as a sentence.

        Returns:
            Its id.
        """
        return self.append_all([(entry_type, summary, fields)])[0]

    def append_all(self, entries: Iterable[tuple[str, str, EntryFields]]) -> list[str]:
        """Append many as `append` does, given type, summary and fields of each."""
        access = self.context.access
        is_agent = ACTOR_TYPES_BY_KIND[access.actor.kind] == "agent"
        made = []
        for entry_type, summary, fields in entries:
            if fields.get("agent") is None and is_agent:
                fields["agent"] = access.actor.name
                fields["crew"] = fields.get("crew") or access.home_crew
            made.append(self.make_entry(entry_type, summary[:MAX_SUMMARY], **fields))
        return self.append_entries(made)

    def make_entry(self, entry_type: str, summary: str, **fields: Unpack[EntryFields]) -> NewEntry:
        """Return an entry of the actor that can be appended.

        Raises:
            UsageError: If a field is not valid.
        """
        check_text("type of the entry", entry_type)
        check_text("summary", summary)
        actor = self.context.access.actor
        actor_type = ACTOR_TYPES_BY_KIND[actor.kind]
        own = "operator" if actor_type == "user" else "agent"
        entry = NewEntry(
            entry_type=entry_type,
            summary=summary.replace("\r\n", "\n").strip(),
            payload=fields.get("payload") or {},
            refs=fields.get("refs") or {},
            severity=fields.get("severity", "info"),
            priority=fields.get("priority", "normal"),
            actor_type=actor_type,
            actor_id=actor.name,
            origin=lowest_origin((own, self.context.access.origin(fields.get("origin")))),
            crew_id=fields.get("crew") or None,
            agent_id=fields.get("agent") or None,
            trace_id=fields.get("trace_id"),
        )
        check_entry(entry)
        return entry

    def append_entries(self, entries: Iterable[NewEntry]) -> list[str]:
        """Append entries to the chain, and to the episodes those that are selected.

        Returns:
            Their ids.

        Raises:
            UsageError: If a payload or refs cannot be stored.
        """
        return self.append_dumped(list(map(dump_entry, entries)))

    def append_dumped(self, entries: Sequence[DumpedEntry]) -> list[str]:
        """Append entries as `append_entries` does. Every change by an agent is an entry.

        Raises:
            NotFoundError: If the acting agent was removed meanwhile.
        """
        if not entries:
            return []
        context = self.context
        with transaction(context.db):
            context.check_actor()
            rows = self.chains.extend(entries)
            insert_rows(context, rows)
            selected = [
                (row, entry.payload)
                for row, (entry, _, _) in zip(rows, entries, strict=True)
                if episodes.is_selected(row.entry_type, row.severity, entry.payload, entry.refs)
            ]
            episodes.add_episodes(context.db, context.workspace, selected, context.now)
        return [row.id for row in rows]


def insert_rows(context: Context, rows: Sequence[Row]) -> None:
    """Insert whole rows of journal_entries and their full text.

    Their seqs follow the newest entry. Episodes are the caller's.
    """
    db = context.db
    marks = ", ".join("?" * len(Row._fields))
    db.executemany(f"insert into journal_entries ({COLUMNS}) values ({marks})", rows)
    db.execute(
        "insert into journal_entries_fts (rowid, search_text)"
        " select seq, search_text from journal_entries where seq between ? and ?",
        (rows[0].seq, rows[-1].seq),
    )
