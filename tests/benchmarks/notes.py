"""Filling a home with daily notes: a year of a crew, in words drawn as in prose.

Run as ``python notes.py DIRECTORY AGENTS DAYS LAST``: the directory of the crew's
agents, how many of them, and the last day. One of fifty lines is said again in the
days after, by the same agent or by another, with a word more in it: two a day.
"""

from __future__ import annotations

import sys
from datetime import date, timedelta
from pathlib import Path
from random import Random

if __package__:
    from tests.benchmarks.trees import drawn_from, vocabulary
else:
    from trees import drawn_from, vocabulary

SEED = 20260501

LEAST_LINES, MOST_LINES = 3, 7
"""Of a note."""

LEAST_WORDS, MOST_WORDS = 6, 16
"""Of a line."""

REPEATED = 0.02
"""Part of the lines that are said again."""

LATEST = 20
"""Days after which a line is no longer said again."""


def fill(agents: Path, count: int, days: int, last: date) -> None:
    """Write the notes of *count* agents for as many *days*, up to the *last*."""
    random = Random(SEED)  # noqa: S311 - the same notes everywhere
    drawn = drawn_from(vocabulary(Random(SEED)))  # noqa: S311 - as above
    said: list[tuple[int, list[str]]] = []
    for number in range(days):
        day = last - timedelta(days=days - 1 - number)
        said = [each for each in said if number - each[0] <= LATEST]
        for agent in range(count):
            lines = []
            for minute in range(random.randint(LEAST_LINES, MOST_LINES)):
                if said and random.random() < REPEATED:
                    words = list(random.choice(said)[1])
                    words.insert(random.randrange(len(words)), random.choice(drawn))
                else:
                    size = random.randint(LEAST_WORDS, MOST_WORDS)
                    words = random.choices(drawn, k=size)
                    said.append((number, words))
                text = " ".join(words).capitalize()
                lines.append(f"- {9 + minute:02}:{minute * 7:02} — {text}.\n")
            path = agents / f"agent-{agent}" / ".memory" / "daily" / f"{day}.md"
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(f"# {day:%A}\n\n{''.join(lines)}", encoding="utf-8")


if __name__ == "__main__":
    fill(
        Path(sys.argv[1]),
        int(sys.argv[2]),
        int(sys.argv[3]),
        date.fromisoformat(sys.argv[4]),
    )
