"""Similarity of texts by their words: crewmem's only similarity measure without vectors.

`find_similar_pairs` is an exact join: it finds the same pairs as comparing all with all, but
faster.
"""

from __future__ import annotations

from array import array
from collections import Counter
from collections.abc import Collection, Iterable, Iterator, Sequence
from functools import lru_cache
from itertools import chain, combinations
from math import ceil

from crewmem.text.tokens import stems

SAME_STATEMENT = 0.6
"""Minimum Jaccard index of two statements of notes or sessions that say the same."""

MAX_PARTNERS = 50
"""Maximum number of pairs of a set, the most similar. If thousands of texts differ only by a
number, there are millions of pairs, which nobody needs."""

LONG = 200
"""Minimum size of a set that is looked up by single tokens, because it has too many pairs; two
tokens must be shared."""

ROUNDING = 1e-9
"""Maximum rounding error of a product that is a whole number."""

PAIR_COUNTERS = 1 << 22
"""Number of counters for pairs of tokens; a collision takes time but never changes a result."""


@lru_cache(maxsize=4_096)
def token_set(text: str) -> frozenset[str]:
    """Return the stems of *text*, as in the full-text index.

    >>> sorted(token_set("Deploys, deployed: the deploy"))
    ['deploi', 'the']
    """
    return frozenset(stems(text))


def jaccard(a: Collection[str], b: Collection[str]) -> float:
    """Return the share of all tokens that both sets contain, in [0, 1]; 0 for empty sets.

    >>> jaccard({"deploy", "friday"}, {"deploy", "monday"})
    0.3333333333333333
    """
    first, second = frozenset(a), frozenset(b)
    shared = len(first & second)
    return shared / (len(first) + len(second) - shared) if shared else 0.0


def rarest_tokens(tokens: Collection[str], counts: dict[str, int], threshold: float) -> list[str]:
    """Return the rarest of *tokens*, so many that every similar set contains one of them.

    A set of n tokens is similar to another only if they share ``threshold * n`` tokens. So any
    ``n - ceil(threshold * n) + 1`` of its tokens include a shared one.

    Args:
        counts: Number of texts with each token; absent is 0.
    """
    ordered = sorted(set(tokens), key=lambda token: (counts.get(token, 0), token))
    return ordered[: prefix_length(len(ordered), threshold)]


def prefix_length(size: int, threshold: float) -> int:
    """Return how many tokens of a set of *size* must be tried to find every similar set."""
    return size - ceil(threshold * size - ROUNDING) + 1


def find_similar_pairs(
    token_sets: Sequence[Collection[str]], threshold: float, *, partners: int = MAX_PARTNERS
) -> Iterator[tuple[int, int, float]]:
    """Find the pairs of sets whose Jaccard index is at least *threshold*.

    Two similar sets share two of their rarest tokens, or are tiny (prefix filtering: Bayardo, Ma
    and Srikant 2007; by two tokens at once: Wang, Li and Feng 2012). One rare token leads to many
    unrelated texts, two lead to hardly any: 100,000 short texts take a tenth of the time.

    Args:
        partners: Maximum number of smaller (or equally large) sets that a set is paired with. The
            result is complete if no set has more.

    Yields:
        (i, j, Jaccard index) with i < j, in no particular order. Empty sets have no pairs.
    """
    sets = [frozenset(tokens) for tokens in token_sets]
    numbered, first_shared = _number_tokens(sets)
    order = sorted((at for at in range(len(sets)) if sets[at]), key=lambda at: len(sets[at]))
    index = _PairIndex(numbered, first_shared, threshold, order)
    for at in order:
        count = 0
        for other in index.find(at):
            similarity = jaccard(sets[at], sets[other])
            if similarity >= threshold:
                yield min(at, other), max(at, other), similarity
                count += 1
                if count == partners:
                    break
        index.add(at)


def _number_tokens(sets: Sequence[frozenset[str]]) -> tuple[list[array[int]], int]:
    """Return the sets as sorted arrays of numbers, the rarest token lowest.

    The second value is the lowest number of a token that several sets contain.
    """
    counts = Counter(chain.from_iterable(sets))
    ordered = sorted(counts, key=lambda token: (counts[token], token))
    number = {token: at for at, token in enumerate(ordered)}
    first_shared = sum(count == 1 for count in counts.values())
    return [array("I", sorted(map(number.__getitem__, each))) for each in sets], first_shared


