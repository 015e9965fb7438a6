"""What may be kept once it has recurred, and what became of it. Pure."""

from __future__ import annotations

from crewmem.records import NamedTuple

TYPE_CHECKING = False
if TYPE_CHECKING:
    from crewmem.consolidation.item import Evidence

OPEN, PROPOSED, APPLIED, REJECTED = "open", "proposed", "applied", "rejected"
"""What becomes of a candidate."""


class Candidate(NamedTuple):
    """Something that somebody noted, and that may be kept.

    Attributes:
        id: Of what it says and whose it is.
        agent: Slug of the agent whose it is; "" for the crew's.
        kind: observation or rule.
        text: What its first occurrence says.
        first_day: Of its first occurrence.
        last_day: Of its last one: it is let go 30 days later.
        occurrences: How often it was said; the latest of them are kept.
        status: open, proposed, applied or rejected.
        changed_at: Since when.
    """

    id: str
    agent: str
    kind: str
    text: str
    first_day: str
    last_day: str
    occurrences: int
    status: str
    changed_at: str


class Occurrence(NamedTuple):
    """A place that says what an open candidate does."""

    candidate: str
    evidence: Evidence
