"""The overview of the page: counts, health, and what needs attention."""

from __future__ import annotations

from dataclasses import dataclass, replace
from datetime import timedelta
from typing import Any

from crewmem.errors import CrewmemError
from crewmem.health.doctor import FAIL, WARN, load_checks
from crewmem.health.history import fill_days
from crewmem.health.status import Status
from crewmem.home import Home
from crewmem.report.texts import PageSubject

HISTORY = timedelta(days=30)

SLOW_CHECKS = frozenset(
    {"journal.chain", "database.integrity", "hooks.working", "security.contents"}
)
"""Slow checks, which read everything or start programs; a large home leaves them to `doctor`."""

DECIDED = frozenset({"review.waiting", "security.contents"})
"""Checks whose warnings ask a person to decide."""

LARGE = 20_000
"""Number of entries and facts from which a home counts as large."""

NO_HEALTH: dict[str, Any] = {
    "score": None, "level": "n/a", "measured_on": "", "days": [], "metrics": [],
}  # fmt: skip


@dataclass(slots=True)
class Attention:
    """Something that a person should attend to.

    Attributes:
        level: ``fail``, ``warn`` or ``next``.
    """

    level: str
    about: str
    text: str
    command: str


def collect_overview(subject: PageSubject) -> dict[str, Any]:
    """Return the start of the page: counts, health, agents, and what needs attention."""
    home, texts, crew = subject.home, subject.texts, subject.selection.crew
    status = home.status()
    jobs = tuple(job._replace(at=texts.local(job.at)) for job in status.jobs)
    has_db = home.context.has_db
    health = _describe_health(home, crew or "") if has_db else NO_HEALTH
    overview = {
        "status": status._replace(jobs=jobs)._asdict(),
        **health,
        "is_large": is_large(status),
        "attention": _list_attention(subject, status),
        "crews": [],
        "agents": [],
    }
    if not has_db:
        return overview
    overview["crews"] = [
        (each.name, each.lead, texts.clean(each.description))
        for each in home.registry.list_crews()
        if crew is None or each.name == crew
    ]
    measured = {each.agent: each for each in home.health.measure_agents()}
    for agent in home.registry.list_agents(crew=crew):
        if subject.is_about(agent.slug):
            its_health = measured.get(agent.slug)  # None if the actor may not judge it
            if its_health is not None:
                at = texts.local(its_health.extracted_at)
                its_health = replace(its_health, extracted_at=at)
            overview["agents"].append(
                {
                    "slug": agent.slug,
                    "crew": agent.crew,
                    "role": agent.role,
                    "about": texts.clean(agent.description),
                    "health": its_health,
                }
            )
    return overview


def is_large(status: Status) -> bool:
    """Tell whether a home is too large for the slow checks."""
    return status.entries + status.facts > LARGE


def _describe_health(home: Home, crew: str) -> dict[str, Any]:
    """Return the newest health and that of each of the last days; None without any."""
    today = home.context.today
    since = today - HISTORY
    snapshots = home.health.list_snapshots(crew, since)
    days = fill_days(snapshots, since, today)
    found = NO_HEALTH | {"days": [None if day is None else day.score for day in days]}
    health = home.health.load(crew)
    if health is None:
        return found
    return found | {
        "score": health.score,
        "level": health.level,
        "measured_on": health.date,
        "metrics": [
            {
                "name": metric.name,
                "value": metric.value,
                "days": [None if day is None else getattr(day, metric.name) for day in days],
            }
            for metric in health.metrics
        ],
    }


def _list_attention(subject: PageSubject, status: Status) -> list[Attention]:
    """Return the findings of doctor, the worst first, and the next step of status.

    Open decisions are left out: see `decisions`.
    """
    home, texts = subject.home, subject.texts
    left_out = SLOW_CHECKS if is_large(status) else frozenset()
    if left_out:
        subject.notes.append(
            "In a large home the page leaves the slow checks to: " + home.context.command("doctor")
        )
    found = []
    may_review = home.context.access.may_review
    decided = DECIDED if home.context.has_db and may_review else frozenset()
    try:
        report = home.doctor(only=[each for each in load_checks() if each not in left_out])
    except CrewmemError as error:
        found.append(Attention(FAIL, "doctor", error.message, home.context.command("doctor")))
    else:
        found = [
            Attention(each.status, each.id, texts.clean(each.observed), each.fix)
            for each in report.findings
            if each.status == FAIL or (each.status == WARN and each.id not in decided)
        ]
    found.sort(key=_rank)
    is_listed = status.next in {each.command for each in found} or (may_review and status.review)
    if not is_listed and home.context.tree is None:
        found.append(Attention("next", "next step", status.reason, status.next))
    return found


def _rank(each: Attention) -> tuple[bool, ...]:
    """Return the sort key: failures first, suspicions after other warnings."""
    return (each.level != FAIL, each.level == "next", each.about == "security.contents")
