"""Counting what the health of memory is computed from. Reads tables of other rooms.

Whoever asks says whose: by the owners of episodes, or by the actors of recalls.
"""

from __future__ import annotations

from contextlib import contextmanager

import apsw

from crewmem.db.batches import batched
from crewmem.db.connect import explained, fetch, fetch_one, filename
from crewmem.errors.database import DatabaseDamagedError
from crewmem.memories.lifecycle import LIVE
from crewmem.records import NamedTuple

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Collection, Iterable, Iterator
    from typing import Any

DAY_MS = 86_400_000

SEARCHES = ("search", "memory search")
"""Verbs whose answers are no recalls: they hold nothing back."""

AT_ONCE = 500
"""Most values that one statement asks for."""


class Ages(NamedTuple):
    """How many episodes there are, and how old.

    Attributes:
        median: In days; None without any.
        newest: The same.
    """

    episodes: int
    median: float | None = None
    newest: float | None = None


class Asked(NamedTuple):
    """What was recalled.

    Attributes:
        ids: What was found, in the order of the answer, as JSON.
        relevances: Of each, as JSON.
    """

    ids: str
    relevances: str


@contextmanager
def counting(db: apsw.Connection) -> Iterator[None]:
    """Say of a table that is not as it should be that the database is damaged.

    A number that could not be counted is no zero.
    """
    path = filename(db) or ":memory:"
    with explained(db):
        try:
            yield
        except apsw.SQLError as error:
            if "no such column" not in str(error):
                raise
            reason = str(error).partition(": ")[2] or str(error)
            raise DatabaseDamagedError(path, reason) from error
        except UnicodeDecodeError as error:
            raise DatabaseDamagedError(path, "a text in it is not UTF-8") from error


def ages(db: apsw.Connection, owners: Collection[int], now_ms: int) -> Ages:
    """Return how old the episodes of *owners* are; what is to come is of today.

    All rows are read in their order: by the index of owners it took twice as long.
    """
    whose = f"from episodes where +owner in ({_listed(owners)})"
    count, newest = fetch_one(db, f"select count(*), max(indexed_ms) {whose}")
    if not count:
        return Ages(0)
    middle = fetch(
        db,
        f"select indexed_ms {whose} order by indexed_ms desc limit ? offset ?",
        (2 - count % 2, (count - 1) // 2),
    )
    median = sum(at for (at,) in middle) / len(middle)
    days = (max(0.0, (now_ms - at) / DAY_MS) for at in (median, newest))
    return Ages(count, *days)


def places(db: apsw.Connection, owners: Collection[int]) -> str:
    """Return the places of the episodes of *owners*, joined by commas.

    One text: as rows a hundred thousand took ten times as long.
    """
    sql = f"select group_concat(seq) from episodes where owner in ({_listed(owners)})"
    return fetch_one(db, sql)[0] or ""


def with_words(db: apsw.Connection, owners: Collection[int]) -> int:
    """Return how many episodes of *owners* the full text of the journal has."""
    sql = f"""
        select count(*)
          from episodes e
         where owner in ({_listed(owners)})
           and exists (select 1 from journal_entries_fts_docsize where id = e.seq)
    """
    return int(fetch_one(db, sql)[0])


def connected(db: apsw.Connection, owners: Collection[int]) -> int:
    """Return how many episodes of *owners* have a relation."""
    sql = f"""
        select count(*)
          from episodes
         where owner in ({_listed(owners)})
           and (exists (select 1 from memory_relations where src_seq = seq)
                or exists (select 1 from memory_relations where dst_seq = seq))
    """
    return int(fetch_one(db, sql)[0])


def consolidated_at(db: apsw.Connection, workspace: str) -> str | None:
    """Return when the last consolidation of *workspace* ended; None: never."""
    sql = """
        select max(ts) from journal_entries
         where workspace_id = ? and entry_type = 'system.consolidation_completed'
    """
    found: str | None = fetch_one(db, sql, (workspace,))[0]
    return found


def recalls(
    db: apsw.Connection, workspace: str, since: str, most: int
) -> dict[str, list[Asked]]:
    """Return what was recalled in *workspace* from *since* on, by who asked.

    Of more than *most* recalls the latest.
    """
    sql = f"""
        select actor, ids, relevances
          from recalls
         where workspace_id = ? and at >= ? and verb not in ({_marks(SEARCHES)})
         order by at desc, id desc
         limit ?
    """
    found: dict[str, list[Asked]] = {}
    for actor, *row in fetch(db, sql, (workspace, since, *SEARCHES, most)):
        found.setdefault(actor, []).append(Asked(*row))
    return found


def entries_at(
    db: apsw.Connection, workspace: str, ids: Collection[str]
) -> dict[str, int]:
    """Return the places of those of *ids* that are entries of *workspace*."""
    return dict(_of_ids(db, "journal_entries", "seq", workspace, ids))


def memories_at(
    db: apsw.Connection, workspace: str, ids: Collection[str]
) -> dict[str, tuple[int, str]]:
    """Return place and hash of those of *ids* that are memories of *workspace*."""
    found = _of_ids(db, "memories", "seq, content_hash", workspace, ids)
    return {name: (seq, digest) for name, seq, digest in found}


def recalled_memories(
    db: apsw.Connection, workspace: str, ids: Collection[str]
) -> set[str]:
    """Return those of *ids* that are memories that recall finds, of *workspace*.

    Restricted ones are their owners' alone.
    """
    columns = f"status in ({_quoted(LIVE)}) and sensitivity != 'restricted'"
    found = _of_ids(db, "memories", columns, workspace, ids)
    return {name for name, is_there in found if is_there}


def _quoted(words: Iterable[str]) -> str:
    return ", ".join(f"'{each}'" for each in words)


def _of_ids(
    db: apsw.Connection, table: str, columns: str, workspace: str, ids: Collection[str]
) -> Iterator[tuple[Any, ...]]:
    for some in batched(sorted(ids), AT_ONCE):
        sql = f"""
            select id, {columns} from {table}
             where workspace_id = ? and id in ({_marks(some)})
        """
        yield from fetch(db, sql, (workspace, *some))


def agents_of(db: apsw.Connection, workspace: str, crew: str) -> list[str]:
    """Return the agents that are at home in *crew*, by slug."""
    sql = "select slug from agents where workspace = ? and crew = ? order by slug"
    return [slug for (slug,) in fetch(db, sql, (workspace, crew))]


def crews(db: apsw.Connection, workspace: str) -> list[str]:
    """Return the crews of *workspace*, registered or met in its episodes, by name."""
    sql = """
        select name from crews where workspace = ?1
        union
        select crew_id from owners where workspace_id = ?1 and crew_id <> ''
        order by 1
    """
    return [name for (name,) in fetch(db, sql, (workspace,))]


def _listed(numbers: Collection[int]) -> str:
    return ",".join(map(str, map(int, numbers)))


def _marks(values: Collection[str]) -> str:
    return ", ".join("?" * len(values))
