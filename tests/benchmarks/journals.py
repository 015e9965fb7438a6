"""Growing a journal, as JSON lines: the same one everywhere, and like real ones.

Run as ``python journals.py FILE ENTRIES``. Agents talk in sessions, in words
drawn as they are in prose; all that they say is to be recalled.
"""

from __future__ import annotations

import json
import sys
from datetime import UTC, datetime, timedelta
from pathlib import Path
from random import Random
from typing import TYPE_CHECKING

if __package__:
    from tests.benchmarks.trees import drawn_from, vocabulary
else:
    from trees import drawn_from, vocabulary

if TYPE_CHECKING:
    from collections.abc import Iterator

SEED = 20260501

BEGINNING = datetime(2026, 1, 1, tzinfo=UTC)

AGENTS = ("mira", "otto", "selma", "juri", "wanda")

SESSION = 20
"""Entries of a session."""

LEAST_WORDS, MOST_WORDS = 8, 25
"""Of a summary."""

QUESTION_EVERY = 10
"""Entries of which one has a payload that asks something."""


def entries(count: int) -> Iterator[dict[str, object]]:
    """Yield *count* entries as `journal import` takes them, the oldest first."""
    random = Random(SEED)  # noqa: S311 - the same entries everywhere
    drawn = drawn_from(vocabulary(Random(SEED)))  # noqa: S311 - as above

    def words() -> str:
        count = random.randint(LEAST_WORDS, MOST_WORDS)
        return " ".join(random.choices(drawn, k=count))

    for at in range(count):
        agent = random.choice(AGENTS)
        entry = {
            "id": f"j_{at:012}",
            "ts": (BEGINNING + timedelta(seconds=7 * at)).isoformat(),
            "entry_type": "peer.conversation",
            "crew_id": "harbor",
            "agent_id": agent,
            "actor_type": "agent",
            "actor_id": agent,
            "summary": f"{words().capitalize()}.",
            "trace_id": f"s{at // SESSION}",
            "refs": {"episodic": True},
        }
        if at % QUESTION_EVERY == 0:
            entry["payload"] = {"question": f"{words().capitalize()}?"}
        yield entry


def grow(path: Path, count: int) -> None:
    """Write *count* entries to *path*."""
    with path.open("w", encoding="utf-8") as file:
        file.writelines(f"{json.dumps(entry)}\n" for entry in entries(count))


if __name__ == "__main__":
    grow(Path(sys.argv[1]), int(sys.argv[2]))
