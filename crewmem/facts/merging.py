"""Merging imported facts with the stored ones: of each part of a fact the later state holds.

All homes that exchange their facts come to the same state, in whatever order bundles arrive.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, NamedTuple

from crewmem.facts.fact import RELATIONS, Fact, Owner
from crewmem.facts.fields import EMPTY_VALUES
from crewmem.facts.purge import erase_texts
from crewmem.facts.remember import quarantine
from crewmem.facts.table import (
    FactTable,
    Revision,
    insert_facts,
    insert_revisions,
    search_text_of,
    stated_columns,
)
from crewmem.origins import ORIGINS
from crewmem.security.findings import Finding
from crewmem.storage.json_lines import BadRecord

NOT_REVISED = "it revises a fact of a higher class: give --origin operator if you trust it"

DIFFERS = "its text differs from that of {id}, which stays: revise it with fact edit"


@dataclass(slots=True)
class ImportReport:
    """The result of an import.

    Attributes:
        counts: Numbers of ``created``, ``updated``, ``unchanged`` and ``quarantined`` facts.
        quarantined: Records that were stored as attacks, which wait in review.
        bad: Records that were not stored as they were.
        redacted: Records whose secrets were redacted.
    """

    counts: Counter[str] = field(default_factory=Counter)
    quarantined: list[BadRecord] = field(default_factory=list)
    bad: list[BadRecord] = field(default_factory=list)
    redacted: list[BadRecord] = field(default_factory=list)

    @property
    def created(self) -> int:
        return self.counts["created"]

    @property
    def updated(self) -> int:
        return self.counts["updated"]

    @property
    def unchanged(self) -> int:
        return self.counts["unchanged"]


class Times(NamedTuple):
    """When a fact changed last.

    Attributes:
        text: When its text was stated.
        decided: When somebody last changed its text, its status or its validity.
        status: The same, changes by aging, condensing and jobs included.
        updated: When anything changed.
    """

    text: str
    decided: str
    status: str
    updated: str


@dataclass(slots=True)
class Incoming:
    """A record that was read, with the fact to store and its owner."""

    number: int
    record: Mapping[str, Any]
    fact: Fact
    owner: Owner
    attacks: list[Finding] = field(default_factory=list)

    @property
    def times(self) -> Times:
        """When the record changed."""
        text = decided = status = self.fact.created_at
        for revision in self.record.get("revisions") or ():
            changed_at = revision["changed_at"] or ""
            status = max(status, changed_at)
            if _is_decided(revision):
                decided = max(decided, changed_at)
            if revision.get("content") is not None:
                text = max(text, changed_at)
        return Times(text, decided, status, self.fact.updated_at)


class _Holder(NamedTuple):
    """An active fact that holds a text or a topic; earlier ones compare as less.

    Attributes:
        at: Of a text, when it was stated first; of a topic, when its text was stated.
    """

    at: str
    id: str


class _Known(NamedTuple):
    """The stored fact that has the id of a record; *digest* is "" if it was purged."""

    digest: str
    times: Times


LAST_REVISION = (
    "coalesce((select max(changed_at) from fact_revisions"
    " where fact_id = facts.id and {condition}), facts.created_at)"
)
STATUS_AT = LAST_REVISION.format(condition="true")
TEXT_AT = LAST_REVISION.format(condition="content is not null")
DECIDED_AT = LAST_REVISION.format(
    condition="not (changed_by like 'system:%' or reason = 'aged'"
    " or reason like 'condensed into %')"
)
"""SQL for `status`, `text` and `decided` of the `Times` of a stored fact."""


def _is_decided(revision: Mapping[str, Any]) -> bool:
    """Return whether DECIDED_AT counts a revision of a record."""
    reason = revision.get("reason") or ""
    is_upkeep = reason == "aged" or reason.startswith("condensed into ")
    return not (is_upkeep or (revision.get("changed_by") or "").startswith("system:"))


WITH_TEXT = ("title", "content", "kind", "subtype", "origin", "spans", "content_hash")
WITH_STATUS = ("status", "superseded_by", "valid_from", "valid_until")
"""Fields that belong to the text of a fact, and to its status: the latest of each holds."""


class Batch:
    """The records of one transaction, compared with the stored facts.

    A record may replace a stored fact, or one of the same batch. It may not replace a stored fact
    of a higher class than the import's: strangers must not change trusted texts.
    """

    def __init__(
        self,
        table: FactTable,
        read: Sequence[Incoming],
        report: ImportReport,
        *,
        origin: str,
        keep_origin: bool,
    ) -> None:
        """Prepare to store *read*; `import_facts` describes *origin* and *keep_origin*."""
        self._table, self._read, self._report = table, read, report
        self._keep_origin = keep_origin
        self._higher = ORIGINS[ORIGINS.index(origin) + 1 :]
        self._protected: set[str] = set()  # ids of facts of a higher class
        self._known = self._load_known()
        self._renewed: dict[str, Incoming] = {}
        self._new: dict[str, Incoming] = {}
        self._texts: dict[tuple[Owner, str], _Holder] = {}
        self._topics: dict[tuple[Owner, str], _Holder] = {}
        self._replaced: list[tuple[str, str]] = []

    def store(self) -> None:
        """Store the records with few statements."""
        received = {each.fact.id: each.fact for each in self._read}
        self._renewed = {each.fact.id: each for each in self._read if self._merge(each)}
        self._texts = self._load_holders("content_hash", "created_at")
        self._topics = self._load_holders("topic_key", TEXT_AT)
        self._report.counts.update(map(self._decide, self._read))
        self._supersede()
        self._table.context.db.execute(  # one may take the text or topic that another gives up
            "update facts set status = 'archived' where id in (select value from json_each(?))",
            (self._renewed,),
        )
        for each in self._renewed.values():
            _renew(self._table, each, received[each.fact.id], at=self._text_at(each))
        new = list(self._new.values())
        context = self._table.context
        insert_facts(context.db, context.workspace, [each.fact for each in new])
        if self._keep_origin:
            _store_parts(self._table, new)
        for each in new:
            if each.fact.status == "quarantined" and each.attacks:
                quarantine(self._table, each.fact, each.attacks)
                first = each.attacks[0]
                reason = f"looks like an attack ({first.rule}): {first.matched!r}"
                refused = BadRecord(each.number, f"{reason}; it goes to review")
                self._report.quarantined.append(refused)

    def _load_known(self) -> dict[str, _Known]:
        """Return the stored facts with the ids of the records."""
        known = {}
        for fact_id, origin, digest, *times in self._table.context.db.execute(
            f"select id, origin, content_hash, {TEXT_AT}, {DECIDED_AT}, {STATUS_AT}, updated_at"
            " from facts where id in (select value from json_each(?))",
            ([each.fact.id for each in self._read],),
        ):
            known[fact_id] = _Known(digest, Times(*times))
            if origin in self._higher:
                self._protected.add(fact_id)
        return known

    def _load_holders(self, column: str, time: str) -> dict[tuple[Owner, str], _Holder]:
        """Return the active facts with a text or topic of the records, by owner and value.

        Facts that a record changes are left out: `_settle` adds them.
        """
        holders = {}
        for scope, agent, crew, value, at, fact_id, origin in self._table.context.db.execute(
            f"select scope, agent_id, crew_id, {column}, {time}, facts.id, origin"
            " from json_each(:values) wanted"
            f" cross join facts on facts.{column} = wanted.value"
            " where facts.workspace_id = :workspace and facts.status = 'active'"
            " and facts.content_hash <> ''",
            {
                "values": {getattr(each.fact, column) for each in self._read} - {None},
                "workspace": self._table.context.workspace,
            },
        ):
            if origin in self._higher:
                self._protected.add(fact_id)
            if fact_id not in self._renewed:
                holders[Owner(scope, agent, crew), value] = _Holder(at, fact_id)
        return holders

    def _merge(self, each: Incoming) -> bool:
        """Merge a record with the stored fact; return whether that changes the fact.

        The later text and the status that was decided later hold, and of the other fields the
        later state: neither a vote nor aging in one home undoes what somebody forgot in another.
        """
        received, known = each.fact, self._known.get(each.fact.id)
        is_open = received.id not in self._protected and not each.attacks
        if not (known and known.digest and self._keep_origin and is_open):
            return False
        times = each.times
        has_text = (times.text, times.updated, received.content_hash) > (
            known.times.text,
            known.times.updated,
            known.digest,
        )
        has_status = times[1:] > known.times[1:]
        has_rest = times.updated > known.times.updated
        newer = (has_text, has_status, has_rest)
        if any(newer) and not all(newer):
            stored = self._table.by_id(received.id)
            assert stored is not None
            text, status, rest = (received if has else stored for has in newer)
            each.fact = rest._replace(
                **{name: getattr(text, name) for name in WITH_TEXT},
                **{name: getattr(status, name) for name in WITH_STATUS},
            )
        return any(newer)

    def _text_at(self, each: Incoming) -> str:
        """Return when the text was stated that a record has after the merge."""
        known = self._known.get(each.fact.id)
        return max(known.times.text, each.times.text) if known else each.times.text

    def _decide(self, each: Incoming) -> str:
        """Decide what becomes of a record; return the count that it belongs to."""
        fact, known = each.fact, self._known.get(each.fact.id)
        if known is not None:
            return self._update(each, known)
        if fact.id in self._new:  # without an id, and the same text
            return "unchanged"
        is_known_text = (each.owner, fact.content_hash) in self._texts
        if is_known_text and fact.status == "active" and not self._keep_origin:
            return "unchanged"
        self._new[fact.id] = each
        self._settle(each)
        return "quarantined" if each.attacks else "created"

    def _update(self, each: Incoming, known: _Known) -> str:
        """Add to a stored fact what the record has and the fact lacks; return what was done."""
        fact = each.fact
        if not known.digest:
            return "unchanged"
        if not self._keep_origin:
            if fact.content_hash != known.digest and not self._has_revision(fact):
                self._report.bad.append(BadRecord(each.number, DIFFERS.format(id=fact.id)))
            return "unchanged"
        if fact.id in self._protected:
            if fact.updated_at > known.times.updated and fact.content_hash != known.digest:
                self._report.bad.append(BadRecord(each.number, NOT_REVISED))
            return "unchanged"
        if fact.id in self._renewed:
            self._settle(each)
            return "updated"
        _store_parts(self._table, [each])
        if fact.content_hash != known.digest and not each.attacks:
            _keep_replaced(self._table, fact, at=known.times.text)
        return "unchanged"

    def _has_revision(self, fact: Fact) -> bool:
        """Return whether the stored fact had this text before."""
        row = self._table.context.db.execute(
            "select 1 from fact_revisions where fact_id = ? and content = ?",
            (fact.id, fact.content),
        ).fetchone()
        return row is not None

    def _settle(self, each: Incoming) -> None:
        """Make an active record hold its text and topic, or superseded by the fact that does.

        Of equal texts the first one holds, of texts on one topic the latest one.
        """
        fact, owner = each.fact, each.owner
        if fact.status != "active":
            return
        of_text, of_topic = (owner, fact.content_hash), (owner, fact.topic_key or "")
        text = _Holder(fact.created_at, fact.id)
        topic = _Holder(self._text_at(each), fact.id)
        twin, rival = self._texts.get(of_text), self._topics.get(of_topic)
        losers: set[str] = set()
        for other, is_before in (
            (twin, twin is not None and twin <= text),
            (rival, rival is not None and rival >= topic),
        ):
            if other is None or other.id in (fact.id, *losers):
                continue
            if is_before or other.id in self._protected:
                each.fact = fact._replace(status="superseded", superseded_by=other.id)
                return
            losers.add(other.id)
        self._replaced += ((loser, fact.id) for loser in losers)
        self._texts[of_text] = text
        if fact.topic_key:
            self._topics[of_topic] = topic

    def _supersede(self) -> None:
        """Supersede the facts that records replace, both stored and new ones."""
        for loser, winner in self._replaced:
            waiting = self._new.get(loser) or self._renewed.get(loser)
            if waiting is not None:
                waiting.fact = waiting.fact._replace(status="superseded", superseded_by=winner)
                continue
            fact = self._table.by_id(loser)
            if fact is not None:
                changes = {"status": "superseded", "superseded_by": winner}
                after = self._table.update(fact, changes, reason="imported")
                self._table.record("superseded", after, payload={"by": winner})


def _renew(table: FactTable, each: Incoming, received: Fact, *, at: str) -> None:
    """Update a stored fact to the merged state of a record.

    Args:
        received: The record before the merge. Of its text and the stored one, that which is
            replaced becomes a revision.
        at: When the text that holds was stated.
    """
    new, fact = each.fact, table.by_id(each.fact.id)
    assert fact is not None
    changes = stated_columns(new)
    for name in ("status", "superseded_by", "pin", "verified_at"):
        changes[name] = getattr(new, name)
    if each.record.get("state"):
        changes["state"] = new.state
    table.update(fact, changes, at=new.updated_at)
    _store_parts(table, [each])
    for text in (fact, received):
        _keep_replaced(table, text, at=at)


def _keep_replaced(table: FactTable, lost: Fact, *, at: str) -> None:
    """Keep a text that another home's later text replaced, unless the fact or a revision has it.

    All homes that know both texts make the same revision.
    """
    table.context.db.execute(
        "insert into fact_revisions (workspace_id, fact_id, number, title, content, kind, status,"
        " search_text, changed_by, changed_at, reason)"
        " select workspace_id, id, (select coalesce(max(number), 0) + 1 from fact_revisions"
        " where fact_id = :id), :title, :content, :kind, 'active', :text, created_by, :at,"
        " 'another home changed it, too' from facts where id = :id"
        " and content_hash <> '' and content is not :content and not exists"
        " (select 1 from fact_revisions where fact_id = :id and content = :content)",
        {
            "id": lost.id,
            "title": lost.title,
            "content": lost.content,
            "kind": lost.kind,
            "text": search_text_of(lost, lost.text()),
            "at": at,
        },
    )


def store_purge(table: FactTable, fact_id: str, at: str) -> bool:
    """Erase a fact that was purged elsewhere at *at*; return whether that changed anything.

    The purge of an unknown fact is stored, too, so that no other bundle brings the fact.
    """
    fact = table.by_id(fact_id)
    if fact is not None and fact.content_hash:
        erase_texts(table, fact)
    elif fact is not None and fact.updated_at >= at:
        return False
    elif fact is None:
        if table.context.db.value("select count(*) from facts where id = ?", (fact_id,)):
            return False  # another workspace's
        blank = Fact(
            **EMPTY_VALUES
            | {
                "id": fact_id,
                "sensitivity": "internal",
                "status": "archived",
                "origin": "external",
                "created_by": str(table.context.access.actor),
                "created_at": at,
                "updated_at": at,
            }
        )
        insert_facts(table.context.db, table.context.workspace, [blank])
    table.context.db.execute("update facts set updated_at = ? where id = ?", (at, fact_id))
    return True


def _store_parts(table: FactTable, stored: Sequence[Incoming]) -> None:
    """Store revisions, votes and relations of records; existing ones stay."""
    _store_revisions(table, stored)
    workspace = table.context.workspace
    votes = [
        {
            "workspace": workspace,
            "fact": each.fact.id,
            "actor": vote["actor"],
            "day": str(vote.get("day") or ""),
            "vote": vote["vote"],
            "reason": str(vote.get("reason") or ""),
            "at": vote["voted_at"] or each.fact.updated_at,
        }
        for each in stored
        for vote in each.record.get("votes") or ()
    ]
    relations = [
        {
            "workspace": workspace,
            "fact": each.fact.id,
            "other": relation["dst_id"],
            "relation": relation["relation"],
            "by": str(relation.get("created_by") or ""),
            "at": relation["created_at"] or each.fact.created_at,
        }
        for each in stored
        for relation in each.record.get("relations") or ()
        if relation.get("relation") in RELATIONS
    ]
    table.context.db.executemany(
        "insert into votes (workspace_id, fact_id, actor, day, vote, reason, voted_at)"
        " values (:workspace, :fact, :actor, :day, :vote, :reason, :at)"
        " on conflict do update set vote = excluded.vote,"
        " reason = excluded.reason, voted_at = excluded.voted_at"
        " where excluded.voted_at > voted_at",
        votes,
    )
    table.context.db.execute(  # the last vote of an actor counts; its down votes have rows by day
        "delete from votes where fact_id in (select value from json_each(?)) and exists"
        " (select 1 from votes later where later.fact_id = votes.fact_id"
        "  and later.actor = votes.actor and later.vote <> votes.vote"
        "  and (later.voted_at, later.day) > (votes.voted_at, votes.day))",
        ({vote["fact"] for vote in votes},),
    )
    table.context.db.executemany(
        "insert into fact_relations (workspace_id, src_id, dst_id, relation, created_by,"
        " created_at) values (:workspace, :fact, :other, :relation, :by, :at)"
        " on conflict do nothing",
        relations,
    )


def _store_revisions(table: FactTable, stored: Sequence[Incoming]) -> None:
    """Store the unknown revisions of records, after the existing ones."""
    db = table.context.db
    for each in stored:
        fact, items = each.fact, each.record.get("revisions")
        if not items:
            continue
        rows = db.all(
            "select changed_at, content, number from fact_revisions where fact_id = ?", (fact.id,)
        )
        known = {(changed_at, content) for changed_at, content, _ in rows}
        last = max((number for _, _, number in rows), default=0)
        unknown = [
            item
            for item in items
            if item["changed_at"] and (item["changed_at"], item.get("content")) not in known
        ]
        revisions = (
            Revision(
                number=number,
                title=item.get("title") if item.get("content") is not None else None,
                content=item.get("content"),
                kind=str(item.get("kind") or fact.kind),
                status=str(item.get("status") or "active"),
                valid_from=item.get("valid_from"),
                valid_until=item.get("valid_until"),
                superseded_by=item.get("superseded_by"),
                changed_by=str(item.get("changed_by") or fact.created_by),
                changed_at=item["changed_at"],
                reason=str(item.get("reason") or ""),
            )
            for number, item in enumerate(unknown, start=last + 1)
        )
        insert_revisions(db, table.context.workspace, fact, revisions)
