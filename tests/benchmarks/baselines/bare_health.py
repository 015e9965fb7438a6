"""Count what health is computed from, barely: ``bare_health.py DATABASE MATRIX``.

The same counts as statements, one after the other, and one scan: the vectors are read
whole, 64 of them are compared with all, and all are summed. Nothing is looked at for
damage, scope or another model, and nothing is kept.
"""

import json
import os
import sys

os.environ["OPENBLAS_NUM_THREADS"] = "1"

import apsw
import numpy as np  # told first how many threads to start

SAMPLE, NEAREST, BLOCK, SAME = 64, 3, 4_096, 0.92

COUNTS = (
    """
    select indexed_ms from episodes order by indexed_ms
     limit 1 offset (select count(*) / 2 from episodes)
    """,
    """
    select count(*) from journal_entries
     where not exists (select 1 from episodes where episodes.seq = journal_entries.seq)
       and (entry_type in ('peer.escalation', 'summary.generated')
            or instr(refs, '"episodic"') or instr(payload, '"episodic"'))
    """,
    """
    select count(*) from episodes
     where exists (select 1 from memory_relations where src_seq = seq)
        or exists (select 1 from memory_relations where dst_seq = seq)
    """,
)

PLACE = "select seq from journal_entries where workspace_id = 'default' and id = ?"

FOUND = "select ids, relevances from recalls where at >= '2026-01-01'"


def count(database: str, matrix: str) -> None:
    """Count what *database* holds, and scan *matrix*, the vectors of its episodes."""
    db = apsw.Connection(database)
    for sql in COUNTS:
        db.execute(sql).fetchall()
    seqs = [seq for (seq,) in db.execute("select seq from episodes order by seq")]
    vectors = np.load(matrix)
    near(vectors)
    distinct(db, vectors, {seq: at for at, seq in enumerate(seqs)})
    db.close()


def near(vectors: np.ndarray) -> tuple[float, float]:
    """Return the mean cosine of a sample to its nearest, and of all pairs."""
    sample = vectors[:: max(1, len(vectors) // SAMPLE)][:SAMPLE]
    products = np.empty((SAMPLE, len(vectors)), np.float32)
    mean = np.zeros(vectors.shape[1])
    for at in range(0, len(vectors), BLOCK):
        block = vectors[at : at + BLOCK]
        np.matmul(sample, block.T, out=products[: len(sample), at : at + len(block)])
        mean += block.sum(axis=0)
    best = np.partition(products, len(vectors) - NEAREST - 1, axis=1)
    mean /= len(vectors)
    return float(best[:, -NEAREST - 1 : -1].mean()), float(mean @ mean)


def distinct(db: apsw.Connection, vectors: np.ndarray, places: dict[int, int]) -> int:
    """Return how many hits of recalls repeat no better one."""
    good = 0
    for ids, relevances in db.execute(FOUND).fetchall():
        names = json.loads(ids)
        seqs = [db.execute(PLACE, (name,)).get for name in names]
        some = vectors[[places[seq] for seq in seqs]]
        repeats = (np.triu(some @ some.T, 1) >= SAME).any(axis=0)
        good += int((~repeats & (np.array(json.loads(relevances)) >= 0.7)).sum())
    return good


if __name__ == "__main__":
    count(*sys.argv[1:])
