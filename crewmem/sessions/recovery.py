"""The recovery block: what an agent needs to continue after its context was compacted."""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import suppress
from dataclasses import dataclass
from datetime import date, timedelta
from typing import TYPE_CHECKING, NamedTuple

from crewmem.context import Context
from crewmem.errors import CrewmemError, NotFoundError, UsageError
from crewmem.facts.fact import Fact
from crewmem.facts.reading import FactReader
from crewmem.journal.reading import EntryFilter, JournalReader
from crewmem.origins import may_push
from crewmem.prompt.budget import Budget
from crewmem.prompt.recall_log import GivenStore
from crewmem.prompt.sanitize import sanitize, sanitize_line
from crewmem.registry.membership import get_membership
from crewmem.sessions.context_loss import LostContext, mark_recovered, record_loss
from crewmem.sessions.store import Session
from crewmem.sessions.turns import NO_SPEECH, USER, Loss
from crewmem.storage.filesystem import read_file
from crewmem.storage.sqlite import Database, transaction
from crewmem.text.tokens import stems, stop_words, words
from crewmem.text.wording import cut_at_word
from crewmem.times import add_span, format_time, stored_day

if TYPE_CHECKING:
    from crewmem.home import Home

HEADER = "[MEMORY RECOVERY — context restored after compaction]"
FOOTER = "[END MEMORY RECOVERY]"

HOURS = timedelta(hours=24)
MIN_IMPORTANCE = 3
MAX_FACTS = 20
MAX_CORRECTIONS = 5
MIN_SHARED_WORDS = 2
"""Minimum words that a shared correction has in common with the person's last messages."""

MAX_FILES = 8
MAX_MESSAGES = 5
MESSAGE_LENGTH = 400
PERSONA_LENGTH = 1200
PERSONA_FILES = ("PERSONA.md", "SOUL.md")

SECTIONS = (
    ("Decisions", ("decision",)),
    ("Active Work", ("action_item",)),
    ("Key Facts", ("fact", "preference", "context", "pattern", "workflow", "meeting", "feedback")),
    ("Lessons", ("lesson", "correction", "error")),
)
"""Sections of today's facts: title and fact kinds."""

HIGHLIGHTS = ("decision", "summary", "lesson", "correction")
"""Kinds of yesterday's facts that are shown."""


@dataclass(frozen=True, slots=True)
class Recovery:
    """A recovery block.

    Attributes:
        text: "" if there is nothing to restore.
        session: Id of the session that lost its context; "" if unknown.
        facts: Ids of the facts in the block.
    """

    text: str
    agent: str
    session: str
    tokens: int
    facts: list[str]


