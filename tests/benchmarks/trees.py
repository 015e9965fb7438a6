"""Growing trees of memory files: the same ones everywhere, and like real ones.

Run as ``python trees.py DIR FILES FOLDERS``. Words are drawn as they are in prose, a
few often and most hardly ever; files have headings, paragraphs, lists and code.
"""

from __future__ import annotations

import sys
from pathlib import Path
from random import Random
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

SEED = 20260501

WORDS = 30_000

DRAWN_FROM = 1 << 20
"""Length of the list that words are drawn from; the rarest stands in it thrice."""

FLATTENING = 2.7
"""Of Zipf's law at the first ranks, after Mandelbrot."""

LEAST_BYTES, MOST_BYTES = 500, 6_000

FUNCTION_WORDS = """
the of and to a in is it that for was on are with as be this have from or had by not
but what all were when we there can an your which their if do will each how them then
she many some so these would other into has more her two like him see time could no make
"""

SUBJECT_WORDS = """
deploy build release branch review merge server database backup key token secret agent
crew memory session ticket customer invoice payment schedule meeting decision plan
risk incident outage rollback migration schema index query cache queue worker timer lock
latency budget quota region cluster gateway router domain certificate account policy
password harbour permission role owner lead operator handover summary lesson preference
project context identity weather station berth cargo crane tide pilot manifest customs
"""

SUBJECT_EVERY = 10
"""Among the words after the first, every which is of the subject."""

SYLLABLES = """
ba be bi bo bu da de di do du fa fe fi fo ga ge go ka ke ki ko la le li lo lu ma me mi
mo mu na ne ni no nu pa pe pi po ra re ri ro ru sa se si so su ta te ti to tu va ve vi
vo za ster ment tion ing ard ell orn ist and er
"""


def vocabulary(random: Random) -> list[str]:
    """Return all words, the most frequent first."""
    first, subject = FUNCTION_WORDS.split(), SUBJECT_WORDS.split()
    syllables = SYLLABLES.split()
    made: dict[str, None] = {}
    while len(made) < WORDS - len(first) - len(subject):
        made["".join(random.choices(syllables, k=random.randint(2, 5)))] = None
    others = [word for word in made if word not in {*first, *subject}]
    for at, word in enumerate(subject, start=1):
        others.insert(SUBJECT_EVERY * at, word)
    return [*first, *others]


def drawn_from(words: list[str]) -> list[str]:
    """Return a list in which each word stands as often as prose would have it."""
    weights = [1 / (rank + FLATTENING) for rank in range(1, len(words) + 1)]
    scale = DRAWN_FROM / sum(weights)
    return [
        word
        for word, weight in zip(words, weights, strict=True)
        for _ in range(max(1, round(weight * scale)))
    ]


class Writer:
    """Writes markdown of words that are drawn at random."""

    def __init__(self, seed: int) -> None:
        self._random = Random(seed)  # noqa: S311 - the same files everywhere
        self._from = drawn_from(vocabulary(Random(seed)))  # noqa: S311 - as above

    def name(self) -> str:
        """Return a name for a file, without its end."""
        return "-".join(self._words(2, 3))

    def file(self) -> str:
        """Return a whole file."""
        size = int(LEAST_BYTES * (MOST_BYTES / LEAST_BYTES) ** self._random.random())
        text = f"# {' '.join(self._words(2, 5)).capitalize()}\n"
        for block in self._blocks():
            if len(text) + len(block) > size and len(text) > LEAST_BYTES:
                return text
            text += f"\n{block}\n"
        raise AssertionError("blocks never end")

    def _blocks(self) -> Iterator[str]:
        kinds: list[Callable[[], str]] = [
            self._paragraph,
            self._paragraph,
            self._list,
            self._heading,
            self._list,
            self._code,
        ]
        weights = [4, 4, 3, 4, 2, 1]
        yield self._paragraph()
        while True:
            (kind,) = self._random.choices(kinds, weights)
            yield kind()
            if kind == self._heading:
                yield self._paragraph()

    def _words(self, least: int, most: int) -> list[str]:
        return self._random.choices(self._from, k=self._random.randint(least, most))

    def _heading(self) -> str:
        level = self._random.choice([2, 2, 2, 3, 3, 4])
        return f"{'#' * level} {' '.join(self._words(1, 4)).capitalize()}"

    def _sentence(self) -> str:
        return " ".join(self._words(6, 18)).capitalize() + "."

    def _paragraph(self) -> str:
        return " ".join(self._sentence() for _ in range(self._random.randint(1, 5)))

    def _list(self) -> str:
        items = range(self._random.randint(2, 8))
        return "\n".join(f"- {' '.join(self._words(3, 12))}" for _ in items)

    def _code(self) -> str:
        lines = range(self._random.randint(1, 6))
        calls = (self._words(3, 3) for _ in lines)
        body = "\n".join(
            f"{one}_{two} --{three} /srv/{one}" for one, two, three in calls
        )
        return f"```sh\n{body}\n```"


def grow(path: Path, files: int, folders: int) -> None:
    """Fill the directory *path* with *files*, spread over *folders*, 0 for none."""
    writer = Writer(SEED)
    below = [path / f"{writer.name()}-{at}" for at in range(folders)]
    for folder in below or [path]:
        folder.mkdir(parents=True, exist_ok=True)
    for at in range(files):
        folder = below[at % folders] if folders else path
        name = f"{writer.name()}-{at}.md"
        (folder / name).write_text(writer.file(), encoding="utf-8")


if __name__ == "__main__":
    grow(Path(sys.argv[1]), int(sys.argv[2]), int(sys.argv[3]))
