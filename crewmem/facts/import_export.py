"""Exporting facts as records, and importing them, each once however often it comes."""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from hashlib import sha256
from typing import Any, NamedTuple

from crewmem.errors import CrewmemError, UsageError
from crewmem.facts.fact import (
    PINS,
    RELATIONS,
    SCOPES,
    STATES,
    STATUSES,
    Fact,
    Owner,
    stored_time,
)
from crewmem.facts.fields import EMPTY_VALUES, FactFields, check_choice, new_fact
from crewmem.facts.purge import erase_texts
from crewmem.facts.remember import find_facts_to_screen, quarantine, screen_fact
from crewmem.facts.table import (
    STORED,
    FactTable,
    Revision,
    insert_facts,
    insert_revisions,
    search_text_of,
    stated_columns,
)
from crewmem.ids import id_from, is_id
from crewmem.origins import ORIGINS, lowest_origin
from crewmem.security.findings import Finding
from crewmem.security.secrets import redact
from crewmem.storage.json_lines import BadRecord
from crewmem.storage.sqlite import transaction
from crewmem.text.records import map_texts

BATCH = 10_000
"""Number of records of a transaction, and of facts that are read at a time."""

FIELDS = STORED[: STORED.index("content_hash")]
"""Fields of a record, in order; empty ones are left out."""

GIVEN = frozenset(FactFields.__annotations__)
"""Fields of a record that describe the fact."""


class ImportReport(NamedTuple):
    """The result of an import.

    Attributes:
        quarantined: Records that were stored as attacks, which wait in review.
        bad: Records that were not stored as they were.
    """

    created: int
    updated: int
    unchanged: int
    quarantined: list[BadRecord]
    bad: list[BadRecord]


class _Times(NamedTuple):
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
class _Incoming:
    """A record that was read, with the fact to store and its owner."""

    number: int
    record: Mapping[str, Any]
    fact: Fact
    owner: Owner
    attacks: list[Finding] = field(default_factory=list)

    @property
    def times(self) -> _Times:
        """When the record changed."""
        text = decided = status = self.fact.created_at
        for revision in self.record.get("revisions") or ():
            changed_at = revision["changed_at"] or ""
            status = max(status, changed_at)
            if _is_decided(revision):
                decided = max(decided, changed_at)
            if revision.get("content") is not None:
                text = max(text, changed_at)
        return _Times(text, decided, status, self.fact.updated_at)


# Exporting


