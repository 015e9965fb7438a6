"""The registry of a home: workspaces, crews, agents, and memberships.

Removing one keeps its row and files; adding it again restores them. Directories are created before
the row is committed, so that repeating an interrupted command completes it.
"""

import os
from collections.abc import Callable, Iterable, Mapping, Sequence
from contextlib import AbstractContextManager, ExitStack, nullcontext
from pathlib import Path
from typing import Any, TypedDict, TypeVar, Unpack

from crewmem.context import LOCK_FILE, MEMORY_DIRECTORY, Context
from crewmem.errors import ConflictError, NotFoundError, RefusedError, UsageError
from crewmem.registry import membership
from crewmem.registry.members import (
    CONSOLIDATION,
    ROLES,
    SHARING,
    Agent,
    Crew,
    Workspace,
    check_slug,
)
from crewmem.security.safe_text import remove_attacks
from crewmem.storage.filesystem import make_directory, undo_on_failure
from crewmem.storage.locks import lock
from crewmem.storage.sqlite import transaction

T = TypeVar("T")

DEFAULT_CREW = "main"
"""The crew that is created with the first agent if the user names none."""


class CrewFields(TypedDict, total=False):
    """Fields of a crew. A missing or None field stays unchanged.

    Attributes:
        lead: Slug of the agent that leads it, which becomes a member; "" for none.
        description: Purpose of the crew.
        sharing: One of SHARING.
        consolidation: One of CONSOLIDATION.
    """

    lead: str | None
    description: str | None
    sharing: str | None
    consolidation: str | None


class AgentFields(TypedDict, total=False):
    """Fields of an agent. A missing or None field stays unchanged.

    Attributes:
        role: ``lead`` makes it the lead of its crew.
        projects: All directories that it works in; they replace the old ones.
        memory: Whether prompt blocks, hooks and jobs use its memory.
        description: Purpose of the agent.
    """

    role: str | None
    projects: Iterable[Path | str] | None
    memory: bool | None
    description: str | None


