"""Names that texts mention: one derived table for files, facts, journal and sessions.

A text is identified by its vector key, which is a hash. So the table says nothing about access:
each store looks up its own rows for a key, inside the actor's access filter.
"""

from __future__ import annotations

import contextlib
import json
from collections import Counter
from collections.abc import Collection, Iterable, Iterator, Mapping
from itertools import combinations, islice
from pathlib import Path
from typing import NamedTuple

from crewmem.protocols import VectorSource
from crewmem.search.names import entity_key
from crewmem.storage.sqlite import INDEX_SCHEMA, Database, open_database, scrub, transaction

BATCH = 500
"""Number of texts that are read in one transaction."""

SESSION_SHARE = 10
"""Number of other texts that are read in the time of one session."""

MAX_NAMES = 30
"""Maximum names of a text that count as occurring together."""


class Name(NamedTuple):
    """A name, and the texts that mention it.

    Attributes:
        texts: Store and vector key of each text.
        together: Other names in the same texts, by key, with their number of common texts.
    """

    key: str
    name: str
    kind: str
    texts: list[tuple[str, int]]
    together: Counter[str]


class MentionTable:
    """The table of names of a workspace, in its index."""

    def __init__(self, db: Database, stores: Mapping[str, VectorSource]) -> None:
        """Read and write the table in *db*.

        Args:
            db: The index of the workspace.
            stores: All texts of each store, whoever may read them, by store.
        """
        self._db, self._stores = db, stores

    def refresh(self, *, limit: int | None = None) -> int:
        """Read new texts, and forget deleted ones.

        Args:
            limit: Maximum number of texts to read in each store; None for all.

        Returns:
            Number of texts left for a later run.
        """
        left = 0
        if self._db.read_only:
            return left
        for store, source in self._stores.items():
            state = source.vector_state()
            if not self._is_current(store, state):
                most = limit // SESSION_SHARE if limit and store == "sessions" else limit
                left += self._refresh_store(store, source, state, most)
        return left

    def erase_names(self) -> None:
        """Forget deleted texts, and remove their names from the file."""
        if self._db.read_only:
            return
        for store, source in self._stores.items():
            self._refresh_store(store, source, source.vector_state(), 0)
        scrub(self._db)

    def _is_current(self, store: str, state: str) -> bool:
        row = self._db.one("select state from mentioned_stores where store = ?", (store,))
        return row is not None and bool(row[0] == state)

    def _refresh_store(
        self, store: str, source: VectorSource, state: str, limit: int | None
    ) -> int:
        known = set(
            self._db.column(
                "select vector_key from mentions where store = ? and entity = 0", (store,)
            )
        )
        present = set(source.visible_vector_keys())
        if gone := known - present:
            _delete_mentions(self._db, store, gone)
        new = sorted(present - known)
        chosen = new[:limit]
        for batch in _batches(chosen):
            declared = source.names_of_vectors(batch)
            with transaction(self._db):
                for key, text in source.texts_of_vectors(batch):
                    self._add(store, key, text, declared.get(key, ()))
        left = len(new) - len(chosen)
        if not left:
            with transaction(self._db):
                self._db.execute(
                    "insert or replace into mentioned_stores (store, state) values (?, ?)",
                    (store, state),
                )
        return left

    def _add(self, store: str, vector_key: int, text: str, declared: Collection[str]) -> None:
        from crewmem.search.entities import find_mentioned  # most sweeps find no new text

        found = find_mentioned(text, declared)
        self._db.executemany(
            "insert or ignore into entities (key, name, kind) values (?, ?, ?)",
            [(each.key, each.name, each.kind) for each, _ in found],
        )
        self._db.execute(
            "insert or ignore into mentions (store, vector_key, entity, is_sure)"
            " values (?, ?, 0, 0)",
            (store, vector_key),
        )
        self._db.executemany(
            "insert or ignore into mentions (store, vector_key, entity, is_sure)"
            " select ?, ?, id, ? from entities where key = ?",
            [(store, vector_key, int(is_sure), each.key) for each, is_sure in found],
        )

    def find(self, name: str) -> dict[str, set[int]]:
        """Return the keys of the texts that mention *name*, by store.

        A store that was not read completely is left out.
        """
        found = {
            store: set[int]()
            for store, source in self._stores.items()
            if self._is_current(store, source.vector_state())
        }
        for store, key in self._db.execute(
            "select store, vector_key from entities join mentions on entity = id"
            " where entities.key = ?",
            (entity_key(name),),
        ):
            if store in found:
                found[store].add(key)
        return found

    def list_names(self, texts: Mapping[str, Collection[int]], *, limit: int) -> list[Name]:
        """Return the names that some texts mention, the commonest first.

        Args:
            texts: Vector keys by store.
            limit: Maximum number of names.
        """
        # A word that nearly always starts a sentence is not a name.
        described = {
            row[0]: row[1:]
            for row in self._db.execute(
                "select id, key, name, kind from entities join mentions on entity = id"
                " group by id having 4 * sum(is_sure) >= count(*)"
            )
        }
        names: dict[int, list[tuple[str, int]]] = {}
        together: Counter[tuple[int, int]] = Counter()
        for store, key, mentioned in self._list_mentions():
            if key not in texts.get(store, ()):
                continue
            entities = [entity for entity in mentioned if entity in described]
            for entity in entities:
                names.setdefault(entity, []).append((store, key))
            if len(entities) <= MAX_NAMES:
                together.update(combinations(entities, 2))
        ranked = sorted(names, key=lambda each: (-len(names[each]), described[each][0]))[:limit]
        others: dict[int, Counter[str]] = {entity: Counter() for entity in ranked}
        for (first, second), number in together.items():
            if first in others and second in others:
                others[first][described[second][0]] = number
                others[second][described[first][0]] = number
        found = []
        for entity in ranked:
            key, name, kind = described[entity]
            found.append(Name(key, name, kind, names[entity], others[entity]))
        return found

    def _list_mentions(self) -> Iterator[tuple[str, int, list[int]]]:
        """Yield store, vector key and names of each text, in order."""
        for store, key, entities in self._db.execute(
            "select store, vector_key, json_group_array(entity) from"
            " (select * from mentions where entity <> 0 order by store, vector_key, entity)"
            " group by store, vector_key order by store, vector_key"
        ):
            yield store, key, json.loads(entities)


def erase_mentions(index: Path, store: str, keys: Collection[int]) -> None:
    """Remove the names in purged texts from the file of an index, if there is one.

    Args:
        index: The index of the workspace.
        store: The store of the texts.
        keys: Vector keys that no text has any more.
    """
    if not keys or not index.is_file():
        return
    with contextlib.closing(open_database(index, INDEX_SCHEMA)) as db:
        _delete_mentions(db, store, keys)
        scrub(db)


def _delete_mentions(db: Database, store: str, keys: Iterable[int]) -> None:
    with transaction(db):
        db.executemany(
            "delete from mentions where store = ? and vector_key = ?",
            [(store, key) for key in keys],
        )
        db.execute("delete from entities where id not in (select entity from mentions)")


def _batches(keys: Iterable[int]) -> Iterator[list[int]]:
    remaining = iter(keys)
    while batch := list(islice(remaining, BATCH)):
        yield batch
