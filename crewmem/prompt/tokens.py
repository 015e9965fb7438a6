"""How many tokens a text may be for a model, without asking one. Pure."""

from __future__ import annotations

import re

TOKEN_CHARS = 4
"""Characters that are taken for a token: what English text has."""

DENSE = (
    "[\u3040-\u30ff\u3400-\u4dbf\u4e00-\u9fff\uac00-\ud7af\uf900-\ufaff"
    "\uff66-\uffdc\U00020000-\U00031fff]"
)
"""Characters of Chinese, Japanese and Korean, each of which is taken for a token."""

FIRST = "\u3040"
"""The first of them. The expression takes two milliseconds to compile, and dashes,
quotes and accents lie before."""

ESTIMATOR = "a token for 4 characters, and for each of Chinese, Japanese and Korean"


def quarters(text: str) -> int:
    """Return how many quarters of a token *text* is; those of its parts add up."""
    if text.isascii() or max(set(text)) < FIRST:
        return len(text)
    return len(text) + (TOKEN_CHARS - 1) * len(re.findall(DENSE, text))


def tokens(text: str) -> int:
    """Estimate how many tokens *text* is, rounded up."""
    return -(-quarters(text) // TOKEN_CHARS)
