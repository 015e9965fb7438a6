"""What recalls have found lately, of what was asked and answered."""

from __future__ import annotations

import json

from crewmem.db.connect import fetch, fetch_one

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Collection

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


def delivered(
    db: apsw.Connection, workspace: str, since: str
) -> list[tuple[str, str, list[str]]]:
    """Return what was asked from *since* on and went before a model, oldest first.

    That is the question, who asked, and the refs of what did.
    """
    sql = """
        select query, actor, injected from recalls
         where workspace_id = ? and at >= ? and injected not in ('', '[]')
           and json_valid(injected)
         order by at, id
    """
    rows = fetch(db, sql, (workspace, since))
    return [
        (query, actor, [str(each) for each in json.loads(injected)])
        for query, actor, injected in rows
    ]


def cited(db: apsw.Connection, workspace: str, refs: Collection[str]) -> set[str]:
    """Return those of *refs* that an entry of the journal refers to.

    The journal is read once, however many they are.
    """
    sql = """
        select distinct cited.atom
          from journal_entries,
               json_tree(case when json_valid(refs) then refs else '{}' end) cited
         where workspace_id = ?1 and refs <> '{}' and cited.type = 'text'
           and cited.atom in (select value from json_each(?2))
    """
    found = fetch(db, sql, (workspace, json.dumps([*refs])))
    return {str(ref) for (ref,) in found}


def _file(ref: str) -> str:
    head, colon, lines = ref.rpartition(":")
    return head if colon and lines.replace("-", "").isdigit() else ref
