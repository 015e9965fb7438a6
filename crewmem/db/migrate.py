"""Bringing a database of crewmem's own up to the newest schema.

What is truth is changed by numbered steps, after a backup beside it, and a
step that has landed is never edited. What is derived has one script and is
dropped and rebuilt when the script's version is another.
"""

from __future__ import annotations

import os
from contextlib import closing, suppress
from pathlib import Path

from crewmem.db.connect import (
    Mode,
    connect,
    explained,
    fetch_one,
    filename,
    transaction,
)

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

    import apsw

APPLICATION_ID = 0x43524D4D
"""``CRMM``: tells crewmem's indexes from databases of other programs."""

TRUTH_ID = 0x43524D54
"""``CRMT``: and what is truth from what is derived, by whatever name it goes."""

TRUTH = "crewmem"
"""The schema of crewmem.db."""

BACKUP_PAGES = 10_000
"""Pages copied at a time; between two of them ^C is answered."""


def steps(schema: str) -> list[tuple[str, str]]:
    """Return the steps of *schema* as (file name, SQL), in order."""
    folder = _folder(schema)
    return [(name, (folder / name).read_text("utf-8")) for name in _names(schema)]


def newest(schema: str) -> int:
    """Return the number of the last step of *schema*, without reading any."""
    return len(_names(schema))


def makes(table: str) -> bool:
    """Tell whether a schema of ours has *table*."""
    schemas = sorted(os.listdir(_folder("")))  # noqa: PTH208 - names are enough
    return any(f" table {table} " in sql for each in schemas for _, sql in steps(each))


def makes_column(name: str) -> bool:
    """Tell whether a table of the truth has a column *name*."""
    return any(f"\n    {name} " in sql for _, sql in steps(TRUTH))


def _folder(schema: str) -> Path:
    return Path(__file__).with_name("schema") / schema


def _names(schema: str) -> list[str]:
    # Not importlib.resources: its import costs as much as a whole search.
    names = os.listdir(_folder(schema))  # noqa: PTH208 - names are enough
    return sorted(name for name in names if name.endswith(".sql"))


def version(db: apsw.Connection, mark: int = TRUTH_ID) -> int:
    """Return the number of the last step that was applied; 0 for an empty database.

    Raises:
        ForeignDatabaseError: If it is not marked with *mark*, and has tables.
    """
    # Tables first: where another process is just making them, the mark is there with
    # them, and where it came too late there is nothing yet.
    (tables,) = fetch_one(db, "select count(*) from sqlite_schema")
    if not tables:
        return 0
    if fetch_one(db, "pragma application_id") != (mark,):
        from crewmem.errors.database import ForeignDatabaseError

        raise ForeignDatabaseError(Path(filename(db)))
    return int(fetch_one(db, "pragma user_version")[0])


def migrate(db: apsw.Connection, schema: str = TRUTH) -> list[str]:
    """Apply the steps of *schema* that *db* has not seen; return their names.

    Step n is ``schema/<schema>/<n, four digits>_<what it does>.sql``. All of
    them are applied in one transaction, or none is.

    Raises:
        ForeignDatabaseError: If another program made the tables in it.
        SchemaTooNewError: If *db* is past the last step there is.
    """
    known = steps(schema)
    if not _pending(db, known):
        return []
    with transaction(db):
        pending = _pending(db, known)
        if not pending:  # another process was faster
            return []
        if len(pending) < len(known) and (file := filename(db)):
            backup(db, Path(f"{file}.before-{len(known):04}"))
        for _, sql in pending:
            db.execute(sql).fetchall()
        db.execute(f"pragma application_id = {TRUTH_ID}")
        db.execute(f"pragma user_version = {len(known)}")
    return [name for name, _ in pending]


def _pending(
    db: apsw.Connection, known: Sequence[tuple[str, str]]
) -> Sequence[tuple[str, str]]:
    found = version(db)
    if found > len(known):
        from crewmem.errors.database import SchemaTooNewError

        raise SchemaTooNewError(Path(filename(db)), found, len(known))
    return known[found:]


def backup(db: apsw.Connection, path: Path) -> None:
    """Copy what is committed in *db* to *path*, whole or not at all.

    What is there is replaced. It is read by SQLite, on a connection of its own: *db*
    may be in the middle of a change, and closing a plain descriptor on the file
    would drop SQLite's locks.
    """
    from crewmem import disk
    from crewmem.errors.registry import ExistsError

    with disk.open_root(path.parent) as folder, suppress(ExistsError):
        disk.create(folder, path.name, b"")  # its owner's alone, unlike SQLite's
    with (
        closing(connect(Path(filename(db)), Mode.READ)) as source,
        closing(connect(path, Mode.WRITE)) as copy,
        explained(path),
        copy.backup("main", source, "main") as running,
    ):
        while not running.step(BACKUP_PAGES):
            pass
