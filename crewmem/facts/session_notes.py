"""Session notes: short-lived facts of one agent in one session."""

from __future__ import annotations

from dataclasses import dataclass

from crewmem.facts.condense import SOURCE_STATUS, Condensed
from crewmem.facts.fact import MAX_CONTENT, Fact, Owner, first_sentence
from crewmem.facts.summaries import write_summary
from crewmem.facts.table import FactTable
from crewmem.storage.sqlite import transaction


def list_notes(table: FactTable, session: str) -> list[Fact]:
    """Return the live notes of a session that the actor may read, oldest first."""
    access = table.context.access.facts(include_restricted=True)
    return table.select(
        "facts.scope = 'session' and facts.source_session = :session and facts.status = 'active'"
        f" and facts.valid_until > :now and {access.sql}",
        {"session": session, "now": table.context.now_text, **access.params},
        tail="order by facts.created_at, facts.rowid",
    )


@dataclass(frozen=True, slots=True)
class SessionNotes:
    """The notes of sessions."""

    table: FactTable

    def expire(self, session: str) -> int:
        """Expire the notes of a session; return how many there were."""
        notes = list_notes(self.table, session)
        with transaction(self.table.context.db):
            for note in notes:
                after = self.table.update(
                    note, {"valid_until": self.table.context.now_text}, reason="forgotten"
                )
                self.table.record("archived", after, payload={"reason": "session forgotten"})
        return len(notes)

    def condense(self, session: str) -> Condensed | None:
        """Turn the notes of a session into one summary fact, in one transaction.

        An agent's summary belongs to the agent, an operator's to the workspace. Notes that do not
        fit into the fact stay; the others are archived. Returns None if there are no notes.
        """
        with transaction(self.table.context.db):
            notes = [
                note for note in list_notes(self.table, session) if note.sensitivity != "restricted"
            ]
            if not notes:
                return None
            agent = notes[0].agent
            notes, text = _list_texts([note for note in notes if note.agent == agent])
            if not notes:
                return None
            owner = Owner("agent", agent=agent) if agent else Owner("workspace")
            added = write_summary(
                self.table,
                notes,
                owner,
                text,
                title=f"Session {session}: {first_sentence(notes[0].content)}",
                subtype="session",
                status=SOURCE_STATUS["session"],
                metadata={"notes": len(notes)},
                session=session,
            )
        return Condensed("condensed", added.id, added.fact.title, [note.id for note in notes])

    def delete_expired(self) -> int:
        """Delete expired session notes; return how many. For the housekeeping job."""
        db, context = self.table.context.db, self.table.context
        with transaction(db):
            gone = db.column(
                "select id from facts where workspace_id = ? and scope = 'session'"
                " and valid_until <= ?",
                (context.workspace, context.now_text),
            )
            for table, column in (
                ("fact_revisions", "fact_id"),
                ("votes", "fact_id"),
                ("fact_relations", "src_id"),
                ("fact_relations", "dst_id"),
                ("facts", "id"),
            ):
                db.execute(
                    f"delete from {table} where {column} in (select value from json_each(?))",
                    (gone,),
                )
        return len(gone)


def _list_texts(notes: list[Fact]) -> tuple[list[Fact], str]:
    """Return the notes that fit into a fact, oldest first, and their list."""
    kept, lines = [], []
    left = MAX_CONTENT
    for note in notes:
        line = "- " + "\n  ".join(note.text().strip().splitlines())
        size = len(line.encode("utf-8", "replace")) + 1
        if size <= left:
            left -= size
            kept.append(note)
            lines.append(line)
    return kept, "\n".join(lines)
