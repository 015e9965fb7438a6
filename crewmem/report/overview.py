"""The overview of the page: counts, health, and what needs attention."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from datetime import timedelta
from typing import Any

from crewmem.errors import CrewmemError
from crewmem.health import get_level
from crewmem.health.agents import AgentHealth
from crewmem.health.doctor import FAIL, WARN, load_checks
from crewmem.health.history import fill_days
from crewmem.health.metrics import WEIGHTS
from crewmem.health.status import Status
from crewmem.home import Home, Tree
from crewmem.report.texts import Subject, make_command
from crewmem.times import local_day

HISTORY = timedelta(days=30)

SLOW_CHECKS = frozenset(
    {"journal.chain", "database.integrity", "hooks.working", "security.contents"}
)
"""Checks that read everything, or start programs: left to `doctor` in a large home."""

LARGE = 20_000
"""Entries and facts from which a home is large."""


@dataclass(slots=True)
class Attention:
    """Something that needs a person.

    Attributes:
        level: ``fail``, ``warn`` or ``next``.
    """

    level: str
    about: str
    text: str
    command: str


@dataclass(slots=True)
class MetricRow:
    """A metric of health, with its value on each of the last days; None where none was taken."""

    name: str
    value: float | None
    weight: float
    days: list[float | None]


@dataclass(slots=True)
class AgentRow:
    """An agent, and how well its memory works.

    Attributes:
        health: None where the actor may not judge it.
    """

    slug: str
    crew: str
    role: str
    about: str
    health: AgentHealth | None = None


@dataclass(slots=True)
class Overview:
    """What the page begins with.

    Attributes:
        status: Fields of `health.status.Status`.
        score: Newest score of health; None when it was never measured.
        days: Score on each of the last days.
        quality: Mean quality of shared facts on each of the last days, 0 to 100.
    """

    status: dict[str, Any]
    score: float | None
    level: str
    measured_on: str
    days: list[float | None]
    metrics: list[MetricRow]
    attention: list[Attention]
    quality: list[float | None] = field(default_factory=list)
    crews: list[tuple[str, str, str]] = field(default_factory=list)
    agents: list[AgentRow] = field(default_factory=list)


def collect_overview(subject: Subject) -> Overview:
    """Return counts, health and what needs attention."""
    home, texts, crew = subject.home, subject.texts, subject.selection.crew
    status = home.status()
    jobs = tuple(job._replace(at=texts.local(job.at)) for job in status.jobs)
    overview = Overview(
        status=status._replace(jobs=jobs)._asdict(),
        score=None,
        level="n/a",
        measured_on="",
        days=[],
        metrics=[],
        attention=[],
    )
    if home.context.has_db:
        _add_health(home, overview, crew or "")
    overview.attention = _list_attention(subject, status, overview)
    if not home.context.has_db:
        return overview
    for each in home.registry.list_crews():
        if crew is None or each.name == crew:
            overview.crews.append((each.name, each.lead, texts.clean(each.description)))
    overview.quality = [
        None if day.quality is None else round(100 * day.quality, 1)
        for day in home.facts.trace_quality(HISTORY, crew=crew)
    ]
    measured = {each.agent: each for each in home.measure_agents()}
    for agent in home.registry.list_agents(crew=crew):
        if subject.is_about(agent.slug):
            health = measured.get(agent.slug)
            if health is not None:
                health = replace(health, extracted_at=texts.local(health.extracted_at))
            about = texts.clean(agent.description)
            overview.agents.append(AgentRow(agent.slug, agent.crew, agent.role, about, health))
    return overview


def _add_health(home: Home, overview: Overview, crew: str) -> None:
    today = local_day(home.context.now, home.context.zone)
    since = today - HISTORY
    snapshots = home.health.list_snapshots(crew, since)
    days = fill_days(snapshots, since, today)
    health = home.health.load(crew)
    overview.days = [None if day is None else day.score for day in days]
    if health is None:
        overview.metrics = [MetricRow(name, None, weight, []) for name, weight in WEIGHTS.items()]
        return
    overview.score, overview.level, overview.measured_on = health.score, health.level, health.date
    for metric in health.metrics:
        history = [None if day is None else getattr(day, metric.name) for day in days]
        overview.metrics.append(MetricRow(metric.name, metric.value, metric.weight, history))


def _list_attention(subject: Subject, status: Status, overview: Overview) -> list[Attention]:
    """Return what doctor finds, the worst first, poor health, and the next step of status."""
    home, texts = subject.home, subject.texts
    left_out = SLOW_CHECKS if status.entries + status.facts > LARGE else frozenset()
    if left_out:
        subject.notes.append(
            "In a large home the page leaves the slow checks to: " + make_command(home, "doctor")
        )
    found = []
    try:
        report = home.doctor(only=[each for each in load_checks() if each not in left_out])
    except CrewmemError as error:
        found.append(Attention(FAIL, "doctor", error.message, make_command(home, "doctor")))
    else:
        found = [
            Attention(each.status, each.id, texts.clean(each.observed), each.fix)
            for each in report.findings
            if each.status in (FAIL, WARN)
        ]
    if overview.level in ("red", "yellow"):
        found.append(_judge_health(home, overview))
    found.sort(key=lambda each: (each.level != FAIL, each.level == "next"))
    if status.next not in {each.command for each in found} and not isinstance(home, Tree):
        found.append(Attention("next", "next step", status.reason, status.next))
    return found


def _judge_health(home: Home, overview: Overview) -> Attention:
    """Return that health is red, which is a warning, or yellow, with the metrics that are red."""
    poor = [
        f"{metric.name} {metric.value:.0f}"
        for metric in overview.metrics
        if metric.value is not None and get_level(metric.value) == "red"
    ]
    return Attention(
        WARN if overview.level == "red" else "next",
        "memory health",
        f"health is {overview.level}: {overview.score:.0f} of 100"
        + (f" ({', '.join(poor)})" if poor else ""),
        make_command(home, "memory health", "--explain"),
    )
