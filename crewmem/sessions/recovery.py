"""The recovery block: an agent's context, given back after it was compacted."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import timedelta
from typing import NamedTuple

from crewmem.context import Context
from crewmem.errors import CrewmemError, NotFoundError
from crewmem.facts.fact import Fact
from crewmem.facts.store import Facts
from crewmem.journal.listing import EntryFilter
from crewmem.journal.store import Journal
from crewmem.prompt.budget import Budget
from crewmem.prompt.sanitize import sanitize, sanitize_line
from crewmem.protocols import EntryWriter
from crewmem.registry.membership import find_membership
from crewmem.sessions.context_loss import list_losses, mark_recovered, record_loss
from crewmem.sessions.index import read_speech
from crewmem.sessions.turns import USER
from crewmem.storage.filesystem import read_file
from crewmem.storage.sqlite import Database, transaction
from crewmem.text.wording import cut_at_word
from crewmem.times import add_span, format_time, local_day, parse_time

HEADER = "[MEMORY RECOVERY — context restored after compaction]"
FOOTER = "[END MEMORY RECOVERY]"

HOURS = timedelta(hours=24)
MIN_IMPORTANCE = 3
MAX_FACTS = 20
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
"""Groups of today's facts, by kind."""


class Event(NamedTuple):
    """A journal entry worth recalling.

    Attributes:
        kind: The kind of fact that it is shown with.
    """

    kind: str
    text: str


@dataclass(frozen=True, slots=True)
class Recovery:
    """A recovery block.

    Attributes:
        text: "" when there is nothing to give back.
        session: Whose context was lost; "" when no session is known.
        facts: Ids of the facts that are in it.
    """

    text: str
    agent: str
    session: str
    tokens: int
    facts: list[str]


def restore_context(
    context: Context,
    facts: Facts,
    journal: EntryWriter | None,
    index: Database | None,
    *,
    agent: str | None,
    crew: str | None,
    session: str,
    native_id: str,
    budget: Budget,
    mark: str,
    program: str,
) -> Recovery:
    """Build the recovery block of a session, and record the loss and the recovery.

    Args:
        crew: Where the session belongs; by default the agent's home crew.
        session: Our id; "" where it is not indexed.
        native_id: The program's id.
        mark: How a hook noticed the loss, which is then recorded; "" when logs told.
    """
    if agent and crew is None:
        membership = find_membership(context.db, context.workspace, agent)
        if membership is None:
            raise NotFoundError(
                f"there is no agent '{agent}' in workspace '{context.workspace}'",
                code="agent-not-found",
                hint=context.command("agent list"),
            )
        crew = membership.home_crew
    if mark and journal is not None:
        record_loss(
            context.as_system("extract"),
            journal,
            session=session or native_id,
            native_id=native_id,
            program=program,
            agent=agent,
            crew=crew,
            at=context.now_text,
            mark=mark,
        )
    recovery = build_recovery(
        context,
        facts,
        agent=agent or "",
        crew=crew,
        session=session,
        native_id=native_id,
        index=index,
        budget=budget,
        events=_list_events(context, agent),
    )
    if recovery.text and journal is not None and not context.read_only:
        losses = list_losses(context, session=native_id or session, limit=1)
        with transaction(context.db):
            journal.append(
                "compaction.recovered",
                f"the context of {agent or 'the operator'} was restored",
                payload={"tokens": recovery.tokens, "facts": recovery.facts},
                refs={"session": session or native_id},
                crew=crew,
                agent=agent,
                trace_id=native_id or None,
            )
            if losses:
                mark_recovered(context, losses[0].id, recovery.tokens)
    return recovery


def _list_events(context: Context, agent: str | None) -> list[Event]:
    """Return the agent's journal entries worth recalling of the last 24 hours."""
    if agent is None:
        return []
    since = add_span(context.now, -HOURS)
    wanted = EntryFilter(agent=agent, since=since, episodes_only=True)
    page = Journal(context.as_system("extract")).list(wanted, limit=20)
    return [
        Event("decision" if entry.entry_type.endswith("decision") else "fact", entry.summary)
        for entry in page.entries
    ]


