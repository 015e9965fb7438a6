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
from crewmem.journal.listing import EntryFilter
from crewmem.journal.store import Journal
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
from crewmem.times import add_span, format_time, local_day, parse_time

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
        found = None
        if session:
            with suppress(NotFoundError, UsageError):  # a hook's session may not be indexed yet
                found = self._sessions.get(session)
        else:
            latest = self._sessions.list(agent=agent or "", limit=10).sessions
            found = next((each for each in latest if not each.sidechain), None)
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
            return restore_context(
                self._home,
                self._sessions.open_index(),
                lost,
                budget=Budget.parse(budget),
                mark=mark,
            )
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


def restore_context(
    home: Home, index: Database | None, lost: LostContext, *, budget: Budget, mark: str
) -> Recovery:
    """Build the recovery block of a session, and record the loss and the recovery.

    Args:
        mark: How a hook noticed the loss. The loss is then recorded here; "" leaves that to the
            sync of the log.
    """
    context, facts, journal = home.context, home.fact_reader, home.journal
    agent = lost.agent or None
    if agent and lost.crew is None:
        lost = lost._replace(crew=get_membership(context, agent).home_crew)
    if mark:
        record_loss(context.as_system("extract"), journal, lost, Loss(mark))
    recovery = build_recovery(context, facts, index, lost, budget)
    if recovery.text and not context.read_only:
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
            session = lost.native_id or lost.session
            for loss in home.sessions.list_losses(session=session, limit=1):
                mark_recovered(context, loss.id, recovery.tokens)
        given = [(fact_id, facts.get(fact_id).content) for fact_id in recovery.facts]
        GivenStore(context, session).add(given)
    return recovery


def build_recovery(
    context: Context, facts: FactReader, index: Database | None, lost: LostContext, budget: Budget
) -> Recovery:
    """Build the block from facts and entries of the last 24 hours and the session's last turns.

    If the budget is exceeded, lines are removed from the end of the longest block.
    """
    today = context.today
    files: list[str] = []
    messages: list[str] = []
    if index is not None and lost.session:
        files = _list_files(index, lost.session)
        messages = _list_messages(index, lost.session)
    chosen = _choose_facts(context, facts, lost, messages)
    blocks = [
        ("### Who You Are", _read_persona(context, lost)),
        (f"### Today's Context ({today.isoformat()})", _list_current(context, lost, chosen, files)),
        (
            "### Yesterday's Highlights",
            [each.line for each in chosen if each.day < today and each.fact.kind in HIGHLIGHTS],
        ),
        ("### Last messages", [_make_safe(context, each) for each in messages]),
    ]
    text = _fit(blocks, lost.agent or "operator", budget)
    if not text and any(lines for _, lines in blocks):
        context.warn(
            "budget-too-small", f"no recovery block fits into {budget.amount}{budget.unit}"
        )
    shown = [each.fact.id for each in chosen if each.line in text]
    return Recovery(text, lost.agent, lost.session, Budget(1).measure(text) if text else 0, shown)


class _ChosenFact(NamedTuple):
    """A fact for the block.

    Attributes:
        day: Today if it concerns the current work, whenever it was stated.
        line: Its line in the block.
    """

    fact: Fact
    day: date
    line: str


def _choose_facts(
    context: Context, facts: FactReader, lost: LostContext, messages: Sequence[str]
) -> list[_ChosenFact]:
    """Return the session's notes, then shared corrections, then facts of the last 24 hours."""
    notes_and_corrections = [*_list_notes(facts, lost), *_list_corrections(facts, lost, messages)]
    current = {fact.id for fact in notes_and_corrections}
    chosen: dict[str, _ChosenFact] = {}
    for fact in [*notes_and_corrections, *_list_facts(context, facts, lost)]:
        if fact.content in chosen:  # a fact and its shared copy have the same text
            continue
        # Facts of the session itself count as today's, even if midnight has passed.
        is_own = bool(lost.session) and fact.session == lost.session
        if is_own or fact.id in current or fact.kind == "action_item":
            day = context.today
        else:
            day = local_day(parse_time(_get_time(fact, lost)), context.zone)
        chosen[fact.content] = _ChosenFact(fact, day, _format_fact(context, fact))
    return list(chosen.values())


