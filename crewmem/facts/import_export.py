"""Exporting facts as records, and importing them, each once however often it comes."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from hashlib import sha256
from typing import Any

from crewmem.errors import CrewmemError, UsageError
from crewmem.facts.fact import (
    PINS,
    SCOPES,
    STATES,
    STATUSES,
    Fact,
    Owner,
    stored_time,
)
from crewmem.facts.fields import FactFields, check_choice, new_fact
from crewmem.facts.merging import Batch, ImportReport, Incoming, store_purge
from crewmem.facts.remember import find_facts_to_screen, screen_fact
from crewmem.facts.table import (
    STORED,
    FactTable,
)
from crewmem.ids import id_from, is_id
from crewmem.origins import ORIGINS, lowest_origin
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
    That holds for records with *keep_origin*; of others, only new ones are stored, and those with
    another text than the stored fact ever had are reported. Texts are screened: secrets are
    redacted, attacks wait in review. A bad record is skipped and reported.

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
    run = _Import(table, origin=origin, keep_origin=keep_origin, agent=agent, crew=crew)
    for batch in _split(records):
        run.store(batch)
    report = run.report
    report.bad.sort()
    if report.created or report.updated or report.quarantined:
        table.journal.append(
            "fact.imported",
            f"facts imported: {report.created} created, {report.updated} updated",
            payload={
                "created": report.created,
                "updated": report.updated,
                "unchanged": report.unchanged,
                "quarantined": len(report.quarantined),
                "bad": len(report.bad),
            },
        )
    return report


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
    """A running import; `import_facts` describes its options."""

    def __init__(
        self,
        table: FactTable,
        *,
        origin: str,
        keep_origin: bool,
        agent: str | None,
        crew: str | None,
    ) -> None:
        self.table, self.context = table, table.context
        self.origin, self.keep_origin = origin, keep_origin
        self.agent, self.crew = agent, crew
        self.actor, self.now = str(table.context.access.actor), table.context.now_text
        self.report = ImportReport()
        self._clean_names = {self.actor}

    def store(self, batch: Sequence[tuple[int, Mapping[str, Any]]]) -> None:
        """Store numbered records in one transaction."""
        purges: list[tuple[int, str, str]] = []
        read: list[Incoming] = []
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
                read.append(Incoming(number, record, fact, fact.owner))
            except CrewmemError as error:
                self.report.bad.append(BadRecord(number, error.message))
        screened = self._screen(read)
        with transaction(self.context.db):
            for number, fact_id, erased_at in purges:
                if self.keep_origin and self.origin != "external":
                    self.report.counts["updated"] += store_purge(self.table, fact_id, erased_at)
                else:
                    self.report.bad.append(BadRecord(number, NOT_PURGED))
            Batch(
                self.table,
                screened,
                self.report,
                origin=self.origin,
                keep_origin=self.keep_origin,
            ).store()

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
        owner = self._read_owner(record)
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
            fields["id"] = given if is_own else _make_id(f"{owner} {given}")
        kind = str(record.get("kind") or "fact")
        return new_fact(_read_text(record, "content") or "", owner, origin, kind, **fields)

    def _read_owner(self, record: Mapping[str, Any]) -> Owner:
        """Return the owner of a record: the one that it names, else that of the import."""
        agent = record.get("agent") or self.agent
        crew = record.get("crew") or self.crew
        fallback = "agent" if agent else "crew" if crew else "workspace"
        scope = _read_choice(record, "scope", SCOPES, fallback)
        if scope == "workspace":
            return Owner(scope)
        if scope == "crew" and crew:
            return Owner(scope, crew=str(crew))
        if scope == "agent" and agent:
            return Owner(scope, agent=str(agent))
        raise UsageError(f"a record of scope {scope} needs its owner", code="bad-record")

    def _screen(self, read: Sequence[Incoming]) -> list[Incoming]:
        """Return the records with screened texts and with ids, without those that are refused."""
        to_screen = set(find_facts_to_screen(self.table, [each.fact for each in read]))
        screened = []
        for at, each in enumerate(read):
            if at in to_screen:
                try:
                    each.fact, each.attacks, secrets = screen_fact(self.table, each.fact)
                except CrewmemError as error:
                    self.report.bad.append(BadRecord(each.number, error.message))
                    continue
                if secrets:
                    reason = f"a secret is redacted ({', '.join(secrets)})"
                    self.report.redacted.append(BadRecord(each.number, reason))
                if each.attacks and each.fact.status != "archived":
                    each.fact = each.fact._replace(status="quarantined")
            if not each.fact.id:
                identity = f"{self.context.workspace} {each.owner} {each.fact.content_hash}"
                each.fact = each.fact._replace(id=_make_id(identity))
            screened.append(each)
        return screened


def _make_id(identity: str) -> str:
    """Return the id of a fact from elsewhere, which is the same in every import."""
    return id_from("f", sha256(identity.encode()).digest())
