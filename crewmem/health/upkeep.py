"""What to do about jobs, health, and what waits for a person. Pure."""

from __future__ import annotations

from crewmem.health.advice import counted
from crewmem.health.recall import Step

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence
    from datetime import datetime

    from crewmem.health.holding import Holding
    from crewmem.health.overview import Ran
    from crewmem.health.remembered import Remembered
    from crewmem.health.runs_store import Run

RED, GREEN = 50, 75
"""Below the first health is red, from the second on it is green; yellow between."""

LATE_SWEEP, LATE_ANY = 1_200, 108_000
"""Seconds after which it is looked whether a job is overdue: twenty minutes of a sweep,
thirty hours of any other, which is a day and what the machine may sleep."""


def band(score: float) -> str:
    """Return the band that a *score* of health is in."""
    return "red" if score < RED else "yellow" if score < GREEN else "green"


def whole(score: float) -> int:
    """Return *score* as a person reads it: cut, for 49.6 is red, and 50 is not."""
    return int(score)


def is_worth_a_look(runs: Sequence[Run], now: datetime) -> bool:
    """Tell whether a job may be overdue: only then its schedule is computed."""
    for each in runs:
        age = (now - each.at).total_seconds()
        if age > (LATE_SWEEP if each.name == "sweep" else LATE_ANY):
            return True
    return False


MANY = 64
"""Memories that one pass of a sweep takes: more have waited for a second."""


def upkeep_steps(
    kept: Remembered,
    held: Holding,
    ran: Ran,
    *,
    refused: int,
    has_embedder: bool,
    may_install: bool,
) -> Iterator[Step]:
    """Yield what to do, the most useful first.

    Args:
        kept: What is kept of events.
        held: How much is held to be true, and what of it waits.
        ran: What is known of jobs and of health.
        refused: Texts of files that were refused, and wait.
        has_embedder: Whether something embeds what waits.
        may_install: Whether timers can be installed.
    """
    yield from _of_jobs(ran)
    if has_embedder and held.waiting > MANY:
        problem = f"{held.waiting:,} memories wait to be embedded"
        yield Step(problem, "crewmem episodes sweep --all", "embed what waits")
    elif has_embedder and held.waiting and not ran.runs:
        yield Step("", "crewmem episodes sweep", "embed what waits")
    if ran.logs.waiting and not any(each.name == "extract" for each in ran.runs):
        yield Step("", "crewmem transcripts extract", "learn of what was said since")
    yield from _for_a_person(held, refused)
    if ran.score is not None and ran.score < RED:
        problem = f"health is at {whole(ran.score)} of 100"
        yield Step(problem, "crewmem memory health --explain", "see what would help")
    if may_install and kept.entries and not ran.runs:
        why = "sweeps and nightly jobs run by themselves"
        yield Step("", "crewmem timers install", why)


def _of_jobs(ran: Ran) -> Iterator[Step]:
    """Yield what to do about jobs that failed, or were not run."""
    for each in ran.runs:
        if each.result == "failed":
            problem = f"the job {each.name} failed"
            yield Step(problem, f"crewmem timers run {each.name}", "run it again")
        elif each.failures and each.result == "busy":
            problem = f"the job {each.name} met a locked database"
            yield Step(problem, "crewmem timers status", "see for how long it has")
    if ran.overdue:
        problem = f"overdue: {', '.join(ran.overdue)}"
        yield Step(problem, "crewmem timers status", "see what should run it")


def _for_a_person(held: Holding, refused: int) -> Iterator[Step]:
    """Yield what waits for a person; it is no problem that it does."""
    if refused:
        why = f"{counted(refused, 'text')} to look at"
        yield Step("", "crewmem memory quarantine list", why)
    if held.quarantined:
        why = f"{counted(held.quarantined, 'memory', 'memories')} to look at"
        yield Step("", "crewmem memories list --status quarantined", why)
    if held.proposals:
        why = f"{counted(held.proposals, 'change')} to decide on"
        yield Step("", "crewmem proposals list", why)
