"""``crewmem memory health``."""

from __future__ import annotations

from math import isnan

import click

from crewmem.cli.app import App, pass_app
from crewmem.cli.command import option, verb
from crewmem.cli.places import Chosen, as_slug, places, root

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

    from crewmem.cli.measuring import Measurer
    from crewmem.files.place import Place
    from crewmem.health.health import Action, Health
    from crewmem.health.metric import Counts
    from crewmem.health.snapshot_store import Snapshot

RULE = "agents and leads see the health of their own crews"

KEEPS = "only operators, and the lead of a crew, keep a snapshot"

OLD_DAYS = 2
"""Days from which on a snapshot is of a time that is over: one is kept every night."""


def as_number(
    ctx: click.Context, param: click.Parameter, number: float | None
) -> float | None:
    """Return *number*, if it is one that another can be compared with."""
    if number is not None and isnan(number):
        raise click.BadParameter("This is no number.", ctx, param)
    return number


@verb
@option("--crew", metavar="NAME", callback=as_slug, help="Of this crew alone.")
@option("--explain", is_flag=True, help="Tell every input, and what would raise it.")
@option("--history", metavar="TIME", help="Draw the days since then, as 30d.")
@option("--measure", is_flag=True, help="Measure now, and keep it as today's.")
@option(
    "--min",
    "least",
    type=click.FloatRange(0, 100),
    callback=as_number,
    metavar="N",
    help="End with 1 below this score, and where there is none.",
)
@option("-p", "--path", metavar="DIR", help="A tree of memory files; needs no home.")
@pass_app
def health_command(
    app: App,
    *,
    path: str | None,
    crew: str | None,
    explain: bool,
    history: str | None,
    measure: bool,
    least: float | None,
) -> None:
    """Tell how healthy memory is: one score of five metrics.

    All are from 0 to 100. Freshness, coverage, coherence, efficiency and reachability
    are each judged where there is something to judge by; the others count for more
    then. Below 50 the score is red, below 75 yellow. Shown is the newest snapshot, of
    which nightly jobs keep one a day; where there is none, and with --explain, it is
    measured and not kept. With --measure it is. Of a tree without a home coverage is
    all there is, and an index that cannot be used covers nothing. Else what cannot be
    read is an error, never a number.
    """
    from crewmem.cli.measuring import Measurer
    from crewmem.cli.memory.health_shown import lines

    tree = _tree(app, path, crew)
    if tree is not None:
        if measure or history is not None:
            raise click.UsageError("A tree without a home keeps no snapshots.")
        measurer, whose = Measurer(app, "", app.now, tree), ""
    else:
        whose = _whose(app, crew)
        if measure:
            _require_keeper(app, whose)
        measurer = _measurer(app, whose)
    found, counts = _found(app, measurer, whose, explain=explain, measure=measure)
    if explain and counts:
        found = found._replace(actions=_actions(app, counts, found, path))
    if history is not None:
        found = found._replace(history=_history(app, whose, history))
    app.out.record(found, lines(app, found))
    if least is not None:
        _judge(app, found, least)


def _tree(app: App, path: str | None, crew: str | None) -> Sequence[Place] | None:
    """Return the directories of a tree that was named, or found outside of a home."""
    chosen = Chosen(path, None, crew, None)
    if path is None and root(app, chosen) == app.home:
        return None
    return places(app, chosen)[0]


def _measurer(app: App, crew: str) -> Measurer:
    """Return what measures the workspace.

    Raises:
        NotFoundError: If there is no such home, workspace or *crew*.
    """
    from crewmem.cli.measuring import Measurer
    from crewmem.errors.registry import CrewMissingError

    app.journal_to_read  # noqa: B018 - it raises where there is no workspace
    measurer = Measurer(app, app.workspace, app.now)
    if crew and crew not in measurer.crews:
        raise CrewMissingError(crew, app.workspace)
    return measurer


def _whose(app: App, crew: str | None) -> str:
    """Return the crew that is meant, "" for the workspace.

    Raises:
        OutOfScopeError: If the actor may not see that.
    """
    if app.actor.is_operator:
        return crew or ""
    from crewmem.cli.journals import require_known
    from crewmem.errors.registry import OutOfScopeError

    require_known(app)
    own = app.sight.crew or min(app.sight.crews or {""})
    if crew and not app.sight.sees_crew(crew):
        raise OutOfScopeError(str(app.actor), f"see the health of crew {crew}", RULE)
    return crew or own


