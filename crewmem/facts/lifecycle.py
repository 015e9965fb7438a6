"""Changes of a fact: edit, supersede, forget, restore, pin."""

from __future__ import annotations

from typing import Any

from crewmem.errors import ConflictError, RefusedError
from crewmem.facts.fact import (
    BASE_QUALITY,
    LIVE,
    PINS,
    STATES,
    ChangedFact,
    Fact,
    first_sentence,
)
from crewmem.facts.fields import check_choice, new_fact
from crewmem.facts.remember import find_attacks, revise, screen_fact
from crewmem.facts.sharing import parse_target
from crewmem.facts.table import FactTable
from crewmem.security.secrets import redact
from crewmem.storage.sqlite import transaction
from crewmem.text.tokens import search_text


def edit(
    table: FactTable,
    fact: Fact,
    content: str,
    *,
    title: str = "",
    reason: str = "",
    origin: str | None = None,
) -> ChangedFact:
    """Revise the text of a fact in place; the old text is kept as a revision.

    Raises:
        RefusedError: If the actor may not write it, or the text is an attack.
        ConflictError: If the owner has another fact with this text.
    """
    reason = redact(reason)
    table.check_may_write(fact.owner)
    table.check_decided(fact)
    if not title and fact.title != first_sentence(fact.content):
        title = fact.title
    new = new_fact(
        content,
        fact.owner,
        table.context.access.origin(origin),
        fact.kind,
        title=title,
        session=fact.session,
    )
    new, attacks, _ = screen_fact(table, new)
    if attacks:
        raise RefusedError(
            f"the text looks like an attack ({attacks[0].rule}): {attacks[0].matched!r};"
            f" {fact.id} is unchanged; say it in other words",
            code="attack",
            details={"id": fact.id, "rules": sorted({finding.rule for finding in attacks})},
        )
    if (new.title, new.content) == (fact.title, fact.content):
        return ChangedFact(fact.id, "unchanged", fact.status, fact)
    changes = {"title": new.title, "content": new.content, "origin": new.origin}
    with transaction(table.context.db):
        after = revise(table, fact, changes, new, reason=reason).fact
    return ChangedFact(fact.id, "revised", fact.status, after)


def redact_secrets(table: FactTable, fact: Fact) -> ChangedFact:
    """Redact secrets in a fact and its revisions."""
    title, content = redact(fact.title), redact(fact.content)
    db = table.context.db
    with transaction(db):
        changed = edit(table, fact, content, title=title, reason="a secret was redacted")
        for number, title, content in db.all(
            "select number, title, content from fact_revisions where fact_id = ?"
            " and content is not null",
            (fact.id,),
        ):
            clean = redact(title or ""), redact(content)
            db.execute(
                "update fact_revisions set title = ?, content = ?, search_text = ?"
                " where fact_id = ? and number = ?",
                (*clean, search_text(" ".join(clean)), fact.id, number),
            )
    return changed


def supersede(table: FactTable, old: Fact, new: Fact, *, reason: str = "") -> ChangedFact:
    """Record that *new* replaces *old*; both stay.

    Raises:
        ConflictError: If *new* does not hold, or *old* already replaces it.
    """
    reason = redact(reason)
    table.check_may_write(old.owner)
    context = table.context
    if old.status == "superseded" and old.superseded_by == new.id:
        return ChangedFact(old.id, "unchanged", old.status, old)
    chain = {old.id: old}
    step: Fact | None = new
    while step is not None and step.id not in chain:
        chain[step.id] = step
        step = table.by_id(step.superseded_by) if step.superseded_by else None
    if step is not None:
        raise ConflictError(
            f"{old.id} supersedes {new.id}, so {new.id} cannot supersede it"
            if new.id != old.id
            else f"{old.id} cannot supersede itself",
            code="supersession-cycle",
        )
    invalidity = new.find_invalidity(context.now_text)
    if invalidity:
        raise ConflictError(
            f"{new.id} does not hold (it is {invalidity}), so it replaces nothing",
            code="fact-not-held",
        )
    with transaction(context.db):
        after = table.change_status(
            old, "superseded", reason=reason, changes={"superseded_by": new.id}
        )
        table.record("superseded", after, payload={"by": new.id, "reason": reason})
    return ChangedFact(old.id, f"superseded by {new.id}", old.status, after)


