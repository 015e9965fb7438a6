"""What hangs on a memory in a line of JSON: votes, revisions, relations. Pure."""

from __future__ import annotations

from crewmem import times
from crewmem.errors.values import BadMemoryError
from crewmem.memories import fields
from crewmem.memories.trust import Vote
from crewmem.records import NamedTuple

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping
    from datetime import datetime
    from typing import Any

RELATIONS = (
    "derived_from",
    "supports",
    "contradicts",
    "supersedes",
    "similar",
    "part_of",
    "promoted_from",
)
"""As the table of edges has them; a test compares."""

NAMES = frozenset({"votes", "revisions", "edges", "accesses"})


class Said(NamedTuple):
    """What a memory said before, as it is stored."""

    revision: int
    title: str
    content: str
    replaced_at: str
    replaced_by: str
    reason: str


class Link(NamedTuple):
    """That a memory is related to the one with the id *to*, as it is stored."""

    to: str
    relation: str
    weight: float
    created_at: str
    created_by: str


class Accesses(NamedTuple):
    """How often a memory was read and delivered, as it is stored."""

    accessed: int
    last_accessed_at: str | None
    injected: int
    last_injected_at: str | None


class Beside(NamedTuple):
    """What hangs on a memory."""

    votes: tuple[Vote, ...] = ()
    revisions: tuple[Said, ...] = ()
    edges: tuple[Link, ...] = ()
    accesses: Accesses | None = None


NOTHING = Beside()


def read(record: Mapping[str, Any], now: datetime | None = None) -> Beside:
    """Return what *record* says that hangs on its memory.

    Args:
        record: An object of JSON.
        now: When things were, of which it does not say.

    Raises:
        BadMemoryError: If something is of the wrong type, or not what it takes.
    """
    if record.keys().isdisjoint(NAMES):
        return NOTHING
    usual = times.to_text(now) if now else None
    accesses = fields.mapping(record, "accesses")
    return Beside(
        tuple(_vote(each, usual) for each in fields.mappings(record, "votes")),
        tuple(_said(each, usual) for each in fields.mappings(record, "revisions")),
        tuple(_link(each, usual) for each in fields.mappings(record, "edges")),
        _accesses(accesses) if accesses else None,
    )


def _vote(record: Mapping[str, Any], usual: str | None) -> Vote:
    day = fields.text(record, "day") or ""
    if day and (len(day) != len("2026-05-01") or not fields.is_name(day)):
        raise BadMemoryError("day", day[: fields.SHOWN], "a date such as 2026-05-01")
    return Vote(
        _needed(record, "actor"),
        day,
        fields.is_true(record, "up"),
        fields.text(record, "reason") or "",
        _at(record, "at", usual),
    )


def _said(record: Mapping[str, Any], usual: str | None) -> Said:
    return Said(
        fields.whole(record, "revision", 1, least=1),
        fields.text(record, "title") or "",
        fields.text(record, "content") or "",
        _at(record, "replaced_at", usual),
        _needed(record, "replaced_by"),
        fields.text(record, "reason") or "",
    )


def _link(record: Mapping[str, Any], usual: str | None) -> Link:
    relation = fields.one_of(record, "relation", RELATIONS)
    if relation is None:
        raise BadMemoryError("relation", "nothing", f"one of {', '.join(RELATIONS)}")
    return Link(
        _needed(record, "to"),
        relation,
        fields.share(record, "weight", 1.0),
        _at(record, "created_at", usual),
        _needed(record, "created_by"),
    )


def _accesses(record: Mapping[str, Any]) -> Accesses:
    return Accesses(
        fields.whole(record, "accessed", 0),
        fields.stamp(record, "last_accessed_at"),
        fields.whole(record, "injected", 0),
        fields.stamp(record, "last_injected_at"),
    )


def _needed(record: Mapping[str, Any], name: str) -> str:
    found = fields.line(record, name)
    if found is None:
        raise BadMemoryError(name, "nothing", "there")
    return found


def _at(record: Mapping[str, Any], name: str, usual: str | None) -> str:
    found = fields.stamp(record, name) or usual
    if found is None:
        raise BadMemoryError(name, "nothing", "an instant")
    return found


def spelled(beside: Beside) -> dict[str, Any]:
    """Return *beside* as a line has it: what there is nothing of is left out."""
    found: dict[str, Any] = {}
    if beside.votes:
        found["votes"] = [
            {
                "actor": each.actor,
                **({"day": each.day} if each.day else {}),
                "up": each.is_up,
                **({"reason": each.reason} if each.reason else {}),
                "at": each.at,
            }
            for each in beside.votes
        ]
    if beside.revisions:
        found["revisions"] = [each._asdict() for each in beside.revisions]
    if beside.edges:
        found["edges"] = [each._asdict() for each in beside.edges]
    if beside.accesses:
        found["accesses"] = beside.accesses._asdict()
    return found
