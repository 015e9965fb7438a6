"""What an agent gets back: of its memories, the journal, its notes and its session."""

from __future__ import annotations

from datetime import timedelta

from crewmem import times
from crewmem.errors import CrewmemError
from crewmem.errors.memories import MemoryTablesMissingError
from crewmem.prompt.recover import (
    FACTS,
    GROUP_OF,
    LESSONS,
    SAID,
    WHO,
    WORK,
    YESTERDAY,
    Item,
)

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence
    from datetime import datetime

    from crewmem.cli.recalling.asking import Subject
    from crewmem.journal.entry import Entry
    from crewmem.memories.memory import Memory

    Sections = dict[str, list[Item]]

SPAN = timedelta(hours=24)
"""How far back it is looked."""

IMPORTANT = 3
"""Least importance of a memory, of 1 to 5."""

WEIGHTY = 0.49
"""The same of an event, whose importance is in [0, 1]: the middle, a day later."""

MOST = 20
"""Memories and events together."""

LOOKED_AT = 400
"""Of each that are looked at, the latest."""

PERSONA = "PERSONA.md"

PERSONA_LINES = 12

SAID_CHARS = 400
"""Characters of each: who says more than that says it in files."""

RULES_MOST = 3
"""Shared corrections that are given back."""

EVENTS = {
    "mission.status_change": WORK,
    "peer.escalation": LESSONS,
    "eval.regression_detected": LESSONS,
    "keeper.decision": LESSONS,
}
"""Where an event stands, by its type; others are facts."""


def gathered(whose: Subject, session: str, said: Sequence[str]) -> Sections:
    """Return what there is to give back, by section, best first.

    Args:
        whose: The agent.
        session: Of which the notes are; "" for none.
        said: The last that a person said in it, oldest first.

    Raises:
        CrewmemError: If it cannot be read.
    """
    found: Sections = {}
    _who(whose, found)
    memories = _memories(whose)
    entries = _entries(whose)
    _place(whose, found, memories, entries)
    _notes(whose, session, found)
    told = [each for each in said if each] or [each.title for each, _ in memories[:5]]
    _corrections(whose, told, found)
    found[SAID] = [Item("", "", _cut(each)) for each in said]
    return found


def _cut(text: str) -> str:
    line = " ".join(text.split())
    if len(line) <= SAID_CHARS:
        return line
    return f"{line[:SAID_CHARS].rpartition(' ')[0] or line[:SAID_CHARS]} …"


def _who(whose: Subject, found: Sections) -> None:
    """Add who the agent is: its persona, or its crew's."""
    from crewmem import disk
    from crewmem.cli.places import Chosen, places
    from crewmem.files.folders import open_place
    from crewmem.scope import Scope

    app = whose.app
    try:
        every, _ = places(app, Chosen(None, None, None, None))
    except CrewmemError:
        return
    own = [each for each in every if each.agent == whose.agent]
    crews = [each for each in every if each.scope is Scope.CREW]
    for place in (*own, *crews):
        try:
            with open_place(place) as root:
                limit = app.settings.max_file_bytes
                text = disk.read(root, PERSONA, limit=limit).decode("utf-8", "replace")
        except CrewmemError:
            continue
        found[WHO] = [Item("", "", each) for each in _paragraphs(text)[:PERSONA_LINES]]
        return


def _paragraphs(text: str) -> list[str]:
    """Return the paragraphs and items of *text*, each in one line, without headings."""
    found: list[str] = []
    is_open = False
    for line in text.splitlines():
        bare = line.strip()
        if not bare or bare.startswith("#"):
            is_open = False
        elif is_open and not bare.startswith(("- ", "* ")):
            found[-1] = f"{found[-1]} {bare}"
        else:
            found.append(bare.lstrip("-* "))
            is_open = True
    return found


def _memories(whose: Subject) -> list[tuple[Memory, datetime]]:
    """Return what was learned lately, the most important and newest first."""
    from crewmem.cli.held import memories_to_read, view
    from crewmem.memories.store import Filter

    app = whose.app
    try:
        memories = memories_to_read(app) if app.home.is_dir() else None
    except MemoryTablesMissingError:
        return []
    if memories is None:
        return []
    since = times.before(app.now, SPAN)
    wanted = Filter(
        view(app),
        app.now,
        statuses=("active",),
        min_importance=IMPORTANT,
        since=since,
        without=tuple(sorted(whose.off)),
    )
    page = memories.page(wanted, limit=LOOKED_AT).memories
    dated = [(each, each.occurred_at or each.created_at) for each in page]
    recent = [pair for pair in dated if since <= pair[1] <= app.now]
    recent.sort(key=lambda pair: (pair[0].importance, pair[1]), reverse=True)
    return recent


