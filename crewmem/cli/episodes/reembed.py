"""``crewmem episodes reembed``."""

from __future__ import annotations

from crewmem.cli.app import App, pass_app
from crewmem.cli.command import option, verb

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from crewmem.backends.embed import Embedder
    from crewmem.cli.output import Line
    from crewmem.cli.sweeping.plan import Plan
    from crewmem.episodes.reembed import Reembedded


@verb
@option("--dry-run", is_flag=True, help="Only say what would be done.")
@pass_app
def reembed_command(app: App, *, dry_run: bool) -> None:
    """Give all episodes vectors of the embedder that is set now.

    Vectors of two models cannot be compared: as long as there are some of another,
    recall goes by words. Those go when the new ones are there; interrupted, it goes on
    where it was. All workspaces are renewed, unless --workspace names one. Agents
    whose memory is off are passed over.
    """
    from crewmem.cli.embedding import choice
    from crewmem.cli.jobs.alone import job, tell_running
    from crewmem.cli.sweeping.plan import planned
    from crewmem.errors.backends import NoEmbedderError

    plan = planned(app, app.now)
    chosen = choice(app, stored_model=None)
    if chosen.embedder is None:
        raise NoEmbedderError(chosen.why, chosen.hint)
    if dry_run:
        done = [*_planned(app, plan, chosen.embedder.model)]
        app.out.listing_lines(done, _lines(done, dry_run=True))
        return
    with job(app, "sweep") as is_alone:
        if is_alone:
            done = _done(app, plan, chosen.embedder)
            app.out.listing_lines(done, _lines(done, dry_run=False))
        else:
            tell_running(app, "sweep")
            app.out.listing_lines([], ())


def _planned(app: App, plan: Plan, model: str) -> Iterator[Reembedded]:
    """Yield what would be done, found by reading alone."""
    from crewmem.cli.remembered import all_stores_to_read
    from crewmem.episodes.backlog import backlog
    from crewmem.episodes.reembed import Reembedded
    from crewmem.episodes.spaces import models

    if not plan.is_worth_a_look or (opened := all_stores_to_read(app)) is None:
        return
    kept = opened.vectors.spaces()
    for name, off in plan.off.items():
        mine = models(kept, name)
        same = next((each for each in mine if each.name == model), None)
        waiting = backlog(
            opened.episodes, opened.vectors, name, same, app.now, without=off
        ).waiting
        dropped = sum(each.vectors for each in mine if each.name != model)
        yield Reembedded(name, model, waiting, 0, 0, dropped)


def _done(app: App, plan: Plan, embedder: Embedder) -> list[Reembedded]:
    from crewmem.cli.progress import progress
    from crewmem.cli.remembered import all_stores
    from crewmem.episodes.reembed import reembed

    if not plan.is_worth_a_look:
        return []
    opened = all_stores(app)
    with progress(app.out, doing="Embedding", unit="entries") as tick:
        return [
            reembed(opened, embedder, name, now=app.now, without=off, tick=tick)
            for name, off in plan.off.items()
        ]


def _lines(done: Sequence[Reembedded], *, dry_run: bool) -> Iterator[Line]:
    from crewmem.health.advice import counted

    for each in done:
        embedded = counted(each.embedded, "episode", "episodes")
        dropped = counted(each.dropped, "vector", "vectors")
        would = "would be " if dry_run else ""
        text = f": {embedded} {would}embedded by {each.model}"
        if each.dropped:
            text += f", {dropped} of other models {would}dropped"
        if each.failed:
            text += f", {each.failed:,} failed"
        yield [("bold", each.workspace), text]
    if not done:
        yield "There are no episodes."
