"""Find texts that are alike in a database: ``python prefix_join.py DATABASE``.

An exact join by the two rarest words that two texts of which half of all words is
shared have in common, without command line: read all, cut into words, compare.
"""

import re
import sys
from collections import Counter
from itertools import combinations
from math import ceil

import apsw

LEAST = 0.5

ALL = "select title || char(10) || content from memories where status = 'active'"


def join(path: str) -> int:
    """Return how many pairs of memories at *path* are alike."""
    rows = apsw.Connection(path).execute(ALL)
    sets = [set(re.findall(r"\w+", text.lower())) for (text,) in rows]
    holding = Counter(word for each in sets for word in each)
    sets.sort(key=len)
    seen: dict[tuple[str, str], list[int]] = {}
    pairs = 0
    for at, own in enumerate(sets):
        order = sorted(own, key=lambda word: (holding[word], word))
        prefix = order[: len(order) - ceil(LEAST * len(order)) + 2]
        keys = [*combinations(prefix, 2)]
        near = {other for key in keys for other in seen.get(key, ())}
        pairs += sum(
            len(own & sets[other]) >= LEAST * len(own | sets[other]) for other in near
        )
        for key in keys:
            seen.setdefault(key, []).append(at)
    return pairs


if __name__ == "__main__":
    sys.stdout.write(f"{join(sys.argv[1])}\n")
