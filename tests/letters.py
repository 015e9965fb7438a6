"""An embedder that needs no model: a text is as near as its letters are alike."""

import numpy as np

from crewmem.errors.backends import RequestRefusedError, UnreachableError

LETTERS = "abcdefghijklmnopqrstuvwxyz"

PIECE = 400
"""Characters that it reads."""


class Letters:
    """Counts letters; refuses what it was told to.

    Attributes:
        refused: What holds this is refused.
        down: Whether it answers nothing.
        seen: Every text that it embedded.
    """

    name, model, dim = "letters", "letters-1", 26

    def __init__(self, *, piece=PIECE):
        self.refused, self.down, self.seen, self.piece = "", False, [], piece

    def pieces(self, text):
        """Return *text* in parts that do not overlap."""
        starts = range(0, max(len(text), 1), self.piece)
        return [text[at : at + self.piece] for at in starts]

    def embed(self, texts):
        """Return the counts of letters as unit vectors."""
        if self.down:
            raise UnreachableError("letters", "it is down")
        if self.refused and any(self.refused in text for text in texts):
            raise RequestRefusedError("letters", "it does not like that")
        self.seen += texts
        counts = [[text.lower().count(each) for each in LETTERS] for text in texts]
        rows = np.array(counts, np.float32).reshape(-1, self.dim) + np.float32(0.01)
        return rows / np.linalg.norm(rows, axis=1, keepdims=True)
