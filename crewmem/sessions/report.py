"""What a sync answers with."""

from __future__ import annotations

from dataclasses import dataclass, field

from crewmem.sessions.extract import Learned
from crewmem.sessions.sync import Problem


@dataclass(slots=True)
class SyncReport:
    """What a sync did.

    Attributes:
        read: Logs that had something new.
        unchanged: Logs that had not.
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
    turns: int = 0
    skipped: int = 0
    unknown: dict[str, int] = field(default_factory=dict)
    losses: int = 0
    learned: list[Learned] = field(default_factory=list)
    copied: int = 0
    waiting: int = 0
    problems: list[Problem] = field(default_factory=list)
