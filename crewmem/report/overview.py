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
"""Checks that read everything or start programs. The page of a large home omits them."""

LARGE = 20_000
"""Number of entries and facts above which a home is large."""


def collect_overview(subject: PageSubject) -> dict[str, Any]:
    """Return the data of the overview: counts, health, agents, and what needs attention."""
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
    today, access = home.context.today, home.context.access
    snapshots = home.health.list_snapshots(crew or "", today - HISTORY)
    overview["days"] = fill_days(snapshots, today - HISTORY, today)
    overview["crews"] = [
        (record.name, record.lead, texts.clean(record.description))
        for record in home.registry.list_crews()
        if access.is_member(record.name) and (crew is None or record.name == crew)
    ]
    for agent in home.registry.list_agents(crew=crew):
        if subject.is_about(agent.slug) and any(map(access.is_member, agent.crews)):
            overview["agents"].append(
                {
                    "slug": agent.slug,
                    "crew": agent.crew,
                    "role": agent.role,
                    "about": texts.clean(agent.description),
                }
            )
    return overview


def _list_attention(subject: PageSubject, status: Status, health: Health | None) -> list[Finding]:
    """Return poor health, the findings of doctor, and the next step of status, the worst first.

    Review items are left out: see `decisions`.
    """
    home, texts = subject.home, subject.texts
    left_out = SLOW_CHECKS if status.entries + status.facts > LARGE else frozenset()
    if left_out:
        subject.notes.append(
            "This home is large, so slow checks are left out. To run them: "
            + home.context.command("doctor")
        )
    findings: list[Finding] = []
    if health is not None and health.level == "red":
        fix = home.context.command("memory health --explain")
        findings.append(Finding(WARN, f"health is {health.score:.0f} of 100", id="health", fix=fix))
    try:
        report = home.doctor(only=[check for check in load_checks() if check not in left_out])
    except CrewmemError as error:
        fix = home.context.command("doctor")
        findings.append(Finding(FAIL, error.message, id="doctor", fix=fix))
    else:
        findings += [
            replace(finding, observed=texts.clean(finding.observed))
            for finding in report.findings
            if finding.status in (FAIL, WARN) and finding.id != "review.waiting"
        ]
    findings.sort(key=lambda finding: (finding.status != FAIL, finding.id == "security.contents"))
    is_listed = status.review or status.next in {finding.fix for finding in findings}
    if not is_listed and home.context.tree is None:
        findings.append(Finding("next", status.reason, fix=status.next))
    return findings
