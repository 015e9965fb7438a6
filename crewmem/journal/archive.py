"""The archive of the journal: each entry whole and compressed, with a readable excerpt."""

import json
import zlib
from collections.abc import Collection, Iterator
from hashlib import sha256

from crewmem.context import Context
from crewmem.errors import DamagedError
from crewmem.journal.entry import COLUMNS, Row, dump
from crewmem.storage.sqlite import Database

MAX_SUMMARY = 200
MAX_PAYLOAD = 400
"""Maximum characters of the excerpt, which can be read without decompressing the entry."""


def add_to_archive(db: Database, rows: list[Row], archived_at: str) -> None:
    """Store *rows* in the archive; existing rows are replaced."""
    values = []
    for row in rows:
        text = dump(list(row)).encode()
        values.append(
            {
                **row._asdict(),
                "summary": row.summary[:MAX_SUMMARY],
                "payload": shorten_payload(row.payload),
                "archived_at": archived_at,
                "original": zlib.compress(text),
                "content_sha": sha256(text).hexdigest(),
            }
        )
    db.executemany(
        "insert or replace into journal_entries_archived (workspace_id, id, chain, crew_id,"
        " agent_id, ts, entry_type, severity, priority, summary, payload, archived_at, original,"
        " content_sha) values (:workspace_id, :id, :chain, :crew_id, :agent_id, :ts, :entry_type,"
        " :severity, :priority, :summary, :payload, :archived_at, :original, :content_sha)",
        values,
    )


def load_rows(context: Context, ids: Collection[str]) -> dict[str, Row]:
    """Return the entries of the workspace with these ids; archived ones are decompressed."""
    rows = context.db.execute(
        f"select {COLUMNS} from journal_entries"
        " where workspace_id = ? and id in (select value from json_each(?))",
        (context.workspace, ids),
    )
    found = {row.id: row for row in map(Row._make, rows)}
    return found | {row.id: row for row, _ in iterate_archive(context, ids=ids)}


def iterate_archive(
    context: Context, *, chain: str | None = None, ids: Collection[str] | None = None
) -> Iterator[tuple[Row, str]]:
    """Yield the archived entries of the workspace, each with the time when it was archived.

    Args:
        chain: Only entries of this chain.
        ids: Only entries with these ids.

    Raises:
        DamagedError: If an entry differs from what was archived.
    """
    for entry_id, original, content_sha, archived_at in context.db.execute(
        "select id, original, content_sha, archived_at from journal_entries_archived"
        " where workspace_id = :workspace and (:chain is null or chain = :chain)"
        # No "order by" with ids: SQLite would scan all entries instead of looking up the ids.
        + (" order by ts, id" if ids is None else " and id in (select value from json_each(:ids))"),
        {"workspace": context.workspace, "chain": chain, "ids": ids or ()},
    ):
        yield _unpack_row(entry_id, original, content_sha), archived_at


def _unpack_row(entry_id: str, original: bytes, content_sha: str) -> Row:
    try:
        text = zlib.decompress(original)
        if sha256(text).hexdigest() == content_sha:
            return Row._make(json.loads(text))
    except (zlib.error, ValueError, TypeError):
        pass
    raise DamagedError(
        f"the archived entry {entry_id} is damaged",
        code="archive-damaged",
        hint="restore the home from a backup",
    )


def shorten_payload(payload: str) -> str:
    """Return *payload* cut to MAX_PAYLOAD characters, as a valid JSON object."""
    short, length = payload, MAX_PAYLOAD
    while len(short) > MAX_PAYLOAD:  # quoting adds characters
        short = dump({"beginning": payload[:length]})
        length -= 20
    return short