def set_state(table: FactTable, fact: Fact, state: str) -> ChangedFact:
    """Set the state of an action item.

    Raises:
        ConflictError: If it is not an action item.
    """
    table.check_may_write(fact.owner)
    check_choice("state", state, STATES)
    if fact.kind != "action_item":
        raise ConflictError(
            f"{fact.id} is a {fact.kind}; only an action item has a state", code="not-action-item"
        )
    if fact.state == state:
        return ChangedFact(fact.id, "unchanged", state, fact)
    with transaction(table.context.db):
        after = table.update(fact, {"state": state})
        table.record("revised", after, payload={"state": state})
    return ChangedFact(fact.id, state, fact.state, after)


def pin(table: FactTable, fact: Fact, priority: str, *, reason: str) -> ChangedFact:
    """Pin a fact, so that it does not age; ``none`` unpins it."""
    reason = redact(reason)
    table.check_may_write(fact.owner)
    check_choice("priority", priority, PINS)
    access = table.context.access
    by_operator = str(fact.metadata.get("pinned_by", "")).startswith("operator:")
    if fact.pin == priority and (priority == "none" or by_operator or not access.is_operator):
        return ChangedFact(fact.id, "unchanged", fact.pin, fact)
    metadata = {name: value for name, value in fact.metadata.items() if name != "pinned_by"}
    if priority != "none":
        metadata["pinned_by"] = str(access.actor)
    with transaction(table.context.db):
        after = table.update(fact, {"pin": priority, "metadata": metadata})
        table.record("pinned", after, payload={"from": fact.pin, "pin": priority, "reason": reason})
    return ChangedFact(fact.id, f"priority {priority}", fact.pin, after)


def forget(table: FactTable, fact: Fact, *, reason: str = "") -> ChangedFact:
    """Archive a fact: searches no longer find it, but it can be restored."""
    table.check_may_write(fact.owner)
    table.check_decided(fact)
    return set_status(table, fact, "archived", reason=reason or "forgotten")


def restore(table: FactTable, fact: Fact) -> ChangedFact:
    """Make a fact active again; an expiry in the past is removed.

    Raises:
        RefusedError: If its text is an attack, which only review decides.
        ConflictError: If another fact now has this text.
    """
    table.check_may_write(fact.owner)
    context = table.context
    table.check_decided(fact)
    has_ended = bool(fact.valid_until and fact.valid_until <= context.now_text)
    if fact.status == "active" and not has_ended:
        return ChangedFact(fact.id, "unchanged", fact.status, fact)
    if (
        fact.status not in LIVE
        and not context.access.is_operator
        and find_attacks(table, fact.text())
    ):
        raise RefusedError(
            f"{fact.id} looks like an attack; only an operator restores it", code="attack"
        )
    with transaction(context.db):
        changes = {"valid_until": None} if has_ended else {}
        if fact.status == "active":
            after = table.update(fact, changes, reason="restored")
        else:
            after = table.change_status(fact, "active", reason="restored", changes=changes)
        table.record("restored", after, payload={"from": fact.status})
    return ChangedFact(fact.id, "active", fact.status, after)


def set_status(table: FactTable, fact: Fact, status: str, *, reason: str = "") -> ChangedFact:
    """Change the status of a fact after a decision of review, which checked access.

    Raises:
        ConflictError: If the table of statuses does not allow it.
    """
    reason = redact(reason)
    if fact.status == status:
        return ChangedFact(fact.id, "unchanged", status, fact)
    events = {"active": "restored", "archived": "archived"}
    with transaction(table.context.db):
        after = table.change_status(fact, status, reason=reason)
        table.record(
            events.get(status, status), after, payload={"from": fact.status, "reason": reason}
        )
    return ChangedFact(fact.id, status, fact.status, after)


def move(table: FactTable, fact: Fact, to: str) -> ChangedFact:
    """Move an agent's fact to ``crew:NAME`` or ``workspace``, after a decision of review.

    Raises:
        ConflictError: If the new owner has a fact with this text.
    """
    owner = parse_target(to)
    if owner == fact.owner and fact.status == "active":
        return ChangedFact(fact.id, "unchanged", str(fact.owner), fact)
    with transaction(table.context.db):
        changes: dict[str, Any] = {
            "scope": owner.scope,
            "agent_id": owner.agent,
            "crew_id": owner.crew,
            "metadata": {**fact.metadata, **({"agent": fact.agent} if fact.agent else {})},
            "base_quality": BASE_QUALITY if fact.base_quality is None else fact.base_quality,
        }
        if fact.status == "quarantined":
            changes["status"] = "active"
        after = table.update(fact, changes, reason="moved")
        table.record("shared", after, payload={"from": str(fact.owner), "to": str(owner)})
    return ChangedFact(fact.id, "moved", str(fact.owner), after)
