"""What is known of persons, as it is kept in crewmem.db: facts, consent, the audit.

What is erased is overwritten: SQLite is told so before anything is kept here.
"""

from __future__ import annotations

from contextlib import contextmanager
from datetime import UTC, datetime, timedelta

from crewmem import times
from crewmem.db.connect import explained, fetch, fetch_one, transaction
from crewmem.prompt.operator_fact import FactField
from crewmem.records import NamedTuple

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Collection, Iterable, Iterator

    import apsw

    from crewmem.prompt.operator_fact import Fact

DAY = timedelta(days=1)

EARLIEST = datetime(2000, 1, 1, tzinfo=UTC)
"""A clock may say the first of all days, before which there is none."""

FIRST_SCHEMA = 5
"""The step that makes these tables: an older database knows nobody."""


class Evidence(NamedTuple):
    """What a person said, and what was made of it.

    Attributes:
        card: The file that says it, as crew:harbor/users/<slug>.md.
        observed_by: Who handed the turns in.
    """

    card: str
    field: FactField
    value: str
    quote: str
    observed_at: datetime
    observed_by: str


class Consent(NamedTuple):
    """Whether a person is observed."""

    slug: str
    opted_out: bool
    opted_out_at: datetime | None
    updated_at: datetime


class OperatorStore:
    """What is known of the persons of one workspace."""

    def __init__(self, db: apsw.Connection, workspace: str) -> None:
        self.db, self.workspace = db, workspace

    @contextmanager
    def transaction(self) -> Iterator[None]:
        """Make what happens inside one change, of which nothing old stays behind."""
        self.db.execute("pragma secure_delete = on").fetchall()
        with transaction(self.db):
            yield

    # Consent

    def consent(self, slug: str) -> Consent | None:
        """Return whether the person *slug* is observed; None if nobody asked yet."""
        return self.consents([slug]).get(slug)

    def consents(self, slugs: Collection[str] | None = None) -> dict[str, Consent]:
        """Return what persons decided, by slug; of some *slugs*, or of all."""
        sql = """
            select slug, opted_out, opted_out_at, updated_at from operator_consents
             where workspace_id = ? and (? or slug in (select value from json_each(?)))
        """
        values = (self.workspace, slugs is None, _json(slugs or ()))
        return {
            slug: Consent(
                slug,
                bool(out),
                times.from_text(at) if at else None,
                times.from_text(then),
            )
            for slug, out, at, then in fetch(self.db, sql, values)
        }

    def decide(self, slug: str, *, opted_out: bool, now: datetime) -> None:
        """Remember what the person *slug* decided."""
        at = times.to_text(now)
        with explained(self.db):
            self.db.execute(
                "insert or replace into operator_consents values (?, ?, ?, ?, ?)",
                (self.workspace, slug, int(opted_out), at if opted_out else None, at),
            )

    def undecide(self, slug: str) -> None:
        """Forget that there is a person *slug*, unless they opted out."""
        with explained(self.db):
            self.db.execute(
                """
                delete from operator_consents
                 where workspace_id = ? and slug = ? and not opted_out
                """,
                (self.workspace, slug),
            )

    # Facts

    def facts(self, slug: str | None = None) -> list[Evidence]:
        """Return what is known of the person *slug*, or of all, by card and field."""
        sql = """
            select card, field, value, quote, observed_at, observed_by
              from operator_facts
             where workspace_id = ? and (? is null or slug = ?)
             order by card, field
        """
        return [
            Evidence(card, FactField(field), value, quote, times.from_text(at), by)
            for card, field, value, quote, at, by in fetch(
                self.db, sql, (self.workspace, slug, slug)
            )
        ]

    def keep(
        self, slug: str, card: str, facts: Iterable[Fact], *, by: str, now: datetime
    ) -> None:
        """Keep the evidence of *facts*, each in place of what was there."""
        at = times.to_text(now)
        rows = [
            (self.workspace, slug, card, each.field, each.value, each.quote, at, by)
            for each in facts
        ]
        sql = "insert or replace into operator_facts values (?, ?, ?, ?, ?, ?, ?, ?)"
        with explained(self.db):
            self.db.executemany(sql, rows)

    def bring(self, found: Iterable[tuple[str, Evidence]]) -> int:
        """Keep evidence of persons, told by their slugs, where there is none yet.

        Returns how much is new. Call it inside a transaction.
        """
        before = self.db.total_changes()
        rows = [
            (
                *(self.workspace, slug, each.card, each.field, each.value, each.quote),
                *(times.to_text(each.observed_at), each.observed_by),
            )
            for slug, each in found
        ]
        sql = "insert or ignore into operator_facts values (?, ?, ?, ?, ?, ?, ?, ?)"
        with explained(self.db):
            self.db.executemany(sql, rows)
        return self.db.total_changes() - before

    def drop(self, slug: str, card: str, fields: Iterable[str]) -> None:
        """Erase the evidence of *fields* of a card."""
        sql = """
            delete from operator_facts
             where workspace_id = ? and slug = ? and card = ? and field = ?
        """
        rows = [(self.workspace, slug, card, each) for each in fields]
        with explained(self.db):
            self.db.executemany(sql, rows)

    def erase(self, slug: str) -> int:
        """Erase all evidence of the person *slug*; return how many facts there were."""
        sql = "delete from operator_facts where workspace_id = ? and slug = ?"
        with explained(self.db):
            self.db.execute(sql, (self.workspace, slug))
            return self.db.changes()

    # The audit

    def note(
        self,
        slug: str,
        action: str,
        *,
        actor: str,
        now: datetime,
        card: str | None = None,
        fields: Iterable[str] = (),
    ) -> None:
        """Note that *actor* wrote, read or erased what is known of a person."""
        sql = """
            insert into operator_audit
                   (workspace_id, slug, at, actor, action, card, fields)
            values (?, ?, ?, ?, ?, ?, ?)
        """
        at = times.to_text(now)
        values = (self.workspace, slug, at, actor, action, card, " ".join(fields))
        with explained(self.db):
            self.db.execute(sql, values)

    def was_forgotten(self, slug: str, field: str) -> bool:
        """Tell whether somebody has erased *field* of the person *slug*."""
        sql = """
            select 1 from operator_audit
             where workspace_id = ? and slug = ? and action = 'forget'
               and instr(' ' || fields || ' ', ' ' || ? || ' ') > 0
             limit 1
        """
        return bool(fetch(self.db, sql, (self.workspace, slug, field)))

    def note_laid(
        self, slug: str, cards: Iterable[str], *, actor: str, now: datetime
    ) -> None:
        """Note that *actor* had *cards* laid before a model, once a day each."""
        sql = """
            select 1 from operator_audit
             where workspace_id = ? and slug = ? and card = ? and actor = ?
               and action = 'read' and at > ?
             limit 1
        """
        since = times.to_text(max(now, EARLIEST) - DAY)
        with self.transaction():
            for card in cards:
                asked = (self.workspace, slug, card, actor, since)
                if not fetch(self.db, sql, asked):
                    self.note(slug, "read", actor=actor, now=now, card=card)


