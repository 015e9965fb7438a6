"""Evidence of people's profiles, and their opt-outs, in the database."""

from collections.abc import Collection, Iterable

from crewmem.context import Context
from crewmem.operators.profile import Field, Key
from crewmem.storage.sqlite import scrub, transaction


class ProfileStore:
    """The quotes that support profiles, and the people who opted out."""

    def __init__(self, context: Context) -> None:
        self._context = context

    def is_opted_out(self, subject: str) -> bool:
        """Return whether the person has opted out of being observed."""
        row = self._context.db.one(
            "select 1 from operator_optouts where workspace_id = ? and subject = ?",
            (self._context.workspace, subject),
        )
        return row is not None

    def list_opted_out(self) -> list[str]:
        """Return the people who must not be observed."""
        return self._context.db.column(
            "select subject from operator_optouts where workspace_id = ?",
            (self._context.workspace,),
        )

    def opt_out(self, subject: str) -> None:
        """Record that the person must not be observed."""
        with transaction(self._context.db):
            self._context.db.execute(
                "insert or ignore into operator_optouts (workspace_id, subject, opted_out_at)"
                " values (?, ?, ?)",
                (self._context.workspace, subject, self._context.now_text),
            )

    def save(self, subject: str, crew: str, agent: str, fields: Iterable[Field]) -> None:
        """Store the evidence of fields."""
        with transaction(self._context.db):
            self._context.db.executemany(
                "insert or replace into operator_fields (workspace_id, subject, crew_id, agent_id,"
                " key, value, quote, turn, learned_at) values (?, ?, ?, ?, ?, ?, ?, ?, ?)",
                [
                    (
                        self._context.workspace,
                        subject,
                        crew,
                        agent,
                        str(field.key),
                        field.value,
                        field.quote,
                        field.turn,
                        self._context.now_text,
                    )
                    for field in fields
                ],
            )

    def rename_agent(self, agent: str, crew: str, new_crew: str) -> None:
        """Change the crew of an agent's peer cards."""
        self._context.db.execute(
            "update operator_fields set crew_id = ?"
            " where workspace_id = ? and agent_id = ? and crew_id = ?",
            (new_crew, self._context.workspace, agent, crew),
        )

    def list_fields(self, subject: str) -> list[tuple[str, str, Field]]:
        """Return (crew, agent, field) of a person's profiles."""
        rows = self._context.db.all(
            "select crew_id, agent_id, key, value, quote, turn from operator_fields"
            " where workspace_id = ? and subject = ? order by crew_id, agent_id, key",
            (self._context.workspace, subject),
        )
        return [
            (crew, agent, Field(Key(key), value, quote, turn))
            for crew, agent, key, value, quote, turn in rows
        ]

    def erase(self, subject: str, keys: Collection[str]) -> int:
        """Delete the evidence of some fields, or of all; return the number of rows."""
        db = self._context.db
        marks = ", ".join("?" * len(keys))
        condition = f" and key in ({marks})" if keys else ""
        db.execute("pragma secure_delete = on")
        with transaction(db):
            db.execute(
                "delete from operator_fields where workspace_id = ? and subject = ?" + condition,
                (self._context.workspace, subject, *keys),
            )
            number = db.changes()
        scrub(db)
        return number
