"""What is held to be true: a memory, and whose it is. Pure."""

from __future__ import annotations

from crewmem.records import NamedTuple

TYPE_CHECKING = False
if TYPE_CHECKING:
    from datetime import datetime

SENSITIVITIES = ("public", "internal", "restricted")

PINS = ("none", "pin", "high", "permanent")

STATES = ("open", "done", "dropped")
"""Of an action item."""


class Owner(NamedTuple):
    """Whose a memory is.

    Attributes:
        scope: agent, crew or workspace.
        agent: Of an agent's memory; "" for others.
        crew: Of a crew's memory; "" for others.
    """

    scope: str
    agent: str = ""
    crew: str = ""

    def __str__(self) -> str:
        return self.agent or self.crew or self.scope


class Memory(NamedTuple):
    """Something that is held to be true.

    Attributes:
        seq: Its place in the database.
        id: m_ and 12 characters; what was imported keeps its own.
        workspace: The workspace that it is in.
        scope: agent, crew or workspace: who may see it.
        agent: The agent that it is of; null if it is shared.
        crew: The crew that it is of; null if it is not a crew's.
        kind: What kind of claim it is, as decision.
        subtype: What it was called where it comes from; null if the same.
        title: What it says, in a clause.
        content: What it says.
        tags: Labels that somebody gave it.
        entities: Names that it is about.
        metadata: What else somebody noted, an object.
        importance: 1 to 5, as written.
        confidence: In [0, 1], as written; the votes are not in it.
        base_quality: In [0, 1], of what is shared; null for others.
        sensitivity: public, internal or restricted.
        status: active, warm, stale, superseded, archived or quarantined.
        pin: none, pin, high or permanent.
        state: Of an action item open, done or dropped; null for others.
        topic_key: What it is the latest word on; null for nothing.
        superseded_by: The id of what took its place; null if nothing did.
        content_hash: sha256 of its kind, title and content.
        occurred_at: When it happened; null if nobody said.
        expires_at: When it stops to be true; null if it does not.
        verified_at: When it was last found to be true; null if nobody looked.
        session: In which it was learned; null if nobody said.
        project: Of which project; null if nobody said.
        issue: Of which issue; null if nobody said.
        source_spans: Where in session logs it was said: of each its file, line, bytes
            and message.
        origin: How it came here: cli, import and so on.
        created_by: Who wrote it, as agent:mira.
        created_at: When it was written.
        updated_at: When it was last changed.
    """

    seq: int
    id: str
    workspace: str
    scope: str
    agent: str | None
    crew: str | None
    kind: str
    subtype: str | None
    title: str
    content: str
    tags: list[str]
    entities: list[str]
    metadata: dict[str, object]
    importance: int
    confidence: float
    base_quality: float | None
    sensitivity: str
    status: str
    pin: str
    state: str | None
    topic_key: str | None
    superseded_by: str | None
    content_hash: str
    occurred_at: datetime | None
    expires_at: datetime | None
    verified_at: datetime | None
    session: str | None
    project: str | None
    issue: str | None
    source_spans: list[dict[str, object]]
    origin: str
    created_by: str
    created_at: datetime
    updated_at: datetime

    @property
    def owner(self) -> Owner:
        """Whose it is."""
        return Owner(self.scope, self.agent or "", self.crew or "")

    def is_over(self, now: datetime) -> bool:
        """Tell whether it has stopped to be true."""
        return self.expires_at is not None and self.expires_at <= now
