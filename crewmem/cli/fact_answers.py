"""What the commands of `crewmem fact` answer with."""

from __future__ import annotations

from dataclasses import dataclass

from crewmem.facts.aging import Aged
from crewmem.facts.fact import Fact
from crewmem.facts.remember import Similar
from crewmem.facts.rollup import Rolled


@dataclass(frozen=True, slots=True)
class StoredFact:
    """A fact that was stored.

    Attributes:
        action: created, updated or unchanged.
        similar: Facts of the same owner and kind that say nearly the same.
        redacted: Rules of the secrets that were taken out.
        agents: Of a correction: agents that were corrected for this reason.
        shared: Of a correction: the shared one; "" while only one agent was corrected.
    """

    id: str
    action: str
    fact: Fact
    similar: list[Similar]
    redacted: list[str]
    agents: list[str]
    shared: str


@dataclass(frozen=True, slots=True)
class ChangedFact:
    """A fact that was changed, or was so already.

    Attributes:
        action: What was done, as ``archived``; unchanged when nothing was.
        before: Status, state or pin that it had.
        review: Review item that waits; "" for none.
    """

    id: str
    action: str
    before: str
    review: str
    fact: Fact


@dataclass(frozen=True, slots=True)
class ForgottenSession:
    """The notes of a session that were expired."""

    session: str
    notes: int


@dataclass(frozen=True, slots=True)
class CondensedFacts:
    """Facts that became one summary, would become one, or were restored.

    Attributes:
        action: condensed, planned, undone or skipped.
        id: The summary; "" where there is none.
    """

    action: str
    id: str
    title: str
    sources: list[str]
    reason: str


@dataclass(frozen=True, slots=True)
class FactRollup:
    """What a rollup wrote, or what it would write.

    Attributes:
        summaries: Of each period and owner.
        aged: Facts that became warm or archived.
        facts: With ``--show``: the summaries of the day, or its facts.
    """

    summaries: list[Rolled]
    aged: list[Aged]
    facts: list[Fact]


@dataclass(frozen=True, slots=True)
class Fading:
    """How much of a fact or episode is remembered.

    Attributes:
        store: facts or journal.
        retention: In [0, 1]; of an episode the share of its importance that is left.
        color: green, yellow or red.
        importance: Of an episode, now; null for facts.
    """

    store: str
    id: str
    title: str
    kind: str
    age_days: float
    uses: int
    retention: float
    in_30_days: float
    color: str
    importance: float | None


@dataclass(frozen=True, slots=True)
class Decay:
    """What is fading.

    Attributes:
        updated: Episodes whose importance was updated by ``--apply``.
    """

    items: list[Fading]
    updated: int
