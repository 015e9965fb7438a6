"""The language of a query, and how well an embedder knows it."""

from __future__ import annotations

from functools import cache
from typing import TYPE_CHECKING

from crewmem.protocols import LimitedEmbedder
from crewmem.text.tokens import (
    STOP_WORDS,
    detect_language,
    is_unspaced,
    list_likely_languages,
    stems,
    words,
)
from crewmem.text.word_lists import read_word_lists

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from crewmem.protocols import Embedder

GOOD_FIT, BAD_FIT, MIN_FIT = 2.0, 4.0, 0.1
"""Tokens a word: up to the first number the model knows a language, from the second it does not.
The third is the weight of its cosine then."""

SURE_FIT, UNKNOWN_FIT = 1.15, 1.5
"""Tokens a word of a query up to which the model knows its language; and how many times more tokens
than English a common word of an unknown language takes. With MiniLM, .46 of the German and French
queries without an answer in seven stores got hits. With words alone .02 do, and of the shown hits
.96 are right instead of .45."""

LONG_STOP_WORD = 5
"""Minimum letters of a stop word that identifies a language; shorter ones are in several."""

TELLING_WORDS = {
    "en": "the and are from",
    "de": "der ist und nur",
    "fr": "est et pour dans",
    "es": "el los las pero",
    "it": "di che gli sono",
    "pt": "em ao uma com",
    "nl": "het een van voor",
    "sv": "och att som det",
    "cs": "jsou pro pri jen",
    "pl": "w jest dla czy",
    "tr": "bir bu icin daha",
}
"""Frequent words of languages with Latin letters that the others do not have, without accents."""

CHARACTERS_A_WORD = 4
"""Characters of Chinese, Japanese, Korean or Thai that `language_fit` counts as a word."""


def language_fit(embedder: Embedder | None, text: str) -> float:
    """Return how well *embedder* knows the language of *text*, from 0 for not at all to 1.

    A model that cuts a word into many tokens has hardly seen its language: MiniLM makes one token
    of a common English word, 2.2 of a German one, 5 of an Arabic or Russian one. If the language's
    common words are known, they decide, because the query may contain names and technical terms. A
    `LimitedEmbedder` knows the languages that it tells, and any text whose language is unclear.
    """
    typed = [word for word in words(text) if word.isalpha()]
    if embedder is None or not typed:
        return 1.0
    if isinstance(embedder, LimitedEmbedder):
        return float(detect_language(text) in {*embedder.languages, "?"})
    if typed[0].isascii() or not is_unspaced(typed[0]):
        many = embedder.count_tokens(" ".join(typed)) / len(typed)
    else:  # a model that knows Chinese makes less than one token a character
        many = embedder.count_tokens(text) / max(len(text), 1) * CHARACTERS_A_WORD
    if many > SURE_FIT and not _knows_language(embedder, detect_language(text)):
        return 0.0
    over = (many - GOOD_FIT) / (BAD_FIT - GOOD_FIT)
    return max(MIN_FIT, min(1.0, 1.0 - over * (1.0 - MIN_FIT)))


def _knows_language(embedder: Embedder, language: str) -> bool:
    """Return whether *embedder* takes few tokens for common words of a language."""
    common, english = _common_words(language), _common_words("en")
    if not common:
        return True
    many, few = (embedder.count_tokens(" ".join(each)) / len(each) for each in (common, english))
    return many < UNKNOWN_FIT * few


def find_language(text: str, look_up: Callable[[Sequence[str]], Mapping[str, int]]) -> str:
    """Return the language of a query, or "?"; if it is unclear, that of most texts of a store.

    "trésorier" may be of any language, and "puerto de postgres" of three.

    Args:
        look_up: Returns how many texts of the store contain each stem.
    """
    likely = list_likely_languages(text)
    if len(likely) == 1:
        return likely[0]
    telling = {each: _stems_of(each) for each in likely or TELLING_WORDS if each in TELLING_WORDS}
    counts = look_up([stem for listed in telling.values() for stem in listed])
    texts = {each: sum(counts.get(stem, 0) for stem in telling[each]) for each in telling}
    best = max(texts, key=lambda each: texts[each])
    return best if texts[best] else detect_language(text)


@cache
def _stems_of(language: str) -> tuple[str, ...]:
    """Return the stems of the telling words of a language."""
    return tuple(stems(TELLING_WORDS[language]))


@cache
def _common_words(language: str) -> tuple[str, ...]:
    """Return the long stop words of a language; a model that knows the language has seen them."""
    listed = read_word_lists(STOP_WORDS).get(language, ())
    return tuple(sorted(word for word in listed if len(word) >= LONG_STOP_WORD))
