"""Giving the episodes of a home what health is computed from: the same everywhere.

Run as ``python health.py HOME MATRIX``. Each episode gets a vector, as those of a model
are; six of ten get relations; and some hundred recalls are kept. The vectors are
written to MATRIX as well, as numpy keeps them, for who scans them barely.
"""

from __future__ import annotations

import json
import sys
from contextlib import closing
from pathlib import Path
from random import Random

import apsw

from crewmem.vectors.space import Space
from crewmem.vectors.store import VectorStore

SEED = 20260501

SPACE = Space("entries", "default", "all-MiniLM-L6-v2", 384)

PER_THEME = 50

CONNECTED = 0.6
"""Of the episodes, how many have a relation."""

RECALLS, HITS = 300, 5


def fill(home: Path, matrix: Path) -> None:
    """Give the episodes of *home* vectors, relations and recalls."""
    with closing(apsw.Connection(str(home / "crewmem.db"))) as db:
        rows = db.execute("select seq, owner from episodes order by seq").fetchall()
        with db:
            _relate(db, [seq for seq, _ in rows])
            _recall(db)
    _embed(home, matrix, rows)


def _relate(db: apsw.Connection, seqs: list[int]) -> None:
    random = Random(SEED)  # noqa: S311 - the same relations everywhere
    db.executemany(
        """
        insert or ignore into memory_relations
        values (?, ?, 'similar', 0.9, '2026-05-01T09:30:00.000Z')
        """,
        (
            (seq, random.choice(seqs[:at]))
            for at, seq in enumerate(seqs)
            if at and random.random() < CONNECTED
        ),
    )


def _recall(db: apsw.Connection) -> None:
    random = Random(SEED)  # noqa: S311 - the same recalls everywhere
    ids = [each for (each,) in db.execute("select id from journal_entries")]
    db.execute("delete from recalls")
    db.executemany(
        """
        insert into recalls (workspace_id, at, actor, verb, query, mode, k, ids,
                             relevances, cosines, injected, latency_ms)
        values ('default', strftime('%Y-%m-%dT%H:%M:%fZ', 'now'), 'agent:mira',
                'recall', 'deploy key', 'hybrid', 5, ?, ?, '[]', '[]', 5.0)
        """,
        (
            (
                json.dumps(random.sample(ids, HITS)),
                json.dumps([round(random.random(), 6) for _ in range(HITS)]),
            )
            for _ in range(RECALLS)
        ),
    )


def _embed(home: Path, matrix: Path, rows: list[tuple[int, int]]) -> None:
    from crewmem.retrieval.numerics import np

    random = np.random.default_rng(SEED)
    themes = random.standard_normal((max(1, len(rows) // PER_THEME), SPACE.dim))
    of = themes[random.integers(0, len(themes), len(rows))]
    own = random.standard_normal((len(rows), SPACE.dim))
    vectors = (of + random.uniform(0.3, 1.5, (len(rows), 1)) * own).astype("<f4")
    vectors /= np.linalg.norm(vectors, axis=1, keepdims=True)
    np.save(matrix, vectors)
    seqs, owners = (np.array(column) for column in zip(*rows, strict=True))
    with closing(VectorStore.open_to_write(home)) as store:
        store.drop(SPACE)
        store.add(SPACE, seqs, owners.astype(np.int32), vectors)
        store.set_mark(SPACE, int(seqs[-1]))
        store.set_mark(SPACE._replace(kind="links"), int(seqs[-1]))


if __name__ == "__main__":
    fill(*map(Path, sys.argv[1:]))