class _PairIndex:
    """Sets by pairs of their rarest tokens, added in the order of their size."""

    def __init__(
        self, sets: Sequence[array[int]], first_shared: int, threshold: float, order: Sequence[int]
    ) -> None:
        self._sets, self._first, self._threshold = sets, first_shared, threshold
        self._base = max((tokens[-1] for tokens in sets if tokens), default=0) + 1
        self._by_pair: dict[int, int | list[int]] = {}
        self._by_token: dict[int, list[int]] = {}  # sets so small that one shared token is enough
        self._near_long_sets: dict[int, list[int]] = {}  # sets that may be similar to a long one
        self._near_long = ceil(threshold * LONG - ROUNDING)
        self._rare = [self._find_rare(tokens) for tokens in sets]
        self._seen = self._count_pairs(order)

    def find(self, at: int) -> Iterator[int]:
        """Yield the sets added so far that may be similar to the set at *at*.

        Those with one pair of tokens come newest first, so that of thousands of texts that differ
        only by a number, few are looked at.
        """
        tokens = self._sets[at]
        size = len(tokens)
        rare = self._rare[at]
        found = {at}
        for holders in self._list_holders(tokens, rare):
            for other in reversed(holders):
                if other not in found:
                    found.add(other)
                    yield other
        if size >= LONG:
            holders_by_token = (self._near_long_sets.get(token, ()) for token in rare)
            shared = Counter(chain.from_iterable(holders_by_token))
            yield from (other for other, count in shared.items() if count > 1)

    def _list_holders(self, tokens: array[int], rare: Sequence[int]) -> Iterator[Sequence[int]]:
        """Yield the sets with each pair of rare tokens; of a tiny set with each token."""
        if len(tokens) < LONG:
            for pair in self._pairs(rare):
                holders = self._by_pair.get(pair)
                if holders is not None:
                    yield (holders,) if isinstance(holders, int) else holders
        if self._is_tiny(tokens):
            for token in tokens:
                yield self._by_token.get(token, ())

    def _is_tiny(self, tokens: Sequence[int]) -> bool:
        """Return whether one shared token makes another set similar."""
        return ceil(self._threshold * len(tokens) - ROUNDING) <= 1

    def add(self, at: int) -> None:
        """Add a set. Later sets are as large or larger, so fewer of its tokens are enough."""
        tokens = self._sets[at]
        size = len(tokens)
        # The minimum number of tokens shared with a set of its size or larger.
        overlap = ceil(2 * self._threshold / (1 + self._threshold) * size - ROUNDING)
        last = tokens[min(size, size - overlap + 2) - 1]
        kept = [token for token in self._rare[at] if token <= last]
        if overlap <= 1 or self._is_tiny(tokens):
            for token in tokens:
                self._by_token.setdefault(token, []).append(at)
        if size < LONG:
            for pair in self._pairs(kept):
                holders = self._by_pair.get(pair)
                if holders is None:
                    self._by_pair[pair] = at
                elif isinstance(holders, int):
                    self._by_pair[pair] = [holders, at]
                else:
                    holders.append(at)
        if size >= self._near_long:
            for token in kept:
                self._near_long_sets.setdefault(token, []).append(at)

    def _find_rare(self, tokens: array[int]) -> list[int]:
        """Return the rarest tokens; every similar set contains two of them."""
        size = len(tokens)
        count = size - ceil(self._threshold * size - ROUNDING) + 2
        return [token for token in tokens[:count] if token >= self._first]

    def _pairs(self, tokens: Sequence[int]) -> Iterator[int]:
        """Yield the pairs of *tokens* that two sets may share, each as a number."""
        base, seen = self._base, self._seen
        for one, other in combinations(tokens, 2):
            pair = one * base + other
            if seen[pair % PAIR_COUNTERS] > 1:
                yield pair

    def _count_pairs(self, order: Iterable[int]) -> bytearray:
        """Count the sets of each pair: most pairs are in one set only and need no entry."""
        seen, base = bytearray(PAIR_COUNTERS), self._base
        for at in order:
            if len(self._sets[at]) < LONG:
                for one, other in combinations(self._rare[at], 2):
                    slot = (one * base + other) % PAIR_COUNTERS
                    if seen[slot] < 2:
                        seen[slot] += 1
        return seen
