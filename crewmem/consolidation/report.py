"""The result of a run: what it did, or would do."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from crewmem.consolidation.candidates import Candidate
from crewmem.consolidation.plan import FACT, Change, Plan, diff_changes

MAX_WAITING = 200
"""Maximum number of open candidates that a result lists for each crew."""


@dataclass(frozen=True, slots=True)
class Promoted:
    """A statement that is promoted or waits.

    Attributes:
        kind: Fact kind, or rule.
        target: The file, or ``fact``; "" for a statement that waits.
        evidence: ``file:line@hash``, or ids of entries and facts.
        score: Weighted sum of the signals, in [0, 1].
    """

    text: str
    kind: str
    target: str
    evidence: list[str]
    crew: str
    agent: str
    score: float = 0.0
    signals: dict[str, float] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class FileEdit:
    """An edit of a file: a unified diff, or the new lines of rules and pins."""

    file: str
    diff: str


@dataclass(frozen=True, slots=True)
class LeftOut:
    """A text that was not promoted, and the reason."""

    text: str
    reason: str


@dataclass(slots=True)
class ConsolidationRun:
    """The result of a run; with ``--dry-run``, what the run would do.

    Attributes:
        status: ok, nothing-new, planned (``--dry-run``), review or skipped-locked.
        read: Number of new inputs.
        learned: Promoted statements, best first.
        proposed: Statements of plans that this run put into review, best first.
        waiting: Open candidates, best first.
        contradictions: Contradictions to put into review.
        review: Ids of new review items.
        skills: Names of new skill candidates.
        waiting_count: Number of open candidates, of which *waiting* may list only the best.
    """

    status: str = "nothing-new"
    crews: list[str] = field(default_factory=list)
    read: int = 0
    learned: list[Promoted] = field(default_factory=list)
    proposed: list[Promoted] = field(default_factory=list)
    waiting: list[Promoted] = field(default_factory=list)
    contradictions: list[Promoted] = field(default_factory=list)
    edits: list[FileEdit] = field(default_factory=list)
    archived: list[str] = field(default_factory=list)
    skills: list[str] = field(default_factory=list)
    dropped: list[LeftOut] = field(default_factory=list)
    review: list[str] = field(default_factory=list)
    waiting_count: int = 0


def add_plan(
    result: ConsolidationRun, plan: Plan, *, waits: bool = False, refused: Sequence[Change] = ()
) -> None:
    """Add a plan to the result, without its changes of files.

    Args:
        waits: Whether review decides about its changes.
        refused: Changes that were refused when the plan was applied.
    """
    result.read += plan.read
    for change in plan.changes:
        if change in refused:
            where = "" if change.target == FACT else f" by {change.target}"
            result.dropped.append(LeftOut(change.text, f"refused{where}"))
        elif change.action not in ("archive", "pins"):
            statements = result.proposed if waits else result.learned
            statements.append(_make_promoted(change, change.target))
    waiting = sorted(plan.waiting, key=lambda each: -each.score.get("total", 0.0))
    result.waiting_count += len(waiting)
    result.waiting += [_make_promoted(each, "") for each in waiting[:MAX_WAITING]]
    for contradiction in plan.contradictions:
        result.contradictions.append(
            Promoted(
                text=contradiction.text,
                kind=contradiction.a.get("kind") or contradiction.b["kind"],
                target="review",
                evidence=[*contradiction.a["evidence"], *contradiction.b["evidence"]],
                crew=contradiction.crew,
                agent=contradiction.agent,
            )
        )
    result.dropped += [LeftOut(text, reason) for text, reason in plan.dropped]


def add_file_changes(
    result: ConsolidationRun, changes: Sequence[Change], files: Mapping[str, str]
) -> None:
    """Add the edits of files and the archived notes of *changes* to the result.

    Args:
        files: Texts of the files before the changes.
    """
    diffs = diff_changes(changes, files)
    result.edits += [FileEdit(file, "\n".join(diff)) for file, diff in diffs.items()]
    for change in changes:
        if change.action == "archive":
            result.archived.append(change.target)
        elif change.action in ("pins", "rule"):
            result.edits.append(FileEdit(change.target, "\n".join(change.lines)))


def _make_promoted(statement: Change | Candidate, target: str) -> Promoted:
    return Promoted(
        text=statement.text,
        kind=statement.kind,
        target=target,
        evidence=[str(place) for place in statement.evidence],
        crew=statement.crew,
        agent=statement.agent,
        score=statement.score.get("total", 0.0),
        signals=statement.score,
    )
