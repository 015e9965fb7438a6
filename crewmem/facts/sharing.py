"""Sharing: copies an agent's fact to a crew or the workspace."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from crewmem.errors import ConflictError, NotFoundError, RefusedError, UsageError
from crewmem.facts.fact import BASE_QUALITY, Fact, Owner
from crewmem.facts.fields import new_fact
from crewmem.facts.remember import Added, add_fact
from crewmem.facts.table import FactTable
from crewmem.origins import lowest_origin
from crewmem.storage.sqlite import transaction

COPIED = (
    "title", "subtype", "tags", "entities", "importance", "confidence", "sensitivity", "topic_key",
    "occurred_at", "valid_from", "valid_until", "project", "issue",
)  # fmt: skip
"""Fields of a fact that its shared copy has, too."""


class Shared(NamedTuple):
    """The result of sharing a fact.

    Attributes:
        to: ``crew:NAME`` or ``workspace``.
        action: created, updated or unchanged; waiting while review decides; rejected if review
            rejected this text before.
        id: The shared fact; while waiting or rejected, the original.
        review: The review item; "" for none.
    """

    to: str
    action: str
    id: str
    review: str
    fact: Fact


def parse_target(text: str) -> Owner:
    """Parse ``crew:NAME`` or ``workspace``.

    Raises:
        UsageError: If *text* is neither.
    """
    if text == "workspace":
        return Owner("workspace")
    kind, _, name = text.partition(":")
    if kind == "crew" and name:
        return Owner("crew", crew=name)
    raise UsageError(f"--to is '{text}'; use crew:NAME or workspace", code="bad-target")


def share(
    table: FactTable, fact: Fact, targets: Sequence[str], *, approved: bool = False
) -> list[Shared]:
    """Share a fact with crews or the workspace: with all of them, or none.

    Args:
        table: The facts.
        fact: The fact, which stays its owner's.
        targets: A list of ``crew:NAME`` or ``workspace``.
        approved: Whether review has approved it; else the crew's setting decides.

    Raises:
        RefusedError: If the actor may not share with one of them, or the fact is restricted.
        NotFoundError: If there is no such crew.
        ConflictError: If the fact does not hold.
    """
    owners = [parse_target(target) for target in targets]
    invalidity = fact.find_invalidity(table.context.now_text)
    if invalidity:
        raise ConflictError(f"{fact.id} is {invalidity} and cannot be shared", code="fact-not-held")
    if fact.sensitivity == "restricted":
        raise RefusedError(
            f"{fact.id} is restricted: only its owner reads it", code="fact-restricted"
        )
    ways = [is_direct(table, owner, approved=approved) for owner in owners]
    done: list[Shared] = []
    with transaction(table.context.db):
        for owner, direct in zip(owners, ways, strict=True):
            target = f"crew:{owner.crew}" if owner.crew else "workspace"
            if owner == fact.owner:
                done.append(Shared(target, "unchanged", fact.id, "", fact))
            elif direct:
                added = copy_to(table, fact, owner)
                done.append(Shared(target, added.action, added.id, "", added.fact))
            elif (known := table.active_twin(fact.content_hash, owner)) is not None:
                done.append(Shared(target, "unchanged", known.id, "", known))
            else:
                action, item = propose(table, fact, target, crew=owner.crew)
                done.append(Shared(target, action, fact.id, item, fact))
        made = [each for each in done if each.id != fact.id]
        table.link_similar(
            (later.id, earlier.id, 1.0)
            for index, later in enumerate(made)
            for earlier in made[:index]
            if later.id != earlier.id
        )
    return done


def copy_to(
    table: FactTable,
    fact: Fact,
    owner: Owner,
    *,
    base_quality: float = BASE_QUALITY,
    sources: Sequence[Fact] = (),
    metadata: dict[str, object] | None = None,
) -> Added:
    """Store a copy of *fact* for *owner*, with the lowest origin of its sources."""
    copy = new_fact(
        fact.content,
        owner,
        lowest_origin([fact.origin, *(source.origin for source in sources)]),
        fact.kind,
        **{name: getattr(fact, name) for name in COPIED},
        metadata=metadata or {},
        base_quality=base_quality,
    )
    added = add_fact(table, copy, check_writer=False)
    is_new = [table.relate(added.id, each.id, "promoted_from") for each in (fact, *sources)]
    if any(is_new):
        table.record("shared", added.fact, payload={"from": fact.id, "action": added.action})
    return added


def propose(table: FactTable, fact: Fact, target: str, *, crew: str | None) -> tuple[str, str]:
    """Put a share into the review queue, unless the same text was rejected there.

    Returns:
        ``waiting`` or ``rejected``, and the review item.
    """
    key = f"{fact.id} {target} {fact.content_hash[:16]}"
    if rejected := table.review.find_rejected("share", key):
        return "rejected", rejected
    return "waiting", table.review.add(
        "share",
        f"share with {target}: {fact.title}",
        payload={"to": target, "content_hash": fact.content_hash},
        crew=crew,
        agent=fact.agent,
        fact_id=fact.id,
        key=key,
    )


def is_direct(table: FactTable, owner: Owner, *, approved: bool = False) -> bool:
    """Return whether the actor's share with *owner* takes effect at once or waits in review.

    Args:
        approved: Whether review has approved it.

    Raises:
        RefusedError: If the actor may not share with *owner*.
        NotFoundError: If there is no such crew.
    """
    context, crew = table.context, owner.crew
    access = context.access
    if crew is None:
        return approved or access.is_operator
    access.require_member(crew)
    sharing = context.db.value(
        "select sharing from crews where workspace_id = ? and name = ? and removed_at is null",
        (context.workspace, crew),
    )
    if sharing is None:
        raise NotFoundError(
            f"there is no crew '{crew}'",
            code="crew-not-found",
            hint=context.command("crew list"),
        )
    if approved or access.is_operator or access.leads(crew):
        return True
    if sharing == "lead":
        raise RefusedError(f"only the lead of {crew} shares with it", code="leads-only")
    return bool(sharing == "members")
