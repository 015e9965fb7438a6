"""What bundles carry of transcripts: what was learned of which turn, and losses.

How far a log was read is of the machine that it lies on, and stays there. But what was
learned of a turn once is not to be learned of it again where the memory was carried
to, and forgotten.
"""

from __future__ import annotations

import json

from crewmem.db.connect import explained, fetch, fetch_one, transaction
from crewmem.journal import restore
from crewmem.journal.chain import encoded
from crewmem.journal.entry import NAME_MOST
from crewmem.journal.restore import is_instant
from crewmem.records import NamedTuple
from crewmem.transcripts.cursor_store import has_tables

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Collection, Iterator
    from typing import Any, BinaryIO

    import apsw

    from crewmem.db.connect import Bound

LEARNED = ("agent_id", "turn", "content_hash", "kind", "memory", "at")

LOSSES = (
    "id",
    "agent_id",
    "harness",
    "session",
    "key",
    "how",
    "at",
    "before_tokens",
    "after_tokens",
    "detected_at",
    "recovered_at",
    "recovered_tokens",
    "recovered",
)

TABLES = {"learned": LEARNED, "loss": LOSSES}
"""What a line says it is, and the fields that it has."""

TIMES = frozenset({"at", "detected_at"})

NUMBERS = frozenset({"before_tokens", "after_tokens", "recovered_tokens"})

OPTIONAL = NUMBERS | {"recovered_at"}

EMPTY = frozenset({"harness", "session"})
"""What may be no name."""


class Carried(NamedTuple):
    """A row, but for its workspace.

    Attributes:
        what: learned or loss.
        values: Of its fields, in their order.
    """

    what: str
    values: tuple[Bound, ...]


def lines(db: apsw.Connection, workspace: str) -> Iterator[str]:
    """Yield what is carried of *workspace*, a line each."""
    if not has_tables(db):
        return
    for what, sql in (
        (
            "learned",
            f"""
            select {", ".join(LEARNED)} from transcript_learned
             where workspace_id = ? order by agent_id, turn, content_hash
            """,
        ),
        (
            "loss",
            f"""
            select {", ".join(LOSSES)} from context_losses
             where workspace_id = ? order by seq
            """,
        ),
    ):
        for row in fetch(db, sql, (workspace,)):
            yield encoded({"what": what, **dict(zip(TABLES[what], row, strict=True))})


def known(db: apsw.Connection, workspace: str, found: Collection[Carried]) -> int:
    """Return how many of *found* are in *workspace* already."""
    if not has_tables(db):
        return 0
    learned = [[*each.values[:3]] for each in found if each.what == "learned"]
    losses = [[each.values[1], each.values[4]] for each in found if each.what == "loss"]
    (one,) = fetch_one(
        db,
        """
        select count(*) from transcript_learned l, json_each(?2) each
         where l.workspace_id = ?1 and l.agent_id = each.value ->> 0
           and l.turn = each.value ->> 1 and l.content_hash = each.value ->> 2
        """,
        (workspace, json.dumps(learned)),
    )
    (other,) = fetch_one(
        db,
        """
        select count(*) from context_losses l, json_each(?2) each
         where l.workspace_id = ?1 and l.agent_id = each.value ->> 0
           and l.key = each.value ->> 1
        """,
        (workspace, json.dumps(losses)),
    )
    return int(one) + int(other)


def add(db: apsw.Connection, workspace: str, found: Collection[Carried]) -> None:
    """Add those of *found* that are not in *workspace* yet."""
    learned = [each.values for each in found if each.what == "learned"]
    losses = [each.values for each in found if each.what == "loss"]
    with transaction(db), explained(db):
        db.executemany(
            f"""
            insert into transcript_learned (workspace_id, {", ".join(LEARNED)})
            values (?{", ?" * len(LEARNED)}) on conflict do nothing
            """,
            [(workspace, *values) for values in learned],
        )
        db.executemany(
            f"""
            insert into context_losses (workspace_id, {", ".join(LOSSES)})
            values (?{", ?" * len(LOSSES)}) on conflict do nothing
            """,
            [(workspace, *values) for values in losses],
        )


def read(stream: BinaryIO) -> tuple[list[Carried], list[str]]:
    """Return what the lines of *stream* spell, and what is none of it."""
    return restore.read(stream, _carried, "nothing of transcripts")


def _carried(record: dict[str, Any]) -> Carried | None:
    what = record.get("what")
    fields = TABLES.get(what) if isinstance(what, str) else None
    if fields is None:
        return None
    if all(_is_sound(name, record.get(name)) for name in fields):
        return Carried(str(what), tuple(record.get(name) for name in fields))
    return None


def _is_sound(name: str, value: object) -> bool:
    """Tell whether *value* may stand in the field *name*."""
    if value is None:
        return name in OPTIONAL
    if name in NUMBERS:
        return type(value) is int and 0 <= value < 1 << 62
    if not isinstance(value, str):
        return False
    if name in TIMES | {"recovered_at"}:
        return is_instant(value)
    if name == "recovered":
        return _is_list(value)
    least = 0 if name in EMPTY else 1
    return least <= len(value) <= NAME_MOST and value.isprintable()


def _is_list(text: str) -> bool:
    """Tell whether *text* is a JSON list of texts."""
    try:
        found = json.loads(text)
    except (ValueError, RecursionError):
        return False
    return isinstance(found, list) and all(isinstance(each, str) for each in found)
