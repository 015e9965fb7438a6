"""The fields of every search result, from any store."""

from dataclasses import dataclass, fields
from typing import Any, Self


@dataclass(slots=True)
class FoundHit:
    """A search result in JSON answers.

    Attributes:
        ref: What people type to read it.
        store: ``memory``, ``facts``, ``journal`` or ``sessions``.
        owner: Crew or agent.
        title: Title, heading path, or the beginning.
        snippet: Excerpt with matches marked.
        score: Higher is better; comparable within one query.
        at: When it was written or happened.
        why: Rank in each list, matched terms, and any requested explanation.
        relevance: Probability that it answers, 0 to 1.
        label: ``sure``, ``unsure`` or ``weak``.
        origin: ``operator``, ``agent`` or ``external``.
        kind: Tier, fact kind, entry type or role.
    """

    ref: str
    store: str
    scope: str
    owner: str
    title: str
    snippet: str
    score: float
    at: str
    why: dict[str, Any]
    relevance: float
    label: str
    origin: str
    kind: str

    @classmethod
    def from_hit(cls, hit: "FoundHit", **further: Any) -> Self:
        """Copy the fields that all stores share from *hit*, and add *further* ones."""
        common = {each.name: getattr(hit, each.name) for each in fields(FoundHit)}
        return cls(**common, **further)
