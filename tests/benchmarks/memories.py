"""Filling a home with memories: the same ones everywhere, in words drawn as in prose.

Run as ``python memories.py HOME COUNT``. One of twenty has a few near duplicates, of
which up to a third of the words are others.
"""

from __future__ import annotations

import sys
from datetime import UTC, datetime
from pathlib import Path
from random import Random
from typing import TYPE_CHECKING

from crewmem import times
from crewmem.db.connect import transaction
from crewmem.db.truth import open_to_write
from crewmem.memories.draft import content_hash, first_clause

if __package__:
    from tests.benchmarks.trees import drawn_from, vocabulary
else:
    from trees import drawn_from, vocabulary

if TYPE_CHECKING:
    from collections.abc import Iterator

SEED = 20260501

NOW = datetime(2026, 5, 1, tzinfo=UTC)

LEAST_WORDS, MOST_WORDS = 8, 25
"""Of a memory."""

COPIED, MOST_COPIES = 0.05, 4
"""Part of the memories that have near duplicates, and how many one has."""


def texts(count: int) -> list[str]:
    """Return what *count* memories say."""
    random = Random(SEED)  # noqa: S311 - the same memories everywhere
    drawn = drawn_from(vocabulary(Random(SEED)))  # noqa: S311 - as above
    found: list[str] = []
    while len(found) < count:
        words = random.choices(drawn, k=random.randint(LEAST_WORDS, MOST_WORDS))
        found.append(" ".join(words))
        if random.random() < COPIED:
            for _ in range(random.randint(1, MOST_COPIES)):
                copy = list(words)
                for _ in range(random.randint(0, len(copy) // 3)):
                    copy[random.randrange(len(copy))] = random.choice(drawn)
                found.append(" ".join(copy))
    return found[:count]


def rows(count: int) -> Iterator[tuple[object, ...]]:
    """Yield *count* memories of the workspace, as they are stored."""
    at = times.to_text(NOW)
    for number, text in enumerate(texts(count)):
        title = first_clause(text)
        digest = content_hash("fact", title, text)
        yield (f"m_{number:012}", title, text, digest, at, at)


INSERT = """
    insert or ignore into memories
           (workspace_id, scope, kind, origin, created_by,
            id, title, content, content_hash, created_at, updated_at)
    values ('default', 'workspace', 'fact', 'import', 'operator:ada', ?, ?, ?, ?, ?, ?)
"""
"""All at once, by SQL: an import of a million takes a quarter of an hour."""


def fill(home: Path, count: int) -> None:
    """Add *count* memories to *home*, which there is; of two that are equal one."""
    db = open_to_write(home, busy_timeout=5)
    with transaction(db):
        db.executemany(INSERT, rows(count))
    db.close()


def forget_new(home: Path) -> None:
    """Take out what was remembered since *home* was filled."""
    db = open_to_write(home, busy_timeout=5)
    with transaction(db):
        db.execute("delete from memories where origin <> 'import'")
    db.pragma("wal_checkpoint(truncate)")
    db.close()


if __name__ == "__main__":
    fill(Path(sys.argv[1]), int(sys.argv[2]))
