"""Vectors in ``vectors.sqlite``: packed into pages, and scanned in full.

The key of a vector is the hash of the embedded text, so an index that was rebuilt finds the vectors
of its texts again.
"""

from array import array
from collections import defaultdict
from collections.abc import Collection, Iterator, Mapping, Sequence
from functools import cached_property
from typing import TYPE_CHECKING, NamedTuple

from crewmem.context import VECTORS_FILE, Context
from crewmem.errors import ConflictError, DamagedError, NotFoundError
from crewmem.storage.sqlite import (
    VECTORS_SCHEMA,
    Database,
    discard_database,
    open_derived,
    transaction,
)

if TYPE_CHECKING:
    import numpy as np

PAGE_BYTES = 384 * 1024
"""Bytes of the vectors in a page: 256 vectors of 384 dimensions."""

MAX_LOADED = 32 * 1024 * 1024
"""Maximum bytes of a collection's vectors that stay in memory between scans."""

SAMPLE = 4096
"""Number of vectors that represent a collection that is too large to read in full."""


CollectionName = tuple[str, str]
"""Workspace and store."""


class CollectionInfo(NamedTuple):
    """Properties of a collection.

    Attributes:
        state: State of the store when all its texts had vectors; see `set_state`.
    """

    id: int
    model: str
    dim: int
    state: str


class StoredModel(NamedTuple):
    """A model of stored vectors, and the number of its vectors."""

    model: str
    dim: int
    vectors: int


class _Scan(NamedTuple):
    """All keys of a collection and their cosines to a query.

    Attributes:
        source: Identifies the collection, its version and the query.
    """

    source: tuple[object, ...]
    keys: "np.ndarray"
    cosines: "np.ndarray"


