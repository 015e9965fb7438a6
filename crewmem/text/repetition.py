"""Which texts say what another one before them said."""

from __future__ import annotations

from crewmem.text.opposites import is_opposite
from crewmem.text.similarity import jaccard, rarest_tokens, token_set


class SimilarTexts:
    """Texts, each of which is asked for among those before it."""

    def __init__(self, threshold: float) -> None:
        self._threshold = threshold
        self._texts: list[str] = []
        self._sets: list[frozenset[str]] = []
        self._holders: dict[str, list[int]] = {}

    def add(self, text: str) -> bool:
        """Add a text unless one says the same: is similar, and not its opposite.

        Returns:
            Whether it was added.
        """
        tokens = token_set(text)
        counts = {token: len(self._holders.get(token, ())) for token in tokens}
        rare = rarest_tokens(tokens, counts, self._threshold)
        near = {at for token in rare for at in self._holders.get(token, ())}
        if any(
            jaccard(tokens, self._sets[at]) >= self._threshold
            and not is_opposite(text, self._texts[at])
            for at in near
        ):
            return False
        for token in tokens:
            self._holders.setdefault(token, []).append(len(self._sets))
        self._sets.append(tokens)
        self._texts.append(text)
        return True
