"""``crewmem memory reindex``."""

from __future__ import annotations

from crewmem.cli.access import access
from crewmem.cli.app import App, pass_app
from crewmem.cli.command import option, verb
from crewmem.cli.places import Chosen, each_of, place_options, places

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

    from crewmem.cli.recording import Recorder
    from crewmem.files.place import Place
    from crewmem.files.reindex import Reindexed


@verb
@option("--full", is_flag=True, help="Build the index anew from every file.")
@option("--dry-run", is_flag=True, help="Only say what would be done.")
@option("--strict", is_flag=True, help="End with 1 when there are warnings.")
@place_options
@pass_app
def reindex_command(
    app: App, *, full: bool, dry_run: bool, strict: bool, chosen: Chosen
) -> None:
    """Bring the index of memory directories up to date.

    Only files that changed are read; when none did, nothing is written. A search
    does this by itself below the home; a directory named by --path is written by
    this command alone. It is safe beside readers and writers, and interrupted it
    leaves the index as it was. In the home, a version is recorded for each file that
    was changed by other means than crewmem. With --quiet nothing is printed where
    nothing changed and nothing is skipped; with --dry-run nothing is written.
    """
    from crewmem.cli.memory.shown import is_news, reindexed_lines
    from crewmem.cli.recording import recorder_of
    from crewmem.health.advice import counted

    found, _ = places(app, chosen)
    recorder = recorder_of(app, found, full=full)
    done = (_foreseen if dry_run else _reindexed)(app, found, recorder, full=full)
    recorded = recorder.foresee() if dry_run else recorder.record(app.now)
    for each in done:
        for skip in each.skipped:
            app.out.warn(f"{each.path / skip.file}: {skip.reason}")
        if each.rebuilt and not full:
            was = "would be" if dry_run else "was"
            app.out.warn(f"the index in {each.path} {was} built anew: {each.rebuilt}")
        app.out.detail(f"{each.path.absolute()}: {_how(each)}")
    if app.out.quiet and not app.out.is_json:
        told = [each for each in done if is_news(each)]
    else:
        told = done
    app.out.listing_lines(told, reindexed_lines(told))
    if recorded:
        versions = counted(recorded, "version", "versions")
        would = "would be " if dry_run else ""
        app.out.note(
            f"{versions} {would}recorded of what was not written through crewmem."
        )
    if dry_run:
        app.out.note("Nothing was written.")
    app.strictly(strict=strict)


def _foreseen(
    app: App, found: Sequence[Place], recorder: Recorder, *, full: bool
) -> list[Reindexed]:
    from functools import partial

    from crewmem.files.foresee import foresee

    def foreseen(place: Place) -> Reindexed:
        look = partial(recorder.look, app.workspace, place)
        return foresee(place, how, full=full, look=look).told

    how = access(app)
    return each_of(app, found, foreseen)


def _reindexed(
    app: App, found: Sequence[Place], recorder: Recorder, *, full: bool
) -> list[Reindexed]:
    from functools import partial

    from crewmem.cli.progress import progress
    from crewmem.files.reindex import reindex

    how = access(app)
    with progress(app.out) as tick:
        return each_of(
            app,
            found,
            lambda place: reindex(
                place,
                how,
                full=full,
                tick=tick,
                look=partial(recorder.look, app.workspace, place),
            ),
        )


def _how(each: Reindexed) -> str:
    """Say how the index came to be what it is, and how long that took."""
    if each.dry_run:
        return f"the index was compared with the files in {each.seconds:.3f} s"
    if each.rebuilt:
        done = f"built anew ({each.rebuilt})"
    elif each.added or each.changed or each.removed:
        done = "brought up to date"
    else:
        done = "compared with the files"
    return f"the index was {done} in {each.seconds:.3f} s"
