"""Facts as records: exported in a fixed order, imported once however often."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from itertools import islice
from typing import Any, NamedTuple

from crewmem.access import ORIGINS
from crewmem.errors import CrewmemError, UsageError
from crewmem.facts.fact import (
    PINS,
    RELATIONS,
    SCOPES,
    STATES,
    STATUSES,
    Draft,
    Fact,
    Owner,
    check_choice,
    check_draft,
    content_hash,
    parse_kind,
    stored_time,
)
from crewmem.facts.lifecycle import find_supersession_cycles
from crewmem.facts.purge import blank_fact
from crewmem.facts.remember import find_drafts_to_screen, quarantine, screen_draft
from crewmem.facts.table import INSERT, FactTable, make_row, search_text_of
from crewmem.ids import id_from, is_id
from crewmem.security import Finding
from crewmem.storage.sqlite import transaction

BATCH = 5_000
"""Records of a transaction."""

BULK = 200
"""Records from which on the full text of a batch is written by one statement."""

FIELDS = (
    "id", "scope", "agent", "crew", "kind", "subtype", "title", "content", "tags", "entities",
    "metadata", "importance", "confidence", "base_quality", "sensitivity", "status", "pin",
    "state", "origin", "topic_key", "superseded_by", "occurred_at", "valid_from", "valid_until",
    "verified_at", "session", "project", "issue", "spans", "created_by", "created_at",
    "updated_at",
)  # fmt: skip
"""Fields of a record, in order; empty ones are left out."""


class BadRecord(NamedTuple):
    """A record that was skipped.

    Attributes:
        number: Counted from 1.
    """

    number: int
    reason: str


class ImportReport(NamedTuple):
    """What an import did.

    Attributes:
        quarantined: Ids of facts that wait in review as attacks.
    """

    created: int
    updated: int
    unchanged: int
    quarantined: list[str]
    bad: list[BadRecord]


class _Incoming(NamedTuple):
    """A record that was read.

    Attributes:
        status: As it is to be stored.
    """

    number: int
    draft: Draft
    record: Mapping[str, Any]
    status: str
    created_by: str
    created_at: str
    updated_at: str
    digest: str
    attacks: list[Finding]


def export_facts(table: FactTable, *, include_restricted: bool = False) -> Iterator[dict[str, Any]]:
    """Yield the facts that the actor may read, by id, with revisions, votes and relations.

    The same facts give the same records. Session notes are left out: they are of one host and
    hour. Of a purged fact only the id is given, so that no bundle brings it back.
    """
    access = table.context.access.facts(include_restricted=include_restricted)
    last = ""
    while True:
        facts = table.select(
            f"facts.id > :last and facts.scope <> 'session' and {access.sql}",
            {"last": last, **access.params},
            tail=f"order by facts.id limit {BATCH}",
        )
        if not facts:
            return
        last = facts[-1].id
        beside = _read_beside(table, [fact.id for fact in facts])
        for fact in facts:
            if not fact.content_hash:
                yield {"id": fact.id, "purged": True, "updated_at": fact.updated_at}
                continue
            record = {
                name: value
                for name in FIELDS
                if (value := getattr(fact, name)) not in (None, "", [], {})
            }
            yield record | beside.get(fact.id, {})


def _read_beside(table: FactTable, ids: Sequence[str]) -> dict[str, dict[str, list[Any]]]:
    """Return revisions, votes and relations of facts, by id and name."""
    named = {"ids": json.dumps(list(ids))}
    found: dict[str, dict[str, list[Any]]] = {}
    for name, parent, table_name, fields, order in (
        (
            "revisions", "fact_id", "fact_revisions",
            ("title", "content", "kind", "status", "valid_from", "valid_until", "superseded_by",
             "changed_by", "changed_at", "reason"),
            "changed_at, number",
        ),
        ("votes", "fact_id", "votes", ("actor", "day", "vote", "reason", "voted_at"), "actor, day"),
        (
            "relations", "src_id", "fact_relations",
            ("relation", "dst_id", "weight", "created_by", "created_at"),
            "relation, dst_id",
        ),
    ):  # fmt: skip
        sql = (
            f"select {parent}, {', '.join(fields)} from {table_name} where {parent} in"
            f" (select value from json_each(:ids)) order by {parent}, {order}"
        )
        for fact_id, *values in table.context.db.execute(sql, named):
            item = {k: v for k, v in zip(fields, values, strict=True) if v not in (None, "")}
            found.setdefault(fact_id, {}).setdefault(name, []).append(item)
    return found


def import_facts(
    table: FactTable,
    records: Iterable[Mapping[str, Any]],
    *,
    keep_origin: bool = False,
    origin: str = "external",
    scope: str | None = None,
    agent: str | None = None,
    crew: str | None = None,
) -> ImportReport:
    """Store facts from records, in batches of one transaction each.

    A fact that is there with the same id is revised when the record was changed later, else left
    alone; one whose owner says the same already is not stored again. Texts are screened like any
    other: secrets are redacted, attacks wait in review. A bad record is skipped and reported.

    Args:
        table: The facts.
        records: As `export_facts` yields them.
        keep_origin: Whether origin classes and recorded times hold, as in bundles of one's own.
            Else everything is recorded now.
        origin: Class of everything where they do not hold.
        scope: Scope of records without one; by default of the agent or crew that they name,
            else workspace.
        agent: Agent of records without one.
        crew: Crew of records without one.

    Raises:
        UsageError: If no record can be stored and some are bad, or facts supersede each other
            in a cycle.
    """
    table.context.access.require_operator("import facts")
    counts = {"created": 0, "updated": 0, "unchanged": 0}
    quarantined: list[str] = []
    bad: list[BadRecord] = []
    defaults = {"scope": scope, "agent": agent, "crew": crew}
    numbered = enumerate(records, start=1)
    while batch := list(islice(numbered, BATCH)):
        drafts: list[tuple[int, Mapping[str, Any], Draft]] = []
        purged: list[str] = []
        for number, record in batch:
            if record.get("purged") and is_id(str(record.get("id", ""))):
                purged.append(str(record["id"]))
                continue
            with _reporting(number, bad):
                draft = _read_draft(record, keep_origin, defaults, origin)
                drafts.append((number, record, draft))
        to_screen = set(find_drafts_to_screen(table, [draft for _, _, draft in drafts]))
        read: list[_Incoming] = []
        for at, (number, record, draft) in enumerate(drafts):
            with _reporting(number, bad):
                attacks: list[Finding] = []
                if at in to_screen:
                    attacks, redacted = screen_draft(table, draft)
                    if redacted:
                        check_draft(draft)
                read.append(_complete(table, number, record, draft, keep_origin, attacks))
        _refuse_cycles(read)
        with transaction(table.context.db):
            for fact_id in purged:
                fact = table.by_id(fact_id)
                if fact is not None and fact.content_hash:
                    blank_fact(table, fact)
                    counts["updated"] += 1
            for action in _store_batch(table, read, keep_origin, quarantined):
                counts[action] += 1
    bad.sort()
    total = sum(counts.values())
    if total == 0 and bad:
        raise UsageError(
            f"no record is a fact; record {bad[0].number}: {bad[0].reason}",
            code="bad-records",
            details={"bad": [each._asdict() for each in bad[:20]]},
        )
    if counts["created"] or counts["updated"]:
        table.journal.append(
            "fact.imported",
            f"facts imported: {counts['created']} created, {counts['updated']} updated",
            payload={**counts, "quarantined": len(quarantined), "bad": len(bad)},
        )
    return ImportReport(**counts, quarantined=quarantined, bad=bad)


def set_origins(table: FactTable, wanted: Mapping[str, Sequence[str]]) -> int:
    """Give facts of a bundle the classes and pins that it records, as review decided.

    Only what is still ``external`` changes.

    Args:
        table: The facts.
        wanted: Class and pin by id.

    Returns:
        How many changed.
    """
    changed = 0
    with transaction(table.context.db):
        for fact_id, (origin, pin) in wanted.items():
            check_choice("origin", origin, ORIGINS)
            check_choice("pin", pin, PINS)
            table.context.db.execute(
                "update facts set origin = ?, pin = ? where id = ? and workspace_id = ?"
                " and origin = 'external'",
                (origin, pin, fact_id, table.context.workspace),
            )
            changed += table.context.db.changes()
    return changed


@contextmanager
def _reporting(number: int, bad: list[BadRecord]) -> Iterator[None]:
    """Report a record that cannot be stored, and go on."""
    try:
        yield
    except (CrewmemError, TypeError, ValueError, AttributeError) as error:
        reason = error.message if isinstance(error, CrewmemError) else str(error)
        bad.append(BadRecord(number, reason))


def _read_draft(
    record: Mapping[str, Any],
    keep_origin: bool,
    defaults: Mapping[str, str | None],
    origin: str,
) -> Draft:
    """Return the draft of a record, checked but not screened.

    Raises:
        UsageError: If a value is missing or out of its range.
    """
    agent = record.get("agent") or defaults["agent"]
    crew = record.get("crew") or defaults["crew"]
    fallback = "agent" if agent else "crew" if crew else "workspace"
    scope = str(record.get("scope") or defaults["scope"] or fallback)
    check_choice("scope", scope, SCOPES)
    if scope == "session" or (scope == "agent" and not agent) or (scope == "crew" and not crew):
        raise UsageError(f"a record of scope {scope} needs its owner", code="bad-record")
    owner = Owner(
        scope,
        str(agent) if scope == "agent" else None,
        str(crew) if scope == "crew" else None,
    )
    kind, synonym = parse_kind(str(record.get("kind") or "fact"))
    origin = str(record.get("origin") or "external") if keep_origin else origin
    check_choice("origin", origin, ORIGINS)
    created_at = stored_time(record.get("created_at"))
    sensitivity = str(record.get("sensitivity") or "internal")
    draft = Draft(
        id=str(record.get("id") or ""),
        content=str(record.get("content") or ""),
        owner=owner,
        origin=origin,
        kind=kind,
        subtype=str(record.get("subtype") or synonym),
        title=str(record.get("title") or ""),
        tags=[str(tag) for tag in record.get("tags") or ()],
        entities=[str(name) for name in record.get("entities") or ()],
        metadata=dict(record.get("metadata") or {}),
        importance=int(record.get("importance") or 3),
        confidence=float(record.get("confidence", 0.5)),
        base_quality=record.get("base_quality", 0.6 if owner.scope != "agent" else None),
        sensitivity=sensitivity,
        topic_key=record.get("topic_key") or None,
        occurred_at=stored_time(record.get("occurred_at") or (None if keep_origin else created_at)),
        valid_from=stored_time(record.get("valid_from")),
        valid_until=stored_time(record.get("valid_until")),
        session=record.get("session") or None,
        project=record.get("project") or None,
        issue=record.get("issue") or None,
        spans=list(record.get("spans") or ()),
    )
    if draft.id and not (is_id(draft.id) and draft.id.startswith("f_")):
        draft.id = id_from("f", f"{owner} {draft.id}".encode())
    check_choice("status", str(record.get("status") or "active"), STATUSES)
    check_choice("pin", str(record.get("pin") or "none"), PINS)
    if record.get("state"):
        check_choice("state", str(record["state"]), STATES)
    check_draft(draft)
    return draft


def _complete(
    table: FactTable,
    number: int,
    record: Mapping[str, Any],
    draft: Draft,
    keep_origin: bool,
    attacks: list[Finding],
) -> _Incoming:
    """Return a record that was checked and screened, with what it is stored with."""
    owner, now = draft.owner, table.context.now_text
    status = str(record.get("status") or "active")
    created_at = stored_time(record.get("created_at"))
    digest = content_hash(draft.kind, draft.title, draft.content)
    if not draft.id:
        draft.id = id_from("f", f"{table.context.workspace} {owner} {digest}".encode())
    recorded = created_at if keep_origin and created_at else now
    return _Incoming(
        number,
        draft,
        record,
        "quarantined" if attacks and status != "archived" else status,
        str(record.get("created_by") or table.context.access.actor)
        if keep_origin
        else str(table.context.access.actor),
        recorded,
        (stored_time(record.get("updated_at")) or recorded) if keep_origin else now,
        digest,
        attacks,
    )


def _refuse_cycles(read: Iterable[_Incoming]) -> None:
    superseding = [
        Fact(**{**dict.fromkeys(Fact.__slots__), "id": each.draft.id,
                "superseded_by": each.record["superseded_by"]})
        for each in read
        if each.record.get("superseded_by")
    ]  # fmt: skip
    cycles = find_supersession_cycles(superseding)
    if cycles:
        raise UsageError(
            f"facts supersede each other in a cycle: {' → '.join(cycles[0])}",
            code="supersession-cycle",
            details={"cycles": cycles},
        )


def _store_batch(
    table: FactTable, read: Sequence[_Incoming], keep_origin: bool, quarantined: list[str]
) -> Iterator[str]:
    """Store a batch with few statements; yield created, updated or unchanged for each record."""
    db = table.context.db
    known = {
        fact_id: (digest, updated_at, status)
        for fact_id, digest, updated_at, status in db.execute(
            "select id, content_hash, updated_at, status from facts"
            " where id in (select value from json_each(?))",
            (json.dumps([each.draft.id for each in read]),),
        )
    }
    texts, topics = _read_active(table, read)
    rows: list[tuple[Any, ...]] = []
    stored: list[_Incoming] = []
    losers: list[tuple[str, str]] = []
    for each in read:
        draft = each.draft
        if draft.id in known:
            digest, updated_at, _ = known[draft.id]
            if digest and keep_origin and each.updated_at > updated_at and not each.attacks:
                yield _renew(table, each)
            else:
                if digest and keep_origin:
                    _store_beside(table, [each])
                yield "unchanged"
            continue
        status, superseded_by = each.status, each.record.get("superseded_by") or None
        if status == "active":
            twin = texts.get((draft.owner, each.digest))
            if twin is not None and (not keep_origin or twin[1] == draft.id):
                yield "unchanged"
                continue
            topic = topics.get((draft.owner, draft.topic_key)) if draft.topic_key else None
            rival = twin or topic
            if rival is not None:
                own = (each.created_at, draft.id) if twin else (each.updated_at, draft.id)
                # The first to say a thing stays; of two on a topic the later one holds.
                wins = own < rival if twin else own > rival
                if wins:
                    losers.append((rival[1], draft.id))
                else:
                    status, superseded_by = "superseded", rival[1]
            if status == "active":
                texts[draft.owner, each.digest] = each.created_at, draft.id
                if draft.topic_key:
                    topics[draft.owner, draft.topic_key] = each.updated_at, draft.id
        rows.append(
            make_row(
                draft,
                fact_id=draft.id,
                workspace=table.context.workspace,
                status=status,
                created_by=each.created_by,
                created_at=each.created_at,
                updated_at=each.updated_at,
                pin=str(each.record.get("pin") or "none") if keep_origin else "none",
                state=str(each.record.get("state") or ""),
                superseded_by=superseded_by,
                verified_at=stored_time(each.record.get("verified_at")),
            )
        )
        known[draft.id] = each.digest, each.updated_at, status
        stored.append(each)
        yield "created"
    _supersede(table, losers, rows)
    _insert(table, rows)
    if keep_origin:
        _store_beside(table, stored)
    for each in stored:
        if each.attacks:
            fact, _ = quarantine(table, each.draft, each.attacks)
            quarantined.append(fact.id)


def _read_active(
    table: FactTable, read: Sequence[_Incoming]
) -> tuple[
    dict[tuple[Owner, str], tuple[str, str]], dict[tuple[Owner, str | None], tuple[str, str]]
]:
    """Return (time, id) of the active facts with the texts and the topics of a batch, by owner."""
    found: list[dict[Any, tuple[str, str]]] = []
    for column, time, values in (
        ("content_hash", "created_at", {each.digest for each in read}),
        ("topic_key", "updated_at", {each.draft.topic_key for each in read} - {None}),
    ):
        rows = table.context.db.execute(
            f"select scope, agent_id, crew_id, {column}, {time}, facts.id"
            " from json_each(:values) wanted"
            f" cross join facts on facts.{column} = wanted.value"
            " where facts.workspace_id = :workspace and facts.status = 'active'"
            f" and facts.{column} is not null and facts.content_hash <> ''",
            {"values": json.dumps(list(values)), "workspace": table.context.workspace},
        )
        found.append(
            {
                (Owner(scope, agent, crew), value): (at, fact_id)
                for scope, agent, crew, value, at, fact_id in rows
            }
        )
    return found[0], found[1]


def _supersede(
    table: FactTable, losers: Sequence[tuple[str, str]], rows: list[tuple[Any, ...]]
) -> None:
    """Supersede facts that a record replaces: stored ones, or rows that are not stored yet."""
    waiting = {row[0]: at for at, row in enumerate(rows)}
    for loser, winner in losers:
        if loser in waiting:
            row = list(rows[waiting[loser]])
            row[16], row[21] = "superseded", winner
            rows[waiting[loser]] = tuple(row)
            continue
        fact = table.by_id(loser)
        if fact is not None:
            after = table.update(
                fact, {"status": "superseded", "superseded_by": winner}, reason="imported"
            )
            table.record("superseded", after, payload={"by": winner})


def _insert(table: FactTable, rows: Sequence[tuple[Any, ...]]) -> None:
    """Insert rows; the full text of many is written by one statement."""
    db = table.context.db
    if len(rows) < BULK:
        db.executemany(INSERT, rows)
        return
    last = db.value("select coalesce(max(rowid), 0) from facts")
    db.execute("update fact_bulk set is_open = 1")
    db.executemany(INSERT, rows)
    db.execute(
        "insert into facts_fts (rowid, search_text) select rowid, search_text from facts"
        " where rowid > ?",
        (last,),
    )
    db.execute("update fact_bulk set is_open = 0")


def _renew(table: FactTable, each: _Incoming) -> str:
    """Bring a stored fact to the later state of a record of one's own; what it was is kept."""
    fact = table.by_id(each.draft.id)
    assert fact is not None
    draft, record = each.draft, each.record
    changes: dict[str, Any] = {
        "kind": draft.kind, "subtype": draft.subtype, "title": draft.title,
        "content": draft.content, "tags": draft.tags, "entities": draft.entities,
        "metadata": draft.metadata, "importance": draft.importance,
        "confidence": float(draft.confidence), "base_quality": draft.base_quality,
        "sensitivity": draft.sensitivity, "status": each.status,
        "pin": str(record.get("pin") or "none"), "state": str(record.get("state") or fact.state),
        "origin": draft.origin, "topic_key": draft.topic_key,
        "superseded_by": record.get("superseded_by") or None, "valid_from": draft.valid_from,
        "valid_until": draft.valid_until, "occurred_at": draft.occurred_at,
        "verified_at": stored_time(record.get("verified_at")), "source_spans": draft.spans,
    }  # fmt: skip
    if any(r.get("changed_at") == each.updated_at for r in record.get("revisions") or ()):
        table.context.db.execute("delete from fact_revisions where fact_id = ?", (fact.id,))
    table.update(fact, changes, reason="imported")
    # The record's own history says when it changed; the revision made now would say it again.
    if record.get("revisions"):
        table.context.db.execute(
            "delete from fact_revisions where fact_id = ? and reason = 'imported'", (fact.id,)
        )
    table.context.db.execute(
        "update facts set updated_at = ? where id = ?", (each.updated_at, fact.id)
    )
    _store_beside(table, [each])
    return "updated"