class ContextRecovery:
    """Restores the contexts of sessions: `home.sessions.recovery`."""

    def __init__(self, home: Home) -> None:
        self._home, self.context, self._sessions = home, home.context, home.sessions

    def restore(
        self,
        *,
        agent: str | None = None,
        session: str = "",
        budget: str = "2000t",
        mark: str = "",
        program: str = "",
    ) -> Recovery:
        """Build the recovery block for a session whose context was lost.

        Args:
            agent: Agent that lost its context; by default the actor, or the session's agent.
            session: Id ``s_…`` or the program's id; by default the agent's latest session.
            budget: Maximum size of the block.
            mark: How a hook noticed the loss. The loss is then recorded here; "" leaves that to the
                sync of the log.
            program: Program of the hook; "" without one.

        Raises:
            CrewmemError: If it cannot be built. The failure is recorded in the journal.
        """
        access = self.context.access
        if agent and not access.is_operator and agent != access.actor.name:
            access.require_operator("recover another agent's context")
        agent = agent or (None if access.is_operator else access.actor.name)
        found = self._find_session(agent, session)
        if not program:
            self._require_own(agent, session, found)
        lost = LostContext(
            agent=agent or (found and found.agent) or "",
            crew=found.crew if found else None,
            session=found.id if found else "",
            native_id=found.native_id if found else session,
            program=program or (found.program if found else ""),
        )
        try:
            return self._restore(lost, Budget.parse(budget), mark)
        except CrewmemError as error:
            if not self.context.read_only:
                self._home.journal.append(
                    "compaction.recovery_failed",
                    f"the context of {agent or 'the operator'} could not be restored",
                    payload={"code": error.code},
                    severity="warn",
                    agent=agent,
                )
            raise

    def _find_session(self, agent: str | None, session: str) -> Session | None:
        """Return a session, by default the latest one of *agent*; None if it is not indexed yet."""
        if session:
            with suppress(NotFoundError, UsageError):
                return self._sessions.get(session)
            return None
        latest = self._sessions.list(agent=agent or "", limit=10).sessions
        return next((each for each in latest if not each.sidechain), None)

    def _require_own(self, agent: str | None, session: str, found: Session | None) -> None:
        """Raise an error if the session is unknown or belongs to another agent."""
        if found is not None and agent and session and found.agent != agent:
            owner = f"agent {found.agent}" if found.agent else "the operator"
            raise UsageError(f"{found.id} is a session of {owner}", code="session-of-another")
        if not session or found is not None:
            return
        notes = self._home.facts.list(scope="session", session=session, limit=1).facts
        if not notes and not self._sessions.list_losses(session=session, limit=1):
            raise NotFoundError(
                f"there is no session '{session}'",
                code="session-not-found",
                hint=self.context.command("sessions list"),
            )

    def _restore(self, lost: LostContext, budget: Budget, mark: str) -> Recovery:
        """Build the block, and record the recovery and, if *mark* is not "", the loss."""
        context, journal = self.context, self._home.journal
        agent = lost.agent or None
        if agent and lost.crew is None:
            lost = lost._replace(crew=get_membership(context, agent).home_crew)
        if mark:
            record_loss(context.as_system("extract"), journal, lost, Loss(mark))
        facts = self._home.fact_reader
        recovery = _Builder(context, facts, self._sessions.open_index(), lost).build(budget)
        if recovery.text and not context.read_only:
            session = lost.native_id or lost.session
            with transaction(context.db):
                journal.append(
                    "compaction.recovered",
                    f"the context of {agent or 'the operator'} was restored",
                    payload={"tokens": recovery.tokens, "facts": recovery.facts},
                    refs={"session": lost.session or lost.native_id},
                    crew=lost.crew,
                    agent=agent,
                    trace_id=lost.native_id or None,
                )
                for loss in self._sessions.list_losses(session=session, limit=1):
                    mark_recovered(context, loss.id, recovery.tokens)
            given = [(fact_id, facts.get(fact_id).content) for fact_id in recovery.facts]
            GivenStore(context, session).add(given)
        return recovery


class _ChosenFact(NamedTuple):
    """A fact for the block.

    Attributes:
        day: Today if it concerns the current work, whenever it was stated.
        line: Its line in the block.
    """

    fact: Fact
    day: date
    line: str


