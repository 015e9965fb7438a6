"""The report of a sync: what was read, skipped and learned."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

NAMED_PROBLEMS = 20
"""Skipped lines and files that a report names; the rest is counted."""


@dataclass(slots=True)
class Problem:
    """What was skipped, and why; the line is 0 for a whole file."""

    file: str
    line: int
    reason: str


@dataclass(slots=True)
class Learned:
    """A fact that was learned, or would be.

    Attributes:
        text: What it says.
        evidence: Where it was said: file, line, session, message and the words themselves.
        id: Of the fact; empty in a dry run.
        action: created, updated, unchanged (known already), superseded (an earlier fact), or
            quarantined.
        origin: operator for a person's words, agent for an agent's.
        review: Items that wait because of it.
    """

    text: str
    kind: str
    evidence: list[dict[str, Any]]
    origin: str
    importance: int
    confidence: float
    entities: list[str] = field(default_factory=list)
    scope: str = ""
    id: str = ""
    action: str = ""
    review: list[str] = field(default_factory=list)


@dataclass(slots=True)
class ReadingReport:
    """What a sync did.

    Attributes:
        read: Logs that had something new.
        unchanged: Logs that had not.
        forgotten: Logs of sessions that were forgotten: they are not read again.
        others: Logs that are not this actor's to read, or of another workspace.
        turns: Turns that were indexed.
        skipped: Lines and files that could not be read; *problems* names the first.
        unknown: Unknown types of lines, with counts.
        losses: Context losses that were found.
        learned: Facts that were stored, or would be.
        copied: Bytes that the kept copies grew by.
        waiting: Windows that wait until a language model can be asked about them.
    """

    read: int = 0
    unchanged: int = 0
    forgotten: int = 0
    others: int = 0
    turns: int = 0
    skipped: int = 0
    unknown: dict[str, int] = field(default_factory=dict)
    losses: int = 0
    learned: list[Learned] = field(default_factory=list)
    copied: int = 0
    waiting: int = 0
    problems: list[Problem] = field(default_factory=list)

    def skip(self, file: str, line: int, reason: str) -> None:
        """Count what was skipped, and name the first."""
        self.skipped += 1
        if len(self.problems) < NAMED_PROBLEMS:
            self.problems.append(Problem(file, line, reason))
