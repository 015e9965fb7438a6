"""Counting what the health of a workspace, or of one of its crews, is computed from."""

from __future__ import annotations

from datetime import timedelta
from functools import cached_property

from crewmem import times
from crewmem.db.connect import filename, one_moment
from crewmem.episodes.anchor import is_foreign
from crewmem.episodes.spaces import ENTRIES, links_of, models, space_of
from crewmem.episodes.store import Episodes
from crewmem.errors.database import DatabaseDamagedError, DerivedDamagedError
from crewmem.health import counts_store as store
from crewmem.health.metric import Counts
from crewmem.health.recalled import MEMORY, ids_of, recalled, rows
from crewmem.records import NamedTuple
from crewmem.scope import Reach
from crewmem.vectors.retries import MANY_TRIES

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Mapping
    from datetime import datetime

    import apsw

    from crewmem.episodes.spaces import Model
    from crewmem.files.coverage import Coverage
    from crewmem.health.metric import Recalled
    from crewmem.health.recalled import Row, Vectors
    from crewmem.journal.entry import Entry
    from crewmem.retrieval.vectors import Floats, Keys
    from crewmem.vectors.space import Kept, Space
    from crewmem.vectors.store import VectorStore

WINDOW = timedelta(days=30)
"""Recalls of this time are judged; older ones are not kept."""

MOST_RECALLS = 20_000
"""Recalls that are judged, the latest of that time. The vectors of their hits are held
at once: five times as many took 480 MB, and the share was the same."""

ROLES = ("agent", "lead")
"""As what an agent recalls."""


class Means(NamedTuple):
    """What health is counted from.

    Attributes:
        db: The home's database.
        vectors: The vectors of the home.
        vectors_path: Where they are.
        workspace: Which.
        model: Of the vectors that recall goes by; "" where it goes by words.
        why_words: Why it does; "" if it does not.
        off: Agents whose memory is off.
        is_gated: Whether the gate that is set is no lower than the usual one.
        files: Counts the memory files of a crew; of "" those of the workspace.
        hits: Returns the vectors of a model of pieces of memory files, by their names.
        now: The time.
    """

    db: apsw.Connection
    vectors: VectorStore
    vectors_path: str
    workspace: str
    model: str
    why_words: str
    off: frozenset[str]
    is_gated: bool
    files: Callable[[str], Coverage]
    hits: Callable[[Collection[str], str], Mapping[str, Floats]]
    now: datetime