def export_facts(table: FactTable, *, include_restricted: bool = False) -> Iterator[dict[str, Any]]:
    """Yield the facts that the actor may read, by id, with revisions, votes and relations.

    Equal facts give equal records. Session notes are left out, because they are local and
    short-lived. A purged fact has only its id, so that no bundle restores its text.
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
        parts = _load_parts(table, [fact.id for fact in facts])
        for fact in facts:
            if not fact.content_hash:
                yield {"id": fact.id, "purged": True, "updated_at": fact.updated_at}
                continue
            record = {
                name: value
                for name in FIELDS
                if (value := getattr(fact, name)) not in (None, "", [], {})
            }
            yield record | parts.get(fact.id, {})


def _load_parts(table: FactTable, ids: Sequence[str]) -> dict[str, dict[str, list[Any]]]:
    """Return revisions, votes and relations of facts, by id and name."""
    named = {"ids": ids}
    found: dict[str, dict[str, list[Any]]] = {}
    for name, parent, table_name, fields, order in (
        (
            "revisions", "fact_id", "fact_revisions",
            ("title", "content", "kind", "status", "valid_from", "valid_until", "superseded_by",
             "changed_by", "changed_at", "reason"),
            "changed_at, content, number",
        ),
        ("votes", "fact_id", "votes", ("actor", "day", "vote", "reason", "voted_at"), "actor, day"),
        (
            "relations", "src_id", "fact_relations",
            ("relation", "dst_id", "created_by", "created_at"),
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


# Importing


def import_facts(
    table: FactTable,
    records: Iterable[Mapping[str, Any]],
    *,
    origin: str = "external",
    keep_origin: bool = False,
    agent: str | None = None,
    crew: str | None = None,
) -> ImportReport:
    """Store facts from records, in batches of one transaction each.

    A fact with the same id is revised if the record was changed later; it stays unchanged if its
    class is higher than the import's. A record that repeats a fact of its owner is not stored.
    Texts are screened: secrets are redacted, attacks wait in review. A bad record is skipped and
    reported.

    Args:
        table: The facts.
        records: Records from `export_facts`, or from a layout for other tools.
        origin: Highest class of any record; without *keep_origin* the class of all. With external,
            pins and votes are dropped, because strangers made them.
        keep_origin: Whether to keep origin classes and recorded times, as for bundles. Otherwise
            all facts are recorded now.
        agent: Agent of records without one.
        crew: Crew of records without one.
    """
    table.context.access.require_operator("import facts")
    run = _Import(table, origin, keep_origin, agent, crew)
    for batch in _split(records):
        run.store(batch)
    run.bad.sort()
    created, updated, unchanged = (run.counts[name] for name in ("created", "updated", "unchanged"))
    if created or updated or run.quarantined:
        table.journal.append(
            "fact.imported",
            f"facts imported: {created} created, {updated} updated",
            payload={
                "created": created,
                "updated": updated,
                "unchanged": unchanged,
                "quarantined": len(run.quarantined),
                "bad": len(run.bad),
            },
        )
    return ImportReport(created, updated, unchanged, run.quarantined, run.bad)


def set_origins(table: FactTable, wanted: Mapping[str, Sequence[str]]) -> int:
    """Give facts of a bundle the classes and pins that it records, after review approved it.

    Only facts that are still ``external`` change.

    Args:
        table: The facts.
        wanted: Class and pin by id.

    Returns:
        Number of changed facts.
    """
    changed = 0
    with transaction(table.context.db):
        for fact_id, (origin, pin) in wanted.items():
            check_choice("origin", origin, ORIGINS)
            check_choice("pin", pin, PINS)
            table.context.db.execute(
                "update facts set origin = ?, pin = ? where id = ? and workspace_id = ?"
                " and origin = 'external' and content_hash <> ''",
                (origin, pin, fact_id, table.context.workspace),
            )
            changed += table.context.db.changes()
    return changed


# Reading


def _split(records: Iterable[Mapping[str, Any]]) -> Iterator[list[tuple[int, Mapping[str, Any]]]]:
    """Yield batches of numbered records; a batch has no id twice."""
    batch: dict[object, tuple[int, Mapping[str, Any]]] = {}
    for number, record in enumerate(records, start=1):
        key = str(record["id"]) if record.get("id") else number
        if key in batch or len(batch) == BATCH:
            yield list(batch.values())
            batch = {}
        batch[key] = number, record
    if batch:
        yield list(batch.values())


PARTS = {
    "revisions": ("changed_by", ("changed_at", "valid_from", "valid_until")),
    "votes": ("actor", ("voted_at",)),
    "relations": ("created_by", ("created_at",)),
}
"""Optional parts of a record: for each kind of item, its author's field and its times."""

NOT_REVISED = "it revises a fact of a higher class: give --origin operator if you trust it"

NOT_PURGED = "it erases a fact, which takes a bundle of one's own: give --origin agent if it is"


def _read_text(record: Mapping[str, Any], name: str) -> str | None:
    value = record.get(name)
    if value is not None and not isinstance(value, str):
        raise UsageError(f"{name} is not a text", code=f"bad-{name.replace('_', '-')}")
    return value


def _read_choice(
    record: Mapping[str, Any], name: str, choices: tuple[str, ...], default: str
) -> str:
    value = str(record.get(name) or default)
    check_choice(name, value, choices)
    return value


def _read_parts(record: Mapping[str, Any], origin: str) -> Mapping[str, Any]:
    """Return *record* with its revisions, votes and relations checked and secrets redacted.

    If *origin*, the highest class, is external, pin and votes are left out.

    Raises:
        UsageError: If one of them cannot be stored.
    """
    if origin == "external":
        record = {name: record[name] for name in record if name not in ("pin", "votes")}
    read: dict[str, list[Any]] = {}
    for name, (_, times) in PARTS.items():
        if items := record.get(name):
            if not isinstance(items, list) or not all(isinstance(each, dict) for each in items):
                raise UsageError(f"{name} is not a list of objects", code="bad-record")
            read[name] = [
                map_texts({**each, **{time: stored_time(each.get(time)) for time in times}}, redact)
                for each in items
            ]
    for each in read.get("revisions", ()):
        for name in ("title", "content", "superseded_by"):
            _read_text(each, name)
    for each in read.get("votes", ()):
        if not _read_text(each, "actor") or each.get("vote") not in (1, -1):
            raise UsageError("a vote needs an actor, and must be 1 or -1", code="bad-record")
    for each in read.get("relations", ()):
        if not _read_text(each, "dst_id"):
            raise UsageError("a relation needs a dst_id", code="bad-record")
    return {**record, **read} if read else record


