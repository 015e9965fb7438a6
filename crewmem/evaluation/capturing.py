"""Cases out of what was really asked, and of what became of the answers. Pure."""

from __future__ import annotations

from hashlib import sha256

from crewmem.records import NamedTuple

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Collection, Iterable, Sequence

CATEGORY = "captured"


class Asked(NamedTuple):
    """A question that was asked, and what went before the model.

    Attributes:
        agent: Who asked; None: an operator.
        injected: Refs of what went before the model.
    """

    query: str
    agent: str | None
    injected: Sequence[str]


class Captured(NamedTuple):
    """A case that was made of a question.

    Attributes:
        id: The same for the same question of the same agent.
        query: The question.
        relevant: What of the answer was confirmed, or used.
        should_inject: Whether any of it was.
        category: captured.
        agent: Who asked; null for operators.
    """

    id: str
    query: str
    relevant: Sequence[str]
    should_inject: bool
    category: str
    agent: str | None


def captured(
    asked: Iterable[Asked],
    *,
    confirmed: Collection[str],
    contradicted: Collection[str],
) -> list[Captured]:
    """Return the cases that *asked*, oldest first, gives: one a question and agent.

    What was laid before the model and is *confirmed* answers the question. Where all of
    it is *contradicted*, nothing should have been. Of the rest nobody knows.
    """
    found: dict[tuple[str, str | None], Captured] = {}
    for each in asked:
        relevant = [ref for ref in each.injected if ref in confirmed]
        if not relevant and not {*each.injected} <= {*contradicted}:
            continue
        if not each.injected or not each.query.strip():
            continue
        key = each.query, each.agent
        found.pop(key, None)  # what was asked last stands last
        found[key] = Captured(
            _id(*key), each.query, relevant, bool(relevant), CATEGORY, each.agent
        )
    return [*found.values()]


def _id(query: str, agent: str | None) -> str:
    text = f"{agent or ''}\0{query}".encode("utf-8", "backslashreplace")
    return f"q-{sha256(text).hexdigest()[:12]}"
