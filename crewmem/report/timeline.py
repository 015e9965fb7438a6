"""Events for the timeline of the page."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable
from typing import Any, NamedTuple

from crewmem.journal.reading import MAX_LIMIT, EntryFilter
from crewmem.report.texts import PageSubject

MAX_ENTRIES = 15_000
"""Number of newest journal entries shown; earlier ones are only counted by day."""

MAX_SESSIONS = 500

DAY = re.compile(r"\d{4}-\d\d-\d\d")


class Event(NamedTuple):
    """An event.

    Attributes:
        kind: journal, fact, file, session, loss or job.
        label: An entry type, or ``learned``, ``revised``, ``written`` …
        at: Local time; only the date for statements and notes of that day.
        target: Link to its subject on the page: ``fact/f_…``; "" for none.
        severity: notice, warn or error; "" for none of these.
    """

    at: str
    kind: str
    label: str
    who: str
    text: str
    id: str = ""
    target: str = ""
    severity: str = ""


def collect_timeline(
    subject: PageSubject, facts: Iterable[dict[str, Any]], files: Iterable[dict[str, Any]]
) -> dict[str, Any]:
    """Return the events of the selection that the actor may see, the newest first.

    ``earlier`` has the number of journal entries beyond the limit, by local day.
    """
    home, since = subject.home, subject.selection.since
    earlier: dict[str, int] = {}
    events = [*_list_fact_events(facts), *_list_file_events(files)]
    if home.context.has_db:
        events += _list_sessions(subject)
        events += _list_entries(subject, earlier)
    if earlier:
        command = home.context.command("journal list", "--limit", "1000")
        subject.notes.append(
            f"The timeline lists the newest {MAX_ENTRIES:,} journal entries and only counts"
            f" {sum(earlier.values()):,} earlier ones. To list them: {command}"
        )
    first = subject.texts.local(since.isoformat()) if since else ""
    # Sorting is stable, so entries within a minute keep the order of the journal.
    shown = [event for event in events if event.at >= first]
    shown.sort(key=lambda event: event.at, reverse=True)
    return {"events": shown, "earlier": earlier}


def _list_fact_events(cards: Iterable[dict[str, Any]]) -> list[Event]:
    events = []
    for card in cards:
        target = f"fact/{card['id']}"
        # The newest first: sorting keeps this order within a minute.
        moments = [(change.at, change.about, change.by) for change in card["changes"]]
        moments.append((card["since"], "learned", card["by"]))
        if (said := card["said"][:10]) < card["since"][:10] and card["kind"] != "summary":
            who = f"agent:{card['agent']}" if card["agent"] else card["owner"]
            moments.append((said, "said", who))
        events += [
            Event(at, "fact", label, by, card["title"], card["id"], target)
            for at, label, by in moments
        ]
    return events


def _list_file_events(cards: Iterable[dict[str, Any]]) -> list[Event]:
    """Return the changes of files, and the daily notes on their days."""
    events = []
    for card in cards:
        file = card["file"]
        moments = [(change.at, change.about, change.by) for change in card["changes"]]
        day = DAY.search(file) if card["tier"] == "daily" else None
        if day and not any(at.startswith(day[0]) for at, _, _ in moments):
            who = f"agent:{card['agent']}" if card["agent"] else file.partition("/")[0]
            moments.append((day[0], "note of the day", who))
        events += [
            Event(at, "file", label, by, file, target=f"file/{file}") for at, label, by in moments
        ]
    return events


def _list_sessions(subject: PageSubject) -> list[Event]:
    home, texts, since = subject.home, subject.texts, subject.selection.since
    events = []
    for session in home.sessions.list(since=since, limit=MAX_SESSIONS).sessions:
        at = session.last_at or session.first_at
        if not at or not subject.is_about(session.agent):
            continue
        title = texts.clean(session.title) or "session without a title"
        text = f"{title} ({session.turns:,} turns)"
        who = f"agent:{session.agent}" if session.agent else "operator"
        events.append(Event(texts.local(at), "session", session.program, who, text, session.id))
    for loss in home.sessions.list_losses(since=since, limit=MAX_SESSIONS):
        if not subject.is_about(loss.agent):
            continue
        restored = bool(loss.recovered_at)
        text = "context lost and restored" if restored else "context lost, not restored"
        who = f"agent:{loss.agent}" if loss.agent else "operator"
        at, severity = texts.local(loss.at), "" if restored else "warn"
        events.append(Event(at, "loss", loss.mark, who, text, loss.session, severity=severity))
    return events


def _list_entries(subject: PageSubject, earlier: dict[str, int]) -> list[Event]:
    """Return the newest journal entries, and add the number of the others by day to *earlier*."""
    home, texts, selection = subject.home, subject.texts, subject.selection
    agent = None if selection.crew else selection.agent
    filters = EntryFilter(since=selection.since, crew=selection.crew, agent=agent)
    events: list[Event] = []
    days: Counter[str] = Counter()
    after: str | None = None
    while len(events) < MAX_ENTRIES:
        page = home.journal.list(filters, limit=MAX_LIMIT, after=after)
        summaries = texts.clean_all([(entry.summary, entry.id) for entry in page.entries])
        for entry, summary in zip(page.entries, summaries, strict=True):
            name = entry.actor_id or (entry.agent_id if entry.actor_type == "agent" else "")
            who = "operator" if entry.actor_type == "user" else entry.actor_type
            if name and name != who:
                who = f"{who}:{name}"
            text = "(purged)" if entry.is_purged else summary
            at = texts.local(entry.ts)
            days[at[:10]] += 1
            is_job = entry.entry_type.startswith("job.") and entry.actor_type == "system"
            kind = "job" if is_job else "journal"
            severity = "" if entry.severity == "info" else entry.severity
            events.append(Event(at, kind, entry.entry_type, who, text, entry.id, "", severity))
        after = page.next
        if after is None:
            return events
    for day, number in home.journal.count_by("day", filters).items():
        if number > days[day]:
            earlier[day] = number - days[day]
    return events
