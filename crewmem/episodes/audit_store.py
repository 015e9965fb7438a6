"""Episodes that are not as the journal says, and how long what waits has waited."""

from __future__ import annotations

from crewmem.db.connect import explained, fetch, fetch_one
from crewmem.episodes.selection import ALWAYS, SEVERE, WHEN_SEVERE, is_selected
from crewmem.journal.rows import COLUMNS
from crewmem.journal.rows import entry as entry_of
from crewmem.records import NamedTuple

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Collection, Iterator

    import apsw

    from crewmem.journal.entry import Entry

DAY_MS = 86_400_000


class Misplaced(NamedTuple):
    """An episode that is kept as somebody else's than its entry.

    Attributes:
        entry_id: The entry.
        workspace: That of the entry, as are the next two.
    """

    seq: int
    entry_id: str
    workspace: str
    crew: str
    agent: str


def lacking(db: apsw.Connection, workspace: str) -> Iterator[Entry]:
    """Yield the entries of *workspace* that should be episodes and are none, in order.

    One that cannot be read is passed over: the chain tells of it.
    """
    always, severe = sorted(ALWAYS), sorted(WHEN_SEVERE)
    sql = f"""
        select {COLUMNS}
          from journal_entries
         where workspace_id = ?
           and not exists (select 1 from episodes
                            where episodes.seq = journal_entries.seq)
           and (entry_type in ({_marks(always)})
                or (entry_type in ({_marks(severe)})
                    and severity in ({_marks(SEVERE)}))
                or entry_type = 'peer.conversation'
                or instr(refs, '"episodic"')
                or instr(payload, '"episodic"'))
         order by seq
    """
    values = (workspace, *always, *severe, *sorted(SEVERE))
    with explained(db):
        for row in db.execute(sql, values):
            try:
                found = entry_of(row)
            except (ValueError, TypeError):
                continue
            if is_selected(found.entry_type, found.severity, found.payload, found.refs):
                yield found


def misplaced(db: apsw.Connection, workspace: str | None = None) -> list[Misplaced]:
    """Return the episodes of *workspace*, or of all, that are kept as another's."""
    sql = """
        select e.seq, j.id, j.workspace_id,
               coalesce(j.crew_id, ''), coalesce(j.agent_id, '')
          from episodes e
          join owners o on o.id = e.owner
          join journal_entries j on j.seq = e.seq
         where (o.workspace_id, o.crew_id, o.agent_id)
               is not (j.workspace_id, coalesce(j.crew_id, ''),
                       coalesce(j.agent_id, ''))
           and (?1 is null or j.workspace_id = ?1)
         order by e.seq
    """
    return [Misplaced(*row) for row in fetch(db, sql, (workspace,))]


def miscounted(db: apsw.Connection, workspace: str | None = None) -> int:
    """Return of how many owners the number of their episodes is kept wrongly."""
    sql = """
        select count(*)
          from owners
         where episodes != (select count(*) from episodes e where e.owner = owners.id)
           and (?1 is null or workspace_id = ?1)
    """
    return int(fetch_one(db, sql, (workspace,))[0])


def give_back(db: apsw.Connection, found: Misplaced) -> int:
    """Keep an episode as that of its entry's owner; call it inside a transaction.

    Returns the number of that owner.
    """
    place = found.workspace, found.crew, found.agent
    names = "workspace_id, crew_id, agent_id"
    with explained(db):
        db.execute(f"insert or ignore into owners ({names}) values (?, ?, ?)", place)
        ((owner,),) = fetch(
            db, f"select id from owners where ({names}) = (?, ?, ?)", place
        )
        db.execute("update episodes set owner = ? where seq = ?", (owner, found.seq))
    return int(owner)


def recount(db: apsw.Connection) -> None:
    """Count anew how many episodes each owner has; call it inside a transaction."""
    sql = """
        update owners
           set episodes = (select count(*) from episodes e where e.owner = owners.id)
    """
    with explained(db):
        db.execute(sql)


def waits_since(
    db: apsw.Connection, seq: int, owners: Collection[int], now_ms: int
) -> int | None:
    """Return since when, in Unix time, an episode of *owners* behind *seq* waits.

    None if there is none of which that is known: what is older than a day may have
    been brought in just now, with its own time.
    """
    listed = ",".join(map(str, map(int, owners)))
    sql = f"""
        select min(indexed_ms) from episodes
         where seq > ? and +owner in ({listed}) and indexed_ms > ?
    """
    (found,) = fetch_one(db, sql, (seq, now_ms - DAY_MS))
    return None if found is None else int(found)


def _marks(values: Collection[str]) -> str:
    return ", ".join("?" * len(values))