class Measuring:
    """Counts a workspace and its crews, which share what is read."""

    def __init__(self, means: Means) -> None:
        self._means, self._db = means, means.db
        self._vectors = means.vectors
        self._episodes = Episodes(means.db)

    def counts(self, crew: str = "") -> Counts:
        """Count the workspace, or *crew* of it.

        Raises:
            DatabaseDamagedError: If a table is not as it should be.
            DerivedDamagedError: If vectors, or an index, cannot be read.
        """
        means = self._means
        files = means.files(crew)
        with one_moment(self._db), store.counting(self._db):
            found = self._counted(crew)
        self._require_whole()
        return found._replace(
            model=means.model,
            why_words=means.why_words,
            chunks=files.chunks,
            indexed_chunks=files.indexed,
            waiting_chunks=files.waiting,
            stuck_chunks=files.failed,
            is_gated=means.is_gated,
        )

    def _counted(self, crew: str) -> Counts:
        means, db = self._means, self._db
        owners = self._episodes.owners(
            Reach(means.workspace), crew=crew or None, without=means.off
        )
        ages = store.ages(db, owners, int(means.now.timestamp() * 1000))
        counts = Counts(
            episodes=ages.episodes,
            median_age=ages.median,
            newest_age=ages.newest,
            lacking=sum(crew in {"", each.crew_id} for each in self._lacking),
            connected=store.connected(db, owners),
            came=self._recalled(crew),
            consolidated_age=self._consolidated_age,
        )
        if means.model:
            return self._with_vectors(counts, owners)
        return counts._replace(indexed=store.with_words(db, owners))

    @cached_property
    def _consolidated_age(self) -> float | None:
        """How long ago the workspace was consolidated, in days; None: never."""
        at = store.consolidated_at(self._db, self._means.workspace)
        if at is None:
            return None
        try:
            return (self._means.now - times.from_text(at)) / timedelta(days=1)
        except ValueError as error:
            raise self._damaged(f"an entry has no time: {error}") from error

    def _damaged(self, reason: str) -> DatabaseDamagedError:
        return DatabaseDamagedError(filename(self._db) or ":memory:", reason)

    @cached_property
    def _lacking(self) -> list[Entry]:
        """Entries that should be episodes and are none."""
        from crewmem.episodes.audit_store import lacking

        off = self._means.off
        found = lacking(self._db, self._means.workspace)
        return [each for each in found if each.agent_id not in off]

    # Vectors

    @cached_property
    def _kept(self) -> list[Kept]:
        """The spaces of vectors that there are."""
        return self._vectors.spaces()

    @cached_property
    def _model(self) -> Model | None:
        """The model that recall goes by; None if there are no vectors of it."""
        kept, workspace = self._kept, self._means.workspace
        if is_foreign(self._episodes, kept, workspace):
            return None
        found = models(kept, workspace)
        return next((each for each in found if each.name == self._means.model), None)

    @cached_property
    def _keys(self) -> Keys:
        """The places that have a vector of the model."""
        return self._vectors.keys(self._space)

    @cached_property
    def _space(self) -> Space:
        model = self._model
        name, dim = (model.name, model.dim) if model else ("", 0)
        return space_of(self._means.workspace, name, dim)

    def _with_vectors(self, counts: Counts, owners: list[int]) -> Counts:
        """Return *counts* with what vectors tell of the episodes of *owners*."""
        counts = counts._replace(others=self._others(), stuck=self._stuck({*owners}))
        if self._model is None:
            return counts
        from crewmem.retrieval.numerics import np

        text = store.places(self._db, owners)
        episodes = np.fromstring(text, np.int64, sep=",") if text else self._keys[:0]
        mine = np.intersect1d(self._keys, episodes, assume_unique=True)
        linked = self._vectors.mark(links_of(self._space))
        themes = self._vectors.themes(self._space, owners)
        return counts._replace(
            vectors=len(mine),
            indexed=len(mine),
            unlinked=int((mine > linked).sum()),
            sampled=themes.sampled,
            near=themes.near,
            every=themes.every,
        )

    def _stuck(self, owners: set[int]) -> int:
        """Return how many episodes of *owners* could not be embedded, often tried."""
        many = [
            each.key
            for kept in self._spaces
            if kept.space.model == self._means.model
            for each in self._vectors.failures(kept.space)
            if each.tries >= MANY_TRIES
        ]
        return sum(owner in owners for owner in self._episodes.owner_of(many).values())

    def _others(self) -> int:
        """Return how many vectors of the workspace are of other models."""
        model = self._means.model
        return sum(each.vectors for each in self._spaces if each.space.model != model)

    @property
    def _spaces(self) -> list[Kept]:
        """The spaces of the episodes of the workspace, with vectors or without."""
        mine = ENTRIES, self._means.workspace
        return [e for e in self._kept if (e.space.kind, e.space.workspace) == mine]

    def _require_whole(self) -> None:
        """Refuse to tell a number where some vectors could not be read."""
        damaged = self._vectors.damaged
        if damaged:
            from crewmem.vectors.store import VECTORS

            reason = f"{len(damaged):,} pages: {next(iter(damaged.values()))}"
            path = self._means.vectors_path
            raise DerivedDamagedError(path, reason, VECTORS.again)

    # Recalls

    def _recalled(self, crew: str) -> Recalled:
        """Judge what *crew* recalled; of "" what anybody in the workspace did."""
        actors = None
        if crew:
            agents = store.agents_of(self._db, self._means.workspace, crew)
            actors = {f"{role}:{each}" for each in agents for role in ROLES}
        found = [
            row
            for actor, mine in self._rows.items()
            if actors is None or actor in actors
            for row in mine
        ]
        return recalled(found, self._found, self._there)

    @cached_property
    def _rows(self) -> Mapping[str, list[Row]]:
        """What was recalled lately, by who asked."""
        since = times.to_text(times.before(self._means.now, WINDOW))
        asked = store.recalls(self._db, self._means.workspace, since, MOST_RECALLS)
        try:
            return {actor: rows(mine) for actor, mine in asked.items()}
        except (ValueError, RecursionError) as error:
            reason = f"a row of recalls cannot be read: {error}"
            raise self._damaged(reason) from error

    @cached_property
    def _there(self) -> set[str]:
        """The memories among what was found that recall finds still."""
        ids = {each for each in self._found if each.startswith(MEMORY)}
        return store.recalled_memories(self._db, self._means.workspace, ids)

    @cached_property
    def _found(self) -> Vectors:
        """The vectors of what was found, by its id."""
        means = self._means
        if not means.model:
            return {}
        from crewmem.memories.spaces import key_of, stored

        ids = ids_of(row for mine in self._rows.values() for row in mine)
        entries = store.entries_at(self._db, means.workspace, ids)
        held = {
            name: key_of(*place)
            for name, place in store.memories_at(self._db, means.workspace, ids).items()
        }
        spaces = [(held, each.space) for each in stored(self._kept, means.workspace)]
        if self._model:
            spaces.append((entries, self._space))
        found = dict(means.hits(ids - entries.keys() - held.keys(), means.model))
        for keys, space in spaces:
            if space.model == means.model:
                vectors = self._vectors.vectors_of(space, keys.values())
                found |= {
                    name: vectors[key] for name, key in keys.items() if key in vectors
                }
        return found
