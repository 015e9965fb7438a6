"""The tables of facts: converts rows to records, and changes rows."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from datetime import timedelta
from operator import attrgetter
from typing import TYPE_CHECKING, Any, NamedTuple

from crewmem.context import Context
from crewmem.documents import vector_key
from crewmem.errors import ConflictError, NotFoundError
from crewmem.facts.fact import (
    COLUMN_OF,
    Fact,
    Owner,
    check_transition,
    content_hash,
    dump_json,
)
from crewmem.ids import HAS_PREFIX, new_id, resolve_prefix
from crewmem.storage.json_columns import load_list, load_object, load_texts
from crewmem.storage.sqlite import Database, transaction
from crewmem.text.tokens import search_text
from crewmem.times import format_time, parse_time

if TYPE_CHECKING:
    from crewmem.protocols import EntryPurger, EntryWriter, ReviewWriter

UP_WEIGHT, DOWN_WEIGHT = 0.15, 0.20
"""How much a vote raises or lowers the confidence of a fact."""

STORED = Fact._fields[: Fact._fields.index("up")]
"""Fields of a fact that are columns of its row."""

KEPT_FIELDS = frozenset(
    {"id", "scope", "agent", "crew", "status", "pin", "state", "superseded_by", "verified_at"}
    | {"created_by", "created_at", "updated_at", "content_hash"}
)
"""Fields for the owner and the state of a fact."""

STATED = {COLUMN_OF.get(name, name): name for name in STORED if name not in KEPT_FIELDS}
"""Fields that the author of a fact sets, by column."""

COLUMNS = (
    ", ".join(f"facts.{COLUMN_OF.get(name, name)}" for name in STORED)
    + ", (select count(*) from votes where fact_id = facts.id and vote = 1),"
    " (select count(*) from votes where fact_id = facts.id and vote = -1),"
    " (select max(changed_at) from fact_revisions"
    "  where fact_id = facts.id and content is not null)"
)
"""Columns of a Fact, in its order, except computed ones."""

ACTIVE_SQL = "facts.status = 'active'"
AGED_SQL = "facts.status in ('warm', 'stale')"
"""Statuses of live facts, for SQL."""

HISTORY_COLUMNS = frozenset({"title", "content", "kind", "status", "valid_from", "valid_until"})
"""Columns whose changes are kept as revisions."""


class Revision(NamedTuple):
    """The state of a fact before a change.

    Attributes:
        title: None, like *content*, if the change kept the text.
        changed_at: Time of the change, which ended this state.
    """

    number: int
    title: str | None
    content: str | None
    kind: str
    status: str
    valid_from: str | None
    valid_until: str | None
    superseded_by: str | None
    changed_by: str
    changed_at: str
    reason: str


REVISION_COLUMNS = ", ".join(Revision._fields)


class Relation(NamedTuple):
    """A relation of a fact to another.

    Attributes:
        weight: Jaccard index or cosine of ``similar``; of others 1.
        outgoing: Whether it leads from the fact to *other*.
    """

    relation: str
    other: str
    weight: float
    outgoing: bool


class FactTable:
    """The facts of one workspace, for other modules of this package.

    Methods do not check access, unless they say so.
    """

    def __init__(
        self,
        context: Context,
        open_journal: Callable[[], EntryWriter],
        open_purger: Callable[[], EntryPurger],
        open_review: Callable[[], ReviewWriter],
    ) -> None:
        self.context = context
        self._open_journal, self._open_purger = open_journal, open_purger
        self._open_review = open_review

    @property
    def journal(self) -> EntryWriter:
        """The journal, which records changes; a listing never opens it."""
        return self._open_journal()

    @property
    def purger(self) -> EntryPurger:
        """The journal, to blank entries that contain a purged text."""
        return self._open_purger()

    @property
    def review(self) -> ReviewWriter:
        """The review queue, for decisions of people."""
        return self._open_review()

    # Reading

    def select(self, where: str, params: Mapping[str, Any], *, tail: str = "") -> list[Fact]:
        """Return the facts of the workspace that meet a condition.

        Args:
            where: SQL condition over the table ``facts``.
            params: Its named parameters.
            tail: Order and limit.
        """
        return [make_fact(row) for row in self.read(COLUMNS, where, params, tail=tail)]

    def read(
        self, columns: str, where: str, params: Mapping[str, Any], *, tail: str = ""
    ) -> list[tuple[Any, ...]]:
        """Return only these columns of what `select` finds."""
        return self.context.db.all(
            f"select {columns} from facts where facts.workspace_id = :workspace and {where} {tail}",
            {"workspace": self.context.workspace, **params},
        )

    def by_id(self, fact_id: str) -> Fact | None:
        """Return the fact with this whole id, whoever may read it."""
        found = self.select("facts.id = :id", {"id": fact_id})
        return found[0] if found else None

    def by_ids(self, ids: Iterable[str]) -> dict[str, Fact]:
        """Return facts by their whole ids, whoever may read them."""
        found = self.select("facts.id in (select value from json_each(:ids))", {"ids": ids})
        return {fact.id: fact for fact in found}

    def find(
        self, prefix: str, *, include_restricted: bool = True, include_purged: bool = False
    ) -> Fact:
        """Return the fact with this id or unique prefix of an id.

        Raises:
            NotFoundError: If there is none that the actor may see, or it was purged.
            UsageError: If the prefix is too short or ambiguous.
        """
        access = self.context.access.facts(include_restricted=include_restricted)
        ids = self.context.db.column(
            f"select id from facts where {HAS_PREFIX}"
            f" and (:include_purged or content_hash <> '') and {access.sql} order by id limit 20",
            {"prefix": prefix, "include_purged": include_purged, **access.params},
        )
        fact_id = resolve_prefix(prefix, ids, "fact", self.context.command("fact list"))
        fact = self.by_id(fact_id)
        if fact is None:
            raise NotFoundError(f"there is no fact '{prefix}'", code="fact-not-found")
        return fact

    def active_twin(self, digest: str, owner: Owner) -> Fact | None:
        """Return the active fact of *owner* with a content hash; None if there is none."""
        return self._newest("content_hash", digest, owner, ACTIVE_SQL)

    def active_topic(self, topic_key: str | None, owner: Owner) -> Fact | None:
        """Return the active fact of *owner* on a topic; None if there is none."""
        return self._newest("topic_key", topic_key, owner, ACTIVE_SQL) if topic_key else None

    def find_active(self, like: Fact) -> Fact | None:
        """Return the active fact with the text or else the topic of a fact, of the same owner."""
        return self.active_twin(like.content_hash, like.owner) or self.active_topic(
            like.topic_key, like.owner
        )

    def find_aged(self, like: Fact) -> Fact | None:
        """Return the newest warm or stale fact with the text or else the topic of a fact."""
        aged = self._newest("content_hash", like.content_hash, like.owner, AGED_SQL)
        if aged is None and like.topic_key:
            aged = self._newest("topic_key", like.topic_key, like.owner, AGED_SQL)
        return aged

    def _newest(self, column: str, value: str, owner: Owner, status: str) -> Fact | None:
        # The conditions repeat the expressions of the indexes, so that SQLite uses these.
        found = self.select(
            f"facts.{column} = :value and facts.scope = :scope"
            " and coalesce(facts.agent_id, '') = :agent and coalesce(facts.crew_id, '') = :crew"
            " and iif(facts.scope = 'session', coalesce(facts.source_session, ''), '') = :session"
            f" and {status}"
            + (" and facts.content_hash <> ''" if column == "content_hash" else ""),
            {
                "value": value,
                "scope": owner.scope,
                "agent": owner.agent or "",
                "crew": owner.crew or "",
                "session": owner.session or "",
            },
            tail="order by facts.created_at desc, facts.id desc limit 1",
        )
        return found[0] if found else None

    def list_revisions(self, fact_ids: Collection[str]) -> dict[str, list[Revision]]:
        """Return the states of facts before each change, oldest first, by id."""
        return self.context.db.group(
            f"select fact_id, {REVISION_COLUMNS} from fact_revisions"
            " where fact_id in (select value from json_each(?)) order by changed_at, number",
            (fact_ids,),
            Revision,
        )

    def list_relations(self, fact_ids: Collection[str]) -> dict[str, list[Relation]]:
        """Return the relations of facts in both directions, by id.

        Related facts that the actor may not read are left out.
        """
        access = self.context.access.facts()
        return self.context.db.group(
            "with wanted (id) as (select value from json_each(:ids)),"
            " related (id, relation, other, weight, outgoing) as ("
            " select src_id, relation, dst_id, 1.0, 1 from fact_relations"
            "  where src_id in (select id from wanted)"
            " union all select dst_id, relation, src_id, 1.0, 0 from fact_relations"
            "  where dst_id in (select id from wanted)"
            " union all select superseded_by, 'supersedes', id, 1.0, 1 from facts"
            "  where superseded_by in (select id from wanted)"
            " union all select id, 'supersedes', superseded_by, 1.0, 0 from facts"
            "  where id in (select id from wanted) and superseded_by is not null"
            " union all select src_id, 'similar', dst_id, weight, 1 from fact_similarities"
            "  where src_id in (select id from wanted)"
            " union all select dst_id, 'similar', src_id, weight, 0 from fact_similarities"
            "  where dst_id in (select id from wanted))"
            " select related.id, relation, other, weight, outgoing from related"
            f" join facts on facts.id = related.other where {access.sql}"
            " order by related.id, relation, outgoing desc, other",
            {"ids": fact_ids, **access.params},
            lambda relation, other, weight, out: Relation(relation, other, weight, bool(out)),
        )

    # Writing

    def check_may_write(self, owner: Owner) -> None:
        """Raise RefusedError with the rule if the actor may not write facts of *owner*."""
        access = self.context.access
        rule = access.fact_write_rule(owner.scope, owner.crew, owner.agent)
        access.enforce(rule, f"write a fact of {owner}")

    def check_decided(self, fact: Fact) -> None:
        """Raise ConflictError if a fact is quarantined: only review decides about it."""
        if fact.status == "quarantined":
            raise ConflictError(
                f"{fact.id} is quarantined and waits in review",
                code="fact-quarantined",
                hint=self.context.command("review list", "--kind", "quarantine"),
            )

    def insert(self, fact: Fact, *, status: str = "active") -> Fact:
        """Store a fact from `fields.new_fact`, of which its owner has no twin."""
        fact_id = fact.id or new_id("f", self.context.random)
        now = self.context.now_text
        fact = fact._replace(
            id=fact_id,
            sensitivity=fact.sensitivity or "internal",
            created_by=str(self.context.access.actor),
            created_at=now,
            updated_at=now,
            status=status,
        )
        insert_facts(self.context.db, self.context.workspace, [fact])
        stored = self.by_id(fact_id)
        assert stored is not None
        return stored

    def update(
        self, fact: Fact, changes: Mapping[str, Any], *, reason: str = "", at: str = ""
    ) -> Fact:
        """Change columns of a fact; HISTORY_COLUMNS are kept as a revision.

        Args:
            fact: The fact.
            changes: New values by column; lists and objects not as JSON.
            reason: Why.
            at: Time of another home's change, whose revisions also come from there.
        """
        values = {
            name: dump_json(value) if isinstance(value, list | dict) else value
            for name, value in changes.items()
        }
        with transaction(self.context.db):
            fact = self.by_id(fact.id) or fact  # another process may have changed it since
            kept = {n for n in HISTORY_COLUMNS & values.keys() if values[n] != getattr(fact, n)}
            if kept and not at:
                self._keep_revision(
                    fact, reason, with_text=bool(kept & {"title", "content", "kind"})
                )
            new = fact._replace(**{name: changes[name] for name in TEXT_FIELDS & changes.keys()})
            text = new.text()
            values["content_hash"] = content_hash(new.kind, new.title, new.content)
            values["search_text"] = search_text_of(new, text)
            values["vector_key"] = vector_key(text)
            values["updated_at"] = at or self._change_time(fact)
            assignments = ", ".join(f"{name} = :{name}" for name in values)
            try:
                self.context.db.execute(
                    f"update facts set {assignments} where id = :fact_id",
                    {**values, "fact_id": fact.id},
                )
            except ConflictError as error:
                raise ConflictError(
                    "another active fact of the same owner has this text or topic",
                    code="fact-exists",
                    hint=self.context.command("fact list"),
                    details={"id": fact.id},
                ) from error
        after = self.by_id(fact.id)
        assert after is not None
        return after

    def _keep_revision(self, fact: Fact, reason: str, *, with_text: bool) -> None:
        db = self.context.db
        number = db.value(
            "select coalesce(max(number), 0) + 1 from fact_revisions where fact_id = ?", (fact.id,)
        )
        revision = Revision(
            number=number,
            title=fact.title if with_text else None,
            content=fact.content if with_text else None,
            kind=fact.kind,
            status=fact.status,
            valid_from=fact.valid_from,
            valid_until=fact.valid_until,
            superseded_by=fact.superseded_by,
            changed_by=str(self.context.access.actor),
            changed_at=self._change_time(fact),
            reason=reason,
        )
        insert_revisions(db, self.context.workspace, fact, [revision])

    def _change_time(self, fact: Fact) -> str:
        """Return now or, if the clock of the last change was ahead, the moment after that change.

        Homes that sync let the later change hold, which must be the one that knew the other.
        """
        now = self.context.now_text
        if now >= fact.updated_at:
            return now
        return format_time(parse_time(fact.updated_at) + timedelta(milliseconds=1))

    def change_status(
        self, fact: Fact, status: str, *, reason: str, changes: Mapping[str, Any] | None = None
    ) -> Fact:
        """Change the status of a fact, if the table of statuses allows it.

        Raises:
            ConflictError: If it does not, or another fact has taken its text or topic.
        """
        check_transition(fact, status)
        values: dict[str, Any] = {"status": status, **(changes or {})}
        if status == "active":
            values |= {"superseded_by": None, "verified_at": self.context.now_text}
            other = self.find_active(fact)
            if other is not None and other.id != fact.id:
                raise ConflictError(
                    f"{other.id} has the same text or topic and is active",
                    code="fact-exists",
                    hint=self.context.command("fact show", other.id),
                    details={"id": fact.id, "other": other.id},
                )
        return self.update(fact, values, reason=reason)

    def confirm_status(self, fact: Fact, *, reason: str) -> Fact:
        """Record that somebody decided for the status that a fact already has."""
        with transaction(self.context.db):
            self._keep_revision(fact, reason, with_text=False)
            return self.update(fact, {})

    def relate(self, src: str, dst: str, relation: str) -> bool:
        """Add a relation, unless it is there; return whether it is new."""
        context = self.context
        context.db.execute(
            "insert into fact_relations (workspace_id, src_id, dst_id, relation, created_by,"
            " created_at) values (?, ?, ?, ?, ?, ?) on conflict do nothing",
            (context.workspace, src, dst, relation, str(context.access.actor), context.now_text),
        )
        return context.db.changes() > 0

    def link_similar(self, pairs: Iterable[tuple[str, str, float]]) -> None:
        """Add relations ``similar``, each from the later fact to the earlier one."""
        now = self.context.now_text
        self.context.db.executemany(
            "insert into fact_similarities (src_id, dst_id, weight, created_at)"
            " values (?, ?, ?, ?) on conflict do update set weight = max(weight, excluded.weight)",
            [(src, dst, weight, now) for src, dst, weight in pairs],
        )

    def record(
        self,
        event: str,
        fact: Fact,
        *,
        payload: Mapping[str, Any] | None = None,
        severity: str = "info",
    ) -> str:
        """Append the journal entry ``fact.EVENT``.

        It quotes a shared fact, but gives only the id of others: a lead reads the entries of its
        crew, but not the facts of its agents.
        """
        is_open = fact.is_shared and fact.sensitivity != "restricted"
        title = fact.title if is_open and fact.status != "quarantined" else ""
        what = f"{fact.id} {title}" if title else f"{fact.id} of {fact.owner}"
        details = {"id": fact.id, "kind": fact.kind, "scope": fact.scope, **(payload or {})}
        return self.journal.append(
            f"fact.{event}",
            f"fact {event}: {what}",
            payload={name: value for name, value in details.items() if value not in (None, "")},
            refs={"fact_id": fact.id},
            severity=severity,
            crew=fact.crew,
            agent=fact.agent,
            origin=fact.origin,
            trace_id=fact.session,
        )


def make_fact(row: Sequence[Any]) -> Fact:
    """Convert a row of COLUMNS to a fact."""
    values = dict(zip(Fact._fields, row, strict=False))  # the last field is computed
    values["tags"], values["entities"] = load_texts(values["tags"]), load_texts(values["entities"])
    values["metadata"], values["spans"] = (
        load_object(values["metadata"]),
        load_list(values["spans"]),
    )
    trust = effective_confidence(values["confidence"], values["up"], values["down"])
    values["effective_confidence"] = trust
    return Fact(*values.values())  # in the order of its fields; names take three times as long


def effective_confidence(confidence: float, up: int, down: int) -> float:
    """Return the confidence including votes, in [0, 1]."""
    value = confidence + UP_WEIGHT * up - DOWN_WEIGHT * down
    return round(min(1.0, max(0.0, value)), 6)


def search_text_of(fact: Fact, text: str) -> str:
    """Return the text of a fact for the full-text index; *text* is what its `text` returns."""
    labels = [*fact.tags, *fact.entities, fact.topic_key or ""]
    if any(labels):
        lowered = text.casefold()
        labels = [label for label in labels if label.casefold() not in lowered]
    return search_text("\n".join([text, " ".join(labels)]) if any(labels) else text)


TEXT_FIELDS = frozenset({"kind", "title", "content", "tags", "entities", "topic_key"})
"""Fields from which columns are computed; see `FactTable.update`."""

get_stated = attrgetter(*STATED.values())


def stated_columns(fact: Fact) -> dict[str, Any]:
    """Return the values of STATED by column."""
    return dict(zip(STATED, get_stated(fact), strict=True))


def insert_revisions(
    db: Database, workspace: str, fact: Fact, revisions: Iterable[Revision]
) -> None:
    """Insert earlier states of a fact; their texts are found with its present labels."""
    rows = []
    for each in revisions:
        text = ""
        if each.content:
            former = fact._replace(title=each.title or "", content=each.content)
            text = search_text_of(former, former.text())
        rows.append((*each, workspace, fact.id, text))
    db.executemany(
        f"insert into fact_revisions ({REVISION_COLUMNS}, workspace_id, fact_id, search_text)"
        f" values ({', '.join('?' * (len(Revision._fields) + 3))})",
        rows,
    )


INSERTED = (
    *(COLUMN_OF.get(name, name) for name in STORED), "workspace_id", "search_text", "vector_key"
)  # fmt: skip
INSERT = f"insert into facts ({', '.join(INSERTED)}) values ({', '.join('?' * len(INSERTED))})"

JSON_PLACES = [STORED.index(name) for name in ("tags", "entities", "metadata", "spans")]
"""Where in a fact the lists and objects are."""


def insert_facts(db: Database, workspace: str, facts: Iterable[Fact]) -> None:
    """Insert new facts, and their full text. A blank one, without a hash, is in no full text."""
    last = db.value("select coalesce(max(rowid), 0) from facts")
    rows = []
    for fact in facts:
        row: list[Any] = list(fact[: len(STORED)])
        for place in JSON_PLACES:
            row[place] = dump_json(row[place])
        text = fact.text() if fact.content_hash else ""
        rows.append((*row, workspace, search_text_of(fact, text), vector_key(text) if text else 0))
    db.executemany(INSERT, rows)
    db.execute(
        "insert into facts_fts (rowid, search_text) select rowid, search_text from facts"
        " where rowid > ?",
        (last,),
    )
