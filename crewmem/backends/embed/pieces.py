"""Long texts in pieces that overlap, so that nothing of them goes unread. Pure."""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from itertools import accumulate

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

READ_TOKENS = 8_000
"""Tokens that the models of services read at once, less a little: they count otherwise
than `estimate` does."""

PIECE_TOKENS = 1_000
"""Tokens of a piece. A vector of more is about too much to be near any question."""

OVERLAP = 5
"""One in so many tokens of a piece is in the next as well."""

QUARTERS = 4
"""A token is about four letters, or one character of Chinese, Japanese or Korean.

Tokens are counted in quarters: a letter is one, such a character four."""

WIDE = (
    (0x1100, 0x11FF),  # Hangul Jamo
    (0x2E80, 0x9FFF),  # radicals, kana, ideographs
    (0xA960, 0xA97F),  # Hangul Jamo
    (0xAC00, 0xD7FF),  # Hangul
    (0xF900, 0xFAFF),  # ideographs
    (0xFF00, 0xFFEF),  # full and half width
    (0x1B000, 0x1B16F),  # kana
    (0x20000, 0x3FFFF),  # ideographs
)
"""Characters that are a token each."""

FIRST_WIDE = chr(WIDE[0][0])


def estimate(text: str) -> int:
    """Return about how many tokens *text* has, as ``ceil(chars/4)+cjk`` counts them."""
    return -(-_quarters(text) // QUARTERS)


def pieces(
    text: str, *, read: int = READ_TOKENS, piece: int = PIECE_TOKENS
) -> list[str]:
    """Return *text*, or if it has *read* tokens or more, pieces of at most *piece*."""
    if len(text) < read or estimate(text) < read:
        return [text]
    weights = [_weight(character) for character in text]
    return [
        text[start:end]
        for start, end in cut(weights, QUARTERS * piece, QUARTERS * piece // OVERLAP)
    ]


def cut(weights: Sequence[int], most: int, overlap: int) -> Iterator[tuple[int, int]]:
    """Yield (start, end) of pieces of things that weigh *weights*, in order.

    A piece weighs *most* at most and goes as far as it can; the next one begins at
    most *overlap* before its end, and goes further. Something that weighs more than
    *most* is a piece of its own.
    """
    ends = [0, *accumulate(weights)]
    start = 0
    while True:
        end = max(bisect_right(ends, ends[start] + most) - 1, start + 1)
        yield start, min(end, len(weights))
        if end >= len(weights):
            return
        shared = bisect_left(ends, ends[end] - overlap)
        start = min(max(shared, bisect_left(ends, ends[end + 1] - most)), end)


def spoken(text: str) -> str:
    """Return *text* as UTF-8 can say it: half a surrogate pair becomes U+FFFD."""
    try:
        text.encode()
    except UnicodeEncodeError:
        return text.encode("utf-16", "surrogatepass").decode("utf-16", "replace")
    return text


def _quarters(text: str) -> int:
    if text.isascii():
        return len(text)
    return sum(map(_weight, text))


def _weight(character: str) -> int:
    if character < FIRST_WIDE:
        return 1
    code = ord(character)
    return QUARTERS if any(low <= code <= high for low, high in WIDE) else 1
