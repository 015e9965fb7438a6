"""Adding an entry that somebody reports: its texts are screened before anything is stored."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from datetime import datetime
from hashlib import sha256
from typing import TYPE_CHECKING, Any

from crewmem.context import Context
from crewmem.errors import RefusedError, UsageError
from crewmem.journal.entry import NAME_FIELDS, NewEntry, dump_object
from crewmem.journal.episodes import is_never, is_tagged
from crewmem.journal.listing import Entry, load_entry
from crewmem.protocols import EntryFields, ReviewWriter
from crewmem.security.allowed import hash_passages
from crewmem.security.findings import Finding, secret_refused_error
from crewmem.security.records import list_texts, map_texts
from crewmem.security.safe_text import remove_attacks
from crewmem.security.secrets import redact, redact_named
from crewmem.times import format_time

if TYPE_CHECKING:
    from crewmem.journal.store import Journal


def add_entry(
    journal: Journal,
    entry_type: str,
    summary: str,
    ts: datetime | None,
    expires_at: datetime | None,
    fields: EntryFields,
) -> Entry:
    """Append an entry, as `Journal.add` says."""
    context = journal.context
    fields["agent"], fields["crew"] = journal.check_owner(fields.get("agent"), fields.get("crew"))
    entry = journal.make_entry(entry_type, summary, **fields)._replace(
        ts=format_time(ts) if ts else context.now_text,
        expires_at=format_time(expires_at) if expires_at else None,
    )
    dump_object("the payload", entry.payload)  # before it is screened: it may be too deep for that
    dump_object("refs", entry.refs)
    if entry.priority != "normal":
        context.access.require_lead(entry.crew_id, f"add an entry with priority {entry.priority}")
    try:
        entry, findings = screen_entry(context, entry)
    except RefusedError as error:
        if error.code == "attack":
            journal.quarantine(entry, error)
        raise
    for finding in findings:
        if finding.class_ == "secret":
            context.warn("secret-redacted", f"a secret was redacted ({finding.rule})")
        else:
            context.warn(
                "attack-removed",
                f"a passage that looks like an attack ({finding.rule}) was left out:"
                f" {finding.matched!r}",
            )
    if entry.expires_at and entry.expires_at <= context.now_text:
        context.warn("expired", f"it expired on {entry.expires_at[:10]}: searches leave it out")
    if is_never(entry_type) and is_tagged(entry.payload, entry.refs):
        context.warn(
            "never-an-episode", f"entries of type {entry_type} are never episodes, even tagged"
        )
    (entry_id,) = journal.append_entries([entry])
    return load_entry(context, entry_id)


def release_entry(journal: Journal, quarantined: Mapping[str, Any]) -> Entry:
    """Append an entry that was refused, as an operator decided in review.

    Args:
        journal: Where to.
        quarantined: Payload of the review item. The entry stays its author's.
    """
    journal.context.access.require_operator("release a refused entry")
    (entry_id,) = journal.append_entries([NewEntry(**quarantined["entry"])])
    return load_entry(journal.context, entry_id)


def screen_entry(context: Context, entry: NewEntry) -> tuple[NewEntry, list[Finding]]:
    """Return *entry* as it may be stored, and what was found in it.

    Secrets are redacted, and passages with an attack left out.

    Raises:
        RefusedError: If a text is mostly an attack, or has a secret where the setting
            ``scan.secrets`` refuses them.
        UsageError: If a name holds either: without it, it would be another name.
    """
    allowed = context.settings["scan.allow"]
    for name in ("id", *NAME_FIELDS):
        value = getattr(entry, name)
        found = context.scanner.scan(value, own_tier=True, allow=allowed) if value else []
        if found:
            raise UsageError(
                f"{name} holds text that is no name ({found[0].rule})", code="bad-name"
            )
    findings: list[Finding] = []

    def clean(text: str) -> str:
        found = context.scanner.scan(text, allow=allowed, own_tier=True)  # no suspicious passages
        findings.extend(found)
        storable = remove_attacks(text, found)
        if storable.mostly_attack:
            finding = next(each for each in found if each.class_ == "attack")
            raise RefusedError(
                f"the text looks like an attack ({finding.rule}): {finding.matched!r}",
                code="attack",
                details={"rule": finding.rule, "category": finding.category},
            )
        secrets = [each.rule for each in found if each.class_ == "secret"]
        if secrets and context.settings["scan.secrets"] == "refuse":
            raise secret_refused_error(secrets[0])
        return storable.text

    entry, rules = _redact_named(entry)
    findings.extend(Finding("secret", "secret", rule, matched=rule) for rule in rules)
    if rules and context.settings["scan.secrets"] == "refuse":
        raise secret_refused_error(rules[0])
    return _screen_texts(entry, clean), findings


def quarantine_entry(
    context: Context, entry: NewEntry, error: RefusedError, review: ReviewWriter
) -> None:
    """Put a refused entry into review, without its secrets; *error* then names the item."""
    kept = _screen_texts(_redact_named(entry)[0], redact)
    item = review.add(
        "quarantine",
        f"refused journal entry {entry.entry_type}",
        payload={
            "entry": kept._asdict(),
            "rules": [error.details["rule"]],
            "passages": hash_passages(kept.summary, *list_texts(kept.payload)),
        },
        crew=entry.crew_id,
        agent=entry.agent_id,
        key=sha256(json.dumps(kept._replace(ts="")).encode()).hexdigest()[:16],
    )
    error.details["review_item"] = item
    error.message += f"; it waits in review as {item}"
    error.hint = context.command("review show", item) if context.access.is_operator else ""


def _screen_texts(entry: NewEntry, clean: Callable[[str], str]) -> NewEntry:
    return entry._replace(
        summary=clean(entry.summary),
        payload=map_texts(entry.payload, clean),
        refs=map_texts(entry.refs, clean),
    )


def _redact_named(entry: NewEntry) -> tuple[NewEntry, list[str]]:
    payload, rules = redact_named(entry.payload)
    refs, further = redact_named(entry.refs)
    return entry._replace(payload=payload, refs=refs), [*rules, *further]
