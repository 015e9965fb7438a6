"""Adding an entry that somebody reports: its texts are screened before anything is stored."""

from collections.abc import Collection, Mapping
from datetime import datetime
from hashlib import sha256
from typing import Any

from crewmem import security
from crewmem.access import lowest_origin
from crewmem.context import Context
from crewmem.errors import RefusedError
from crewmem.journal.entry import (
    Entry,
    check_entry,
    dump_object,
    searched_text,
)
from crewmem.journal.episodes import is_never, is_tagged
from crewmem.journal.listing import load_entry
from crewmem.journal.screening import map_texts, screen_entry, warn_of_findings
from crewmem.journal.store import ACTOR_TYPES_BY_KIND, Journal, NewEntry
from crewmem.protocols import ReviewWriter
from crewmem.storage.json_columns import load_object
from crewmem.times import format_time


def add_entry(
    journal: Journal,
    entry_type: str,
    summary: str,
    *,
    payload: Mapping[str, Any] | None = None,
    refs: Mapping[str, Any] | None = None,
    severity: str = "info",
    priority: str = "normal",
    crew: str | None = None,
    agent: str | None = None,
    origin: str | None = None,
    trace_id: str | None = None,
    mission: str | None = None,
    ts: datetime | None = None,
    expires_at: datetime | None = None,
    allow: Collection[str] = (),
    review: ReviewWriter | None = None,
) -> Entry:
    """Append an entry that somebody reports. Its texts are screened.

    Secrets are redacted; passages with an attack are left out, with a warning.

    Args:
        journal: Where to.
        entry_type: Dotted lower case.
        summary: What happened.
        payload: What more there is to know.
        refs: What it refers to; ``episodic`` true selects it for recall.
        severity: One of SEVERITIES.
        priority: One of PRIORITIES; others than normal as `set_priority` allows them.
        crew: The crew that it is about.
        agent: The agent that it is about; an agent adds its own only.
        origin: Lowers the origin class.
        trace_id: The session.
        mission: The mission.
        ts: When it happened; by default now.
        expires_at: When it stops to matter.
        allow: Rules of the scanner that do not count.
        review: Where an entry that is refused waits for an operator; see `release_entry`.

    Raises:
        RefusedError: If the text is mostly an attack, or the actor may not add it. Its
            details have the id of the review item.
        UsageError: If a field is not valid.
    """
    context = journal.context
    actor = context.access.actor
    actor_type = ACTOR_TYPES_BY_KIND[actor.kind]
    check_entry(entry_type, summary, severity=severity, priority=priority, actor_type=actor_type)
    agent, crew = journal.check_owner(agent, crew)
    if priority != "normal":
        context.access.require_lead(crew, f"add an entry with priority {priority}")
    refs = map_texts(refs or {}, lambda text: security.redact(text)[0])
    classes = [journal.own_origin(actor_type), context.access.origin(origin)]
    entry = NewEntry(
        entry_type=entry_type,
        summary=summary,
        payload=dump_object("the payload", payload),
        search_text=searched_text(summary, payload),
        refs=dump_object("refs", refs),
        severity=severity,
        priority=priority,
        actor_type=actor_type,
        actor_id=actor.name,
        origin=lowest_origin(classes),
        ts=format_time(ts) if ts else context.now_text,
        crew_id=crew,
        agent_id=agent,
        mission_id=mission,
        trace_id=trace_id,
        expires_at=format_time(expires_at) if expires_at else None,
    )
    try:
        entry, findings = screen_new_entry(context, entry, allow)
    except RefusedError as error:
        if review is not None and error.code == "attack":
            error.details["review_item"] = _quarantine(entry, error, review)
        raise
    warn_of_findings(context, findings)
    payload = load_object(entry.payload)
    if is_never(entry_type) and is_tagged(payload, refs):
        context.warn(
            "never-an-episode", f"entries of type {entry_type} are never episodes, even tagged"
        )
    entry_id = journal.append_entry(entry, payload, refs)
    return load_entry(context, entry_id)


def release_entry(journal: Journal, quarantined: Mapping[str, Any]) -> Entry:
    """Append an entry that was refused, as an operator decided in review.

    Args:
        journal: Where to.
        quarantined: Payload of the review item. The entry stays its author's.
    """
    journal.context.access.require_operator("release a refused entry")
    entry = NewEntry(**quarantined["entry"])
    entry_id = journal.append_entry(entry, load_object(entry.payload), load_object(entry.refs))
    return load_entry(journal.context, entry_id)


def screen_new_entry(
    context: Context, entry: NewEntry, allow: Collection[str]
) -> tuple[NewEntry, list[security.Finding]]:
    """Return *entry* as it may be stored, and what was found in it."""
    summary, payload, findings = screen_entry(
        context, entry.summary, load_object(entry.payload), allow
    )
    if findings:
        entry = entry._replace(
            summary=summary,
            payload=dump_object("the payload", payload),
            search_text=searched_text(summary, payload),
        )
    return entry, findings


def _quarantine(entry: NewEntry, error: RefusedError, review: ReviewWriter) -> str:
    """Put a refused entry into review, without its secrets; return the id of the item."""
    summary = security.redact(entry.summary)[0]
    payload = load_object(security.redact(entry.payload)[0])
    kept = entry._replace(
        summary=summary,
        payload=dump_object("the payload", payload),
        search_text=searched_text(summary, payload),
    )
    return review.add(
        "quarantine",
        f"refused journal entry {entry.entry_type}",
        payload={"entry": kept._asdict(), "rules": [error.details["rule"]]},
        crew=entry.crew_id,
        agent=entry.agent_id,
        key=sha256(f"{entry.entry_type}\n{summary}".encode()).hexdigest()[:16],
    )
