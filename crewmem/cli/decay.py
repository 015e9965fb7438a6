"""``crewmem decay``."""

from __future__ import annotations

import click

from crewmem.cli.app import App, pass_app
from crewmem.cli.command import option, verb
from crewmem.cli.episodes.whose import Whose, whose_options

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from crewmem.cli.output import Table
    from crewmem.memories.fading import Fading

USUAL, MOST = 20, 1_000
"""Lines of the report, and at most."""


@verb
@option("--apply", is_flag=True, help="Compute the importance of all episodes anew.")
@option("--dry-run", is_flag=True, help="Only report, which is the default.")
@option("-l", "--limit", type=int, metavar="N", help="Most lines, 1 to 1000.  [20]")
@whose_options
@pass_app
def decay_command(
    app: App, *, apply: bool, dry_run: bool, limit: int | None, whose: Whose
) -> None:
    """Report what fades, faintest first; with --apply let it fade.

    Importance is computed from its base, the age and how often an episode was
    delivered into a prompt; never from the last result, so applying it twice changes
    nothing. It is meant for every night. All workspaces fade, unless --workspace names
    one. Without --apply nothing is written.

    Of memories it says how much is left of them: above 70 % is green, above 30 %
    yellow. That depends on their age and on deliveries, which --apply lets count for
    their rank: until then asking changes no answer. Nothing is deleted by forgetting;
    it ranks lower.
    """
    if apply and dry_run:
        raise click.UsageError("--apply and --dry-run do not go together.")
    if apply:
        if limit is not None or any(whose):
            raise click.UsageError("--apply is for all episodes: name no part of them.")
        _apply(app)
        return
    most = app.clamped("--limit", limit, USUAL, MOST)
    every = [*_episodes(app, whose, most), *_memories(app, whose, most)]
    found = sorted(every, key=lambda each: each.importance)[:most]
    app.out.listing(found, _table(found))
    if not found:
        app.out.note("There is nothing that could fade.")


def _episodes(app: App, whose: Whose, limit: int) -> Iterator[Fading]:
    from crewmem.cli.remembered import stores_to_read
    from crewmem.episodes.decay import fading
    from crewmem.memories.fading import Fading
    from crewmem.memories.retention import color

    if opened := stores_to_read(app):
        owners = whose.owners(app, opened.episodes)
        for each in fading(
            opened.episodes, opened.journal, owners, now=app.now, limit=limit
        ):
            yield Fading(*each, color=color(each.retention))


def _memories(app: App, whose: Whose, limit: int) -> list[Fading]:
    from crewmem.cli.held import memories_to_read, view
    from crewmem.errors.memories import MemoryTablesMissingError
    from crewmem.memories.fading import fading
    from crewmem.memories.store import Filter

    try:
        memories = memories_to_read(app)
    except MemoryTablesMissingError:
        return []
    if memories is None:
        return []
    wanted = Filter(
        view(app),
        app.now,
        scope=None if whose.scope == "all" else whose.scope,
        agent=whose.agent,
        crew=whose.crew,
    )
    return fading(memories, wanted, limit)


def _apply(app: App) -> None:
    from crewmem.cli.decaying import Decayed, decayed
    from crewmem.cli.jobs.alone import job, tell_running
    from crewmem.health.advice import counted
    from crewmem.scope import require_operator

    require_operator(app.actor, "let all episodes fade")
    with job(app, "decay") as is_alone:
        if not is_alone:
            tell_running(app, "decay")
            app.out.record(Decayed(0, running=True), [])
            return
        done = decayed(app)
    told = counted(done.episodes, "episode", "episodes")
    lines = [f"The importance of {told} was computed anew."]
    if done.memories:
        news = counted(done.memories, "memory", "memories")
        lines.append(f"What was delivered of {news} counts from now on.")
    app.out.record(done, lines)


def _table(found: Sequence[Fading]) -> Table:
    from crewmem.cli.journal.shown import cut
    from crewmem.cli.output import Table

    return Table(
        ("ID", "AGE", "ACCESSES", "RETENTION", "STATE", "NOW", "IN 30 D", "SUMMARY"),
        [
            (
                each.ref,
                f"{each.age_days:.0f} d",
                str(each.references),
                f"{each.retention:.0%}",
                each.color,
                f"{each.importance:.2f}",
                f"{each.importance_ahead:.2f}",
                cut(each.summary),
            )
            for each in found
        ],
        right=frozenset({"AGE", "ACCESSES", "RETENTION", "NOW", "IN 30 D"}),
    )
