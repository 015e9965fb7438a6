"""What a database of crewmem's lacks of what the steps of its schema make."""

from __future__ import annotations

from contextlib import closing

from crewmem.db.connect import connect_memory, explained, fetch, transaction
from crewmem.db.migrate import migrate
from crewmem.records import NamedTuple

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

    import apsw

TABLE, COLUMN = "table", "column"

AGAIN = frozenset({"jobs", "memory_health_snapshots", "memory_listings", "nudges"})
"""Tables without which nothing is lost that does not come again by itself."""

TOLD = frozenset({"eval_cases", "eval_runs", "recalls"})
"""Tables of what happened, which nothing else rests on: empty they do no harm."""

RANKS = {TABLE: 0, "index": 1, "trigger": 2, COLUMN: 3}
"""What others are made on comes first."""


class Lack(NamedTuple):
    """Something that is not there, or not as it was made.

    Attributes:
        kind: table, column, index or trigger.
        name: What it is called; a column with its table.
        sql: The statement that makes it; "" where none does.
        is_other: Whether there is one of that name, which says something else.
    """

    kind: str
    name: str
    sql: str = ""
    is_other: bool = False

    @property
    def is_safe(self) -> bool:
        """Tell whether making it loses nothing that is not lost already."""
        if self.kind == TABLE:
            return self.name in AGAIN or self.name in TOLD
        return bool(self.sql)

    def __str__(self) -> str:
        says = ", which says something else" if self.is_other else ""
        return f"the {self.kind} {self.name}{says}"


def lacks(db: apsw.Connection) -> list[Lack]:
    """Return what *db*, which is at the newest step, lacks of all steps; in order.

    What belongs to a table that is not there, and cannot be made, is not told.
    """
    with closing(connect_memory()) as whole:
        migrate(whole)
        wanted, there = _made(whole), _made(db)
        found = [*_missing(wanted, there), *_columns(whole, db, wanted, there)]
    return sorted(found, key=lambda each: (RANKS[each.kind], each.name))


def make(db: apsw.Connection) -> None:
    """Make in *db* what it lacks, as far as that is safe."""
    with transaction(db):
        for each in lacks(db):
            if not each.is_safe:
                continue
            with explained(db):
                if each.is_other:
                    db.execute(f'drop {each.kind} "{each.name}"')
                db.execute(each.sql)


def _made(db: apsw.Connection) -> dict[tuple[str, str], tuple[str, str]]:
    """Return the table and the statement of each thing in *db*, by kind and name."""
    sql = "select type, name, tbl_name, sql from sqlite_schema where sql is not null"
    return {(kind, name): (table, text) for kind, name, table, text in fetch(db, sql)}


def _missing(
    wanted: dict[tuple[str, str], tuple[str, str]],
    there: dict[tuple[str, str], tuple[str, str]],
) -> Iterator[Lack]:
    gone = {
        name
        for kind, name in wanted
        if kind == TABLE and (kind, name) not in there
        if not Lack(kind, name).is_safe
    }
    for (kind, name), (table, text) in wanted.items():
        if (kind, name) not in there:
            if kind == TABLE or table not in gone:
                yield Lack(kind, name, text)
        elif kind != TABLE and _words(there[kind, name][1]) != _words(text):
            yield Lack(kind, name, text, is_other=True)


def _words(text: str) -> list[str]:
    return text.split()


def _columns(
    whole: apsw.Connection,
    db: apsw.Connection,
    wanted: dict[tuple[str, str], tuple[str, str]],
    there: dict[tuple[str, str], tuple[str, str]],
) -> Iterator[Lack]:
    for kind, name in wanted.keys() & there.keys():
        if kind == TABLE:
            left = _names(db, name)
            for column in _names(whole, name):
                if column not in left:
                    yield Lack(COLUMN, f"{name}.{column}")


def _names(db: apsw.Connection, table: str) -> list[str]:
    sql = "select name from pragma_table_info(?)"
    return [name for (name,) in fetch(db, sql, (table,))]
