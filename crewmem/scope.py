"""Who is asking, and what they may see. The one place that decides it. Pure.

Scope guards against mistakes; file permissions guard against people.
"""

from __future__ import annotations

from enum import StrEnum

from crewmem.records import NamedTuple

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping

    from crewmem.db.where import Where


class Scope(StrEnum):
    """How far a command looks."""

    AGENT = "agent"
    CREW = "crew"
    WORKSPACE = "workspace"
    ALL = "all"


class Role(StrEnum):
    """As what somebody acts."""

    AGENT = "agent"
    LEAD = "lead"
    OPERATOR = "operator"


class Actor(NamedTuple):
    """Who a command acts as.

    Attributes:
        name: The slug of an agent or lead, the login of an operator.
    """

    role: Role
    name: str

    def __str__(self) -> str:
        return f"{self.role}:{self.name}"

    @property
    def is_operator(self) -> bool:
        """Tell whether a person is asking."""
        return self.role is Role.OPERATOR


def actor(text: str) -> Actor:
    """Read an actor from ``agent:SLUG``, ``lead:SLUG`` or ``operator:NAME``.

    Raises:
        BadActorError: If *text* is none of these.
    """
    role, colon, name = text.partition(":")
    if not colon or not name or role not in set(Role):
        from crewmem.errors.values import BadActorError

        raise BadActorError(text)
    return _named(Role(role), name)


def _named(role: Role, name: str) -> Actor:
    """Return who acts; an agent's *name* is that of a directory, and of no other.

    Raises:
        BadActorError: If it leads elsewhere.
    """
    is_name = "/" not in name and name not in {".", ".."}
    if role is not Role.OPERATOR and not is_name:
        from crewmem.errors.values import BadActorError

        raise BadActorError(f"{role}:{name}")
    return Actor(role, name)


def acting(
    given: str | None, environ: Mapping[str, str], *, home: str, mount: str, login: str
) -> Actor:
    """Decide who a command acts as.

    It is who is *given*, else ``$CREWMEM_ACTOR``, else the agent that
    ``$CREWMEM_AGENT`` or ``$OTTER_AGENT_ID`` names, else the agent whose *home*
    directory is below *mount*, where a container has its crew; outside of all
    these the operator *login*.

    Raises:
        BadActorError: If what is given is not an actor. An empty name is none: a
            script whose variable is not set would act as the operator.
    """
    if given is not None:
        return actor(given)
    if text := environ.get("CREWMEM_ACTOR"):
        return actor(text)
    if slug := environ.get("CREWMEM_AGENT") or environ.get("OTTER_AGENT_ID"):
        return _named(Role.AGENT, slug)
    agents = f"{mount}/agents/"
    if home.startswith(agents) and (slug := home[len(agents) :].partition("/")[0]):
        return _named(Role.AGENT, slug)
    return Actor(Role.OPERATOR, login)


class Sight(NamedTuple):
    """What an actor may read of memory files.

    Attributes:
        crews: The crews it belongs to; None where there is no registry to ask.
        crew: Its home crew, where its own files are; None if unknown.
        led: The crews that it leads; None where there is no registry to ask, and who
            acts as a lead is taken at its word, for the crews that it belongs to.
    """

    actor: Actor
    crew: str | None = None
    crews: frozenset[str] | None = None
    led: frozenset[str] | None = None

    def sees_agent(self, slug: str | None, crew: str | None = None) -> bool:
        """Tell whether the files of agent *slug*, at home in *crew*, may be read.

        A directory whose owner nobody can tell (None) is as open as its permissions.
        """
        if self.actor.is_operator or slug is None:
            return True
        at_home = self.crew is None or crew is None or crew == self.crew
        return slug == self.actor.name and at_home

    def sees_crew(self, crew: str | None) -> bool:
        """Tell whether the shared files of *crew* may be read."""
        if self.actor.is_operator or self.crews is None or crew is None:
            return True
        return crew in self.crews

    def leads(self, crew: str | None) -> bool:
        """Tell whether it acts as the lead of *crew*."""
        if self.actor.role is not Role.LEAD:
            return False
        if self.led is None:
            return self.sees_crew(crew)
        return crew is None or crew in self.led

    @property
    def sees_persons(self) -> bool:
        """Tell whether ``users/`` and ``peers/`` may be read."""
        return self.actor.is_operator


