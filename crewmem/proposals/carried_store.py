"""Proposals as bundles carry them: what waits, and what was decided, and why."""

from __future__ import annotations

import json

from crewmem.db.connect import explained, fetch, fetch_one, transaction
from crewmem.db.where import Where
from crewmem.journal.chain import encoded
from crewmem.journal.entry import NAME_MOST, SUMMARY_MOST
from crewmem.journal.payload_text import TooDeepError, payload_text
from crewmem.journal.restore import is_instant, records
from crewmem.proposals.proposal import OPEN, STATUSES
from crewmem.records import NamedTuple
from crewmem.scope import Scope

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Collection
    from typing import BinaryIO

    import apsw

SCOPES = frozenset({Scope.AGENT, Scope.CREW, Scope.WORKSPACE})


class Carried(NamedTuple):
    """A proposal, but for its place and its workspace.

    Attributes:
        crew_id: The crew; "" if it is not a crew's.
        body: A JSON object, as text.
        evidence: A JSON list of texts, as text.
    """

    id: str
    kind: str
    scope: str
    crew_id: str
    title: str
    body: str
    evidence: str
    status: str
    created_by: str
    created_at: str
    decided_by: str | None
    decided_at: str | None
    reason: str
    outcome: str | None


COLUMNS = ", ".join(Carried._fields)


def carried(db: apsw.Connection, workspace: str, crew: str | None) -> list[Carried]:
    """Return the proposals of *workspace*, or of a *crew*, in their order."""
    where = Where()
    where.equal("workspace_id", workspace)
    where.equal("crew_id", crew)
    sql = f"select {COLUMNS} from proposals {where} order by seq"
    return [Carried._make(row) for row in fetch(db, sql, where.values)]


def known(db: apsw.Connection, workspace: str, found: Collection[Carried]) -> int:
    """Return how many of *found* are in *workspace* already."""
    sql = """
        select count(*) from proposals
         where workspace_id = ? and id in (select value from json_each(?))
    """
    ids = encoded([each.id for each in found])
    return int(fetch_one(db, sql, (workspace, ids))[0])


def add(db: apsw.Connection, workspace: str, found: Collection[Carried]) -> None:
    """Add those of *found* that are not in *workspace* yet."""
    sql = f"""
        insert into proposals (workspace_id, {COLUMNS})
        values (?{", ?" * len(Carried._fields)})
        on conflict do nothing
    """
    with transaction(db), explained(db):
        db.executemany(sql, [(workspace, *each) for each in found])


def line(each: Carried) -> str:
    """Return a proposal as a line of a bundle."""
    record: dict[str, object] = each._asdict()
    record["body"] = json.loads(each.body)
    record["evidence"] = json.loads(each.evidence)
    return encoded(record)


def read(stream: BinaryIO) -> tuple[list[Carried], list[str]]:
    """Return the proposals that the lines of *stream* spell, and what is none."""
    found: dict[str, Carried] = {}
    troubles: list[str] = []
    for number, record in records(stream, troubles):
        each = _carried(record)
        if each is None:
            troubles.append(f"line {number}: it is no proposal")
        elif each.id in found:
            troubles.append(f"line {number}: {each.id} is there twice")
        else:
            found[each.id] = each
    return list(found.values()), troubles


def _carried(record: dict[str, object]) -> Carried | None:
    body, evidence = record.get("body"), record.get("evidence")
    if not (isinstance(body, dict) and isinstance(evidence, list)):
        return None
    if not all(isinstance(each, str) for each in evidence):
        return None
    try:
        payload_text(body)
    except TooDeepError:  # nobody proposes that, and not every reader could read it
        return None
    spelled = {**record, "body": _spelled(body), "evidence": json.dumps(evidence)}
    each = Carried._make(spelled.get(name) for name in Carried._fields)
    return each if _is_sound(each) else None


def _spelled(body: dict[str, object]) -> str:
    return json.dumps(body, ensure_ascii=False, sort_keys=True)


def _is_sound(each: Carried) -> bool:
    needed = (each.id, each.kind, each.created_by, each.created_at)
    texts = (*needed, *each[2:5], each.status, each.reason)
    if not all(isinstance(text, str) for text in texts):
        return False
    if not all(0 < len(text) <= NAME_MOST and text.isprintable() for text in needed):
        return False
    if len(each.title) + len(each.reason) > SUMMARY_MOST:
        return False
    decided = (each.decided_by, each.decided_at, each.outcome)
    if not all(text is None or isinstance(text, str) for text in decided):
        return False
    is_open = each.status == OPEN
    return (
        each.scope in SCOPES
        and each.status in STATUSES
        and is_instant(each.created_at)
        and (each.decided_at is None) == is_open
        and (each.decided_at is None or is_instant(each.decided_at))
    )