def _store_beside(table: FactTable, stored: Iterable[_Incoming]) -> None:
    """Store revisions, votes and relations of records; what is there already stays."""
    db, workspace = table.context.db, table.context.workspace
    revisions: list[tuple[Any, ...]] = []
    votes: list[tuple[Any, ...]] = []
    relations: list[tuple[Any, ...]] = []
    for each in stored:
        fact_id = each.draft.id
        items = each.record.get("revisions") or ()
        have: set[str] = set()
        number = 0
        if items:
            rows = db.all(
                "select changed_at, number from fact_revisions where fact_id = ?", (fact_id,)
            )
            have = {row[0] for row in rows}
            number = max((row[1] for row in rows), default=0)
        for item in items:
            changed_at = stored_time(item.get("changed_at"))
            if changed_at is None or changed_at in have:
                continue
            number += 1
            title, content = item.get("title"), item.get("content")
            text = ""
            if content:
                text = search_text_of(
                    str(title or ""), str(content), each.draft.tags, each.draft.entities,
                    each.draft.topic_key,
                )  # fmt: skip
            revisions.append(
                (
                    workspace, fact_id, number, title if content is not None else None, content,
                    str(item.get("kind") or each.draft.kind), str(item.get("status") or "active"),
                    item.get("valid_from"), item.get("valid_until"), item.get("superseded_by"),
                    text, str(item.get("changed_by") or each.created_by), changed_at,
                    str(item.get("reason") or ""),
                )
            )  # fmt: skip
        votes += (
            (
                workspace, fact_id, str(item["actor"]), str(item.get("day") or ""),
                -1 if int(item["vote"]) < 0 else 1, str(item.get("reason") or ""),
                stored_time(item.get("voted_at")) or each.updated_at,
            )
            for item in each.record.get("votes") or ()
        )  # fmt: skip
        relations += (
            (
                workspace, fact_id, str(item["dst_id"]), item["relation"],
                float(item.get("weight", 1.0)), str(item.get("created_by") or ""),
                stored_time(item.get("created_at")) or each.created_at,
            )
            for item in each.record.get("relations") or ()
            if item.get("relation") in RELATIONS
        )  # fmt: skip
    if revisions:
        db.executemany(
            "insert into fact_revisions (workspace_id, fact_id, number, title, content, kind,"
            " status, valid_from, valid_until, superseded_by, search_text, changed_by, changed_at,"
            " reason) values (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)",
            revisions,
        )
    if votes:
        db.executemany(
            "insert into votes (workspace_id, fact_id, actor, day, vote, reason, voted_at)"
            " values (?, ?, ?, ?, ?, ?, ?) on conflict do update set vote = excluded.vote,"
            " reason = excluded.reason, voted_at = excluded.voted_at"
            " where excluded.voted_at > voted_at",
            votes,
        )
    if relations:
        db.executemany(
            "insert into fact_relations (workspace_id, src_id, dst_id, relation, weight,"
            " created_by, created_at) values (?, ?, ?, ?, ?, ?, ?) on conflict do nothing",
            relations,
        )