class Looked(NamedTuple):
    """A time that somebody wrote, read or erased what is known of a person.

    Attributes:
        at: When.
        actor: Who.
        action: write, read, forget, delete, opt_out or opt_in.
        card: The file; None for all there were.
        fields: What of it, by field; none for all.
    """

    at: datetime
    actor: str
    action: str
    card: str | None
    fields: tuple[str, ...]


def looked(
    db: apsw.Connection, workspace: str, slug: str, *, limit: int
) -> list[Looked]:
    """Return who looked at what is known of the person *slug*, newest first."""
    sql = """
        select at, actor, action, card, fields from operator_audit
         where workspace_id = ? and slug = ?
         order by id desc
         limit ?
    """
    return [
        Looked(times.from_text(at), actor, action, card, tuple(fields.split()))
        for at, actor, action, card, fields in fetch(db, sql, (workspace, slug, limit))
    ]


def observed_workspaces(db: apsw.Connection) -> list[str]:
    """Return the workspaces of which any fact is kept, by name."""
    sql = "select distinct workspace_id from operator_facts order by workspace_id"
    return [name for (name,) in fetch(db, sql)]


def cut_out(db: apsw.Connection, workspace: str, versions: Iterable[str]) -> None:
    """Take *versions*, by their ids, out of the history of a card, as if never there.

    Each gives its successor the parent that it had, so that the chain stays one. Call
    it inside a transaction.
    """
    with explained(db):
        for version in versions:
            values = {"workspace": workspace, "id": version}
            rows = fetch(
                db,
                """
                delete from memory_versions
                 where workspace_id = :workspace and id = :id
                returning path, parent
                """,
                values,
            )
            for path, parent in rows:
                db.execute(
                    """
                    update memory_versions
                       set parent = :parent
                     where workspace_id = :workspace and path = :path and parent = :id
                    """,
                    {**values, "path": path, "parent": parent},
                )


def has_tables(db: apsw.Connection) -> bool:
    """Tell whether *db* is new enough to know of persons."""
    (version,) = fetch_one(db, "pragma user_version")
    return int(version) >= FIRST_SCHEMA


def _json(texts: Iterable[str]) -> str:
    from json import dumps

    return dumps([*texts])
