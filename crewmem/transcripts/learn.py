"""Learning: what was said becomes a memory, once."""

from __future__ import annotations

from crewmem.errors.cli import InputTooLargeError
from crewmem.errors.values import BadMemoryError
from crewmem.knowledge.share import promoted, share
from crewmem.memories.draft import first_clause
from crewmem.memories.memory import Owner
from crewmem.memories.remember import remember, scanned
from crewmem.memories.view import View
from crewmem.records import NamedTuple
from crewmem.scope import Actor, Role
from crewmem.threats.notice import gravest
from crewmem.transcripts import learned_store
from crewmem.transcripts.claim import draft
from crewmem.transcripts.lose import lost

TYPE_CHECKING = False
if TYPE_CHECKING:
    from datetime import datetime

    from crewmem.memories.desk import Desk
    from crewmem.memories.draft import Draft
    from crewmem.memories.memory import Memory
    from crewmem.memories.remember import Scan
    from crewmem.memories.similar import Tokenize
    from crewmem.transcripts.claim import Claim
    from crewmem.transcripts.turn import Loss, Turn

NEW, KNOWN, REFUSED = "new", "known", "refused"


class Learned(NamedTuple):
    """What was learned of something that was said.

    Attributes:
        action: created, updated, unchanged, quarantined or refused; of a plan new or
            known, and quarantined.
        memory: The id of the memory; null of a plan, and of what was refused.
        kind: What kind of claim it is.
        title: What it says, in a clause.
        content: What it says, secrets redacted.
        importance: 1 to 5.
        confidence: In [0, 1].
        entities: Names that it is about.
        scope: For whom it was said: agent, crew or workspace.
        proposal: The id of what waits for approval, of what is for others; or null.
        agent: Whose memory it is; null if nobody was named.
        how: The family of phrases that it was found by, or model.
        harness: The program that wrote it down.
        session: The session; "" if it is not known.
        at: When it was said; null if nobody wrote that down.
        file: The log.
        line: The line of it.
    """

    action: str
    memory: str | None
    kind: str
    title: str
    content: str
    importance: int
    confidence: float
    entities: list[str]
    scope: str
    proposal: str | None
    agent: str | None
    how: str
    harness: str
    session: str
    at: datetime | None
    file: str
    line: int


class Learner:
    """Learns for one agent; call it inside a transaction, unless it only plans."""

    def __init__(
        self,
        desk: Desk,
        agent: str,
        crews: list[str],
        *,
        scan: Scan,
        tokenize: Tokenize,
    ) -> None:
        """Work at *desk* for *agent*, which belongs to *crews*, its home first."""
        self._desk = desk._replace(is_system=True)
        self._agent, self._crews = agent, crews
        self._scan, self._tokenize = scan, tokenize

    def learn(self, claim: Claim, file: str) -> Learned:
        """Remember what *claim* says, unless it was learned of that turn before."""
        desk, turn, key = self._desk, claim.turn, claim.turn.key
        db, workspace, digest = desk.memories.db, desk.workspace, claim.digest
        if learned_store.is_known(db, workspace, self._agent, key, digest):
            return learned(claim, self._agent, file, KNOWN)
        wanted = draft(claim, self._agent, file)
        try:
            done = remember(desk, wanted, scan=self._scan, tokenize=self._tokenize)
        except (BadMemoryError, InputTooLargeError):
            return learned(claim, self._agent, file, REFUSED)
        learned_store.keep(
            db,
            workspace,
            self._agent,
            key,
            digest,
            kind=claim.kind,
            memory=done.memory.id,
            at=turn.at or desk.now,
        )
        proposal = None
        if done.action == "created" and claim.scope != "agent":
            proposal = self._proposed(done.memory, claim.scope)
        return learned(claim, self._agent, file, done.action, done.memory.id, proposal)

    def _proposed(self, memory: Memory, scope: str) -> str | None:
        """Propose to share *memory*: it was said for others as well."""
        if not self._crews:
            return None
        view = View(self._desk.workspace, self._agent, frozenset(self._crews))
        desk = self._desk._replace(
            actor=Actor(Role.AGENT, self._agent), view=view, is_system=False
        )
        crew = self._crews[0]
        owner = Owner("crew", crew=crew) if scope == "crew" else Owner("workspace")
        (done,) = share(
            desk,
            [promoted(memory, owner, None)],
            {crew: "proposal"},
            scan=self._scan,
            tokenize=self._tokenize,
            source=memory,
        )
        return done.proposal.id if done.proposal else None

    def plan(self, claim: Claim, file: str) -> Learned:
        """Say what `learn` would do."""
        desk = self._desk
        db, key, digest = desk.memories.db, claim.turn.key, claim.digest
        wanted = draft(claim, self._agent, file)
        where = (desk.workspace, wanted.owner, "content_hash", digest)
        is_known = learned_store.is_known(
            db, desk.workspace, self._agent, key, digest
        ) or desk.memories.active(*where)
        action = KNOWN if is_known else planned(wanted, self._scan)
        return learned(claim, self._agent, file, action)

    def lose(self, turn: Turn, loss: Loss) -> bool:
        """Keep that context was lost; tell whether that was not known."""
        return lost(
            self._desk,
            self._agent,
            loss,
            harness=turn.harness,
            session=turn.session,
            key=turn.key,
            at=turn.at,
        )[1]


def planned(wanted: Draft, scan: Scan) -> str:
    """Say what would become of what nobody knows so far."""
    return "quarantined" if gravest(scan(scanned(wanted))) else NEW


def learned(
    claim: Claim,
    agent: str | None,
    file: str,
    action: str,
    memory: str | None = None,
    proposal: str | None = None,
) -> Learned:
    """Return what is told of *claim*."""
    turn = claim.turn
    return Learned(
        action=action,
        memory=memory,
        kind=claim.kind,
        title=claim.title or first_clause(claim.text),
        content=claim.text,
        importance=claim.importance,
        confidence=claim.confidence,
        entities=[*claim.entities],
        scope=claim.scope,
        proposal=proposal,
        agent=agent,
        how=claim.how,
        harness=turn.harness,
        session=turn.session,
        at=turn.at,
        file=file,
        line=turn.place.line,
    )