class Reach(NamedTuple):
    """Which rows of a workspace an actor may read, in the journal and what is of it.

    Attributes:
        agent: Only rows of this agent, unless *crews* has theirs; None: of all.
        crews: Beside its own, rows of these crews.
    """

    workspace: str
    agent: str | None = None
    crews: frozenset[str] = frozenset()

    def sees(self, crew: str | None, agent: str | None) -> bool:
        """Tell whether a row of *crew* and *agent* may be read."""
        return self.agent is None or agent == self.agent or crew in self.crews

    def limit(self, where: Where) -> None:
        """Ask, of a table that has them, that rows be of this reach.

        The one place that puts scope into a query on the journal.
        """
        where.equal("workspace_id", self.workspace)
        if self.agent is not None:
            where.either({"agent_id": [self.agent], "crew_id": sorted(self.crews)})


def reach_of(sight: Sight, workspace: str, scope: Scope | None = None) -> Reach:
    """Return which rows of *workspace* are read for who has *sight*.

    An agent reads its own rows, with the scope of its crew also its crews'; a lead its
    crews' unless it asks for less; an operator all.

    Raises:
        OutOfScopeError: If the *scope* is wider than the actor may see.
    """
    who = sight.actor
    if who.is_operator:
        return Reach(workspace)
    if scope is Scope.WORKSPACE:
        from crewmem.errors.registry import OutOfScopeError

        rule = "agents and leads read their own entries, and their crews'"
        raise OutOfScopeError(str(who), "read the journal of the workspace", rule)
    usual = Scope.CREW if who.role is Role.LEAD else Scope.AGENT
    alone = (scope or usual) is Scope.AGENT
    crews = frozenset() if alone else sight.crews or frozenset()
    return Reach(workspace, who.name, crews)


OPERATORS_ALONE = {
    "persona": "only operators write a persona",
    "workspace": "only operators write a workspace's files",
    "peer": "users/ and peers/ are for operators",
    "user": "users/ and peers/ are for operators",
    "other": "only operators write files that are of no tier",
}
"""Tiers that neither agents nor leads write, and the rule."""


def writing_rule(
    sight: Sight, scope: Scope, crew: str | None, agent: str | None, tier: str
) -> str:
    """Return the rule by which an actor of *sight* may not write a file; "" if it may.

    The one place that decides it. Who owns the directory is None where nobody knows.

    Args:
        sight: Of who would write.
        scope: Of the directory.
        crew: Whose the directory is, of an agent's its home crew.
        agent: Whose it is; None for shared ones.
        tier: Of the file.
    """
    if sight.actor.is_operator:
        return ""
    if rule := OPERATORS_ALONE.get("workspace" if scope is Scope.WORKSPACE else tier):
        return rule
    if scope is Scope.CREW:
        return _crew_rule(sight, crew, tier)
    if tier == "brief":
        is_lead = sight.leads(crew)
        return "" if is_lead else "only its crew's lead and operators write BRIEF.md"
    is_own = sight.sees_agent(agent, crew)
    return "" if is_own else "nobody but an operator writes another agent's files"


def _crew_rule(sight: Sight, crew: str | None, tier: str) -> str:
    if tier == "pins":
        return "only consolidation and operators write a crew's pins"
    is_lead = sight.leads(crew)
    return "" if is_lead else "only its lead and operators write a crew's files"


def require_operator(actor: Actor, what: str) -> None:
    """Refuse to do *what* for anybody but a person.

    Raises:
        OutOfScopeError: If *actor* is an agent or a lead.
    """
    if not actor.is_operator:
        from crewmem.errors.registry import OutOfScopeError

        raise OutOfScopeError(str(actor), what, "only operators may")
