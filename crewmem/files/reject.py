"""Refusing what the scanner found: it is set aside, and the journal hears of it."""

from __future__ import annotations

from contextlib import suppress

from crewmem.digests import sha256
from crewmem.errors import CrewmemError
from crewmem.errors.files import WriteRejectedError
from crewmem.files.quarantine import Refused, put
from crewmem.files.tiers import PRIVATE
from crewmem.files.updated import ACTOR_TYPES, card
from crewmem.files.version import owner_of
from crewmem.journal.entry import Draft as Entry

TYPE_CHECKING = False
if TYPE_CHECKING:
    from crewmem.files.draft import Draft
    from crewmem.files.target import Target
    from crewmem.files.written import Means

TYPE = "memory.write_rejected"


def reject(
    root: int, target: Target, draft: Draft, means: Means, operation: str
) -> WriteRejectedError:
    """Set aside what *draft* would add to *target*; return the refusal.

    The refusal stands also where nothing can be set aside.
    """
    refused, text = _refused(target, draft, means, operation)
    quarantined, trouble = refused.id, ""
    try:
        put(root, refused, text)
    except CrewmemError as error:
        quarantined, trouble = "", f" It is not in quarantine: {error}."
    with suppress(CrewmemError):
        _tell(target, refused, means, quarantined)
    refusal = WriteRejectedError(refused.ref, draft.blocking, draft.rules, quarantined)
    refusal.hint = f"{refusal.hint}{trouble}"
    return refusal


def _refused(
    target: Target, draft: Draft, means: Means, operation: str
) -> tuple[Refused, bytes]:
    """Return what was refused, and its text: what was added, or all of the file."""
    before = draft.before or b""
    head = before.rstrip(b"\r\n")
    is_added = bool(head) and draft.after.startswith(head)
    text = draft.after[len(head) :].lstrip(b"\r\n") if is_added else draft.after
    refused = Refused(
        id=sha256(text),
        ref=target.place.ref(draft.alias or target.file),
        file=draft.alias or target.file,
        tier=target.tier,
        mode="append" if is_added else "replace",
        base="" if draft.before is None else sha256(before),
        rules=draft.rules,
        findings=draft.blocking,
        by=means.by,
        operation=operation,
        rejected_at=means.now,
        bytes=len(text),
    )
    return refused, text


def _tell(target: Target, refused: Refused, means: Means, quarantined: str) -> None:
    """Add an entry to the journal, where there is one: rules, and never the text."""
    if means.journal is None:
        return
    actor = means.sight.actor
    writer = None if actor.is_operator else actor.name
    owner = owner_of(target.place, target.tier, writer)
    what = card(refused.file) if refused.tier in PRIVATE else refused.ref
    entry = Entry(
        entry_type=TYPE,
        summary=f"a write to {what} was refused: {', '.join(refused.rules)}",
        crew_id=owner.crew,
        agent_id=owner.agent,
        severity="warn",
        actor_type=ACTOR_TYPES.get(actor.role, "system"),
        actor_id=actor.name,
        payload={
            "path": refused.ref,
            "tier": refused.tier,
            "operation": refused.operation,
            "rules": list(refused.rules),
            "quarantined": quarantined or None,
        },
    )
    means.journal.append(means.workspace, [entry], now=means.now)