def _entries(whose: Subject) -> list[tuple[Entry, float]]:
    """Return what happened lately that weighs something, heaviest first."""
    from crewmem.cli.remembered import stores_to_read

    app = whose.app
    stores = stores_to_read(app) if app.home.is_dir() else None
    if stores is None:
        return []
    owners = stores.episodes.owners(app.reach("agent"), without=whose.off)
    latest = stores.episodes.page(owners, before=None, limit=LOOKED_AT)
    weights = {each.seq: each.importance for each in latest}
    entries = stores.journal.by_seq(weights)
    since = times.before(app.now, SPAN)
    recent = [
        (entry, weights[seq])
        for seq, entry in entries.items()
        if weights[seq] >= WEIGHTY
        and since <= entry.ts <= app.now
        and not entry.entry_type.startswith(("compaction.", "memory."))
    ]
    recent.sort(key=lambda pair: (pair[1], pair[0].ts), reverse=True)
    return recent


def _place(
    whose: Subject,
    found: Sections,
    memories: Sequence[tuple[Memory, datetime]],
    entries: Sequence[tuple[Entry, float]],
) -> None:
    """Add memories and events to today's sections, and to yesterday's."""
    app = whose.app
    today = times.day(app.now, app.zone)
    left = MOST
    for memory, at in memories[:MOST]:
        section = GROUP_OF.get(memory.kind, FACTS)
        if memory.kind == "summary" or times.day(at, app.zone) < today:
            section = YESTERDAY
        if memory.state in {"done", "dropped"}:
            continue
        left -= 1
        item = Item(memory.id, memory.kind, memory.content, times.ago(at, app.now))
        found.setdefault(section, []).append(item)
    for entry, _ in entries[:left]:
        section = EVENTS.get(entry.entry_type, FACTS)
        if times.day(entry.ts, app.zone) < today:
            section = YESTERDAY
        ago = times.ago(entry.ts, app.now)
        item = Item(entry.id, entry.entry_type, entry.summary, ago)
        found.setdefault(section, []).append(item)


def _notes(whose: Subject, session: str, found: Sections) -> None:
    """Add what the agent noted in the session, as what it works on."""
    from crewmem.cli.held import memories_to_read
    from crewmem.memories.scratch_store import Scratch

    app = whose.app
    try:
        memories = memories_to_read(app) if session and app.home.is_dir() else None
    except MemoryTablesMissingError:
        return
    if memories is None:
        return
    scratch, now = Scratch(memories.db), times.to_text(app.now)
    notes = [
        note
        for role in ("agent", "lead")
        for note in scratch.of((app.workspace, f"{role}:{whose.agent}", session), now)
    ]
    notes.sort(key=lambda each: each.created_at, reverse=True)
    items = [
        Item(each.id, "note", each.content, times.ago(each.created_at, app.now))
        for each in notes[:MOST]
    ]
    if items:
        found[WORK] = [*items, *found.get(WORK, [])]


def _corrections(whose: Subject, said: Sequence[str], found: Sections) -> None:
    """Add shared corrections that answer what was *said*, past the gate of recall."""
    from crewmem.cli.held import find_held
    from crewmem.cli.sieve import Sieve
    from crewmem.recall.recall import past_gate

    app = whose.app
    least = whose.settings.get(
        "recall_min_relevance", app.settings.recall_min_relevance
    )
    sieve = Sieve(kinds=("correction",), is_shared=True)
    known = {each.ref for some in found.values() for each in some}
    for text in said:
        answer = find_held(app, text, limit=RULES_MOST, without=whose.off, sieve=sieve)
        hits = past_gate(answer.hits, least, answer.relevance) if answer else []
        for hit in hits:
            if hit.ref in known or len(known) > MOST + RULES_MOST:
                continue
            known.add(hit.ref)
            item = Item(hit.ref, hit.kind, hit.content, times.ago(hit.at, app.now))
            found.setdefault(LESSONS, []).insert(0, item)
