"""How much happened since an agent wrote its memory, and who was told so already."""

from __future__ import annotations

from crewmem.db.connect import fetch, transaction

TYPE_CHECKING = False
if TYPE_CHECKING:
    import apsw

WRITTEN = "memory.updated"
"""The type of entry that every write of memory leaves, outside edits included."""


def entries_since_written(
    db: apsw.Connection, workspace: str, agent: str, *, since: str
) -> int:
    """Count the entries of *agent* after its memory was last written.

    Where it never was, those from *since* on.
    """
    ((count,),) = fetch(
        db,
        """
        with written as (
            select max(seq) as seq from journal_entries
             where workspace_id = :workspace and agent_id = :agent
               and entry_type = :written
        )
        select count(*) from journal_entries, written
         where workspace_id = :workspace and agent_id = :agent
           and entry_type <> :written
           and case when written.seq is null then ts >= :since
                    else journal_entries.seq > written.seq end
        """,
        {
            "workspace": workspace,
            "agent": agent,
            "written": WRITTEN,
            "since": since,
        },
    )
    return int(count)


def was_nudged(db: apsw.Connection, workspace: str, agent: str, session: str) -> bool:
    """Tell whether *agent* was told in *session*."""
    return bool(
        fetch(
            db,
            """
            select 1 from nudges
             where workspace_id = ? and agent_id = ? and session_id = ?
            """,
            (workspace, agent, session),
        )
    )


def keep_nudge(
    db: apsw.Connection,
    workspace: str,
    agent: str,
    session: str,
    *,
    entries: int,
    at: str,
    since: str,
) -> None:
    """Keep that *agent* was told in *session*; the first time stays.

    Of the workspace nothing is kept from before *since*.
    """
    with transaction(db):
        db.execute(
            "delete from nudges where workspace_id = ? and nudged_at < ?",
            (workspace, since),
        )
        db.execute(
            """
            insert into nudges (workspace_id, agent_id, session_id, entries, nudged_at)
            values (?, ?, ?, ?, ?)
                on conflict do nothing
            """,
            (workspace, agent, session, entries, at),
        )
