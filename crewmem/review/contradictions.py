"""Contradictions: statements that cannot both hold, of which a person chooses.

Consolidation finds them in notes and extraction in sessions. A pair waits once, whoever finds it.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from crewmem.review.store import ReviewStore


@dataclass(frozen=True, slots=True)
class Clash:
    """Two statements that cannot both hold.

    Attributes:
        a: The older one, as `review.store` describes statements; *b* the newer one.
        agent: Whose both are; "" where they are of several, or the crew's.
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
        """By which its review item is known again, whichever statement comes first."""
        return "|".join(sorted((self.a["text"].lower(), self.b["text"].lower())))[:1000]


def add_clash(review: ReviewStore, clash: Clash) -> str:
    """Put a contradiction into review, unless it waits or was decided on the same evidence.

    Returns:
        The id of its review item.
    """
    facts = [str(side["fact"]) for side in (clash.a, clash.b) if side.get("fact")]
    return review.add(
        "contradiction",
        " / ".join(side.get("title") or side["text"] for side in (clash.a, clash.b)),
        payload={"a": dict(clash.a), "b": dict(clash.b), "evidence": facts},
        crew=clash.crew,
        agent=clash.agent,
        fact_id=facts[-1] if facts else None,
        key=clash.key,
    )
