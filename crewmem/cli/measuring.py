"""Measuring how healthy memory is, of workspaces and their crews, and keeping it."""

from __future__ import annotations

from datetime import UTC
from functools import cached_property

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Collection, Iterable, Iterator, Sequence
    from datetime import datetime

    import apsw

    from crewmem.cli.app import App
    from crewmem.episodes.spaces import Model
    from crewmem.files.coverage import Coverage
    from crewmem.files.place import Place
    from crewmem.health.health import Health
    from crewmem.health.measure import Measuring
    from crewmem.health.metric import Counts
    from crewmem.health.recall import Embedding
    from crewmem.retrieval.vectors import Floats
    from crewmem.scope import Actor
    from crewmem.vectors.store import VectorStore


class Measurer:
    """Measures a workspace and its crews; what they share is read once."""

    def __init__(
        self,
        app: App,
        workspace: str,
        now: datetime,
        tree: Sequence[Place] | None = None,
    ) -> None:
        """Measure *workspace*; where a *tree* was named, its memory files alone."""
        self._app, self.workspace, self._now = app, workspace, now
        self._tree = tree

    def measure(self, crew: str = "") -> Health:
        """Measure the workspace, or *crew* of it; nothing is kept.

        Raises:
            DataError: If something cannot be read: no number is told then.
        """
        return self.judged(self.counts(crew), crew)

    def judged(self, counts: Counts, crew: str = "") -> Health:
        """Return the health that *counts* of the workspace, or of *crew*, tell of."""
        from crewmem.health.health import measured

        day, out = day_of(self._now), self.left_out(crew)
        return measured(self.workspace, crew, day, counts, out)

    def counts(self, crew: str = "") -> Counts:
        """Return what the health of the workspace, or of *crew*, is computed from."""
        from crewmem.cli.progress import waiting

        of = f"crew {crew}" if crew else f"workspace {self.workspace}".rstrip()
        with waiting(self._app.out, f"Measuring {of} …"):
            return self._measuring.counts(crew)

    def left_out(self, crew: str = "") -> list[str]:
        """Return the agents of *crew*, of all for "", whose memory is off."""
        if not (crew and self._off):
            return sorted(self._off)
        from crewmem.health.counts_store import agents_of

        return sorted(self._off & {*agents_of(self._db, self.workspace, crew)})

    @property
    def crews(self) -> list[str]:
        """The crews of the workspace: registered, met in its journal, or on disk."""
        from crewmem.health.counts_store import counting, crews

        found = {each.crew for each in self._places if each.crew}
        with counting(self._db):
            return sorted(found | {*crews(self._db, self.workspace)})

    @cached_property
    def _measuring(self) -> Measuring:
        from crewmem.health.measure import Means, Measuring
        from crewmem.health.recalled import GATE

        app, embeds = self._app, self._embedding
        return Measuring(
            Means(
                db=self._db,
                vectors=self._vectors,
                vectors_path=str(app.home / "vectors.sqlite"),
                workspace=self.workspace,
                model=embeds.model,
                why_words="" if embeds.model else _why(embeds),
                off=self._off,
                is_gated=app.settings.recall_min_relevance >= GATE,
                files=self._files,
                hits=self._hits,
                now=self._now,
            )
        )

    # What is opened

    @cached_property
    def _db(self) -> apsw.Connection:
        """The home's database; an empty one where there is none yet."""
        db = self._app.truth_to_read if self._tree is None else None
        if db is not None:
            return db
        from crewmem.db.connect import connect_memory
        from crewmem.db.migrate import migrate

        empty = connect_memory()
        migrate(empty)
        return empty

    @cached_property
    def _vectors(self) -> VectorStore:
        """The vectors of the home; those that cannot be read are no empty ones."""
        import click

        from crewmem.db import derived
        from crewmem.vectors.store import VECTORS, VectorStore

        app = self._app
        if self._tree is not None:
            return VectorStore(derived.in_memory(VECTORS))
        timeout = app.settings.busy_timeout
        found = VectorStore.open_to_read(app.home, busy_timeout=timeout)
        click.get_current_context().call_on_close(found.close)
        return found

    @cached_property
    def _embedding(self) -> Embedding:
        if self._tree is not None:
            from crewmem.health.recall import NONE, Embedding

            return Embedding(NONE, "", "", "a tree by itself is judged by words", "")
        from crewmem.cli.embedding.health import embedding

        return embedding(self._app, self._stored)

    @property
    def _stored(self) -> str:
        """The model of most vectors of the home, "" for none."""
        from crewmem.episodes.spaces import models

        found: list[Model] = models(self._vectors.spaces())
        return found[0].name if found else ""

    @cached_property
    def _off(self) -> frozenset[str]:
        from crewmem.registry.crews_store import without_memory

        return without_memory(self._db, self.workspace)

    # Memory files

    @cached_property
    def _places(self) -> list[Place]:
        from crewmem.errors.registry import WorkspaceMissingError
        from crewmem.files import locate

        if self._tree is not None:
            return [*self._tree]
        try:
            found = locate.in_home(self._app.home, self.workspace, None)
        except WorkspaceMissingError:  # it has a journal, and no directory yet
            return []
        return [each for each in found if each.agent not in self._off]

    @cached_property
    def _covered(self) -> dict[Place, Coverage]:
        return {}

    def _files(self, crew: str) -> Coverage:
        """Count the memory files of *crew*, or of the workspace for ""."""
        from crewmem.files.coverage import Coverage

        total = Coverage()
        for place in self._places:
            if crew and place.crew != crew:
                continue
            if place not in self._covered:
                self._covered[place] = self._coverage(place)
            total = total.and_of(self._covered[place])
        return total

    def _coverage(self, place: Place) -> Coverage:
        """Count the files of *place*, and those that its index has.

        In a tree that is only to be read an index that cannot be used may be another
        program's, and nobody can put it right: no search uses it, so it covers nothing.
        """
        from crewmem.errors.database import DerivedDamagedError
        from crewmem.files.coverage import coverage, uncovered

        settings, model = self._app.settings, self._embedding.model
        most, timeout = settings.max_file_bytes, settings.busy_timeout
        try:
            return coverage(place, model, most_bytes=most, busy_timeout=timeout)
        except DerivedDamagedError as error:
            if self._tree is None:
                raise
            self._app.out.warn(str(error))
            return uncovered(place, most_bytes=most)

    def _hits(self, refs: Collection[str], model: str) -> dict[str, Floats]:
        """Return the vectors of *model* of pieces of memory files, by their names."""
        from crewmem.files.hit_vectors import hit_vectors

        timeout = self._app.settings.busy_timeout
        found: dict[str, Floats] = {}
        for place in self._places:
            found |= hit_vectors(place, refs, model, busy_timeout=timeout)
        return found