class _Builder:
    """Builds the block from facts and entries of the last 24 hours and the session's last turns."""

    def __init__(
        self, context: Context, facts: FactReader, index: Database | None, lost: LostContext
    ) -> None:
        self.context, self.facts, self.lost = context, facts, lost
        self.since = add_span(context.now, -HOURS)
        is_indexed = index is not None and bool(lost.session)
        self.files = _list_files(index, lost.session) if index and is_indexed else []
        self.messages = _list_messages(index, lost.session) if index and is_indexed else []

    def build(self, budget: Budget) -> Recovery:
        """Return the block; if it is too long, without the last lines of its longest parts."""
        lost, today = self.lost, self.context.today
        chosen = self._choose_facts()
        highlights = [x.line for x in chosen if x.day < today and x.fact.kind in HIGHLIGHTS]
        blocks = [
            ("### Who You Are", self._read_persona()),
            (f"### Today's Context ({today.isoformat()})", self._list_current(chosen)),
            ("### Yesterday's Highlights", highlights),
            ("### Last messages", [self._make_safe(each) for each in self.messages]),
        ]
        text = _fit(blocks, lost.agent or "operator", budget)
        if not text and any(lines for _, lines in blocks):
            self.context.warn(
                "budget-too-small", f"no recovery block fits into {budget.amount}{budget.unit}"
            )
        shown = [each.fact.id for each in chosen if each.line in text]
        return Recovery(
            text, lost.agent, lost.session, Budget(1).measure(text) if text else 0, shown
        )

    def _choose_facts(self) -> list[_ChosenFact]:
        """Return the session's notes, then shared corrections, then facts of the last 24 hours."""
        lost, today = self.lost, self.context.today
        notes: list[Fact] = []
        for name in dict.fromkeys(filter(None, (lost.session, lost.native_id))):
            notes += self.facts.list(scope="session", session=name, limit=MAX_FACTS).facts
        current = {fact.id: fact for fact in [*notes, *self._list_corrections()]}
        chosen: dict[str, _ChosenFact] = {}
        for fact in [*current.values(), *self._list_facts()]:
            if fact.content in chosen:  # a fact and its shared copy have the same text
                continue
            # Facts of the session itself count as today's, even if midnight has passed.
            if self._is_own(fact) or fact.id in current or fact.kind == "action_item":
                day = today
            else:
                day = stored_day(self._find_time(fact), self.context.zone)
            line = f"- {sanitize_line(fact.content)} [{fact.origin}]"
            line = self._make_safe(line, own_tier=fact.may_instruct)
            chosen[fact.content] = _ChosenFact(fact, day, line)
        return list(chosen.values())

    def _list_current(self, chosen: Sequence[_ChosenFact]) -> list[str]:
        """Return the lines of today's context, by section."""
        entries = self._list_entries()
        lines = []
        for title, kinds in SECTIONS:
            items = [
                each.line
                for each in chosen
                if each.fact.kind in kinds and each.day == self.context.today
            ]
            items += [self._make_safe(f"- {text}") for kind, text in entries if kind in kinds]
            if title == "Active Work":
                items += [self._make_safe(f"- file: {path}") for path in self.files]
            if items:
                lines += [f"**{title}**", *items]
        return lines

    def _list_facts(self) -> list[Fact]:
        """Return the facts of the last 24 hours and open action items, at most `MAX_FACTS`.

        After shared corrections and action items come the facts of the session itself, then the
        most important, and of these the newest.
        """
        since = format_time(self.since)
        recent = self.facts.list(stated_since=since, limit=200).facts
        items = self.facts.list(kinds=["action_item"], limit=50).facts
        found = {
            fact.id: fact
            for fact in [*recent, *items]
            if fact.importance >= MIN_IMPORTANCE
            and fact.state in ("", "open")
            and self._may_show(fact)
            and (fact.kind == "action_item" or self._find_time(fact) >= since)
        }
        newest = sorted(found.values(), key=lambda fact: fact.created_at, reverse=True)
        return sorted(
            newest,
            key=lambda fact: (
                not (fact.kind == "correction" and fact.is_shared),
                fact.kind != "action_item",
                not self._is_own(fact),
                -fact.importance,
            ),
        )[:MAX_FACTS]

    def _is_own(self, fact: Fact) -> bool:
        """Return whether a fact is of the session itself."""
        return bool(self.lost.session) and fact.session == self.lost.session

    def _find_time(self, fact: Fact) -> str:
        """Return the time of a fact.

        A fact from another session's log has the time of its turn, not that of its extraction.
        """
        was_learned = fact.metadata.get("learned_from") == "session"
        is_from_log = was_learned and fact.session != self.lost.session
        return fact.stated_at if is_from_log else fact.revised_at or fact.created_at

    def _list_corrections(self) -> list[Fact]:
        """Return shared corrections of any age that share words with the person's last messages."""
        message_words = _find_words(" ".join(self.messages))
        found = [
            fact
            for fact in self.facts.list(kinds=["correction"], limit=200).facts
            if fact.is_shared
            and fact.importance >= MIN_IMPORTANCE
            and self._may_show(fact)
            and len(message_words & _find_words(fact.content)) >= MIN_SHARED_WORDS
        ]
        return sorted(found, key=lambda fact: -fact.importance)[:MAX_CORRECTIONS]

    def _list_entries(self) -> list[tuple[str, str]]:
        """Return the agent's episodes of the last 24 hours, each as fact kind and text."""
        if not self.lost.agent:
            return []
        wanted = EntryFilter(agent=self.lost.agent, since=self.since, episodes_only=True)
        page = JournalReader(self.context.as_system("extract")).list(wanted, limit=20)
        return [
            ("decision" if entry.entry_type.endswith("decision") else "fact", entry.summary)
            for entry in page.entries
        ]

    def _may_show(self, fact: Fact) -> bool:
        """Return whether a fact may be shown: the agent's own, its crew's or the workspace's."""
        if fact.sensitivity == "restricted" or not may_push(fact.origin):
            return False
        if fact.scope == "agent":
            return bool(self.lost.agent) and fact.agent == self.lost.agent
        if fact.scope == "crew":
            return self.lost.crew is None or fact.crew == self.lost.crew
        return fact.scope == "workspace"

    def _read_persona(self) -> list[str]:
        context, lost = self.context, self.lost
        if not (lost.agent and lost.crew and context.home is not None):
            return []
        for name in PERSONA_FILES:
            with suppress(CrewmemError):
                data = read_file(context.agent_memory(lost.crew, lost.agent), name)
                text = data.decode("utf-8", "replace").strip()
                if len(text) > PERSONA_LENGTH:
                    text = text[:PERSONA_LENGTH].rsplit("\n", 1)[0]
                safe = context.scanner.make_safe(text, file=name, own_tier=True).text
                return [sanitize(line) for line in safe.split("\n")]
        return []

    def _make_safe(self, line: str, *, own_tier: bool = False) -> str:
        """Return a line without attacks and suspicious text, sanitized."""
        return sanitize(self.context.scanner.make_safe(line, own_tier=own_tier, push=True).text)


