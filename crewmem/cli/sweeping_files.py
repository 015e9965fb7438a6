"""The part of a sweep that looks after memory directories."""

from __future__ import annotations

from crewmem.errors import CrewmemError, NotFoundError, UnreachableError

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
    from datetime import datetime

    from crewmem.backends.embed import Embedder
    from crewmem.cli.app import App
    from crewmem.files.place import Place


def sweep_directories(
    app: App,
    off: Mapping[str, Collection[str]],
    now: datetime,
    model: str | None,
    choose: Callable[[str | None], Embedder | None],
) -> tuple[int, int]:
    """Bring indexes up to date, and embed chunks that changed.

    Args:
        app: The world.
        off: The workspaces, each with the agents that are left out.
        now: The time.
        model: The model of the vectors of entries, which chunks are to have as well;
            None if there are none.
        choose: Returns what embeds, given the model of the vectors there are; it is
            asked when something is to be embedded.

    Returns:
        How many files and chunks were brought in.
    """
    from crewmem.cli.places import access
    from crewmem.files.reindex import reindex

    files = 0
    found: list[Place] = []
    how = access(app)
    for place in _places(app, off):
        try:
            done = reindex(place, how)
        except CrewmemError as error:
            app.out.warn(str(error))
            continue
        found.append(place)
        files += done.added + done.changed + done.removed
    return files, _embedded(app, found, now, model, choose)


def _places(app: App, off: Mapping[str, Collection[str]]) -> Iterator[Place]:
    """Yield the memory directories of the home whose agents want to be looked after."""
    from crewmem.files import locate

    for name, without in off.items():
        try:
            found = locate.in_home(app.home, name, None)
        except NotFoundError:
            continue
        for place in found:
            if place.agent not in without:
                yield place


def _embedded(
    app: App,
    found: Sequence[Place],
    now: datetime,
    model: str | None,
    choose: Callable[[str | None], Embedder | None],
) -> int:
    """Embed what waits in directories, if anything does; return how many chunks."""
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
        return 0
    embedder = choose(stored)
    return _embed(app, due, embedder, now_ms) if embedder else 0


def _embed(app: App, due: Sequence[Place], embedder: Embedder, now_ms: int) -> int:
    from crewmem.cli.progress import progress
    from crewmem.files.embed import embed

    chunks = 0
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
            chunks += done.embedded
    return chunks