class Registry:
    """The registry of a home; crews and agents are those of the context's workspace.

    Args:
        move_files: Called with slug, old crew and new crew of an agent that moves, to move its
            files and to change what names them by its crew; the last argument gets what moves
            them back. Raises ConflictError if the new crew already has files of an agent with this
            name.
    """

    def __init__(
        self, context: Context, move_files: Callable[[str, str, str, ExitStack], None]
    ) -> None:
        self._context = context
        self._move_files = move_files

    # Reading

    def list_workspaces(self) -> list[Workspace]:
        """Return all workspaces, sorted by name."""
        rows = self._context.db.all(
            "select name, description, created_at from workspaces where removed_at is null"
            " order by name"
        )
        crews = self._context.db.group(
            "select workspace_id, name from crews where removed_at is null order by name"
        )
        return [
            Workspace(name, tuple(crews.get(name, ())), description, created_at)
            for name, description, created_at in rows
        ]

    def get_workspace(self, name: str) -> Workspace:
        """Return a workspace.

        Raises:
            NotFoundError: If it is not registered.
        """
        return self._get("workspace", name, {each.name: each for each in self.list_workspaces()})

    def list_crews(self) -> list[Crew]:
        """Return the crews of the workspace, sorted by name."""
        agents = self._group(
            "select crew, slug from agents where workspace_id = :workspace_id"
            " and removed_at is null order by slug"
        )
        members = self._group(
            "select memberships.crew, agent from memberships join agents"
            " on agents.workspace_id = memberships.workspace_id and slug = agent"
            " where memberships.workspace_id = :workspace_id and removed_at is null order by agent"
        )
        slugs = {slug for group in agents.values() for slug in group}
        rows = self._context.db.execute(
            "select name, lead, description, sharing, consolidation, created_at from crews"
            " where workspace_id = :workspace_id and removed_at is null order by name",
            self._key(),
        )
        return [
            Crew(
                workspace=self._context.workspace,
                name=name,
                lead=lead if lead in slugs else "",
                agents=tuple(agents.get(name, ())),
                members=tuple(members.get(name, ())),
                description=description,
                sharing=sharing,
                consolidation=consolidation,
                created_at=created_at,
            )
            for name, lead, description, sharing, consolidation, created_at in rows
        ]

    def get_crew(self, name: str) -> Crew:
        """Return a crew of the workspace.

        Raises:
            NotFoundError: If it is not registered.
            RefusedError: If the actor is no member.
        """
        self._context.access.require_member(name)
        return self._get("crew", name, {crew.name: crew for crew in self.list_crews()})

    def list_agents(self, *, crew: str | None = None) -> list[Agent]:
        """Return the agents of the workspace, or of a crew, sorted by slug."""
        if crew is not None:
            self.get_crew(crew)
        other_crews = self._group(
            "select agent, crew from memberships join crews"
            " on crews.workspace_id = memberships.workspace_id and name = crew"
            " where memberships.workspace_id = :workspace_id and removed_at is null order by crew"
        )
        led = self._group(
            "select lead, name from crews where workspace_id = :workspace_id"
            " and removed_at is null order by name"
        )
        projects = self._group(
            "select agent, directory from agent_projects where workspace_id = :workspace_id"
            " order by directory"
        )
        rows = self._context.db.execute(
            "select slug, crew, memory, description, created_at from agents"
            " where workspace_id = :workspace_id and removed_at is null order by slug",
            self._key(),
        )
        agents = [
            Agent(
                workspace=self._context.workspace,
                slug=slug,
                crew=home,
                crews=(home, *other_crews.get(slug, ())),
                led=tuple(led.get(slug, ())),
                role="lead" if home in led.get(slug, ()) else "agent",
                memory=bool(memory),
                description=description,
                projects=tuple(projects.get(slug, ())),
                created_at=created_at,
            )
            for slug, home, memory, description, created_at in rows
        ]
        return [agent for agent in agents if crew is None or crew in agent.crews]

    def get_agent(self, slug: str) -> Agent:
        """Return an agent of the workspace.

        Raises:
            NotFoundError: If it is not registered.
        """
        return self._get("agent", slug, {agent.slug: agent for agent in self.list_agents()})

    def _group(self, sql: str) -> dict[str, list[str]]:
        """Run a query for the workspace; see `Database.group`."""
        return self._context.db.group(sql, self._key())

    def _get(self, kind: str, name: str, known: Mapping[str, T]) -> T:
        if name not in known:
            raise membership.not_found_error(self._context, kind, name, [*known])
        return known[name]

    def find_membership(self, slug: str) -> membership.Membership | None:
        """Return the membership of an agent; None if it is not registered."""
        return membership.find_membership(self._context.db, self._context.workspace, slug)

    def find_agents_in(self, directory: Path) -> list[tuple[str, str]]:
        """Find the agents, as (workspace, slug), that work in *directory*."""
        assert self._context.home is not None
        return membership.find_agents_in(self._context.db, self._context.home, directory)

    # Adding

    def add_workspace(self, name: str, *, description: str | None = None) -> Workspace:
        """Add a workspace, or restore a removed one.

        Raises:
            ConflictError: If it is already registered.
        """
        self._require_operator()
        check_slug("a workspace", name)
        assert self._context.home is not None
        with undo_on_failure() as undo, transaction(self._context.db):
            if membership.has_workspace(self._context.db, name):
                raise self._exists_error("workspace", name)
            self._insert("workspaces", {"name": name}, {"description": description})
            make_directory(self._context.home / "workspaces" / name / MEMORY_DIRECTORY, undo)
        return self.get_workspace(name)

    def add_crew(
        self, name: str, *, members: Sequence[str] = (), **fields: Unpack[CrewFields]
    ) -> Crew:
        """Add a crew, or restore a removed one.

        Args:
            members: Slugs of members with other home crews.
            fields: Further fields; the lead may be an agent that is added later.

        Raises:
            ConflictError: If it is already registered.
        """
        self._require_operator()
        check_slug("a crew", name)
        if lead := fields.get("lead"):
            check_slug("an agent", lead)
        with undo_on_failure() as undo, transaction(self._context.db):
            self.get_workspace(self._context.workspace)
            if any(crew.name == name for crew in self.list_crews()):
                raise self._exists_error("crew", name)
            self._insert("crews", self._key(name=name), _check_crew(fields))
            make_directory(self._context.crew_memory(name), undo)
            for slug in members:
                self._add_member(name, slug)
            if lead and self.find_membership(lead):
                self._add_member(name, lead)
        return self.get_crew(name)

    def add_agent(
        self, slug: str, *, crew: str | None = None, **fields: Unpack[AgentFields]
    ) -> Agent:
        """Add an agent, or restore a removed one. With a new home crew, its directory is moved.

        Args:
            slug: Unique name in the workspace.
            crew: The home crew. Default: of a restored agent its previous one, else the only crew
                of the workspace; without crews, the new crew DEFAULT_CREW.
            fields: Further fields.

        Raises:
            ConflictError: If it is already registered, another agent leads the crew, or the new
                crew already has files of an agent with this name.
        """
        self._require_operator()
        check_slug("an agent", slug)
        with (
            self._lock_files(slug, crew),
            undo_on_failure() as undo,
            transaction(self._context.db),
        ):
            if self.find_membership(slug):
                raise self._exists_error("agent", slug)
            before = self._find_home(slug)
            home = self.get_crew(crew or before or self._default_crew(slug))
            values = {name: fields.get(name) for name in ("memory", "description")}
            self._insert("agents", self._key(slug=slug), {"crew": home.name, **values})
            if before not in ("", home.name):
                self._move_agent(slug, before, home.name, undo)
            make_directory(self._context.crew_memory(home.name), undo)
            make_directory(self._context.agent_memory(home.name, slug), undo)
            for name in (each.name for each in self.list_crews() if each.lead == slug):
                self._add_member(name, slug)
            self._set_other_fields(slug, home, fields)
        return self.get_agent(slug)

    # Changing; None leaves a field unchanged

    def set_workspace(self, name: str, *, description: str | None = None) -> Workspace:
        """Change a workspace."""
        self._require_operator()
        with transaction(self._context.db):
            self.get_workspace(name)
            self._update("workspaces", {"name": name}, {"description": description})
        return self.get_workspace(name)

    def set_crew(
        self,
        name: str,
        *,
        add_members: Sequence[str] = (),
        remove_members: Sequence[str] = (),
        **fields: Unpack[CrewFields],
    ) -> Crew:
        """Change a crew.

        Args:
            add_members: Slugs of agents to add.
            remove_members: Slugs of agents to remove.
            fields: Fields to change.

        Raises:
            ConflictError: If an agent to remove leads the crew, or if it is the agent's home crew.
        """
        self._require_operator()
        with transaction(self._context.db):
            crew, lead = self.get_crew(name), fields.get("lead")
            self._update("crews", self._key(name=name), _check_crew(fields))
            for slug in (*add_members, *((lead,) if lead else ())):
                self._add_member(name, slug)
            for slug in remove_members:
                agent = self.get_agent(slug)
                if agent.crew == name:
                    raise ConflictError(
                        f"crew '{name}' is the home of agent '{slug}'",
                        code="at-home",
                        hint=self._context.command("agent remove", slug),
                    )
                if slug == (crew.lead if lead is None else lead):
                    raise ConflictError(
                        f"agent '{slug}' leads crew '{name}'",
                        code="leads-crew",
                        hint=self._context.command("crew set", name, "--lead", "SLUG"),
                    )
                self._delete_member(name, slug)
        return self.get_crew(name)

    def set_agent(
        self, slug: str, *, crew: str | None = None, **fields: Unpack[AgentFields]
    ) -> Agent:
        """Change an agent. With a new home crew, its directory is moved.

        Raises:
            ConflictError: If another agent leads the crew, or the new crew already has files of
                an agent with this name.
        """
        self._require_operator()
        with (
            self._lock_files(slug, crew),
            undo_on_failure() as undo,
            transaction(self._context.db),
        ):
            agent = self.get_agent(slug)
            home = self.get_crew(crew or agent.crew)
            values = {name: fields.get(name) for name in ("memory", "description")}
            self._update("agents", self._key(slug=slug), values)
            self._set_other_fields(slug, home, fields)
            if home.name != agent.crew:
                if agent.role == "lead":
                    raise ConflictError(
                        f"agent '{slug}' leads crew '{agent.crew}'",
                        code="leads-crew",
                        hint=self._context.command("agent set", slug, "--role", "agent"),
                    )
                self._move_agent(slug, agent.crew, home.name, undo)
        return self.get_agent(slug)

    # Removing

    def remove_workspace(self, name: str) -> Workspace:
        """Remove a workspace from the registry; its rows and files stay.

        Raises:
            ConflictError: If it has crews.
        """
        self._require_operator()
        with transaction(self._context.db):
            workspace = self.get_workspace(name)
            if workspace.crews:
                raise self._not_empty_error("workspace", name, "crew", workspace.crews)
            self._mark_removed("workspaces", {"name": name})
        return workspace

    def remove_crew(self, name: str) -> Crew:
        """Remove a crew from the registry; its files and members stay for a restoration.

        Raises:
            ConflictError: If it is the home crew of agents.
        """
        self._require_operator()
        with transaction(self._context.db):
            crew = self.get_crew(name)
            if crew.agents:
                raise self._not_empty_error("crew", name, "agent", crew.agents)
            self._mark_removed("crews", self._key(name=name))
        return crew

    def remove_agent(self, slug: str) -> Agent:
        """Remove an agent from the registry; its files and crews stay for a restoration."""
        self._require_operator()
        with transaction(self._context.db):
            agent = self.get_agent(slug)
            self._mark_removed("agents", self._key(slug=slug))
        return agent

    # Rows

    def _require_operator(self) -> None:
        self._context.access.require_operator("change the registry")

    def _key(self, **names: str) -> dict[str, str]:
        return {"workspace_id": self._context.workspace, **names}

    def _insert(self, table: str, key: dict[str, str], values: dict[str, Any]) -> None:
        """Insert a row or restore a removed one; None leaves the old value, or the default."""
        columns = self._screen(values)
        row = {**key, **columns, "created_at": self._context.now_text}
        changes = "".join(f", {name} = :{name}" for name in columns)
        self._context.db.execute(
            f"insert into {table} ({', '.join(row)}) values ({', '.join(f':{n}' for n in row)})"
            f" on conflict ({', '.join(key)}) do update set removed_at = null{changes}",
            row,
        )

    def _update(self, table: str, key: dict[str, str], values: dict[str, Any]) -> None:
        columns = self._screen(values)
        if columns:
            self._context.db.execute(
                f"update {table} set {', '.join(f'{name} = :{name}' for name in columns)}"
                f" where {' and '.join(f'{name} = :{name}' for name in key)}",
                {**key, **columns},
            )

    def _screen(self, values: Mapping[str, Any]) -> dict[str, Any]:
        """Return the values that are not None, with secrets redacted in the description.

        Raises:
            RefusedError: If the description contains an attack.
        """
        columns = {name: value for name, value in values.items() if value is not None}
        if description := columns.get("description"):
            allowed = self._context.settings["scan.allow"]
            found = self._context.scanner.scan(description, allow=allowed, own_tier=True)
            first = next((each for each in found if each.class_ == "attack"), None)
            if first is not None:
                raise RefusedError(
                    f"the description looks like an attack ({first.rule}): {first.matched!r};"
                    " describe it in other words",
                    code="attack",
                )
            columns["description"] = remove_attacks(description, found).text
        return columns

    def _mark_removed(self, table: str, key: dict[str, str]) -> None:
        self._update(table, key, {"removed_at": self._context.now_text})

    def _add_member(self, crew: str, slug: str) -> None:
        if self.get_agent(slug).crew != crew:
            self._context.db.execute(
                "insert or ignore into memberships (workspace_id, agent, crew)"
                " values (:workspace_id, :agent, :crew)",
                self._key(agent=slug, crew=crew),
            )

    def _delete_member(self, crew: str, slug: str) -> None:
        self._context.db.execute(
            "delete from memberships where workspace_id = :workspace_id"
            " and agent = :agent and crew = :crew",
            self._key(agent=slug, crew=crew),
        )

    def _find_home(self, slug: str) -> str:
        """Return the home crew of an agent, also a removed one; "" if there is none."""
        crew = self._context.db.value(
            "select crew from agents where workspace_id = :workspace_id and slug = :slug",
            self._key(slug=slug),
        )
        return str(crew or "")

    def _default_crew(self, slug: str) -> str:
        """Return the default home crew of a new agent, which is added; see `add_agent`."""
        crews = [crew.name for crew in self.list_crews()]
        if not crews:
            self.get_workspace(self._context.workspace)
            self._insert("crews", self._key(name=DEFAULT_CREW), {})
            return DEFAULT_CREW
        if len(crews) > 1:
            raise UsageError(
                f"choose the home crew of agent '{slug}' with --crew: {', '.join(crews)}",
                code="crew-missing",
                hint=self._context.command("agent add", slug, "--crew", crews[0]),
            )
        return crews[0]

    def _set_other_fields(self, slug: str, home: Crew, fields: AgentFields) -> None:
        """Set the fields of an agent that are not in its row."""
        if (role := fields.get("role")) is not None:
            _check_choice("role", role, ROLES)
            self._set_role(slug, home, role)
        if (projects := fields.get("projects")) is not None:
            self._set_projects(slug, projects)

    def _set_role(self, slug: str, home: Crew, role: str) -> None:
        if role == "lead" and home.lead not in ("", slug):
            raise ConflictError(
                f"agent '{home.lead}' leads crew '{home.name}'",
                code="lead-taken",
                hint=self._context.command("crew set", home.name, "--lead", slug),
            )
        if role == "lead" or home.lead == slug:
            lead = slug if role == "lead" else ""
            self._update("crews", self._key(name=home.name), {"lead": lead})

    def _set_projects(self, slug: str, directories: Iterable[Path | str]) -> None:
        new = {os.path.realpath(each) for each in directories}
        old = set(self.get_agent(slug).projects)
        for directory in old - new:
            self._context.db.execute(
                "delete from agent_projects where workspace_id = :workspace_id"
                " and agent = :agent and directory = :directory",
                self._key(agent=slug, directory=directory),
            )
        for directory in sorted(new - old):  # an old one may be temporarily unavailable
            path = Path(directory)
            if not path.is_dir():
                raise NotFoundError(f"there is no directory {directory}", code="path-not-found")
            repository, subdirectory = membership.find_repository(path)
            self._context.db.execute(
                "insert into agent_projects"
                " (workspace_id, agent, directory, repository, subdirectory)"
                " values (:workspace_id, :agent, :directory, :repository, :subdirectory)",
                {
                    **self._key(agent=slug),
                    "directory": directory,
                    "repository": repository,
                    "subdirectory": subdirectory,
                },
            )

    def _lock_files(self, slug: str, new_crew: str | None) -> AbstractContextManager[None]:
        """Hold the lock of the files of an agent that moves to *new_crew*, if it does.

        So no write is under way while they move. The lock comes before the transaction, because a
        write takes both in this order.
        """
        crew = self._find_home(slug)
        memory = self._context.agent_memory(crew, slug)
        is_move = crew and new_crew not in (None, crew) and memory.is_dir()
        return lock(memory / LOCK_FILE) if is_move else nullcontext()

    def _move_agent(self, slug: str, crew: str, new_crew: str, undo: ExitStack) -> None:
        """Make *new_crew* the home crew of an agent, and move its files, as the last step."""
        self._delete_member(new_crew, slug)
        self._update("agents", self._key(slug=slug), {"crew": new_crew})
        self._move_files(slug, crew, new_crew, undo)

    # Errors

    def _exists_error(self, kind: str, name: str) -> ConflictError:
        return ConflictError(
            f"{kind} '{name}' already exists",
            code=f"{kind}-exists",
            hint=self._context.command(f"{kind} show", name),
        )

    def _not_empty_error(
        self, kind: str, name: str, part: str, names: Sequence[str]
    ) -> ConflictError:
        shown = ", ".join(names[:5]) + (", …" if len(names) > 5 else "")
        plural = part if len(names) == 1 else f"{part}s"
        context = self._context
        if kind == "workspace":
            context = membership.name_workspace(context, name)
        return ConflictError(
            f"{kind} '{name}' has {len(names)} {plural}: {shown}",
            code=f"{kind}-not-empty",
            hint=context.command(f"{part} remove", names[0]),
        )


def _check_choice(name: str, value: str | None, choices: Sequence[str]) -> None:
    if value is not None and value not in choices:
        raise UsageError(
            f"'{value}' is not a value of --{name}: use {', '.join(choices)}", code="bad-choice"
        )


def _check_crew(fields: CrewFields) -> dict[str, Any]:
    """Check the fields of a crew; return them as columns."""
    _check_choice("sharing", fields.get("sharing"), SHARING)
    _check_choice("consolidation", fields.get("consolidation"), CONSOLIDATION)
    return dict(fields)
