"""The registry, as it is kept in crewmem.db. The only SQL on its tables."""

from __future__ import annotations

from crewmem.db.connect import explained, fetch, transaction
from crewmem.db.where import Where
from crewmem.errors.registry import (
    AgentMissingError,
    CrewMissingError,
    WorkspaceMissingError,
)
from crewmem.ids import is_slug
from crewmem.registry import rows
from crewmem.registry.crews_store import led_by

TYPE_CHECKING = False
if TYPE_CHECKING:
    from contextlib import AbstractContextManager

    import apsw

    from crewmem.db.connect import Values
    from crewmem.registry.member import Agent, Crew, Workspace

WORKSPACE = """
    name, description, created_at,
    (select group_concat(name, ' ' order by name)
       from crews where workspace = workspaces.name)
"""

CREW = """
    workspace, name, lead, description, settings, created_at,
    (select group_concat(slug, ' ' order by slug)
       from agents where (workspace, crew) = (crews.workspace, crews.name)),
    (select group_concat(slug, ' ' order by slug)
       from memberships where (workspace, crew) = (crews.workspace, crews.name))
"""

AGENT = """
    workspace, slug, crew, memory, description, settings, created_at,
    (select lead from crews
      where (workspace, name) = (agents.workspace, agents.crew)),
    (select group_concat(crew, ' ' order by crew)
       from memberships where (workspace, slug) = (agents.workspace, agents.slug))
"""


