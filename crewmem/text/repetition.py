"""Find texts that repeat an earlier one."""

from __future__ import annotations

from collections import defaultdict

from crewmem.text.opposites import are_distinct
from crewmem.text.similarity import SAME_STATEMENT, jaccard, rarest_tokens, token_set

MAX_COMPARED = 100
"""Maximum earlier texts per rare token, the newest, that a text is compared with. If thousands of
texts differ only by a number, comparing each with all earlier ones takes minutes."""


class SimilarTexts:
    """A set of texts that say different things."""

    def __init__(self) -> None:
        self._texts: dict[str, frozenset[str]] = {}
        self._holders: defaultdict[str, list[str]] = defaultdict(list)

    def add(self, text: str) -> bool:
        """Add a text unless an earlier one is similar and says the same.

        Returns:
            Whether it was added.
        """
        if text in self._texts:
            return False
        tokens = token_set(text)
        counts = {token: len(self._holders[token]) for token in tokens}
        rare = rarest_tokens(tokens, counts, SAME_STATEMENT)
        near = {other for token in rare for other in self._holders[token][-MAX_COMPARED:]}
        if any(
            jaccard(tokens, self._texts[other]) >= SAME_STATEMENT and not are_distinct(text, other)
            for other in near
        ):
            return False
        for token in tokens:
            self._holders[token].append(text)
        self._texts[text] = tokens
        return True
