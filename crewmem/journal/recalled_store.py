"""Which files recalls have found lately, of what was asked and answered."""

from __future__ import annotations

from crewmem.db.connect import fetch, fetch_one

TYPE_CHECKING = False
if TYPE_CHECKING:
    import apsw


def recalled_refs(db: apsw.Connection, workspace: str, prefix: str) -> set[str]:
    """Return the files whose refs begin with *prefix* and that recalls have found.

    Recalls are kept for 30 days. Lines, as in ``CREW.md:3-9``, are left out.
    """
    rows = fetch(
        db,
        """
        select distinct found.value
          from recalls,
               json_each(case when json_valid(ids) then ids else '[]' end) found
         where workspace_id = ? and substr(found.value, 1, length(?2)) = ?2
        """,
        (workspace, prefix),
    )
    return {_file(str(ref)) for (ref,) in rows}


def recalls_asked(db: apsw.Connection, workspace: str) -> int:
    """Return how many questions are kept."""
    sql = "select count(*) from recalls where workspace_id = ?"
    return int(fetch_one(db, sql, (workspace,))[0])


def _file(ref: str) -> str:
    head, colon, lines = ref.rpartition(":")
    return head if colon and lines.replace("-", "").isdigit() else ref
