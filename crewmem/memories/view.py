"""Which memories an actor may read, and which it may change. Pure."""

from __future__ import annotations

from crewmem.errors.registry import MemoryOffError, OutOfScopeError
from crewmem.records import NamedTuple
from crewmem.scope import Role, Scope

TYPE_CHECKING = False
if TYPE_CHECKING:
    from crewmem.db.where import Where
    from crewmem.memories.memory import Memory, Owner
    from crewmem.scope import Actor, Sight

RESTRICTED = "restricted"

QUARANTINED = "quarantined"


class View(NamedTuple):
    """Which memories of a workspace an actor may read.

    Attributes:
        agent: Only its own and what is shared with it; None: all.
        crews: Of which crews it reads what is shared.
        led: The crews that it leads.
        restricted: Whether restricted ones were asked for.
        off: Agents whose memory is off: nothing is written for them, or by them.
    """

    workspace: str
    agent: str | None = None
    crews: frozenset[str] = frozenset()
    led: frozenset[str] = frozenset()
    restricted: bool = False
    off: frozenset[str] = frozenset()

    def limit(self, where: Where) -> None:
        """Ask, of the table of memories, that rows be within this view.

        The one place that puts scope into a query on memories.
        """
        self.limit_owner(where)
        if self.agent is not None:
            # Of its own it wrote the text itself; what others share, persons look at.
            where.holds("(status <> ? or agent_id = ?)", QUARANTINED, self.agent)
        if not self.restricted:
            where.holds("sensitivity <> ?", RESTRICTED)
        elif self.agent is not None:
            where.holds("(sensitivity <> ? or agent_id = ?)", RESTRICTED, self.agent)

    def limit_owner(self, where: Where) -> None:
        """Ask that rows be of an owner within this view, restricted or not.

        For counts alone: what is restricted is not shown so.
        """
        where.equal("workspace_id", self.workspace)
        if self.agent is not None:
            # Rows of two columns, which an index has: of `or` it would read the table.
            owners = self.owners()
            marks = ", ".join(["(?, ?)"] * len(owners))
            where.holds(
                f"(agent_id, crew_id) in (values {marks})",
                *(name for owner in owners for name in owner),
            )

    def owners(self) -> list[tuple[str, str]]:
        """Return whose memories an agent reads, by agent and crew; [] for: all."""
        if self.agent is None:
            return []
        return [
            (self.agent, ""),
            ("", ""),
            *(("", crew) for crew in sorted(self.crews)),
        ]

    def sees(self, memory: Memory) -> bool:
        """Tell whether *memory* is within this view."""
        if memory.workspace != self.workspace:
            return False
        own = self.agent is None or memory.agent == self.agent
        if memory.sensitivity == RESTRICTED and not (self.restricted and own):
            return False
        if memory.status == QUARANTINED and not own:
            return False
        shared = memory.scope == Scope.WORKSPACE or memory.crew in self.crews
        return own or shared


def view_of(
    sight: Sight,
    workspace: str,
    *,
    led: frozenset[str],
    restricted: bool = False,
    off: frozenset[str] = frozenset(),
) -> View:
    """Return what who has *sight* may read of the memories of *workspace*.

    Args:
        sight: Of the actor.
        workspace: Where.
        led: The crews that name the actor as their lead.
        restricted: Whether restricted memories were asked for.
        off: Agents whose memory is off.
    """
    if sight.actor.is_operator:
        return View(workspace, restricted=restricted, off=off)
    is_lead = sight.actor.role is Role.LEAD
    return View(
        workspace,
        sight.actor.name,
        sight.crews or frozenset(),
        led if is_lead else frozenset(),
        restricted,
        off,
    )


def require_on(view: View, owner: Owner | None = None) -> None:
    """Refuse to write for *owner*, or by whom *view* is, where their memory is off.

    What is there may be put away and erased all the same.

    Raises:
        MemoryOffError: If the memory of one of them is switched off.
    """
    for slug in (owner.agent if owner else None, view.agent):
        if slug in view.off:
            raise MemoryOffError(str(slug))


def require_writable(actor: Actor, view: View, owner: Owner) -> None:
    """Refuse to change what is of *owner* for who may not.

    Raises:
        OutOfScopeError: If it is another agent's, or shared and the actor no lead.
    """
    if view.agent is None:
        return
    if owner.scope == Scope.AGENT:
        if owner.agent == view.agent:
            return
        rule = "agents and leads write their own memories"
    elif owner.scope == Scope.CREW:
        if owner.crew in view.led:
            return
        rule = "the lead and operators write what a crew holds"
    else:
        rule = "operators write what a workspace holds"
    refusal = OutOfScopeError(str(actor), f"change a memory of {owner}", rule)
    if owner.scope != Scope.AGENT:
        refusal.hint = "What others should know goes by crewmem knowledge share."
    raise refusal
