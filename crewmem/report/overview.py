"""The overview of the page: counts, health, and what needs attention."""

from __future__ import annotations

from dataclasses import replace
from datetime import timedelta
from typing import Any

from crewmem.errors import CrewmemError
from crewmem.health.doctor import FAIL, WARN, Finding, load_checks
from crewmem.health.history import fill_days
from crewmem.health.metrics import Health
from crewmem.health.status import Status
from crewmem.report.texts import PageSubject

HISTORY = timedelta(days=30)

SLOW_CHECKS = frozenset(
    {"journal.chain", "database.integrity", "hooks.working", "security.contents"}
)
"""Slow checks, which read everything or start programs; a large home leaves them to `doctor`."""

LARGE = 20_000
"""Number of entries and facts from which a home is too large for the slow checks."""


def collect_overview(subject: PageSubject) -> dict[str, Any]:
    """Return the start of the page: counts, health, agents, and what needs attention."""
    home, texts, crew = subject.home, subject.texts, subject.selection.crew
    status = home.status()
    jobs = tuple(job._replace(at=texts.local(job.at)) for job in status.jobs)
    has_db = home.context.has_db
    overview: dict[str, Any] = {
        "status": status._replace(jobs=jobs)._asdict(),
        "health": home.health.load(crew or "") if has_db else None,
        "days": [],  # the health of each of the last days
        "crews": [],
        "agents": [],
    }
    overview["attention"] = _list_attention(subject, status, overview["health"])
    if not has_db:
        return overview
    today = home.context.today
    snapshots = home.health.list_snapshots(crew or "", today - HISTORY)
    overview["days"] = fill_days(snapshots, today - HISTORY, today)
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


def _list_attention(subject: PageSubject, status: Status, health: Health | None) -> list[Finding]:
    """Return poor health, the findings of doctor, the worst first, and the next step of status.

    What waits in review is left out: see `decisions`.
    """
    home, texts = subject.home, subject.texts
    left_out = SLOW_CHECKS if status.entries + status.facts > LARGE else frozenset()
    if left_out:
        subject.notes.append(
            "In a large home the page leaves the slow checks to: " + home.context.command("doctor")
        )
    found: list[Finding] = []
    if health is not None and health.level == "red":
        fix = home.context.command("memory health --explain")
        found.append(Finding(WARN, f"health is {health.score:.0f} of 100", id="health", fix=fix))
    try:
        report = home.doctor(only=[each for each in load_checks() if each not in left_out])
    except CrewmemError as error:
        fix = home.context.command("doctor")
        found.append(Finding(FAIL, error.message, id="doctor", fix=fix))
    else:
        found += [
            replace(each, observed=texts.clean(each.observed))
            for each in report.findings
            if each.status in (FAIL, WARN) and each.id != "review.waiting"
        ]
    found.sort(key=lambda each: (each.status != FAIL, each.id == "security.contents"))
    is_listed = status.review or status.next in {each.fix for each in found}
    if not is_listed and home.context.tree is None:
        found.append(Finding("next", status.reason, fix=status.next))
    return found