class Vectors:
    """The vectors of a home."""

    def __init__(self, context: Context) -> None:
        self._context = context
        self._scanned: _Scan | None = None
        self._loaded: dict[int, tuple[object, np.ndarray, np.ndarray]] = {}

    @property
    def exists(self) -> bool:
        """Whether there is a file of vectors."""
        home = self._context.home
        return home is not None and (home / VECTORS_FILE).is_file()

    @cached_property
    def _db(self) -> Database:
        home = self._context.home
        if home is None:
            raise NotFoundError("there is no home here", code="home-not-found")
        path = home / VECTORS_FILE
        if self._context.read_only:
            return self._context.open_database(path, VECTORS_SCHEMA)
        db, reason = open_derived(path, VECTORS_SCHEMA)
        db.execute("pragma secure_delete = on")
        if reason:
            self._warn_discarded(reason)
        return db

    def _warn_discarded(self, reason: str) -> None:
        self._context.warn(
            "vectors-rebuilt",
            f"the vectors could not be used and were discarded: {reason}",
            self._context.command("sweep --all"),
        )

    def check(self) -> None:
        """Check the whole file, because pages that were not read yet may be damaged.

        Raises:
            DamagedError: If the file is damaged.
        """
        if self.exists:
            result = self._db.value("pragma quick_check(1)")
            if result != "ok":
                raise self._damaged(result)

    def _damaged(self, reason: str) -> DamagedError:
        path = str(self._db.path)
        return DamagedError(
            f"{path} is damaged: {reason}", code="database-damaged", details={"file": path}
        )

    def discard_damaged(self, error: DamagedError) -> bool:
        """Discard the vectors if *error* is about their file; return whether they were."""
        home = self._context.home
        if home is None or self._context.read_only:
            return False
        path = home / VECTORS_FILE
        if error.details.get("file") != str(path):
            return False
        self.close()
        discard_database(path)
        self._warn_discarded(error.message)
        return True

    def close(self) -> None:
        """Close the database."""
        if "_db" in vars(self):
            self._db.close()
            del self._db
            self._scanned = None
            self._loaded.clear()

    # Contents

    def find(self, collection: CollectionName) -> CollectionInfo | None:
        """Return the properties of a collection; None if there is no such collection."""
        if not self.exists:
            return None
        row = self._db.one(
            "select id, model, dim, state from collections where workspace_id = ? and store = ?",
            collection,
        )
        return None if row is None else CollectionInfo(*row)

    def find_models(self) -> set[tuple[str, int]]:
        """Return the models and dimensions of all vectors of the home."""
        if not self.exists:
            return set()
        return set(
            self._db.all(
                "select distinct model, dim from collections where exists"
                " (select 1 from slots where collection_id = collections.id)"
            )
        )

    def count_models(self) -> list[StoredModel]:
        """Return the models of all vectors of the home, by name."""
        if not self.exists:
            return []
        rows = self._db.all(
            "select model, dim, count(*) from collections"
            " join slots on collection_id = collections.id group by 1, 2 order by 1, 2"
        )
        return [StoredModel(*row) for row in rows]

    def count(self, collection: CollectionName) -> int:
        """Return the number of texts of a collection that have a vector."""
        found = self.find(collection)
        if found is None:
            return 0
        return int(
            self._db.value(
                "select count(distinct key) from slots where collection_id = ?", (found.id,)
            )
        )

    def keys(self, collection: CollectionName) -> set[int]:
        """Return the keys of a collection that have a vector."""
        found = self.find(collection)
        if found is None:
            return set()
        return set(self._db.column("select key from slots where collection_id = ?", (found.id,)))

    def missing(self, collection: CollectionName, keys: Collection[int]) -> set[int]:
        """Return those of *keys* that have no vector."""
        found = self.find(collection)
        if found is None:
            return set(keys)
        stored = self._db.column(
            "select distinct key from slots where collection_id = ?"
            " and key in (select value from json_each(?))",
            (found.id, keys),
        )
        return set(keys).difference(stored)

    # Changing

    def put(
        self,
        collection: CollectionName,
        model: str,
        keys: Sequence[int],
        vectors: "np.ndarray",
    ) -> None:
        """Store vectors in one transaction, replacing those of the same keys.

        Args:
            model: The model that made them.
            keys: The key of each row; the pieces of a long text have the same key.
            vectors: Unit vectors, as float32 rows.

        Raises:
            ConflictError: If the collection has vectors of another model or dimension.
        """
        import numpy as np  # takes longer to import than most commands take to run

        db = self._db
        with transaction(db):
            collection_id = self._get_or_create(collection, model, int(vectors.shape[1]))
            self._delete(collection_id, set(keys))
            self._append(collection_id, keys, np.ascontiguousarray(vectors, dtype="<f4"))

    def is_up_to_date(self, collection: CollectionName, state: str) -> bool:
        """Return whether every text of a store in the state *state* has a vector."""
        found = self.find(collection)
        return found is not None and found.state == state

    def set_state(self, collection: CollectionName, model: str, state: str) -> None:
        """Record that every text of the store has a vector in its current *state*."""
        with transaction(self._db):
            collection_id = self._get_or_create(collection, model, 0)
            self._db.execute(
                "update collections set state = ? where id = ?", (state, collection_id)
            )

    def delete(self, collection: CollectionName, keys: Collection[int]) -> int:
        """Erase the vectors of *keys* from the disk; return the number of texts that had one."""
        found = self.find(collection)
        if found is None or not keys:
            return 0
        with transaction(self._db):
            count = self._delete(found.id, set(keys))
        if count:
            self._truncate_log()
        return count

    def clear(self, collection: CollectionName) -> None:
        """Erase all vectors of a collection."""
        found = self.find(collection)
        if found is None:
            return
        with transaction(self._db):
            for table in ("pages", "slots"):
                self._db.execute(f"delete from {table} where collection_id = ?", (found.id,))
            self._db.execute("delete from collections where id = ?", (found.id,))
        self._truncate_log()

    def _truncate_log(self) -> None:
        """Truncate the write-ahead log, so that it contains nothing that was erased."""
        self._db.execute("pragma wal_checkpoint(truncate)").fetchall()

    def _get_or_create(self, collection: CollectionName, model: str, dim: int) -> int:
        """Return the id of a collection; a *dim* of 0 fits any collection."""
        found = self.find(collection)
        if found is None:
            return int(
                self._db.value(
                    "insert into collections (workspace_id, store, model, dim)"
                    " values (?, ?, ?, ?) returning id",
                    (*collection, model, dim),
                )
            )
        if (found.model, found.dim) != (model, dim) and dim:
            if not self.count(collection):
                self._db.execute(
                    "update collections set model = ?, dim = ? where id = ?", (model, dim, found.id)
                )
                return found.id
            raise ConflictError(
                f"the vectors of {collection[1]} were made by {found.model} ({found.dim}"
                f" dimensions), not {model} ({dim})",
                code="other-model",
                hint=self._context.command("embedder reembed"),
            )
        return found.id

    def _append(self, collection_id: int, keys: Sequence[int], data: "np.ndarray") -> None:
        """Fill the last page, then add pages."""
        db = self._db
        per_page = max(1, PAGE_BYTES // (4 * data.shape[1]))
        last = db.one(
            "select id, keys, vectors from pages where collection_id = ? order by id desc limit 1",
            (collection_id,),
        )
        placed = 0
        if last is not None and len(last[1]) // 8 < per_page:
            page_id, old_keys, old_vectors = last
            start = len(old_keys) // 8
            placed = min(per_page - start, len(keys))
            db.execute(
                "update pages set keys = ?, vectors = ? where id = ?",
                (
                    old_keys + array("q", keys[:placed]).tobytes(),
                    old_vectors + data[:placed].tobytes(),
                    page_id,
                ),
            )
            self._add_slots(collection_id, page_id, start, keys[:placed])
        for first in range(placed, len(keys), per_page):
            part = slice(first, first + per_page)
            page_id = db.value(
                "insert into pages (collection_id, keys, vectors) values (?, ?, ?) returning id",
                (collection_id, array("q", keys[part]).tobytes(), data[part].tobytes()),
            )
            self._add_slots(collection_id, page_id, 0, keys[part])

    def _add_slots(self, collection_id: int, page_id: int, start: int, keys: Sequence[int]) -> None:
        self._db.executemany(
            "insert into slots (collection_id, key, page_id, slot) values (?, ?, ?, ?)",
            ((collection_id, key, page_id, slot) for slot, key in enumerate(keys, start)),
        )

    def _delete(self, collection_id: int, keys: set[int]) -> int:
        """Erase keys from their pages; move the rest of a page that is less than half full.

        Returns the number of keys that existed.
        """
        import numpy as np  # takes longer to import than most commands take to run

        db = self._db
        deleted = db.all(
            "select key, page_id, slot from slots where collection_id = ?"
            " and key in (select value from json_each(?))",
            (collection_id, keys),
        )
        by_page: dict[int, list[int]] = defaultdict(list)
        for _, page_id, slot in deleted:
            by_page[page_id].append(slot)
        for page_id in sorted(by_page):
            page = db.one("select keys, vectors from pages where id = ?", (page_id,))
            if page is None:
                raise self._damaged("a page is missing")
            old_keys, old_vectors = page
            new_keys = np.delete(np.frombuffer(old_keys, "<i8"), by_page[page_id])
            dim = len(old_vectors) // 4 * 8 // len(old_keys)
            new_vectors = np.delete(
                np.frombuffer(old_vectors, "<f4").reshape(-1, dim), by_page[page_id], axis=0
            )
            db.execute(
                "delete from slots where collection_id = ? and page_id = ?",
                (collection_id, page_id),
            )
            if 2 * new_vectors.nbytes < PAGE_BYTES:
                db.execute("delete from pages where id = ?", (page_id,))
                if len(new_vectors):
                    self._append(collection_id, new_keys.tolist(), new_vectors)
            else:
                db.execute(
                    "update pages set keys = ?, vectors = ? where id = ?",
                    (new_keys.tobytes(), new_vectors.tobytes(), page_id),
                )
                self._add_slots(collection_id, page_id, 0, new_keys.tolist())
        return len({key for key, _, _ in deleted})

    # Reading

    def pages(self, collection: CollectionName) -> Iterator[tuple["np.ndarray", "np.ndarray"]]:
        """Yield keys (int64) and vectors (float32) page by page."""
        import numpy as np  # takes longer to import than most commands take to run

        found = self.find(collection)
        if found is None:
            return
        rows = self._db.execute(
            "select keys, vectors from pages where collection_id = ? order by id", (found.id,)
        )
        for keys, vectors in rows:
            yield np.frombuffer(keys, "<i8"), np.frombuffer(vectors, "<f4").reshape(-1, found.dim)

    def read(
        self, collection: CollectionName, keys: Collection[int]
    ) -> tuple[list[int], "np.ndarray"]:
        """Return the key of each row, and the rows: the vectors of *keys*.

        A long text has several rows.
        """
        import numpy as np  # takes longer to import than most commands take to run

        found = self.find(collection)
        if found is None:
            return [], np.empty((0, 0), np.float32)
        slots_of: dict[int, list[tuple[int, int]]] = defaultdict(list)
        for key, page_id, slot in self._db.execute(
            "select key, page_id, slot from slots where collection_id = ?"
            " and key in (select value from json_each(?))",
            (found.id, keys),
        ):
            slots_of[page_id].append((slot, key))
        row_keys: list[int] = []
        parts = [np.empty((0, found.dim), np.float32)]
        for page_id, slots in sorted(slots_of.items()):
            packed = self._db.value("select vectors from pages where id = ?", (page_id,))
            slots.sort()
            row_keys += [key for _, key in slots]
            matrix = np.frombuffer(packed, "<f4").reshape(-1, found.dim)
            parts.append(matrix[[slot for slot, _ in slots]])
        return row_keys, np.concatenate(parts)

    def get(self, collection: CollectionName, keys: Collection[int]) -> dict[int, "np.ndarray"]:
        """Return the vector of each of *keys*; for a text with several pieces, the first's."""
        vectors: dict[int, np.ndarray] = {}
        for key, vector in zip(*self.read(collection, keys), strict=True):
            vectors.setdefault(key, vector)
        return vectors

    def sample(self, collection: CollectionName, count: int = SAMPLE) -> "np.ndarray":
        """Return about *count* vectors, evenly spaced; all if there are fewer."""
        import numpy as np  # takes longer to import than most commands take to run

        found = self.find(collection)
        if found is None:
            return np.empty((0, 0), np.float32)
        pages = self._db.all(
            "select id, length(keys) / 8 from pages where collection_id = ? order by id",
            (found.id,),
        )
        total = sum(size for _, size in pages)
        step = max(1, -(-total // count))
        # A few pages, spaced apart, are read faster than a few rows of every page.
        parts = [np.empty((0, found.dim), np.float32)]
        for page_id, _ in pages[:: max(1, step // 4)]:
            packed = self._db.value("select vectors from pages where id = ?", (page_id,))
            parts.append(np.frombuffer(packed, "<f4").reshape(-1, found.dim)[:: min(step, 4)])
        return np.concatenate(parts)

    def mean(
        self, collection: CollectionName, keys: Collection[int] | None = None
    ) -> "np.ndarray | None":
        """Return the mean of the vectors of *keys*, or of all; None when there are none.

        For a large collection it is the mean of a sample. Its dot product with a vector is the
        vector's mean cosine.
        """
        found = self.find(collection)
        if found is None:
            return None
        if keys is not None:
            _, rows = self.read(collection, keys)
        elif (loaded := self._load(found, collection)) is not None:
            rows = loaded[1][:: max(1, len(loaded[1]) // SAMPLE)]
        else:
            rows = self.sample(collection)
        if not len(rows):
            return None
        mean: np.ndarray = rows.mean(axis=0)
        return mean

    def scan(
        self, collection: CollectionName, query: "np.ndarray", *, limit: int
    ) -> list[tuple[int, float]]:
        """Return (key, cosine) of the nearest texts, best first.

        The cosine of a text with several pieces is that of its best piece.

        Args:
            query: A unit vector.
            limit: Maximum number of texts.
        """
        import numpy as np  # takes longer to import than most commands take to run

        all_keys, cosines = self._scan_all(collection, query)
        count = len(cosines)
        size = min(2 * limit, count)
        while True:
            top = np.arange(count)
            if size < count:
                top = np.argpartition(cosines, count - size)[count - size :]
                top = np.flatnonzero(cosines >= cosines[top].min())  # includes all ties
            order = top[np.lexsort((all_keys[top], -cosines[top]))]
            best: dict[int, float] = {}
            for key, cosine in zip(all_keys[order].tolist(), cosines[order].tolist(), strict=True):
                best.setdefault(key, cosine)
            if len(best) >= limit or size == count:
                return list(best.items())[:limit]
            size = min(2 * size, count)

    def cosines(
        self, collection: CollectionName, query: "np.ndarray", keys: Collection[int]
    ) -> dict[int, float]:
        """Return the cosine of each of *keys* that has a vector; see `scan`."""
        import numpy as np  # takes longer to import than most commands take to run

        all_keys, values = self._scan_all(collection, query)
        chosen = np.isin(all_keys, np.fromiter(keys, dtype=np.int64))
        best: dict[int, float] = {}
        for key, value in zip(all_keys[chosen].tolist(), values[chosen].tolist(), strict=True):
            best[key] = max(value, best.get(key, -1.0))
        return best

    def sample_keys(self, collection: CollectionName, count: int) -> list[int]:
        """Return about *count* keys, evenly spaced; all if there are fewer."""
        import numpy as np  # takes longer to import than most commands take to run

        found = self.find(collection)
        if found is None:
            return []
        packed = self._db.execute("select keys from pages where collection_id = ?", (found.id,))
        parts = [np.frombuffer(keys, "<i8") for (keys,) in packed]
        keys = np.unique(np.concatenate([np.empty(0, np.int64), *parts]))
        return [int(key) for key in keys[:: max(1, -(-len(keys) // count))]]

    def neighbours(
        self,
        collection: CollectionName,
        keys: Collection[int],
        *,
        threshold: float,
        limit: int,
        order: Mapping[int, int],
    ) -> list[tuple[int, int, float]]:
        """Return (key, other key, cosine) of the nearest earlier texts of each of *keys*.

        Args:
            threshold: Minimum cosine.
            limit: Maximum neighbours of a text.
            order: Position in time of each key. Neighbours have a lower position than the text;
                keys without a position are left out.
        """
        from crewmem.embeddings.neighbours import find_neighbours  # imports numpy

        if self.find(collection) is None:
            return []
        return find_neighbours(
            self, collection, keys, threshold=threshold, limit=limit, order=order
        )

    def _version(self) -> tuple[int, int]:
        """Return a value that changes whenever any process changes the file."""
        return self._db.value("pragma data_version"), self._db.connection.total_changes()

    def _load(
        self, found: CollectionInfo, collection: CollectionName
    ) -> tuple["np.ndarray", "np.ndarray"] | None:
        """Return keys and vectors of a collection, and cache them; None if it is too large."""
        import numpy as np  # takes longer to import than most commands take to run

        version = self._version()
        loaded = self._loaded.get(found.id)
        if loaded is None or loaded[0] != version:
            count = self._db.value(
                "select sum(length(keys)) / 8 from pages where collection_id = ?", (found.id,)
            )
            if not count or 4 * count * found.dim > MAX_LOADED:
                return None
            keys = np.empty(count, np.int64)
            vectors = np.empty((count, found.dim), np.float32)
            start = 0
            for page_keys, page in self.pages(collection):
                end = start + len(page)
                keys[start:end], vectors[start:end] = page_keys, page
                start = end
            loaded = self._loaded[found.id] = (version, keys, vectors)
        return loaded[1], loaded[2]

    def _scan_all(
        self, collection: CollectionName, query: "np.ndarray"
    ) -> tuple["np.ndarray", "np.ndarray"]:
        """Return all keys of a collection and their cosines, and cache them."""
        import numpy as np  # takes longer to import than most commands take to run

        found = self.find(collection)
        if found is None or found.dim != len(query):
            return np.empty(0, np.int64), np.empty(0, np.float32)
        source = (found.id, self._version(), query.tobytes())
        if self._scanned is None or self._scanned.source != source:
            loaded = self._load(found, collection)
            if loaded is not None:
                keys, cosines = loaded[0], loaded[1] @ query
            else:
                parts = [(page_keys, page @ query) for page_keys, page in self.pages(collection)]
                keys = np.concatenate([np.empty(0, np.int64), *(part[0] for part in parts)])
                cosines = np.concatenate([np.empty(0, np.float32), *(part[1] for part in parts)])
            self._scanned = _Scan(source, keys, cosines)
        return self._scanned.keys, self._scanned.cosines


def erase_vectors(context: Context, collection: CollectionName, keys: Collection[int]) -> None:
    """Erase the vectors of purged texts from the disk, but not those that other texts have, too."""
    vectors = Vectors(context)
    if keys and vectors.exists:
        vectors.delete(collection, find_unused_keys(context, collection, keys))
        vectors.close()


def find_unused_keys(
    context: Context, collection: CollectionName, keys: Collection[int]
) -> set[int]:
    """Return the keys that no text of a collection has: of facts, or of episodes."""
    table = "facts" if collection[1] == "facts" else "episodes"
    used = context.db.column(
        f"select vector_key from {table} where vector_key in (select value from json_each(?))",
        (keys,),
    )
    return set(keys).difference(used)
