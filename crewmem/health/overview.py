"""One look at all memory: how much there is, how it stands, and what to do next.

From cheap facts only; `diagnose` is for the rest. Pure.
"""

from __future__ import annotations

from crewmem.health.advice import problems
from crewmem.health.logs_store import NO_LOGS
from crewmem.health.upkeep import band
from crewmem.records import NamedTuple

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from pathlib import Path

    from crewmem.health.glance import Glance
    from crewmem.health.holding import Holding
    from crewmem.health.logs_store import Logs
    from crewmem.health.recall import Recall, Step
    from crewmem.health.remembered import Remembered
    from crewmem.health.runs_store import Run


class Ran(NamedTuple):
    """What is known of jobs, of health, and of who is switched off.

    Attributes:
        runs: The last run of each job, the latest first.
        overdue: The jobs that should have been run.
        score: Of health, as it was last measured; None if it was not.
        measured_on: When that was, a day.
        off: Agents whose memory is off.
        logs: How far session logs are read.
    """

    runs: tuple[Run, ...] = ()
    overdue: tuple[str, ...] = ()
    score: float | None = None
    measured_on: str | None = None
    off: tuple[str, ...] = ()
    logs: Logs = NO_LOGS


STATES = ("fresh", "stale", "missing", "unusable")
"""How an index can stand."""


class Overview(NamedTuple):
    """The state of all memory that is found.

    Attributes:
        source: Where memory was found: ``home``, ``mount`` (where a container has its
            crew), ``own`` (``~/.memory``), ``path`` (it was named), or ``none``.
        path: The directory that was looked in; null if there is none.
        home: The home, whether it is there or not.
        workspace: The workspace that is worked in; null outside a home.
        crews: Crews that have memory.
        agents: Agents that have memory.
        off: Agents whose memory is off, as far as one may know.
        directories: Memory directories.
        files: Memory files.
        bytes: Their sizes together.
        share: Of its cap, of the fullest directory; over 1 it is over it.
        over_cap: Files over their cap.
        near_cap: Files from 80 % of it.
        indexes: Directories by how their index stands: ``fresh``, ``stale``,
            ``missing`` or ``unusable``.
        skipped: Files that no search finds, or only with loss.
        chunks: Pieces of files in the indexes.
        refused: Texts of files that were refused, and wait for an operator.
        mode: How a search of memory files finds: ``words``, or ``hybrid``: in some
            directory by vectors as well.
        episodic: How recall finds what happened: ``vector``; ``vector-degraded``: there
            is an embedder, and something keeps it from some or all; ``sparse-only``:
            by words. Null outside a home.
        model: What makes the vectors; null if nothing does.
        entries: Entries of the journal, archived ones included. This, and what else is
            of crewmem.db, is null where that cannot be read.
        episodes: Those of them that are worth recalling.
        waiting: Episodes that have no vector yet, those that failed among them.
        failed: Episodes that could not be embedded when that was tried.
        memories: Memories that are active.
        quarantined: Memories that look like an attack or a secret.
        memories_waiting: Memories that no sweep has given a vector so far.
        proposals: Changes that wait for a person.
        contradictions: Those of them that are contradictions: neither side is learned
            before somebody has decided.
        health: How healthy memory was when that was last measured, from 0 to 100;
            null if it was not, or there was nothing to judge by.
        band: Of that: ``red`` below 50, ``yellow`` below 75, else ``green``; or null.
        measured_on: The day, in UTC; null if it was never measured.
        jobs: The last run of each job, the latest first; for operators.
        transcripts: How far session logs are read; for operators.
        problems: What should be otherwise, a sentence each; ``doctor`` looks closer.
        next: The most useful next command.
        why: What it is for.
    """

    source: str
    path: Path | None
    home: Path
    workspace: str | None
    crews: int
    agents: int
    off: tuple[str, ...]
    directories: int
    files: int
    bytes: int
    share: float
    over_cap: int
    near_cap: int
    indexes: Mapping[str, int]
    skipped: int
    chunks: int
    refused: int
    mode: str
    episodic: str | None
    model: str | None
    entries: int | None
    episodes: int | None
    waiting: int
    failed: int
    memories: int | None
    quarantined: int | None
    memories_waiting: int
    proposals: int | None
    contradictions: int | None
    health: float | None
    band: str | None
    measured_on: str | None
    jobs: tuple[Run, ...]
    transcripts: Logs
    problems: tuple[str, ...]
    next: str
    why: str


class Known(NamedTuple):
    """What is known beside memory directories.

    Attributes:
        trouble: What is wrong with the database, "" for nothing.
        kept: What is kept of events.
        held: How much is held to be true.
        ran: What is known of jobs, of health, and of who is switched off.
        recall: How events are recalled; None outside a home.
        steps: What to do about all that.
    """

    trouble: str
    kept: Remembered
    held: Holding
    ran: Ran
    recall: Recall | None
    steps: Sequence[Step]


class Where(NamedTuple):
    """Where memory was looked for: fields of an `Overview`."""

    source: str
    path: Path | None
    home: Path
    workspace: str | None


def overview(
    glances: Sequence[Glance], where: Where, known: Known, *, step: str, why: str
) -> Overview:
    """Sum *glances* up, with what is *known* beside them.

    *step* is the most useful next command, and *why* what it is for.
    """
    _, kept, held, ran, recall, steps = known
    is_unread = bool(known.trouble) and not kept.entries
    places = [each.place for each in glances]
    stands = [each.standing for each in glances if each.standing]
    indexes = [each.state for each in stands]
    return Overview(
        **where._asdict(),
        crews=len({each.crew for each in places if each.crew}),
        agents=sum(each.agent is not None for each in places),
        off=ran.off,
        directories=len(places),
        files=sum(each.files for each in stands),
        bytes=sum(each.bytes for each in stands),
        share=max((each.share for each in stands), default=0.0),
        over_cap=sum(len(each.over) for each in glances),
        near_cap=sum(each.near for each in glances),
        indexes={state: indexes.count(state) for state in STATES},
        skipped=sum(len(each.skipped) for each in stands),
        chunks=sum(each.chunks for each in stands),
        refused=sum(each.refused for each in glances),
        mode="hybrid" if any(each.mode == "hybrid" for each in stands) else "words",
        episodic=recall.state if recall else None,
        model=recall.model if recall else None,
        entries=None if is_unread else kept.entries,
        episodes=None if is_unread else kept.episodes,
        waiting=kept.waiting,
        failed=kept.failed,
        memories=None if is_unread else held.memories,
        quarantined=None if is_unread else held.quarantined,
        memories_waiting=held.waiting,
        proposals=None if is_unread else held.proposals,
        contradictions=None if is_unread else held.contradictions,
        health=ran.score,
        band=None if ran.score is None else band(ran.score),
        measured_on=ran.measured_on,
        jobs=ran.runs,
        transcripts=ran.logs,
        problems=problems(glances, known.trouble, steps),
        next=step,
        why=why,
    )
