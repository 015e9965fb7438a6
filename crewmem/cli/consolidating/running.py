"""Consolidation over the crews of a workspace, by the command or by a timer."""

from __future__ import annotations

from contextlib import suppress

from crewmem.cli.consolidating.means import means
from crewmem.errors import CrewmemError
from crewmem.records import NamedTuple

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence
    from datetime import datetime

    from crewmem.cli.app import App
    from crewmem.consolidation.means import Means
    from crewmem.consolidation.report import Crew, Run

SAID = (
    "learned",
    "proposed",
    "seen_again",
    "contradictions",
    "waiting",
    "archived",
    "pinned",
    "unpinned",
)
"""Counts that the entry of a run tells in its line."""

MANUAL, TIMER = "manual", "timer"
"""Why a run is made, as the journal is told."""

OK, NOTHING_NEW, FAILED, SKIPPED = "ok", "nothing-new", "failed", "skipped-locked"


class Wanted(NamedTuple):
    """What of a workspace is to be consolidated, and how.

    Attributes:
        crew: Only this crew.
        agent: Only this agent's notes.
        since: Read again what is from then on.
        policy: What is done with what was learned; None leaves it to the crew.
        dry_run: Whether nothing is written.
        llm_command: A program that draws rules; None leaves it to the settings.
    """

    crew: str | None = None
    agent: str | None = None
    since: datetime | None = None
    policy: str | None = None
    dry_run: bool = False
    llm_command: str | None = None


def consolidate_all(
    app: App, asked: Wanted | None = None, *, reason: str = MANUAL
) -> Run:
    """Make memory of what is new in the workspace; `JOB` is held by the caller.

    Args:
        app: The world.
        asked: What of it; None for all that is new.
        reason: Why it runs, as the journal is told: `MANUAL` or `TIMER`.

    Raises:
        CrewMissingError: If there is no such crew.
        AgentMissingError: If there is no such agent in it.
    """
    from crewmem.consolidation.report import Run

    asked = asked or Wanted()
    crews = _crews(app, asked.crew, asked.agent)
    without = _without(app, crews, asked.agent)
    if app.journal_to_read is None:
        return Run(NOTHING_NEW, asked.dry_run, [], without)
    if asked.dry_run:
        found = _each(app, crews, asked)
        return Run(_status(found), dry_run=True, crews=found, skipped=without)
    names = ", ".join(crews) or "no crew"
    _tell(app, "triggered", f"consolidation of {names}", reason=reason)
    try:
        found = _each(app, crews, asked)
    except BaseException:
        with suppress(CrewmemError):  # what went wrong is said, whatever else does
            completed(app, Run(FAILED, dry_run=False, crews=[], skipped=without))
        raise
    done = Run(_status(found), dry_run=False, crews=found, skipped=without)
    try:
        completed(app, done)
    except CrewmemError as error:  # its own hint would say that nothing was done
        error.hint = "All else was done; crewmem consolidate run goes on."
        raise
    _measure(app, crews)
    return done


def completed(app: App, done: Run) -> None:
    """Tell the journal that a run is over, and what it came to."""
    paths = [path for each in done.crews for path in (*each.paths, *each.archived)]
    counts = [(name, done.counts[name]) for name in SAID]
    said = ", ".join(
        f"{count} {name.replace('_', ' ')}" for name, count in counts if count
    )
    _tell(
        app,
        "completed",
        f"consolidation: {done.status}" + (f", {said}" if said else ""),
        status=done.status,
        counts=done.counts,
        paths=paths,
    )


def skipped(app: App, *, reason: str = MANUAL) -> Run:
    """Tell the journal that a run found another running, and return that."""
    from crewmem.consolidation.report import Run

    done = Run(SKIPPED, dry_run=False, crews=[], skipped=[])
    _tell(app, "triggered", "consolidation, while another was running", reason=reason)
    completed(app, done)
    return done


def _crews(app: App, crew: str | None, agent: str | None) -> list[str]:
    """Return the crews that are meant, by name."""
    from crewmem.errors.registry import (
        AgentMissingError,
        CrewMissingError,
        WorkspaceMissingError,
    )

    registry = app.registry_to_read if app.home.is_dir() else None
    if registry is None:
        if crew:
            raise CrewMissingError(crew, app.workspace)
        return []
    if not registry.has_workspace(app.workspace):
        raise WorkspaceMissingError(app.workspace)
    if crew:
        registry.crew(app.workspace, crew)
    if agent:
        home = registry.agent(app.workspace, agent).crew
        if crew and crew != home:
            raise AgentMissingError(agent, app.workspace)
        return [home]
    return [crew] if crew else [each.name for each in registry.crews(app.workspace)]


def _without(app: App, crews: Sequence[str], agent: str | None) -> list[str]:
    """Return the agents that take no part, for their memory is off."""
    registry = app.registry_to_read if app.home.is_dir() else None
    return [
        each.slug
        for each in (registry.agents(app.workspace) if registry else ())
        if not each.memory and each.crew in crews and agent in {None, each.slug}
    ]


def _each(app: App, crews: Sequence[str], asked: Wanted) -> list[Crew]:
    """Do each crew; where one fails the others are done, and it is said."""
    from crewmem.cli.progress import progress

    done: list[Crew] = []
    failures: list[CrewmemError] = []
    with progress(app.out, doing="Putting away", unit="notes") as tick:
        tools = means(app, dry_run=asked.dry_run)._replace(tick=tick)
        for crew in crews:
            try:
                done.append(_one(app, tools, crew, asked))
            except CrewmemError as error:
                failures.append(error)
    if failures and not done:
        raise failures[0]
    for failure in failures:
        app.out.warn(str(failure))
    return done


def _one(app: App, tools: Means, crew: str, asked: Wanted) -> Crew:
    from crewmem.cli.consolidating.gathering import gathering
    from crewmem.consolidation.consolidate import Asked, consolidate

    gather, keep = gathering(
        app,
        tools.journal.db,
        crew,
        agent=asked.agent,
        since=asked.since,
        llm_command=asked.llm_command,
    )
    how = Asked(crew, asked.policy or _policy(app, crew), asked.dry_run)
    return consolidate(tools, how, gather, keep, app.out.warn)


def _policy(app: App, crew: str) -> str:
    """Return what *crew* chose, or what the settings say."""
    registry = app.registry_to_read or app.registry
    own = str(registry.crew(app.workspace, crew).settings["consolidate_policy"])
    return app.settings.consolidate_policy if own == "setting" else own


def _status(done: Sequence[Crew]) -> str:
    news = any(each.is_news or each.read for each in done)
    return OK if news else NOTHING_NEW


def _tell(app: App, what: str, summary: str, **payload: object) -> None:
    from crewmem.consolidation.events import told

    app.journal.append(app.workspace, [told(what, summary, payload)], now=app.now)


def _measure(app: App, crews: Sequence[str]) -> None:
    """Write the day's snapshots of health of *crews* and the workspace.

    A run that cannot says so.
    """
    from crewmem.cli.measuring import measure_all

    try:
        measure_all(app, app.now, crews=crews)
    except CrewmemError as error:
        app.out.warn(f"health was not measured: {error}")