def _list_current(
    context: Context, lost: LostContext, chosen: Sequence[_ChosenFact], files: Sequence[str]
) -> list[str]:
    """Return the lines of today's context, by section."""
    entries = _list_entries(context, lost.agent)
    lines = []
    for title, kinds in SECTIONS:
        items = [
            each.line for each in chosen if each.fact.kind in kinds and each.day == context.today
        ]
        items += [_make_safe(context, f"- {text}") for kind, text in entries if kind in kinds]
        if title == "Active Work":
            items += [_make_safe(context, f"- file: {path}") for path in files]
        if items:
            lines += [f"**{title}**", *items]
    return lines


def _list_facts(context: Context, facts: FactReader, lost: LostContext) -> list[Fact]:
    """Return the facts of the last 24 hours and open action items, most important first."""
    since = format_time(add_span(context.now, -HOURS))
    recent = facts.list(since=since, limit=200).facts
    items = facts.list(kinds=["action_item"], limit=50).facts
    found = {
        fact.id: fact
        for fact in [*recent, *items]
        if fact.importance >= MIN_IMPORTANCE
        and fact.state in ("", "open")
        and _may_show(fact, lost)
        and (fact.kind == "action_item" or _get_time(fact, lost) >= since)
    }

    return sorted(
        found.values(),
        key=lambda fact: (
            not (fact.kind == "correction" and fact.is_shared),
            fact.kind != "action_item",
            -fact.importance,
            fact.created_at,
        ),
    )[:MAX_FACTS]


def _get_time(fact: Fact, lost: LostContext) -> str:
    """Return the time of a fact.

    A fact from another session's log has the time of its turn, not the time of its extraction.
    """
    is_from_log = fact.metadata.get("learned_from") == "session" and fact.session != lost.session
    return (fact.occurred_at if is_from_log else None) or fact.created_at


def _list_corrections(facts: FactReader, lost: LostContext, messages: Sequence[str]) -> list[Fact]:
    """Return shared corrections of any age that share words with the person's last messages."""
    message_words = _find_words(" ".join(messages))
    found = [
        fact
        for fact in facts.list(kinds=["correction"], limit=200).facts
        if fact.is_shared
        and fact.importance >= MIN_IMPORTANCE
        and _may_show(fact, lost)
        and len(message_words & _find_words(fact.content)) >= MIN_SHARED_WORDS
    ]
    return sorted(found, key=lambda fact: -fact.importance)[:MAX_CORRECTIONS]


def _find_words(text: str) -> set[str]:
    plain = [word for word in words(text) if word not in stop_words()]
    return set(stems(" ".join(plain)))


def _list_entries(context: Context, agent: str) -> list[tuple[str, str]]:
    """Return the agent's episodes of the last 24 hours, each as fact kind and text."""
    if not agent:
        return []
    since = add_span(context.now, -HOURS)
    wanted = EntryFilter(agent=agent, since=since, episodes_only=True)
    page = Journal(context.as_system("extract")).list(wanted, limit=20)
    return [
        ("decision" if entry.entry_type.endswith("decision") else "fact", entry.summary)
        for entry in page.entries
    ]


def _may_show(fact: Fact, lost: LostContext) -> bool:
    """Return whether a fact may be shown: the agent's own, its crew's or the workspace's."""
    if fact.sensitivity == "restricted" or not may_push(fact.origin):
        return False
    if fact.scope == "agent":
        return bool(lost.agent) and fact.agent == lost.agent
    if fact.scope == "crew":
        return lost.crew is None or fact.crew == lost.crew
    return fact.scope == "workspace"


def _list_notes(facts: FactReader, lost: LostContext) -> list[Fact]:
    """Return the notes of a session, by its id or the program's own id."""
    notes: list[Fact] = []
    for name in {lost.session, lost.native_id} - {""}:
        notes += facts.list(scope="session", session=name, limit=MAX_FACTS).facts
    return notes


def _read_persona(context: Context, lost: LostContext) -> list[str]:
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
    rows = index.all(
        "select text from turns join sessions on sessions.key = turns.session"
        f" where sessions.id = ? and role = ? and flags & {NO_SPEECH} = 0"
        " order by at desc, line desc, part desc limit ?",
        (session, USER, MAX_MESSAGES),
    )
    lines = [" ".join(text.split()) for (text,) in reversed(rows)]
    return [f"- {cut_at_word(line, MESSAGE_LENGTH)}" for line in lines]


def _format_fact(context: Context, fact: Fact) -> str:
    line = f"- {sanitize_line(fact.content)} [{fact.origin}]"
    return _make_safe(context, line, own_tier=fact.may_instruct)


def _make_safe(context: Context, line: str, *, own_tier: bool = False) -> str:
    """Return a line without attacks and suspicious text, sanitized."""
    return sanitize(context.scanner.make_safe(line, own_tier=own_tier, push=True).text)


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
