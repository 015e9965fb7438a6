"""The part of a sweep that looks after memory directories."""

from __future__ import annotations

from functools import partial

from crewmem.errors import CrewmemError, NotFoundError
from crewmem.records import NamedTuple

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
    from datetime import datetime

    from crewmem.backends.embed import Embedder
    from crewmem.cli.app import App
    from crewmem.cli.sweeping.plan import Plan
    from crewmem.files.place import Place
    from crewmem.files.store import MemoryIndex


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
    from crewmem.cli.access import access
    from crewmem.cli.recording import Recorder
    from crewmem.files.reindex import reindex

    files = 0
    how, recorder = access(app), Recorder(app, plan.listings)
    lacking = _Lacking(app, plan.model, int(now.timestamp() * 1000))
    for name, place in places_of(app, plan.off):
        try:
            done = reindex(
                place,
                how,
                look=partial(recorder.look, name, place),
                then=partial(lacking.look, place),
            )
        except CrewmemError as error:
            app.out.warn(str(error))
            continue
        files += done.added + done.changed + done.removed
    recorder.miss(plan.off)
    versions = recorder.record(now)
    chunks, lost = lacking.embed(choose)
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


class _Lacking:
    """The directories whose chunks wait to be embedded, noted while they are open."""

    def __init__(self, app: App, model: str | None, now_ms: int) -> None:
        self._app, self._model, self._now_ms = app, model, now_ms
        self._stored = model
        self._due: list[Place] = []

    def look(self, place: Place, index: MemoryIndex) -> None:
        """Note *place* if something of its *index* is to be embedded."""
        from crewmem.files.backlog import backlog

        try:
            left = backlog(index, self._model, self._now_ms)
        except CrewmemError as error:
            self._app.out.warn(str(error))
            return
        self._stored = self._stored or left.model
        if left.chunks:
            self._due.append(place)

    def embed(self, choose: Callable[[str | None], Embedder | None]) -> tuple[int, int]:
        """Embed what waits, if anything does.

        Returns:
            How many chunks, and how many could not be.
        """
        embedder = choose(self._stored) if self._due else None
        if embedder is None:
            return 0, 0
        return _embed(self._app, self._due, embedder, self._now_ms)


def _embed(
    app: App, due: Sequence[Place], embedder: Embedder, now_ms: int
) -> tuple[int, int]:
    from crewmem.cli.progress import progress
    from crewmem.errors.backends import UnreachableError
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
