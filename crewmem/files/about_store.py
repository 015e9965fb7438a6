"""What an index says of itself, and whether that can be true. The only SQL on it.

Rows that are deleted by hand leave no contradiction behind, and a search would not
miss them. So triggers count them, and what we delete ourselves is taken off again.
"""

from __future__ import annotations

from crewmem.db.connect import fetch, fetch_one

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping

    import apsw

    from crewmem.db.connect import Bound

NUMBERS = (
    "chunk_chars",
    "max_file_bytes",
    "indexed_at",
    "files",
    "chunks",
    "bytes",
    "rows",
    "deleted",
)
"""What an index that is whole says, each a number."""


VECTOR_TABLES = (
    "vector_spaces",
    "vector_pages",
    "vector_codes",
    "vector_parts",
    "vector_failures",
    "chunk_keys",
)
"""What an index has beside, all of them or none, once something was embedded."""


def about(db: apsw.Connection) -> dict[str, object]:
    """Return how and when the index was made."""
    return dict(fetch(db, "select key, value from about"))


def tell(db: apsw.Connection, about: Mapping[str, Bound]) -> None:
    """Keep *about* beside what is kept already."""
    db.executemany(
        "insert or replace into about (key, value) values (?, ?)", about.items()
    )


def keep_rows(db: apsw.Connection) -> None:
    """Keep that the index has the rows that it should have, and no others."""
    tell(db, {"rows": word_rows(db)[0], "deleted": 0})


def flaw(db: apsw.Connection) -> str:
    """Return why the index cannot be trusted: something was done by hand; else ""."""
    said = about(db)
    if not all(isinstance(said.get(key), int) for key in NUMBERS):
        return "it does not say what it holds"
    if said["deleted"] or said["rows"] != word_rows(db)[0]:
        return "it lacks rows that it had"
    if _vector_tables(db) not in {0, len(VECTOR_TABLES)}:
        return "it lacks tables of its vectors"
    return ""


def word_rows(db: apsw.Connection) -> tuple[int, int]:
    """Return how many chunks can be found, and how many stems they hold."""
    db.register_fts5_function("totals", _totals)
    found = fetch(db, "select totals(words) from words limit 1")
    chunks, stems = found[0][0].split() if found else (0, 0)
    return int(chunks), int(stems)


def _totals(api: apsw.FTS5ExtensionApi, *_: object) -> str:
    stems = sum(api.column_total_size(column) for column in range(api.column_count))
    return f"{api.row_count} {stems}"


def has_vectors(db: apsw.Connection) -> bool:
    """Tell whether any chunk was embedded: then there are tables for it."""
    return _vector_tables(db) == len(VECTOR_TABLES)


def _vector_tables(db: apsw.Connection) -> int:
    marks = ",".join("?" * len(VECTOR_TABLES))
    sql = (
        f"select count(*) from sqlite_schema where type = 'table' and name in ({marks})"
    )
    return int(fetch_one(db, sql, VECTOR_TABLES)[0])
