"""Actors, and what they may read and write. No other module decides this.

Scope guards against mistakes; file permissions separate people.
"""

from enum import StrEnum
from typing import Any, NamedTuple

from crewmem.errors import RefusedError, UsageError, suggest
from crewmem.origins import ORIGINS, lowest_origin


class Scope(StrEnum):
    """What a command searches, or who owns a fact."""

    SESSION = "session"
    AGENT = "agent"
    CREW = "crew"
    WORKSPACE = "workspace"
    ALL = "all"


class Actor(NamedTuple):
    """Who a command acts as.

    Attributes:
        kind: ``agent``, ``lead``, ``operator``, or ``system`` for jobs that a timer starts.
        name: Slug of an agent or lead, login of an operator.
    """

    kind: str
    name: str

    def __str__(self) -> str:
        return f"{self.kind}:{self.name}"

    @property
    def is_operator(self) -> bool:
        """Whether it has full rights: a person, or a job."""
        return self.kind in ("operator", "system")

    @staticmethod
    def parse(text: str) -> "Actor":
        """Parse ``agent:SLUG``, ``lead:SLUG`` or ``operator:NAME``.

        Raises:
            UsageError: If *text* is none of these.
        """
        kind, _, name = text.partition(":")
        is_name = bool(name) and "/" not in name and name not in (".", "..", "*")
        if kind not in ("agent", "lead", "operator") or not is_name:
            raise UsageError(
                f"'{text}' is not an actor: use agent:SLUG, lead:SLUG or operator:NAME",
                code="bad-actor",
            )
        return Actor(kind, name)


class Filter(NamedTuple):
    """A condition for a SQL query, with its named parameters."""

    sql: str
    params: dict[str, Any]


