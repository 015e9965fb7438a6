"""What a check has to say. Pure."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum


class Status(StrEnum):
    """How it stands with what was looked at, the worst first."""

    FAIL = "fail"
    WARN = "warn"
    PASS = "pass"  # noqa: S105 - a verdict, no password
    SKIP = "skip"


RANKS = {status: rank for rank, status in enumerate(Status)}
"""The worse, the lower."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Finding:
    """One thing that a check found.

    Attributes:
        id: The check's, as ``home.permissions``; stable.
        category: The check's, as ``home``; stable.
        status: ``pass``, ``warn``, ``fail``, or ``skip``: there was nothing to check.
        observed: What is so.
        expected: What should be so; "" where it is.
        repair: The command that repairs it; "" if a person has to decide how. Words
            in capitals stand for what only a person knows.
        look: The command that shows more of what a person has to decide on; it changes
            nothing. "" where *repair* is enough.
        fix: What ``--fix`` does about it; "" if nothing is safe to do, or may be done.
        where: The file or directory that it is about; "" if it is about none.
        fixed: Whether ``--fix`` repaired it; *observed* is what it found before.
    """

    id: str = ""
    category: str = ""
    status: Status
    observed: str
    expected: str = ""
    repair: str = ""
    fix: str = ""
    where: str = ""
    fixed: bool = False
    look: str = ""

    @property
    def is_problem(self) -> bool:
        """Tell whether something should be otherwise."""
        return self.status in {Status.WARN, Status.FAIL}


def passed(observed: str, *, where: str = "") -> Finding:
    """Say that what was looked at is as it should be."""
    return Finding(status=Status.PASS, observed=observed, where=where)


def skipped(observed: str) -> Finding:
    """Say why there is nothing to look at."""
    return Finding(status=Status.SKIP, observed=observed)


def warned(
    observed: str,
    *,
    expected: str,
    repair: str = "",
    fix: str = "",
    where: str = "",
    look: str = "",
) -> Finding:
    """Say what should be otherwise, and does no harm yet."""
    return Finding(
        status=Status.WARN,
        observed=observed,
        expected=expected,
        repair=repair,
        fix=fix,
        where=where,
        look=look,
    )


def failed(
    observed: str,
    *,
    expected: str,
    repair: str = "",
    fix: str = "",
    where: str = "",
    look: str = "",
) -> Finding:
    """Say what does not work, or loses something."""
    return Finding(
        status=Status.FAIL,
        observed=observed,
        expected=expected,
        repair=repair,
        fix=fix,
        where=where,
        look=look,
    )


def worst(findings: list[Finding]) -> Status:
    """Return the worst status of *findings*."""
    return min((each.status for each in findings), key=RANKS.__getitem__)
