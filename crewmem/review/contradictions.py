"""Contradictions: statements that cannot both hold. A person chooses between them.

Consolidation finds them in notes, extraction in sessions. A pair is put into review only once.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from crewmem.review.store import ReviewStore


@dataclass(frozen=True, slots=True)
class Contradiction:
    """Two statements that cannot both hold.

    Attributes:
        a: The older statement, in the format of `review.store`; *b* is the newer one.
        agent: Owner of both; "" if they have several owners or belong to the crew.
    """

    a: Mapping[str, Any]
    b: Mapping[str, Any]
    crew: str
    agent: str

    @property
    def text(self) -> str:
        """Both statements in one line."""
        return f"{self.a['text']} / {self.b['text']}"

    @property
    def key(self) -> str:
        """Key of its review item, which does not depend on the order of the statements."""
        return "|".join(sorted((self.a["text"].lower(), self.b["text"].lower())))[:1000]

    @property
    def facts(self) -> list[str]:
        """Ids of the facts that it names."""
        return [str(side["fact"]) for side in (self.a, self.b) if side.get("fact")]

    @property
    def payload(self) -> dict[str, Any]:
        """Payload of its review item."""
        return {"a": dict(self.a), "b": dict(self.b), "evidence": self.facts}


def add_contradiction(review: ReviewStore, contradiction: Contradiction) -> str:
    """Put a contradiction into review, unless it is there or was decided on the same evidence.

    Returns:
        The id of its review item.
    """
    facts = contradiction.facts
    return review.add(
        "contradiction",
        " / ".join(
            side.get("title") or side["text"] for side in (contradiction.a, contradiction.b)
        ),
        payload=contradiction.payload,
        crew=contradiction.crew,
        agent=contradiction.agent,
        fact_id=facts[-1] if facts else None,
        key=contradiction.key,
    )
