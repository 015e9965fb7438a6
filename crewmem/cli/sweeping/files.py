"""The part of a sweep that looks after memory directories."""

from __future__ import annotations

from functools import partial

from crewmem.errors import CrewmemError, NotFoundError
from crewmem.errors.backends import UnreachableError
from crewmem.records import NamedTuple

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
    from datetime import datetime

    from crewmem.backends.embed import Embedder
    from crewmem.cli.app import App
    from crewmem.cli.sweeping.plan import Plan
    from crewmem.files.place import Place


class Looked(NamedTuple):
    """What was done in memory directories.

    Attributes:
        files: How many files were brought in.
        chunks: How many chunks were embedded.
        versions: How many outside changes were recorded.
        lost: How many chunks could not be embedded.
    """

    files: int
    chunks: int
    versions: int
    lost: int


def sweep_directories(
    app: App,
    plan: Plan,
    now: datetime,
    choose: Callable[[str | None], Embedder | None],
) -> Looked:
    """Bring indexes up to date, record outside changes, and embed chunks that changed.

    Args:
        app: The world.
        plan: The workspaces, each with the agents that are left out; the model of the
            vectors of entries, which chunks are to have as well; and what was recorded.
        now: The time.
        choose: Returns what embeds, given the model of the vectors there are; it is
            asked when something is to be embedded.
    """
    from crewmem.cli.places import access
    from crewmem.cli.recording import Recorder
    from crewmem.files.reindex import reindex

    files = 0
    found: list[Place] = []
    how, recorder = access(app), Recorder(app, plan.listings)
    for name, place in places_of(app, plan.off):
        try:
            done = reindex(place, how, look=partial(recorder.look, name, place))
        except CrewmemError as error:
            app.out.warn(str(error))
            continue
        found.append(place)
        files += done.added + done.changed + done.removed
    recorder.miss(plan.off)
    versions = recorder.record(now)
    chunks, lost = _embedded(app, found, now, plan.model, choose)
    return Looked(files, chunks, versions, lost)


def places_of(
    app: App, off: Mapping[str, Collection[str]]
) -> Iterator[tuple[str, Place]]:
    """Yield the memory directories of the home whose agents want to be looked after.

    With each comes its workspace.
    """
    from crewmem.files import locate

    for name, without in off.items():
        try:
            found = locate.in_home(app.home, name, None)
        except NotFoundError:
            continue
        for place in found:
            if place.agent not in without:
                yield name, place


def _embedded(
    app: App,
    found: Sequence[Place],
    now: datetime,
    model: str | None,
    choose: Callable[[str | None], Embedder | None],
) -> tuple[int, int]:
    """Embed what waits in directories, if anything does.

    Returns:
        How many chunks, and how many could not be.
    """
    from crewmem.files.embed import waiting

    now_ms, timeout = int(now.timestamp() * 1000), app.settings.busy_timeout
    due: list[Place] = []
    stored = model
    for place in found:
        try:
            left = waiting(place, model, now_ms, busy_timeout=timeout)
            stored = stored or left.model
            if left.chunks:
                due.append(place)
        except CrewmemError as error:
            app.out.warn(str(error))
    if not due:
        return 0, 0
    embedder = choose(stored)
    return _embed(app, due, embedder, now_ms) if embedder else (0, 0)


def _embed(
    app: App, due: Sequence[Place], embedder: Embedder, now_ms: int
) -> tuple[int, int]:
    from crewmem.cli.progress import progress
    from crewmem.files.embed import embed

    chunks = lost = 0
    with progress(app.out, doing="Embedding", unit="chunks") as tick:
        for place in due:
            try:
                done = embed(
                    place,
                    embedder,
                    now_ms,
                    busy_timeout=app.settings.busy_timeout,
                    tick=tick,
                )
            except UnreachableError as error:
                app.out.warn(f"{error}. {error.hint}")
                break
            except CrewmemError as error:
                app.out.warn(f"{place.path}: {error}")
                continue
            chunks, lost = chunks + done.embedded, lost + done.failed
    return chunks, lost
