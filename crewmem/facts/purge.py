"""Purging: erases the text of a fact from the home.

The row keeps its id, so that no mirror or bundle restores the text.
"""

from __future__ import annotations

from collections.abc import Collection
from typing import NamedTuple

from crewmem.documents import vector_key
from crewmem.embeddings.store import erase_vectors
from crewmem.errors import RefusedError
from crewmem.facts.fact import Fact, statement_text
from crewmem.facts.summaries import extract_summary
from crewmem.facts.table import FactTable
from crewmem.storage.derived import (
    MIN_LENGTH,
    blank_statements,
    forget_cases,
    forget_queries,
    list_items_about,
)
from crewmem.storage.sqlite import Database, scrub, transaction


class Purged(NamedTuple):
    """The result of a purge.

    Attributes:
        entries: Number of journal entries whose text was blanked.
        copies: Independent facts that still have the text: those that were shared from it, those
            with an equal text that the actor may read, and corrections that quote it.
    """

    id: str
    entries: int
    copies: list[str]


def check_may_purge(table: FactTable, fact: Fact) -> None:
    """Raise RefusedError unless the actor is an operator, or owns the fact."""
    access = table.context.access
    is_own = fact.scope in ("agent", "session") and fact.agent == access.actor.name
    if not (access.is_operator or is_own):
        may_write = not access.fact_write_rule(fact.scope, fact.crew, fact.agent)
        raise RefusedError(
            f"{access.actor} may not purge {fact.id}: operators purge, and agents their own facts",
            code="out-of-scope",
            hint=table.context.command("fact forget", fact.id) if may_write else "",
        )


def purge(table: FactTable, fact: Fact) -> Purged:
    """Blank the text of a fact everywhere in the home.

    That includes its revisions, quotes, the reasons of its votes, its vectors, logged queries, and
    the summaries, journal entries and review items that contain it. Summaries are rewritten from
    their other sources. Of a fact that is blank already, only traces in the file of the database
    are left.
    """
    db = table.context.db
    count, copies = 0, list[str]()
    if fact.content_hash:
        db.execute("pragma secure_delete = on")
        with transaction(db):
            count = erase_texts(table, fact)
            table.journal.append(
                "fact.purged",
                f"fact purged: {fact.id}",
                payload={"id": fact.id, "scope": fact.scope},
                refs={"fact_id": fact.id},
                severity="notice",
                crew=fact.crew,
                agent=fact.agent,
            )
            copies = sorted({*list_copies(db, [fact.id]), *_list_equal(table, fact)})
    if not db.in_transaction:
        scrub(db)
    return Purged(fact.id, count, copies)


def list_copies(db: Database, facts: Collection[str]) -> list[str]:
    """Return other facts that were shared from *facts*, and corrections that quote them."""
    return db.column(
        "select distinct src_id from fact_relations join facts on facts.id = src_id"
        " where dst_id in (select value from json_each(:facts)) and content_hash <> ''"
        " and (relation = 'promoted_from' or relation = 'derived_from' and kind = 'correction')"
        " and src_id not in (select value from json_each(:facts)) order by 1",
        {"facts": facts},
    )


def _list_equal(table: FactTable, fact: Fact) -> list[str]:
    """Return the facts with the text of *fact* that the actor may read."""
    access = table.context.access.facts(include_restricted=True)
    return table.context.db.column(
        "select id from facts where content = :content and id <> :id and content_hash <> ''"
        f" and {access.sql}",
        {"id": fact.id, "content": fact.content, **access.params},
    )


def erase_texts(table: FactTable, fact: Fact) -> int:
    """Blank the text of a fact everywhere in the database, and erase its vectors.

    Returns the number of blanked journal entries.
    """
    former = table.list_revisions([fact.id]).get(fact.id, [])
    texts = {fact.content, *(revision.content for revision in former if revision.content)}
    keys = {vector_key(fact.text())}
    keys |= {vector_key(statement_text(r.title or "", r.content)) for r in former if r.content}
    blank_fact(table, fact)
    for summary in table.select(
        "facts.kind = 'summary' and facts.content_hash <> '' and facts.id in"
        " (select src_id from fact_relations where dst_id = :id and relation = 'derived_from')",
        {"id": fact.id},
    ):
        keys.add(vector_key(summary.text()))
        texts.add(summary.content)
        _rewrite_summary(table, summary)
    long = [text for text in texts if len(text) >= MIN_LENGTH]
    entries = {*table.purger.find_entries_with("fact_id", fact.id, long)}
    db, workspace = table.context.db, table.context.workspace
    for item_id in list_items_about(db, workspace, fact.id):  # its decision repeats the title
        entries.update(table.purger.find_entries_with("review", item_id))
    count = table.purger.purge_entries(sorted(entries))
    blank_statements(db, workspace, fact.id, table.context.now_text)
    forget_queries(db, workspace, fact.id, texts)
    forget_cases(db, workspace, fact.id, texts)
    erase_vectors(table.context, (workspace, "facts"), keys)
    return count


def blank_fact(table: FactTable, fact: Fact) -> None:
    """Blank the row of a fact, its revisions and the reasons of its votes."""
    db = table.context.db
    now = table.context.now_text
    db.execute(
        "update facts set title = '', content = '', tags = '[]', entities = '[]', metadata = '{}',"
        " source_spans = '[]', subtype = '', topic_key = null, source_project = null,"
        " source_issue = null, content_hash = '', search_text = '', vector_key = 0,"
        " status = 'archived', updated_at = ? where id = ?",
        (now, fact.id),
    )
    db.execute(
        "update fact_revisions set title = '', content = '', search_text = '', reason = ''"
        " where fact_id = ?",
        (fact.id,),
    )
    db.execute("update votes set reason = '' where fact_id = ?", (fact.id,))
    db.execute("delete from fact_similarities where src_id = :id or dst_id = :id", {"id": fact.id})


def _rewrite_summary(table: FactTable, summary: Fact) -> None:
    """Rewrite a summary from the sources that still have a text; drop its old text."""
    sources = table.select(
        "facts.content_hash <> '' and facts.id in"
        " (select dst_id from fact_relations where src_id = :id and relation = 'derived_from')",
        {"id": summary.id},
        tail="order by facts.created_at, facts.id",
    )
    if not sources:
        blank_fact(table, summary)
        return
    is_titled_by_source = summary.subtype in ("cluster", "session")
    changes = {
        "title": sources[-1].title if is_titled_by_source else summary.title,
        "content": extract_summary(sources),
        "metadata": {k: v for k, v in summary.metadata.items() if k in ("period", "notes")},
    }
    table.update(summary, changes, reason="a source was purged")
    table.context.db.execute(
        "update fact_revisions set title = '', content = '', search_text = ''"
        " where fact_id = ? and content is not null",
        (summary.id,),
    )
