"""The report of a sync: logs read, problems, and facts learned."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

MAX_PROBLEMS = 20
"""Maximum skipped lines and files that a report lists; all are counted."""


@dataclass(slots=True)
class Problem:
    """A line or file that was skipped; *line* is 0 for a whole file."""

    file: str
    line: int
    reason: str


@dataclass(slots=True)
class LearnedFact:
    """A fact that was learned; in a dry run, that would be.

    Attributes:
        evidence: Source of the fact: file, line, session, message and quote.
        id: Id of the fact; "" in a dry run.
        action: created, updated, unchanged (known before), superseded (an earlier fact), or
            quarantined.
        origin: operator for a person's words, agent for an agent's.
        review: Ids of the review items that it caused.
    """

    text: str
    kind: str
    evidence: list[dict[str, Any]]
    origin: str
    importance: int
    confidence: float
    entities: list[str]
    scope: str
    id: str = ""
    action: str = ""
    review: list[str] = field(default_factory=list)


@dataclass(slots=True)
class ReadingReport:
    """What a sync did.

    Attributes:
        read: Number of logs with new content.
        unchanged: Number of logs without.
        forgotten: Number of logs of forgotten sessions, which are not read.
        others: Number of logs of another workspace, or that the actor may not read.
        turns: Number of turns indexed.
        skipped: Number of lines and files that could not be read; *problems* lists the first.
        unknown: Number of lines of each unknown type.
        losses: Number of context losses found.
        learned: Facts that were stored; in a dry run, that would be.
        copied: Bytes added to the kept copies.
        waiting: Number of windows in the retry queue of the language model.
    """

    read: int = 0
    unchanged: int = 0
    forgotten: int = 0
    others: int = 0
    turns: int = 0
    skipped: int = 0
    unknown: dict[str, int] = field(default_factory=dict)
    losses: int = 0
    learned: list[LearnedFact] = field(default_factory=list)
    copied: int = 0
    waiting: int = 0
    problems: list[Problem] = field(default_factory=list)

    def skip(self, file: str, line: int, reason: str) -> None:
        """Count a skipped line or file, and list it if it is one of the first."""
        self.skipped += 1
        if len(self.problems) < MAX_PROBLEMS:
            self.problems.append(Problem(file, line, reason))