def _require_keeper(app: App, crew: str) -> None:
    if not (app.actor.is_operator or app.sight.leads(crew)):
        from crewmem.errors.registry import OutOfScopeError

        raise OutOfScopeError(str(app.actor), f"measure the crew {crew}", KEEPS)


def _found(
    app: App, measurer: Measurer, crew: str, *, explain: bool, measure: bool
) -> tuple[Health, Counts | None]:
    """Return the newest snapshot, or what is measured now, and say which it is.

    With what was measured come the counts that it was computed from.
    """
    from crewmem.cli.measuring import keep

    if measure:
        app.truth  # noqa: B018 - refused before it is measured
    elif not explain and (newest := _newest(app, measurer, crew)):
        from crewmem.health.health import remembered

        _tell_age(app, newest)
        return remembered(newest), None
    counts = measurer.counts(crew)
    found = measurer.judged(counts, crew)
    if measure:
        return keep(app, found, app.now, app.actor), counts
    if measurer.workspace and explain:
        app.out.note("This is as of now, and not kept; with --measure it is.")
    elif measurer.workspace:
        app.out.note(
            "Nothing was kept so far: this is as of now, and not kept either; with "
            "--measure it is."
        )
    return found, counts


def _newest(app: App, measurer: Measurer, crew: str) -> Snapshot | None:
    """Return the newest snapshot, if there can be any."""
    from crewmem.cli.measuring import day_of
    from crewmem.health.snapshot_store import newest

    db = app.truth_to_read if measurer.workspace else None
    if db is None:
        return None
    return newest(db, measurer.workspace, crew, until=day_of(app.now))


def _tell_age(app: App, newest: Snapshot) -> None:
    """Warn where what is shown may no longer be so."""
    from datetime import UTC, date

    day = date.fromisoformat(newest.snapshot_date)
    days = (app.now.astimezone(UTC).date() - day).days
    if days >= OLD_DAYS:
        app.out.warn(
            f"this is of {newest.snapshot_date}, {days} days ago: "
            "memory health --measure measures anew"
        )


def _actions(
    app: App, counts: Counts, health: Health, path: str | None
) -> list[Action]:
    """Return what would raise *health* most; points are of scores as they are told."""
    from crewmem.health.actions import gains
    from crewmem.health.health import DECIMALS, Action
    from crewmem.health.metrics import METRICS

    now = health.score or 0.0
    return [
        Action(
            command=_command(app, each.words, path),
            why=each.why,
            points=round(score - now, DECIMALS),
            score=score,
            metrics=each.metrics,
        )
        for each in gains(METRICS, counts, lambda words: _may(app, words))
        for score in [round(each.score, DECIMALS)]
    ]


NAMING = {("memories", "supersede")}
"""Commands that name memories, which only who sees all of them is told."""


def _may(app: App, words: Sequence[str]) -> bool:
    """Tell whether there is a command that *words* begin with, for who asks."""
    from crewmem.cli.table import TABLE

    if tuple(words[:2]) in NAMING and not app.actor.is_operator:
        return False
    verbs = TABLE.get(words[0])
    return isinstance(verbs, str) or (verbs is not None and words[1] in verbs[1])


OF_A_TREE = {("memory", "reindex")}
"""Commands that take the tree that is meant."""


def _command(app: App, words: Sequence[str], path: str | None) -> str:
    """Spell a command so that it works on the same memory."""
    from shlex import join

    verb = tuple(words[:2])
    home, workspace = app.given.get("home"), app.given.get("workspace")
    before = ["--home", str(home)] if home else []
    before += ["-w", str(workspace)] if workspace else []
    after = ["--path", path] if path and verb in OF_A_TREE else []
    return join(["crewmem", *before, *words, *after])


def _history(app: App, crew: str, typed: str) -> list[Snapshot]:
    from crewmem.cli.measuring import day_of
    from crewmem.health.snapshot_store import since

    began, db = app.instant("--history", typed), app.truth_to_read
    if began is None or db is None:
        return []
    return since(db, app.workspace, crew, day_of(began))


def _judge(app: App, found: Health, least: float) -> None:
    """End with 1 where *found* is below *least*, or nobody knows."""
    if found.score is None:
        app.out.note(f"There is no score that could be {least:g} or more.")
    elif found.score < least:
        app.out.note(f"The score is below {least:g}.")
    app.conclude(ok=found.score is not None and found.score >= least)