def _why(embeds: Embedding) -> str:
    """Return why recall goes by words, and the command that changes it."""
    return f"{embeds.why} ({embeds.hint})" if embeds.hint else embeds.why


def day_of(now: datetime) -> str:
    """Return the day of *now* in UTC, as a snapshot has it."""
    return now.astimezone(UTC).date().isoformat()


def keep(app: App, health: Health, now: datetime, actor: Actor | None = None) -> Health:
    """Keep *health* as the snapshot of its day, and tell the journal if it is news.

    What stands there already is left as it is.

    Args:
        actor: Who measured it; None: a job.
    """
    from crewmem.cli.journals import chain_key
    from crewmem.health import snapshot_store
    from crewmem.health.health import event, is_news, snapshot_of
    from crewmem.journal.store import Journal

    snapshot = snapshot_of(health)
    journal = Journal(app.truth, chain_key=chain_key(app.world.environ))
    with journal.transaction():
        whose = snapshot.workspace_id, snapshot.crew_id, snapshot.snapshot_date
        before = snapshot_store.of_day(app.truth, *whose)
        if before != snapshot:
            snapshot_store.keep(app.truth, snapshot)
            if is_news(before, snapshot):
                told = event(health, actor)
                journal.append(snapshot.workspace_id, [told], now=now)
    return health._replace(kept=True)


def measure_all(
    app: App, now: datetime, *, crews: Iterable[str] | None = None
) -> list[Health]:
    """Measure every crew and workspace that is meant, and keep the snapshots.

    What fails of them is a warning; the rest is done.

    Args:
        app: The world; a workspace that was named is the only one that is meant.
        now: The time.
        crews: Only these crews, of the workspace that is worked in, and that itself.

    Raises:
        CrewmemError: If nothing could be measured.
    """
    from crewmem.errors import BusyError, CrewmemError

    done: list[Health] = []
    failures: list[CrewmemError] = []
    for name in [app.workspace] if crews is not None else _workspaces(app):
        measurer = Measurer(app, name, now)
        for crew in _views(measurer, crews):
            try:
                done.append(keep(app, measurer.measure(crew), now))
            except BusyError:
                raise  # the others would wait as long
            except CrewmemError as error:
                failures.append(error)
    if failures and not done:
        raise failures[0]
    for each in failures:
        app.out.warn(f"health was not measured: {each}")
    return done


def _views(measurer: Measurer, crews: Iterable[str] | None) -> Iterator[str]:
    """Yield the crews that are meant, then "" for the workspace."""
    yield from (measurer.crews if crews is None else crews)
    yield ""


def _workspaces(app: App) -> Sequence[str]:
    """Return the workspaces that are meant: the one that was named, or all."""
    if app.given.get("workspace"):
        return [app.workspace]
    found = {*_folders(app)}
    if (db := app.truth_to_read) is not None:
        from crewmem.episodes.store import Episodes
        from crewmem.registry.crews_store import workspaces

        found |= {*workspaces(db), *Episodes(db).workspaces()}
    return sorted(found)


def _folders(app: App) -> Iterator[str]:
    """Yield the workspaces that have a directory; a link to one is none."""
    from crewmem.ids import is_slug

    for each in (app.home / "workspaces").glob("*/"):
        if is_slug(each.name) and not each.is_symlink():
            yield each.name
