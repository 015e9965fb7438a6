"""A text as a filter: what holds all of its words. Pure.

A search ranks, so any word will do. A listing by time has no rank to tell what holds
one word from what holds all.
"""

from __future__ import annotations

from crewmem.retrieval.query import MOST_TERMS, understood
from crewmem.retrieval.terms import all_of, any_of, distinct, word_terms
from crewmem.retrieval.words import is_stop_word, words

TYPE_CHECKING = False
if TYPE_CHECKING:
    from crewmem.retrieval.words import Tokenize


def required(text: str, tokenize: Tokenize) -> tuple[str, str]:
    """Return the expression for what holds all words of *text*, or meets its operators.

    Words that say nothing about a subject are left out, unless there are no others.

    Returns:
        The expression, "" when nothing can be asked for; and why operators were not
        understood, else "".
    """
    meant, misread = understood(text, tokenize)
    if meant:
        return meant.expression, misread
    typed = words(text, tokenize)
    telling = [each for each in typed if not is_stop_word(text, each)] or typed
    asked = [
        any_of([term.phrase for term in distinct(word_terms(text, each, tokenize))])
        for each in telling[:MOST_TERMS]
    ]
    return all_of(asked), misread
