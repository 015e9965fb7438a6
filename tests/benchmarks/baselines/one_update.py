"""Weigh all episodes by one statement: ``python one_update.py DATABASE``."""

import sys

import apsw

NOW_MS = 1_790_000_000_000

UPDATE = """
    update episodes
       set importance_score = max(least, min(1.0,
               base
               * max(0.1, 1.0 - max(0.0, (? - indexed_ms) / 86400000.0) / 180.0)
               * (1.0 + log2(reference_count + 1) / 8.0)))
"""


def weigh(path: str) -> None:
    """Compute the importance of every episode in the database at *path*."""
    db = apsw.Connection(path)
    db.execute("pragma synchronous = full")
    db.execute(UPDATE, (NOW_MS,))
    db.close()


if __name__ == "__main__":
    weigh(sys.argv[1])