class _Import:
    """A running import: its options, as in `import_facts`, and what became of the records.

    Attributes:
        counts: Numbers of ``created``, ``updated``, ``unchanged`` and ``quarantined`` facts.
        quarantined: Records that wait in review as attacks.
        bad: Records that were not stored as they were.
    """

    def __init__(
        self,
        table: FactTable,
        origin: str,
        keep_origin: bool,
        agent: str | None,
        crew: str | None,
    ) -> None:
        self.table, self.context = table, table.context
        self.origin, self.keep_origin = origin, keep_origin
        self.agent, self.crew = agent, crew
        self.actor, self.now = str(table.context.access.actor), table.context.now_text
        self._clean_names = {self.actor}
        self.counts: Counter[str] = Counter()
        self.quarantined: list[BadRecord] = []
        self.bad: list[BadRecord] = []

    def store(self, batch: Sequence[tuple[int, Mapping[str, Any]]]) -> None:
        """Store numbered records in one transaction."""
        purges: list[tuple[int, str, str]] = []
        read: list[_Incoming] = []
        for number, record in batch:
            try:
                if record.get("purged") and is_id(str(record.get("id", ""))):
                    erased_at = stored_time(record.get("updated_at")) or self.now
                    purges.append((number, str(record["id"]), erased_at))
                    continue
                if self.keep_origin:
                    record = _read_parts(record, self.origin)
                    self._check_authors(record)
                fact = self._read_fact(record)
                read.append(_Incoming(number, record, fact, fact.owner))
            except CrewmemError as error:
                self.bad.append(BadRecord(number, error.message))
        screened = self._screen(read)
        with transaction(self.context.db):
            for number, fact_id, erased_at in purges:
                if self.keep_origin and self.origin != "external":
                    self.counts["updated"] += _store_purge(self.table, fact_id, erased_at)
                else:
                    self.bad.append(BadRecord(number, NOT_PURGED))
            _Batch(self, screened).store()

    def _check_authors(self, record: Mapping[str, Any]) -> None:
        """Refuse a record if the name of an author contains an attack or a secret.

        Raises:
            UsageError: If a name contains one.
        """
        named = [(record, "created_by")]
        for part, (by, _) in PARTS.items():
            named += [(each, by) for each in record.get(part) or ()]
        for each, name in named:
            author = str(each.get(name) or "")
            if author not in self._clean_names:
                for found in self.context.scanner.scan(author, own_tier=True):
                    raise UsageError(f"{name} is not a name ({found.rule})", code="bad-name")
                self._clean_names.add(author)

    def _read_fact(self, record: Mapping[str, Any]) -> Fact:
        """Return the fact of a record, checked but not screened; without an id if it has none.

        Raises:
            UsageError: If a value is missing or out of its range.
        """
        agent = record.get("agent") or self.agent
        crew = record.get("crew") or self.crew
        fallback = "agent" if agent else "crew" if crew else "workspace"
        scope = _read_choice(record, "scope", SCOPES, fallback)
        if scope == "session" or (scope == "agent" and not agent) or (scope == "crew" and not crew):
            raise UsageError(f"a record of scope {scope} needs its owner", code="bad-record")
        owner = Owner(
            scope,
            str(agent) if scope == "agent" else None,
            str(crew) if scope == "crew" else None,
        )
        origin = self.origin
        fields = {name: record[name] for name in GIVEN & record.keys() if record[name] != ""}
        fields.setdefault("sensitivity", "internal")
        fields["status"] = _read_choice(record, "status", STATUSES, "active")
        fields["superseded_by"] = _read_text(record, "superseded_by") or None
        fields["verified_at"] = stored_time(record.get("verified_at"))
        if record.get("state"):
            fields["state"] = _read_choice(record, "state", STATES, "open")
        fields |= {"created_by": self.actor, "created_at": self.now, "updated_at": self.now}
        if self.keep_origin:
            origin = lowest_origin((_read_choice(record, "origin", ORIGINS, "external"), origin))
            fields["created_by"] = record.get("created_by") or self.actor
            fields["created_at"] = stored_time(record.get("created_at")) or self.now
            fields["updated_at"] = stored_time(record.get("updated_at")) or fields["created_at"]
            fields["pin"] = _read_choice(record, "pin", PINS, "none")
        elif "occurred_at" not in fields:
            fields["occurred_at"] = record.get("created_at")
        if given := str(record.get("id") or ""):
            is_own = is_id(given) and given.startswith("f_")
            made = given if is_own else id_from("f", sha256(f"{owner} {given}".encode()).digest())
            fields["id"] = made
        kind = str(record.get("kind") or "fact")
        return new_fact(_read_text(record, "content") or "", owner, origin, kind, **fields)

    def _screen(self, read: Sequence[_Incoming]) -> list[_Incoming]:
        """Return the records with screened texts and with ids, without those that are refused."""
        to_screen = set(find_facts_to_screen(self.table, [each.fact for each in read]))
        screened = []
        for at, each in enumerate(read):
            if at in to_screen:
                try:
                    each.fact, each.attacks, _ = screen_fact(self.table, each.fact)
                except CrewmemError as error:
                    self.bad.append(BadRecord(each.number, error.message))
                    continue
                if each.attacks and each.fact.status != "archived":
                    each.fact = each.fact._replace(status="quarantined")
            if not each.fact.id:
                identity = f"{self.context.workspace} {each.owner} {each.fact.content_hash}"
                each.fact = each.fact._replace(id=id_from("f", sha256(identity.encode()).digest()))
            screened.append(each)
        return screened