class Registry:
    """Who works here."""

    def __init__(self, db: apsw.Connection) -> None:
        self._db = db

    def transaction(self) -> AbstractContextManager[None]:
        """Make what is asked and changed inside one change, whole or not at all."""
        return transaction(self._db)

    # What there is

    def workspaces(self) -> list[Workspace]:
        """Return all workspaces, by name."""
        sql = f"select {WORKSPACE} from workspaces order by name"
        return [rows.workspace(row) for row in fetch(self._db, sql)]

    def has_workspace(self, name: str) -> bool:
        """Tell whether there is a workspace called *name*."""
        return self._has("workspaces", name=name)

    def workspace(self, name: str) -> Workspace:
        """Return the workspace called *name*.

        Raises:
            WorkspaceMissingError: If there is none.
        """
        for each in self.workspaces():
            if each.name == name:
                return each
        raise WorkspaceMissingError(name)

    def crews(self, workspace: str) -> list[Crew]:
        """Return the crews of *workspace*, by name."""
        return self._crews(workspace)

    def has_crew(self, workspace: str, name: str) -> bool:
        """Tell whether there is a crew called *name* in *workspace*."""
        return self._has("crews", workspace=workspace, name=name)

    def crew(self, workspace: str, name: str) -> Crew:
        """Return the crew called *name*.

        Raises:
            CrewMissingError: If there is none.
        """
        for each in self._crews(workspace, name) if is_slug(name) else ():
            return each
        raise CrewMissingError(name, workspace)

    def _crews(self, workspace: str, name: str | None = None) -> list[Crew]:
        where = Where()
        where.equal("workspace", workspace)
        where.equal("name", name)
        sql = f"select {CREW} from crews {where} order by name"
        return [rows.crew(row) for row in fetch(self._db, sql, where.values)]

    def led_by(self, workspace: str, slug: str) -> list[str]:
        """Return the crews of *workspace* that name *slug* as their lead, by name."""
        return led_by(self._db, workspace, slug)

    def agents(self, workspace: str) -> list[Agent]:
        """Return the agents of *workspace*, by slug."""
        return self._agents(workspace)

    def has_agent(self, workspace: str, slug: str) -> bool:
        """Tell whether there is an agent called *slug* in *workspace*."""
        return self._has("agents", workspace=workspace, slug=slug)

    def agent(self, workspace: str, slug: str) -> Agent:
        """Return the agent called *slug*.

        Raises:
            AgentMissingError: If there is none.
        """
        for each in self._agents(workspace, slug) if is_slug(slug) else ():
            return each
        raise AgentMissingError(slug, workspace)

    def _agents(self, workspace: str, slug: str | None = None) -> list[Agent]:
        where = Where()
        where.equal("workspace", workspace)
        where.equal("slug", slug)
        sql = f"select {AGENT} from agents {where} order by slug"
        return [rows.agent(row) for row in fetch(self._db, sql, where.values)]

    def _has(self, table: str, **key: str) -> bool:
        where = Where()
        for column, value in key.items():
            where.equal(column, value)
        sql = f"select 1 from {table} {where}"
        return all(map(is_slug, key.values())) and bool(
            fetch(self._db, sql, where.values)
        )

    # Changes, inside a transaction

    def add_workspace(self, new: Workspace) -> None:
        """Add a workspace."""
        self._run(
            """
            insert into workspaces (name, description, created_at)
            values (:name, :description, :created_at)
            """,
            rows.workspace_values(new),
        )

    def update_workspace(self, changed: Workspace) -> None:
        """Keep what was *changed* of a workspace."""
        self._run(
            "update workspaces set description = :description where name = :name",
            rows.workspace_values(changed),
        )

    def remove_workspace(self, name: str) -> None:
        """Remove a workspace that has no crews."""
        self._run("delete from workspaces where name = ?", (name,))

    def add_crew(self, new: Crew) -> None:
        """Add a crew."""
        self._run(
            """
            insert into crews
                   (workspace, name, lead, description, settings, created_at)
            values (:workspace, :name, :lead, :description, :settings, :created_at)
            """,
            rows.crew_values(new),
        )

    def update_crew(self, changed: Crew) -> None:
        """Keep what was *changed* of a crew; members have their own methods."""
        self._run(
            """
            update crews
               set lead = :lead, description = :description, settings = :settings
             where workspace = :workspace and name = :name
            """,
            rows.crew_values(changed),
        )

    def remove_crew(self, workspace: str, name: str) -> None:
        """Remove a crew that no agent is at home in, with its memberships."""
        self._run(
            "delete from crews where workspace = ? and name = ?", (workspace, name)
        )

    def add_agent(self, new: Agent) -> None:
        """Add an agent to its home crew."""
        self._run(
            """
            insert into agents
                   (workspace, slug, crew, memory, description, settings, created_at)
            values (:workspace, :slug, :crew, :memory, :description, :settings,
                    :created_at)
            """,
            rows.agent_values(new),
        )

    def update_agent(self, changed: Agent) -> None:
        """Keep what was *changed* of an agent; crews have their own methods."""
        self._run(
            """
            update agents
               set memory = :memory, description = :description, settings = :settings
             where workspace = :workspace and slug = :slug
            """,
            rows.agent_values(changed),
        )

    def remove_agent(self, workspace: str, slug: str) -> None:
        """Remove an agent, with its memberships."""
        self._run(
            "delete from agents where workspace = ? and slug = ?", (workspace, slug)
        )

    def set_lead(self, workspace: str, crew: str, slug: str | None) -> None:
        """Name *slug* as the lead of *crew*, or nobody."""
        self._run(
            "update crews set lead = ? where workspace = ? and name = ?",
            (slug, workspace, crew),
        )

    def add_member(self, workspace: str, slug: str, crew: str) -> None:
        """Make an agent belong to a crew, unless it does already."""
        self._run(
            """
            insert into memberships (workspace, slug, crew)
            select workspace, slug, :crew from agents
             where workspace = :workspace and slug = :slug and crew <> :crew
                on conflict do nothing
            """,
            {"workspace": workspace, "slug": slug, "crew": crew},
        )

    def remove_member(self, workspace: str, slug: str, crew: str) -> None:
        """Make an agent not belong to a crew that is not its home."""
        self._run(
            "delete from memberships where workspace = ? and slug = ? and crew = ?",
            (workspace, slug, crew),
        )

    def _run(self, sql: str, values: Values) -> None:
        with explained(self._db):
            self._db.execute(sql, values)