class Access(NamedTuple):
    """What an actor may do in a workspace.

    In all methods a *crew* or *agent* of "" or None is unknown.

    Attributes:
        home_crew: The crew in which an agent has its files; None if unknown.
        crews: The crews that an agent is a member of; None without a registry.
        led: The crews that a lead leads; None without a registry.
        agent_program: Whether an agent program runs this process. The origin of texts is then
            ``agent`` or lower.
        is_named: Whether ``--as`` named the operator; in an agent program it must.
    """

    actor: Actor
    workspace: str
    home_crew: str | None = None
    crews: frozenset[str] | None = None
    led: frozenset[str] | None = None
    agent_program: bool = False
    is_named: bool = False

    @property
    def is_operator(self) -> bool:
        """Whether the actor has full rights."""
        return self.actor.is_operator

    def is_own(self, agent: str | None, crew: str | None = None) -> bool:
        """Return whether the actor is *agent*, whose home crew is *crew*."""
        same_crew = self.home_crew is None or not crew or crew == self.home_crew
        return not self.is_operator and agent == self.actor.name and same_crew

    def is_member(self, crew: str | None) -> bool:
        """Return whether the actor belongs to *crew*."""
        return self.is_operator or self.crews is None or not crew or crew in self.crews

    def leads(self, crew: str | None) -> bool:
        """Return whether the actor acts as the lead of *crew*."""
        if self.actor.kind != "lead":
            return False
        return crew in self.led if self.led is not None else self.is_member(crew)

    def not_member_error(self, crew: str) -> RefusedError:
        """Return the error for a crew of others; it does not tell whether there is such a crew."""
        message = f"{self.actor} is not a member of crew '{crew}'"
        if similar := suggest(crew, self.crews or ()):
            message += f"; did you mean '{similar}'?"
        return RefusedError(message, code="out-of-scope")

    def require_member(self, crew: str | None) -> None:
        """Raise RefusedError unless the actor belongs to *crew*."""
        if crew and not self.is_member(crew):
            raise self.not_member_error(crew)

    # Memory files

    def file_read_rule(self, scope: str, crew: str | None, agent: str | None, tier: str) -> str:
        """Return the rule that forbids reading a memory file, or "" when it is allowed."""
        if self.is_operator:
            return ""
        if tier in ("user", "peer"):
            return "only operators read users/ and peers/"
        if scope == Scope.AGENT and agent and not self.is_own(agent, crew):
            return "an agent reads its own files, its crews' and its workspace's"
        if scope == Scope.CREW and not self.is_member(crew):
            return "an agent reads the files of crews that it is a member of"
        return ""

    def file_write_rule(self, scope: str, crew: str | None, agent: str | None, tier: str) -> str:
        """Return the rule that forbids writing a memory file, or "" when it is allowed."""
        if self.is_operator:
            return ""
        if tier == "persona":
            return "only operators write a persona"
        if tier in ("user", "peer"):
            return "only operators write users/ and peers/"
        if scope == Scope.WORKSPACE or tier == "workspace":
            return "only operators write a workspace's files"
        if tier == "other":
            return "only operators write files that have no tier"
        if scope == Scope.CREW:
            if tier == "pins":
                return "only consolidation and operators write a crew's pins"
            return "" if self.leads(crew) else "only its lead and operators write a crew's files"
        if tier == "brief":
            return "" if self.leads(crew) else "only its crew's lead and operators write BRIEF.md"
        if not agent or self.is_own(agent, crew):
            return ""
        return "an agent writes its own files only"

    # Rows

    def facts(self, *, scope: Scope | None = None, include_restricted: bool = False) -> Filter:
        """Return the condition for the facts that the actor may read.

        A restricted fact is shown only to its owner, and to operators, and only when
        *include_restricted* is set.
        """
        conditions = ["facts.workspace_id = :access_workspace"]
        params: dict[str, Any] = {"access_workspace": self.workspace}
        if not include_restricted:
            conditions.append("facts.sensitivity != 'restricted'")
        if scope is not None and scope is not Scope.ALL:
            conditions.append("facts.scope = :access_scope")
            params["access_scope"] = str(scope)
        if not self.is_operator:
            params["access_agent"] = self.actor.name
            own = "(facts.scope in ('agent', 'session') and facts.agent_id = :access_agent)"
            shared = "facts.scope = 'workspace' or (facts.scope = 'crew' and "
            shared += self._in_crews("facts.crew_id", params) + ")"
            if include_restricted:
                shared = f"({shared}) and facts.sensitivity != 'restricted'"
            conditions.append(f"({own} or {shared})")
        return Filter(" and ".join(conditions), params)

    def journal(self, *, table: str = "journal_entries", scope: Scope | None = None) -> Filter:
        """Return the condition for the journal entries that the actor may read.

        An agent reads its own entries, and with the scope ``crew`` or ``all`` its crews'; a lead
        reads its crews' entries unless *scope* is ``agent``; an operator reads all.

        Raises:
            RefusedError: If *scope* is ``workspace`` and the actor is not an operator.
        """
        conditions = [f"{table}.workspace_id = :access_workspace"]
        params: dict[str, Any] = {"access_workspace": self.workspace}
        if not self.is_operator:
            if scope is Scope.ALL:
                scope = Scope.CREW
            elif scope is Scope.WORKSPACE:
                raise RefusedError(
                    f"{self.actor} may not read the journal of the workspace: agents and leads"
                    " read their own entries and their crews'",
                    code="out-of-scope",
                )
            wide = scope is Scope.CREW or (scope is None and self.actor.kind == "lead")
            params["access_agent"] = self.actor.name
            own = f"{table}.agent_id = :access_agent"
            if wide:
                own = f"({own} or " + self._in_crews(f"{table}.crew_id", params) + ")"
            conditions.append(own)
        return Filter(" and ".join(conditions), params)

    def sessions(self) -> Filter:
        """Return the condition for the sessions that the actor may read: its own, or all."""
        conditions = ["sessions.workspace_id = :access_workspace"]
        params: dict[str, Any] = {"access_workspace": self.workspace}
        if not self.is_operator:
            conditions.append("sessions.agent_id = :access_agent")
            params["access_agent"] = self.actor.name
        return Filter(" and ".join(conditions), params)

    def recalls(self) -> Filter:
        """Return the condition for the logged recalls that the actor may read: its own, or all."""
        conditions = ["recalls.workspace_id = :access_workspace"]
        params: dict[str, Any] = {"access_workspace": self.workspace}
        if not self.is_operator:
            name = self.actor.name
            conditions.append("recalls.actor in (:access_agent, :access_lead)")
            params |= {"access_agent": f"agent:{name}", "access_lead": f"lead:{name}"}
        return Filter(" and ".join(conditions), params)

    def fact_write_rule(self, scope: str, crew: str | None, agent: str | None) -> str:
        """Return the rule that forbids writing a fact, or "" when it is allowed."""
        if self.is_operator:
            return ""
        if scope in (Scope.AGENT, Scope.SESSION):
            return "" if agent == self.actor.name else "an agent writes its own facts"
        if scope == Scope.CREW and self.leads(crew):
            return ""
        if scope == Scope.CREW:
            return "only its lead and operators write a crew's facts; use crewmem fact share"
        return "only operators write a workspace's facts"

    def review_rule(self, kind: str, crew: str | None) -> str:
        """Return the rule that forbids deciding on a review item, or "" when it is allowed."""
        if self.is_operator:
            return ""
        if kind in ("quarantine", "import", "skill"):
            return f"only operators decide on review items of kind {kind}"
        if crew and self.leads(crew):
            return ""
        return "only the crew's lead and operators decide on it"

    def enforce(self, rule: str, what: str) -> None:
        """Raise RefusedError unless *rule* is "".

        Args:
            rule: Result of ``file_read_rule`` or a similar method.
            what: Completes "… may not …".
        """
        if rule:
            raise RefusedError(f"{self.actor} may not {what}: {rule}", code="out-of-scope")

    def require_operator(self, what: str) -> None:
        """Raise RefusedError unless the actor is an operator; see `Access.is_named`.

        Args:
            what: Completes "only operators may …".
        """
        if not self.is_operator:
            raise RefusedError(
                f"{self.actor} may not {what}: only operators may",
                code="operators-only",
            )
        self._require_name(what)

    def require_lead(self, crew: str | None, what: str) -> None:
        """Raise RefusedError unless the actor is an operator or leads *crew*."""
        if not (self.is_operator or self.leads(crew)):
            raise RefusedError(
                f"{self.actor} may not {what}: only the crew's lead and operators may",
                code="leads-only",
            )

    @property
    def may_review(self) -> bool:
        """Whether the actor may read the review queue; a lead sees only its crew's items."""
        return self.is_operator or self.actor.kind == "lead"

    def require_reviewer(self, what: str) -> None:
        """Raise RefusedError unless the actor is a lead or operator; see `require_operator`."""
        if not self.may_review:
            raise RefusedError(
                f"{self.actor} may not {what}: review is for leads and operators",
                code="review-not-allowed",
            )
        self._require_name(what)

    def _require_name(self, what: str) -> None:
        if self.actor.kind == "operator" and self.agent_program and not self.is_named:
            raise RefusedError(
                f"an agent program runs here, so only a named operator may {what}",
                code="operator-not-named",
                hint=f"repeat the command with --as {self.actor}",
            )

    def origin(self, requested: str | None = None) -> str:
        """Return the origin class of texts that the actor writes.

        Args:
            requested: A lower class to use instead; a higher one has no effect.
        """
        own = "operator" if self.is_operator and not self.agent_program else "agent"
        if requested is None:
            return own
        if requested not in ORIGINS:
            raise UsageError(
                f"'{requested}' is not an origin: use {', '.join(ORIGINS)}", code="bad-origin"
            )
        return lowest_origin((own, requested))

    def _in_crews(self, column: str, params: dict[str, Any]) -> str:
        """Return the condition that *column* names a crew of the actor."""
        if self.crews is None:
            return f"{column} is not null"
        names = []
        for index, crew in enumerate(sorted(self.crews)):
            params[f"access_crew_{index}"] = crew
            names.append(f":access_crew_{index}")
        return f"{column} in ({', '.join(names)})"