# Storing


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
    times: _Times


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
"""SQL for `status`, `text` and `decided` of the `_Times` of a stored fact."""


def _is_decided(revision: Mapping[str, Any]) -> bool:
    """Return whether DECIDED_AT counts a revision of a record."""
    reason = revision.get("reason") or ""
    is_upkeep = reason == "aged" or reason.startswith("condensed into ")
    return not (is_upkeep or (revision.get("changed_by") or "").startswith("system:"))


WITH_TEXT = ("title", "content", "kind", "subtype", "origin", "spans", "content_hash")
WITH_STATUS = ("status", "superseded_by", "valid_from", "valid_until")
"""Fields that belong to the text of a fact, and to its status: the latest of each holds."""


class _Batch:
    """The records of one transaction, compared with the stored facts.

    A record may replace a stored fact, or one of the same batch. It may not replace a stored fact
    of a higher class than the import's: strangers must not change trusted texts.
    """

    def __init__(self, run: _Import, read: Sequence[_Incoming]) -> None:
        self._run, self._table, self._read = run, run.table, read
        self._keep_origin = run.keep_origin
        self._higher = ORIGINS[ORIGINS.index(run.origin) + 1 :]
        rows = run.context.db.all(
            f"select id, origin, content_hash, {TEXT_AT}, {DECIDED_AT}, {STATUS_AT}, updated_at"
            " from facts where id in (select value from json_each(?))",
            ([each.fact.id for each in read],),
        )
        self._known = {id_: _Known(digest, _Times(*times)) for id_, _, digest, *times in rows}
        self._protected = {fact_id for fact_id, origin, *_ in rows if origin in self._higher}
        self._received = {each.fact.id: each.fact for each in read}
        self._renewed = {each.fact.id: each for each in read if self._merge(each)}
        texts = self._read_active(
            "content_hash", "created_at", {each.fact.content_hash for each in read}
        )
        topics = self._read_active(
            "topic_key", TEXT_AT, {each.fact.topic_key for each in read} - {None}
        )
        self._new: dict[str, _Incoming] = {}
        self._texts = {k: held for k, held in texts.items() if held[1] not in self._renewed}
        self._topics = {k: held for k, held in topics.items() if held[1] not in self._renewed}
        self._replaced: list[tuple[str, str]] = []

    def _read_active(
        self, column: str, time: str, values: Collection[str | None]
    ) -> dict[tuple[Owner, str | None], _Holder]:
        """Return the active facts with these texts or topics, by owner and text or topic."""
        found = {}
        for scope, agent, crew, value, at, fact_id, origin in self._table.context.db.execute(
            f"select scope, agent_id, crew_id, {column}, {time}, facts.id, origin"
            " from json_each(:values) wanted"
            f" cross join facts on facts.{column} = wanted.value"
            " where facts.workspace_id = :workspace and facts.status = 'active'"
            f" and facts.{column} is not null and facts.content_hash <> ''",
            {"values": values, "workspace": self._table.context.workspace},
        ):
            found[Owner(scope, agent, crew), value] = _Holder(at, fact_id)
            if origin in self._higher:
                self._protected.add(fact_id)
        return found

    def store(self) -> None:
        """Store the records with few statements."""
        self._run.counts.update(map(self._decide, self._read))
        self._supersede()
        self._table.context.db.execute(  # one may take the text or topic that another gives up
            "update facts set status = 'archived' where id in (select value from json_each(?))",
            (self._renewed,),
        )
        for each in self._renewed.values():
            _renew(self._table, each, self._received[each.fact.id], at=self._text_at(each))
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
                refused = BadRecord(each.number, f"{reason}; it waits in review")
                self._run.quarantined.append(refused)

    def _merge(self, each: _Incoming) -> bool:
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

    def _text_at(self, each: _Incoming) -> str:
        """Return when the text was stated that a record has after the merge."""
        known = self._known.get(each.fact.id)
        return max(known.times.text, each.times.text) if known else each.times.text

    def _decide(self, each: _Incoming) -> str:
        """Update a stored fact, or mark the record as a new one; return what was done."""
        fact = each.fact
        if fact.id in self._new:  # without an id, and the same text
            return "unchanged"
        known = self._known.get(fact.id)
        if known is not None:
            if not (known.digest and self._keep_origin):
                return "unchanged"
            if fact.id in self._protected:
                if fact.updated_at > known.times.updated and fact.content_hash != known.digest:
                    self._run.bad.append(BadRecord(each.number, NOT_REVISED))
                return "unchanged"
            if fact.id in self._renewed:
                self._settle(each)
                return "updated"
            _store_parts(self._table, [each])
            if fact.content_hash != known.digest and not each.attacks:
                _keep_replaced(self._table, fact, at=known.times.text)
            return "unchanged"
        if fact.status == "active" and not self._keep_origin:
            if (each.owner, fact.content_hash) in self._texts:
                return "unchanged"
        self._new[fact.id] = each
        self._settle(each)
        return "quarantined" if each.attacks else "created"

    def _settle(self, each: _Incoming) -> None:
        """Make a record active, or superseded by the fact that holds instead."""
        fact = each.fact
        if fact.status != "active":
            return
        winner = self._find_winner(each)
        if winner:
            each.fact = fact._replace(status="superseded", superseded_by=winner)
            return
        self._texts[each.owner, fact.content_hash] = _Holder(fact.created_at, fact.id)
        if fact.topic_key:
            self._topics[each.owner, fact.topic_key] = _Holder(self._text_at(each), fact.id)

    def _find_winner(self, each: _Incoming) -> str:
        """Return the id of the fact that holds instead of a record; "" if the record holds.

        Of equal texts the first one holds, of texts on one topic the latest one.
        """
        fact, owner = each.fact, each.owner
        losers = set()
        twin = self._texts.get((owner, fact.content_hash))
        if twin is not None and twin.id != fact.id:
            if twin.id in self._protected or twin <= _Holder(fact.created_at, fact.id):
                return twin.id
            losers.add(twin.id)
        rival = self._topics.get((owner, fact.topic_key)) if fact.topic_key else None
        if rival is not None and rival.id not in (fact.id, *losers):
            if rival.id in self._protected or rival >= _Holder(self._text_at(each), fact.id):
                return rival.id
            losers.add(rival.id)
        self._replaced += ((loser, fact.id) for loser in losers)
        return ""

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


def _renew(table: FactTable, each: _Incoming, received: Fact, *, at: str) -> None:
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


def _store_purge(table: FactTable, fact_id: str, at: str) -> bool:
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


def _store_parts(table: FactTable, stored: Sequence[_Incoming]) -> None:
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
    table.context.db.executemany(
        "insert into fact_relations (workspace_id, src_id, dst_id, relation, created_by,"
        " created_at) values (:workspace, :fact, :other, :relation, :by, :at)"
        " on conflict do nothing",
        relations,
    )


def _store_revisions(table: FactTable, stored: Sequence[_Incoming]) -> None:
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
