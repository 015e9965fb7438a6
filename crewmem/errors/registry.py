"""Failures of homes, workspaces, crews and agents, and of who may do what."""

from __future__ import annotations

from crewmem.errors import ConflictError, NotFoundError, RefusedError

TYPE_CHECKING = False
if TYPE_CHECKING:
    from pathlib import Path


class HomeMissingError(NotFoundError):
    """There is no home, and what was asked needs one."""

    def __init__(self, path: Path) -> None:
        super().__init__(f"there is no crewmem home at {path}")
        self.path = path
        self.hint = f"Make one: crewmem --home {path} init"


class WorkspaceMissingError(NotFoundError):
    """There is no workspace of that name."""

    hint = "crewmem workspace list names them; the first write makes one."

    def __init__(self, name: str) -> None:
        super().__init__(f"there is no workspace {name!r}")
        self.name = name


class CrewMissingError(NotFoundError):
    """There is no crew of that name in the workspace."""

    hint = "crewmem crew list names them."

    def __init__(self, name: str, workspace: str) -> None:
        super().__init__(f"there is no crew {name!r} in workspace {workspace!r}")
        self.name, self.workspace = name, workspace


class AgentMissingError(NotFoundError):
    """There is no agent of that slug where it was looked for."""

    hint = "crewmem agent list names them."

    def __init__(self, slug: str, workspace: str) -> None:
        super().__init__(f"there is no agent {slug!r} in workspace {workspace!r}")
        self.slug, self.workspace = slug, workspace


class NotAMemberError(NotFoundError):
    """An agent does not belong to a crew that was named with it."""

    def __init__(self, slug: str, crew: str) -> None:
        super().__init__(f"{slug!r} does not belong to the crew {crew!r}")
        self.slug, self.crew = slug, crew
        self.hint = f"To change that: crewmem crew set {crew} --add-member {slug}"


class OutOfScopeError(RefusedError):
    """The actor may not see or change what was named."""

    def __init__(self, actor: str, what: str, rule: str) -> None:
        super().__init__(f"{actor} may not {what}: {rule}")
        self.actor, self.what, self.rule = actor, what, rule


class NotTheLeadError(RefusedError):
    """Somebody acts as a lead whom no crew names as its lead."""

    hint = "crewmem crew show names a crew's lead; --as agent:SLUG acts as the agent."

    def __init__(self, slug: str) -> None:
        super().__init__(f"no crew here names {slug!r} as its lead")
        self.slug = slug


class MemoryOffError(RefusedError):
    """The memory of an agent is switched off."""

    def __init__(self, slug: str) -> None:
        super().__init__(f"the memory of agent {slug!r} is switched off")
        self.slug = slug
        self.hint = f"An operator switches it on: crewmem agent set {slug} --memory on"


class ExistsError(ConflictError):
    """What was to be made is there already."""

    def __init__(self, what: str) -> None:
        super().__init__(f"{what} is there already")
        self.what = what


class LeadTakenError(ConflictError):
    """A crew has a lead already, and another one was named."""

    def __init__(self, crew: str, lead: str, wanted: str) -> None:
        super().__init__(f"crew {crew!r} is led by {lead!r} already")
        self.crew, self.lead, self.wanted = crew, lead, wanted
        self.hint = f"To change it: crewmem crew set {crew} --lead {wanted}"


class StillNeededError(ConflictError):
    """What was to be removed is needed by what is there."""

    def __init__(self, what: str, why: str, hint: str) -> None:
        super().__init__(f"{what} cannot be removed: {why}")
        self.what, self.why, self.hint = what, why, hint
