"""The answer of a run: what it did, or would do."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from crewmem.consolidation.candidates import Candidate
from crewmem.consolidation.plan import FACT, Change, Plan, diff_changes

WAITING_SHOWN = 200
"""Open candidates that an answer lists."""


@dataclass(frozen=True, slots=True)
class Promoted:
    """A statement that is promoted, or waits.

    Attributes:
        kind: Fact kind, or rule.
        target: The file, or ``fact``; "" for one that waits.
        evidence: ``file:line@hash`` and ids of entries.
        score: Sum of the signals, in [0, 1].
    """

    text: str
    kind: str
    target: str
    evidence: list[str]
    crew: str = ""
    agent: str = ""
    score: float = 0.0
    signals: dict[str, float] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class FileEdit:
    """An edit of a file, as a unified diff."""

    file: str
    diff: str


@dataclass(frozen=True, slots=True)
class LeftOut:
    """Something that was not promoted, and why."""

    text: str
    reason: str


@dataclass(slots=True)
class ConsolidationRun:
    """What a run did, or with ``--dry-run`` would do.

    Attributes:
        status: ok, nothing-new, planned (``--dry-run``), review or skipped-locked.
        learned: Promoted statements, the best first.
        waiting: Open candidates.
        contradictions: Pairs that wait in review.
        review: Ids of review items that were made.
        skills: Names of procedures that sessions repeat and that wait in review, or would.
    """

    status: str = "nothing-new"
    crews: list[str] = field(default_factory=list)
    read: int = 0
    learned: list[Promoted] = field(default_factory=list)
    waiting: list[Promoted] = field(default_factory=list)
    contradictions: list[Promoted] = field(default_factory=list)
    edits: list[FileEdit] = field(default_factory=list)
    archived: list[str] = field(default_factory=list)
    skills: list[str] = field(default_factory=list)
    dropped: list[LeftOut] = field(default_factory=list)
    review: list[str] = field(default_factory=list)
    waiting_count: int = 0


def add_plan(result: ConsolidationRun, plan: Plan, files: Mapping[str, str]) -> None:
    """Add a plan to the answer."""
    result.read += plan.read
    for change in plan.changes:
        if change.action == "archive":
            result.archived.append(change.target)
        elif change.action != "pins":
            result.learned.append(_describe(change, change.target))
    result.edits += [
        FileEdit(file, "\n".join(diff)) for file, diff in diff_changes(plan.changes, files).items()
    ]
    result.edits += [
        FileEdit(change.target, "\n".join(change.lines))
        for change in plan.changes
        if change.action in ("pins", "rule")
    ]
    waiting = sorted(plan.waiting, key=lambda each: -each.score.get("total", 0.0))
    result.waiting_count += len(waiting)
    result.waiting += [_describe(each, "") for each in waiting[:WAITING_SHOWN]]
    for contradiction in plan.contradictions:
        result.contradictions.append(
            Promoted(
                contradiction.text,
                str(contradiction.a.get("kind") or contradiction.b.get("kind") or ""),
                "review",
                [*contradiction.a.get("evidence", []), *contradiction.b.get("evidence", [])],
                contradiction.crew,
                contradiction.agent,
            )
        )
    result.dropped += [LeftOut(text, reason) for text, reason in plan.dropped]


def leave_out_refused(result: ConsolidationRun, refused: Sequence[Change]) -> None:
    """Take what was refused out of what an answer says was learned."""
    gone = {(each.crew, each.agent, each.target, each.text) for each in refused}
    result.learned = [
        each
        for each in result.learned
        if (each.crew, each.agent, each.target, each.text) not in gone
    ]
    for each in refused:
        where = "" if each.target == FACT else f" by {each.target}"
        result.dropped.append(LeftOut(each.text, f"refused{where}"))


def _describe(each: Change | Candidate, target: str) -> Promoted:
    return Promoted(
        text=each.text,
        kind=each.kind,
        target=target,
        evidence=[str(place) for place in each.evidence],
        crew=each.crew,
        agent=each.agent,
        score=each.score.get("total", 0.0),
        signals=each.score,
    )
