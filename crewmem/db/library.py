"""The SQLite that this program carries, and what it can do."""

from __future__ import annotations

import apsw

NEEDED = {
    "FTS5": "create virtual table temp.plain using fts5(a)",
    "contentless_delete": (
        "create virtual table temp.bare "
        "using fts5(a, content = '', contentless_delete = 1)"
    ),
    "JSON": "select json('{}')",
}
"""What databases of ours use, and a statement that fails without it."""


def version() -> str:
    """Return the version of SQLite, as ``3.54.1``."""
    return apsw.sqlite_lib_version()


def lacking() -> list[str]:
    """Return what this SQLite cannot do and has to."""
    db = apsw.Connection(":memory:")
    try:
        missing = [name for name, sql in NEEDED.items() if not _runs(db, sql)]
    finally:
        db.close()
    return missing + (["WAL"] if "OMIT_WAL" in apsw.compile_options else [])


def _runs(db: apsw.Connection, sql: str) -> bool:
    try:
        db.execute(sql)
    except apsw.Error:
        return False
    return True
