"""Salvage: copies the readable rows of a damaged crewmem.db into a new one."""

from __future__ import annotations

import contextlib
from bisect import bisect_left
from pathlib import Path
from typing import NamedTuple

import apsw

from crewmem.errors import CrewmemError
from crewmem.hosts.changes import IS_SHARED_SQL, SHARED_TABLES
from crewmem.storage.sqlite import (
    HOME_SCHEMA,
    Database,
    checkpoint,
    discard_database,
    open_database,
    transaction,
)

MAX_ROWID = 2**62

UNREADABLE = (apsw.Error, UnicodeDecodeError)
"""What reading a damaged row raises; damaged text is no UTF-8."""

FULL_TEXTS = {
    "facts_fts": ("facts", "rowid", ""),
    "fact_revisions_fts": ("fact_revisions", "rowid", " where search_text <> ''"),
    "journal_entries_fts": ("journal_entries", "seq", ""),
}
"""Full-text tables of crewmem.db: source table, its key, and condition for the indexed rows."""

FILL_WORKSPACES = """
insert or ignore into workspaces (name, created_at)
select 'default', :now
union select workspace_id, :now from crews
union select workspace_id, :now from facts
union select workspace_id, :now from journal_entries
"""
"""Adds the workspaces that other tables name. Without one, no command works."""

LEFT_TO_STORE = {"shared_store", *SHARED_TABLES} - {"file_versions"}
"""Tables that a damaged mirror copies from its store again."""


class Salvaged(NamedTuple):
    """The result of a salvage.

    Attributes:
        rows: Number of copied rows.
        incomplete: Tables in which rows are missing.
        is_mirror: Whether the shared rows are left to the store of which the home is a mirror.
    """

    rows: int
    incomplete: list[str]
    is_mirror: bool


def salvage(path: Path, new_path: Path, *, has_store: bool, now: str) -> Salvaged:
    """Copy the readable rows of the damaged database *path* into a new one at *new_path*.

    Args:
        has_store: Whether the settings name a shared store.
        now: Stored time of workspaces of which the row is lost.
    """
    discard_database(new_path)
    db = open_database(new_path, HOME_SCHEMA, create=True)
    triggers = db.all("select name, sql from sqlite_schema where type = 'trigger'")
    for name, _ in triggers:
        db.execute(f"drop trigger {name}")
    try:
        salvaged = _copy_tables(path, db, has_store=has_store)
        for _, sql in triggers:
            db.execute(sql)
        db.execute(FILL_WORKSPACES, {"now": now})
        for name in FULL_TEXTS:
            db.execute(f"insert into {name} ({name}) values ('rebuild')")
        checkpoint(db)
    finally:
        db.close()
    return salvaged


def _copy_tables(path: Path, db: Database, *, has_store: bool) -> Salvaged:
    """Copy the tables of the damaged database *path*, except those that its store has."""
    damaged = apsw.Connection(str(path), flags=apsw.SQLITE_OPEN_READWRITE)
    # Read what is left of a truncated file, and the tables beside a damaged definition.
    with contextlib.suppress(apsw.Error):
        damaged.execute("pragma writable_schema = on")
    is_mirror = has_store and _is_mirror(damaged)
    rows, incomplete = 0, []
    for table, sql in db.all(
        "select name, sql from sqlite_schema where type = 'table'"
        " and name not like 'sqlite_%' and name not like '%_fts%'"
    ):
        if is_mirror and table in LEFT_TO_STORE:
            continue
        copied, is_complete = _copy_table(damaged, db, table, has_rowid="without rowid" not in sql)
        rows += copied
        if not is_complete:
            incomplete.append(table)
    damaged.close()
    if is_mirror:  # versions of agents' own files are on this host only
        db.execute(f"delete from file_versions where {IS_SHARED_SQL}")
    return Salvaged(rows, incomplete, is_mirror)


def _is_mirror(damaged: apsw.Connection) -> bool:
    """Return whether a damaged database can be read far enough to know that it is a mirror."""
    try:
        return bool(damaged.execute("select store_id from shared_store").fetchall())
    except UNREADABLE:
        return False


def _copy_table(
    damaged: apsw.Connection, db: Database, table: str, *, has_rowid: bool
) -> tuple[int, bool]:
    """Copy a table of a damaged database; return the number of rows, and whether it was all.

    A table without row ids is read until its first unreadable page.
    """
    names = [name for _, name, *_ in db.all(f"pragma table_info({table})")]
    columns = ", ".join(["rowid", *names] if has_rowid and "rowid" not in names else names)
    insert = (
        f"insert or ignore into {table} ({columns})"
        f" values ({', '.join('?' * len(columns.split(', ')))})"
    )
    select = f"select {columns} from {table}"
    if has_rowid:
        select = f"select rowid, {columns} from {table} where rowid >= ? order by rowid"
    copied, is_complete, start = 0, True, 0
    with transaction(db):
        while start < MAX_ROWID:
            try:
                for row in damaged.execute(select, (start,) if has_rowid else ()):
                    if has_rowid:
                        start, row = row[0] + 1, row[1:]
                    try:
                        db.execute(insert, row)
                        copied += 1
                    except (apsw.Error, CrewmemError):  # a damaged value has another type
                        is_complete = False
                break
            except UNREADABLE:
                is_complete = False
                start = _find_readable(damaged, select, start) if has_rowid else MAX_ROWID
    return copied, is_complete


def _find_readable(damaged: apsw.Connection, select: str, unreadable: int) -> int:
    """Return about the lowest row id above *unreadable* from which rows can be read."""

    def can_read(start: int) -> bool:
        try:
            damaged.execute(f"{select} limit 1", (start,)).fetchall()
        except UNREADABLE:
            return False
        return True

    step = 1
    while unreadable + step < MAX_ROWID and not can_read(unreadable + step):
        step *= 2
    if unreadable + step >= MAX_ROWID:
        return MAX_ROWID
    low = unreadable + step // 2 + 1
    return low + bisect_left(range(low, unreadable + step), True, key=can_read)
