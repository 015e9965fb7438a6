"""``crewmem episodes sweep``."""

from __future__ import annotations

import time

import click

from crewmem.cli.app import App, pass_app
from crewmem.cli.command import option, verb

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator
    from datetime import timedelta

    from crewmem.cli.sweeping.passes import Sweep, Sweeper


@verb
@option(
    "-l",
    "--limit",
    type=int,
    metavar="N",
    help="Most entries of a pass, 1 to 10000.  [64]",
)
@option("--all", "everything", is_flag=True, help="Go on until nothing is left to do.")
@option("--for", "span", metavar="SPAN", help="Make passes for so long, as 60s.")
@option("--every", metavar="SPAN", help="With --for: begin a pass so often.  [30s]")
@option("--dry-run", is_flag=True, help="Only say what one pass would do.")
@option("--strict", is_flag=True, help="End with 1 when there are warnings.")
@pass_app
def sweep_command(
    app: App,
    *,
    limit: int | None,
    everything: bool,
    span: str | None,
    every: str | None,
    dry_run: bool,
    strict: bool,
) -> None:
    """Embed what is new, and bring memory indexes up to date.

    One pass, for a timer: it takes the oldest entries that have no vector yet, links
    them to their nearest, and embeds memories and chunks of memory files that are new
    or changed. All workspaces are swept, unless --workspace names one. An entry that
    fails is tried again later and holds up none. Only one sweep runs at a time; a
    second ends at once. Where nothing is new, nothing is written.

    With --dry-run it is only counted what one pass would do. Relations are not: which
    there are shows when there are vectors.

    Without an embedder indexes are brought up to date all the same: see crewmem
    embedder status.
    """
    from crewmem.cli.jobs.alone import job, tell_running
    from crewmem.cli.sweeping.passes import MOST, USUAL, Sweep, Sweeper, sweep_lines

    _require_sense(everything=everything, span=span, every=every, dry_run=dry_run)
    most = app.clamped("--limit", limit, USUAL, MOST)
    if dry_run:
        from crewmem.cli.sweeping.foreseen import foreseen

        found = foreseen(app, None if everything else most)
        app.out.record(found, [*sweep_lines(found), "Nothing was written."])
        app.strictly(strict=strict)
        return
    with job(app, "sweep") as is_alone:
        if not is_alone:
            tell_running(app, "sweep")
            app.out.record(Sweep(running=True), [])
            return
        sweeper = Sweeper(app, None if everything else most)
        done = _every(app, sweeper) if everything else sweeper.sweep(app.now)
        if span:
            from crewmem import times

            lasts, pause = _span("--for", span), _span("--every", every or "30s")
            for after in _further(lasts.total_seconds(), pause.total_seconds()):
                done = done.then(sweeper.sweep(times.after(app.now, after)))
    if done.is_news or app.out.is_json or not app.out.quiet:
        app.out.record(done, sweep_lines(done))
    app.strictly(strict=strict)


def _require_sense(
    *, everything: bool, span: str | None, every: str | None, dry_run: bool
) -> None:
    """Refuse options that do not go together."""
    if everything and span:
        raise click.UsageError("--all and --for do not go together.")
    if every and not span:
        raise click.UsageError("--every is for --for: how long is not said.")
    if dry_run and span:
        raise click.UsageError("--dry-run is of one pass: it does not go with --for.")


def _every(app: App, sweeper: Sweeper) -> Sweep:
    """Make a pass over all that waits, and over what came meanwhile."""
    done = last = sweeper.sweep(app.now)
    while last.waiting and last.embedded:
        last = sweeper.sweep(app.now)
        done = done.then(last)
    return done


def _span(name: str, text: str) -> timedelta:
    from crewmem import times

    try:
        found = times.span(text)
    except ValueError as error:
        raise click.UsageError(f"{name}: {error}") from error
    if not found:
        raise click.UsageError(f"{name}: a span of nothing")
    return found


def _further(lasts: float, pause: float) -> Iterator[timedelta]:
    """Yield when it is time for a further pass: how long after the first that is.

    One that takes longer than the pause is followed by the next at once; none begins
    after *lasts*.
    """
    from datetime import timedelta

    began, number = time.monotonic(), 1
    while number * pause < lasts:
        time.sleep(max(0.0, began + number * pause - time.monotonic()))
        after = time.monotonic() - began
        if after >= lasts:
            return
        yield timedelta(seconds=after)
        number += 1