def build_recovery(
    context: Context,
    facts: Facts,
    *,
    agent: str,
    crew: str | None,
    session: str,
    native_id: str,
    index: Database | None,
    budget: Budget,
    events: Sequence[Event] = (),
) -> Recovery:
    """Build the block from facts and events of the last 24 hours and the session's last turns.

    What is least needed is cut first: the end of each section, then the sections from the last.
    """
    now = context.now
    since = format_time(add_span(now, -HOURS))
    recent = facts.list(agent=None, since=since, limit=200).facts
    chosen = [fact for fact in recent if _is_for(fact, agent, crew)]
    open_items = facts.list(kinds=["action_item"], limit=50).facts
    known = {fact.id for fact in chosen}
    chosen += [
        fact
        for fact in open_items
        if fact.state == "open" and fact.id not in known and _is_for(fact, agent, crew)
    ]
    notes = _list_notes(facts, session, native_id)
    chosen = [fact for fact in chosen if fact.importance >= MIN_IMPORTANCE and fact not in notes]
    corrections = [fact for fact in chosen if fact.kind == "correction" and fact.is_shared]
    chosen.sort(
        key=lambda fact: (fact.kind != "action_item", -fact.importance, fact.created_at),
        reverse=False,
    )
    chosen = [*corrections, *(fact for fact in chosen if fact not in corrections)][:MAX_FACTS]
    today = local_day(now, context.zone)
    blocks: list[tuple[str, list[str]]] = []
    persona = _read_persona(context, crew, agent)
    if persona:
        blocks.append(("### Who You Are", persona.split("\n")))
    lines: list[str] = []
    for title, kinds in SECTIONS:
        items = [
            _format_fact(fact)
            for fact in [*notes, *chosen]
            if fact.kind in kinds
            and (fact.state in ("", "open"))
            and (
                fact in notes
                or fact.kind == "action_item"
                or local_day(parse_time(fact.created_at), context.zone) == today
            )
        ]
        items += [f"- {event.text}" for event in events if event.kind in kinds]
        if title == "Active Work" and index is not None and session:
            items += [f"- file: {path}" for path in _list_files(index, session)]
        if items:
            lines += [f"**{title}**", *items]
    if lines:
        blocks.append((f"### Today's Context ({today.isoformat()})", lines))
    yesterday = [
        _format_fact(fact)
        for fact in chosen
        if local_day(parse_time(fact.created_at), context.zone) < today
        and fact.kind in ("decision", "summary", "lesson", "correction")
    ]
    if yesterday:
        blocks.append(("### Yesterday's Highlights", yesterday))
    if index is not None and session:
        messages = _list_messages(index, session)
        if messages:
            blocks.append(("### Last messages", messages))
    name = agent or "operator"
    text = _fit(
        [(title, [_make_safe(context, line) for line in body]) for title, body in blocks],
        name,
        budget,
    )
    shown = [
        fact.id for fact in [*notes, *chosen] if _make_safe(context, _format_fact(fact)) in text
    ]
    tokens = Budget(1).measure(text) if text else 0
    return Recovery(text, agent, session, tokens, shown)


def _is_for(fact: Fact, agent: str, crew: str | None) -> bool:
    """Tell whether a fact is the agent's own, its crew's or the workspace's."""
    if fact.sensitivity == "restricted" or fact.origin == "external":
        return False
    if fact.scope == "agent":
        return bool(agent) and fact.agent == agent
    if fact.scope == "crew":
        return crew is None or fact.crew == crew
    return fact.scope == "workspace"


def _list_notes(facts: Facts, session: str, native_id: str) -> list[Fact]:
    """Return the notes of a session, by our id or the program's."""
    notes: list[Fact] = []
    for name in {session, native_id} - {""}:
        notes += facts.list(scope="session", session=name, limit=MAX_FACTS).facts
    return notes


def _read_persona(context: Context, crew: str | None, agent: str) -> str:
    if not (agent and crew and context.home is not None):
        return ""
    for name in PERSONA_FILES:
        try:
            data = read_file(context.agent_memory(crew, agent), name)
        except CrewmemError:
            continue
        text = data.decode("utf-8", "replace").strip()
        if len(text) > PERSONA_LENGTH:
            text = text[:PERSONA_LENGTH].rsplit("\n", 1)[0]
        return context.scanner.make_safe(text, file=name, own_tier=True).text
    return ""


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
    logs = index.all(
        "select logs.key from logs join sessions on sessions.key = logs.session"
        " where sessions.id = ? order by logs.key",
        (session,),
    )
    said = [each for (log,) in logs for each in read_speech(index, log) if each.role == USER]
    said.sort(key=lambda each: each.at)
    lines = [" ".join(each.text.split()) for each in said[-MAX_MESSAGES:]]
    return [f"- {cut_at_word(line, MESSAGE_LENGTH)}" for line in lines]


def _format_fact(fact: Fact) -> str:
    return f"- {sanitize_line(fact.content)} [{fact.origin}]"


def _make_safe(context: Context, line: str) -> str:
    """Return a line without attacks and suspicious text, unable to forge markup."""
    return sanitize(context.scanner.make_safe(line, push=True).text)


def _fit(blocks: Sequence[tuple[str, Sequence[str]]], name: str, budget: Budget) -> str:
    """Put the block together within *budget*; "" when nothing fits."""
    kept = [(title, list(lines)) for title, lines in blocks]
    while kept:
        parts = [HEADER, f"## Memory Recovery — {sanitize_line(name)}"]
        for title, lines in kept:
            parts += [title, *lines]
        text = "\n".join([*parts, FOOTER])
        if budget.fits(text):
            return text
        longest = max(range(len(kept)), key=lambda at: (len(kept[at][1]), at))
        kept[longest][1].pop()
        title, lines = kept[longest]
        if lines and lines[-1].startswith("**"):
            lines.pop()
        if not lines:
            kept.pop(longest)
    return ""