def _find_words(text: str) -> set[str]:
    plain = [word for word in words(text) if word not in stop_words()]
    return set(stems(" ".join(plain)))


def _list_files(index: Database, session: str) -> list[str]:
    """Return the files that a session changed last."""
    rows = index.execute(
        "select touched.path, max(touched.turn) as newest from touched"
        " join turns on turns.key = touched.turn join sessions on sessions.key = turns.session"
        " where sessions.id = ? and touched.is_change = 1 group by touched.path"
        " order by newest desc limit ?",
        (session, MAX_FILES),
    )
    return [path for path, _ in rows]


def _list_messages(index: Database, session: str) -> list[str]:
    """Return the last messages of the person, oldest first."""
    texts = index.column(
        "select text from turns join sessions on sessions.key = turns.session"
        f" where sessions.id = ? and role = ? and flags & {NO_SPEECH} = 0"
        " order by at desc, line desc, part desc limit ?",
        (session, USER, MAX_MESSAGES),
    )
    lines = [" ".join(text.split()) for text in reversed(texts)]
    return [f"- {cut_at_word(line, MESSAGE_LENGTH)}" for line in lines]


def _fit(blocks: Sequence[tuple[str, list[str]]], name: str, budget: Budget) -> str:
    """Assemble the block within *budget*; "" if nothing fits."""
    kept = [(title, list(lines)) for title, lines in blocks if lines]
    while kept:
        body = [line for title, lines in kept for line in (title, *lines)]
        text = "\n".join([HEADER, f"## Memory Recovery — {sanitize_line(name)}", *body, FOOTER])
        if budget.fits(text):
            return text
        _, longest = max(reversed(kept), key=lambda block: len(block[1]))
        longest.pop()
        if longest and longest[-1].startswith("**"):
            longest.pop()
        kept = [block for block in kept if block[1]]
    return ""
