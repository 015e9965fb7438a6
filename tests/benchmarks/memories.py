"""Filling a home with memories: the same ones everywhere, in words drawn as in prose.

Run as ``python memories.py HOME COUNT``. One of twenty has a few near duplicates, of
which up to a third of the words are others.
"""

from __future__ import annotations

import json
import sys
from datetime import UTC, datetime
from hashlib import sha256
from io import BytesIO
from pathlib import Path
from random import Random
from typing import TYPE_CHECKING

from crewmem.db.truth import open_to_write
from crewmem.journal.store import Journal
from crewmem.memories.desk import Desk
from crewmem.memories.importing import import_memories
from crewmem.memories.store import Memories
from crewmem.memories.view import View
from crewmem.scope import actor

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


def lines(count: int) -> Iterator[bytes]:
    """Yield *count* memories of the workspace, as JSON lines."""
    for at, text in enumerate(texts(count)):
        memory = {"id": f"m_{at:012}", "content": text, "scope": "workspace"}
        yield json.dumps(memory).encode() + b"\n"


def fill(home: Path, count: int) -> None:
    """Add *count* memories to *home*, which there is, all at once."""
    db = open_to_write(home, busy_timeout=5)
    desk = Desk(
        Memories(db),
        Journal(db),
        actor("operator:ada"),
        View("default"),
        NOW,
        lambda size: sha256().digest()[:size],
    )
    import_memories(desk, BytesIO(b"".join(lines(count))))
    db.close()


if __name__ == "__main__":
    fill(Path(sys.argv[1]), int(sys.argv[2]))
