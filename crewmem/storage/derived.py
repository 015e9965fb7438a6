"""Texts that review items, candidates and queries have from a fact, an entry, a file or a session.

A purge of their source erases them: nobody else could.
"""

from collections.abc import Collection, Sequence

from crewmem.storage.json_columns import load_object
from crewmem.storage.sqlite import Database

ABOUT = (
    "workspace_id = :workspace and kind <> 'import'"
    " and (fact_id = :id or payload like '%\"' || :id || '\"%')"
)
"""SQL condition for the review items about a fact or an entry. An item that trusts a bundle names
its facts and holds no text of them, so it is none."""

MIN_LENGTH = 12
"""Minimum characters of a text that is searched for in other texts; short texts are common."""

FORGOTTEN_TYPE = "sessions.forgotten"
"""Type of the entry about forgotten sessions. The transaction that appends it erases texts."""

BLANK_TITLE = "purged"
"""Title of a review item whose text was purged."""

BLANK_TEXTS = (
    "status = iif(status = 'open', 'rejected', status),"
    " decided_by = iif(status = 'open', 'system:purge', decided_by),"
    " decided_at = iif(status = 'open', :now, decided_at), decision = '{}',"
    f" title = '{BLANK_TITLE}', reason = 'purged'"
)
"""SQL assignments that reject a review item and erase its texts, but for its key and payload."""

BLANK_ITEM = f"{BLANK_TEXTS}, payload = '{{}}', item_key = ''"
"""The key of a contradiction contains its statements."""

BLANK_CASES = (
    "update eval_cases set result = json_set(result, '$.query', '') where json_valid(result) and"
    " run_id in (select id from eval_runs where workspace_id = :workspace)"
)
"""SQL that erases the queries of cases of evaluations; further conditions follow."""

BLANK_CANDIDATE = (
    "text = '', evidence = '[]', topic = '',"
    " status = iif(status in ('open', 'proposed'), 'rejected', status)"
)
"""SQL assignments that reject a candidate of consolidation and erase its texts."""


def list_items_about(db: Database, workspace: str, source_id: str) -> Sequence[str]:
    """Return the ids of the review items about a fact or an entry."""
    sql = f"select id from review_items where {ABOUT}"
    return db.column(sql, {"workspace": workspace, "id": source_id})


def blank_statements(db: Database, workspace: str, source_id: str, now: str) -> None:
    """Blank the review items about a fact or an entry, and its candidates.

    These are its source, and the candidates that it supports; the latter are settled. The others
    of a plan are open again.
    """
    named = {"id": source_id, "workspace": workspace}
    db.execute(
        "update consolidation_candidates set status = 'open'"
        " where workspace_id = :workspace and status = 'proposed' and id in"
        " (select change.value ->> '$.candidate' from (select payload from review_items"
        f"  where {ABOUT} and kind = 'plan' and status = 'open') as item,"
        "  json_each(item.payload, '$.changes') as change)",
        named,
    )
    db.execute(f"update review_items set {BLANK_ITEM} where {ABOUT}", {**named, "now": now})
    db.execute(
        f"update consolidation_candidates set {BLANK_CANDIDATE} where workspace_id = :workspace"
        " and (target = :id or evidence like '%\"' || :id || '\"%')",
        named,
    )


def forget_queries(
    db: Database, workspace: str, source_id: str, texts: Collection[str] = ()
) -> None:
    """Erase the queries that found a fact or an entry, or that ask with one of *texts*.

    They are logged recalls, and cases of evaluations, which keep their measures. Both are in tables
    of this host.
    """
    named = {"id": source_id, "workspace": workspace, "texts": _choose_long(texts)}
    db.execute(
        "delete from recalls where workspace_id = :workspace and (refs like '%\"' || :id || '\"%'"
        " or exists (select 1 from json_each(:texts) where instr(query, json_each.value)))",
        named,
    )
    db.execute(
        f"{BLANK_CASES} and (result like '%\"' || :id || '\"%' or exists (select 1 from"
        " json_each(:texts) as text where instr(result ->> '$.query', text.value)))",
        named,
    )


def forget_cases(db: Database, workspace: str, source_id: str, texts: Collection[str] = ()) -> None:
    """Delete the captured cases that name a fact, an entry or a session, or have one of *texts*.

    Hosts share them.
    """
    long = _choose_long(texts)

    def is_about(line: str) -> bool:
        query = str(load_object(line).get("query", ""))
        return f'"{source_id}"' in line or any(text in query for text in long)

    rows = db.all("select name, content from eval_suites where workspace_id = ?", (workspace,))
    for name, content in rows:
        lines = content.split("\n")
        gone = [load_object(line).get("id") for line in lines if is_about(line)]
        if gone:
            db.execute(
                "update eval_suites set content = ? where workspace_id = ? and name = ?",
                ("\n".join(line for line in lines if not is_about(line)), workspace, name),
            )
            db.execute(
                f"{BLANK_CASES} and case_id in (select value from json_each(:ids))",
                {"workspace": workspace, "ids": gone},
            )


def _choose_long(texts: Collection[str]) -> list[str]:
    return [text for text in texts if len(text) >= MIN_LENGTH]


def blank_skills(db: Database, workspace: str, sessions: Collection[str], now: str) -> None:
    """Blank the review items of skills that cite one of *sessions*: they quote its commands.

    A decided one keeps its evidence, so that the other sessions do not propose it again. An open
    one may come again from these.
    """
    db.execute(
        f"update review_items set {BLANK_TEXTS}, item_key = iif(status = 'open', '', item_key),"
        " payload = json_object('evidence', payload -> '$.evidence')"
        " where workspace_id = :workspace and kind = 'skill' and json_valid(payload) and exists"
        " (select 1 from json_each(payload, '$.evidence') as line, json_each(:sessions) as session"
        "  where line.value like session.value || ':%')",
        {"workspace": workspace, "sessions": sessions, "now": now},
    )


def blank_statements_of_file(
    db: Database, workspace: str, file: str, present: str, now: str
) -> None:
    """Blank the merges of a memory file, and its candidates that are not in its present text."""
    named = {"workspace": workspace, "file": file, "now": now}
    db.execute(
        f"update review_items set {BLANK_ITEM} where workspace_id = :workspace and kind = 'merge'"
        " and payload ->> '$.file' = :file",
        named,
    )
    db.execute(
        f"update consolidation_candidates set {BLANK_CANDIDATE} where workspace_id = :workspace"
        " and instr(evidence, '\"' || :file || ':') and not instr(:present, text)",
        {"workspace": workspace, "file": file, "present": present},
    )
