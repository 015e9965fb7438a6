"""What is looked for, as the terms of which any will do. Pure."""

from __future__ import annotations

from crewmem.retrieval.lexemes import PHRASES, PREFIX_CHARS, Kind, QuerySyntaxError
from crewmem.retrieval.prefixes import prefix_terms
from crewmem.retrieval.terms import distinct, family, phrase, telling_terms
from crewmem.retrieval.words import located, words

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

    from crewmem.retrieval.lexemes import Lexeme
    from crewmem.retrieval.terms import Term
    from crewmem.retrieval.words import Tokenize

    Operand = list[Term]
    """Terms of which any will do; the first is what was typed."""

MOST_STEMS = 64
"""Longest phrase that is asked for; a longer one was pasted, not remembered."""


def operands(lexeme: Lexeme, tokenize: Tokenize) -> list[Operand]:
    """Return what *lexeme* looks for: nothing, or a list for each of its words.

    Raises:
        QuerySyntaxError: A phrase is too long.
    """
    kind, text = lexeme
    if kind in PHRASES:
        return _phrase(text, tokenize, prefix=kind is Kind.PHRASE_PREFIX)
    typed = words(text, tokenize)
    found = [list(family(text, word, tokenize)) for word in typed]
    if kind is Kind.PREFIX and typed:
        found[-1] = list(prefix_terms(text, typed[-1], tokenize))
    return found


def required_and_ranking(
    lexemes: Sequence[Lexeme], tokenize: Tokenize
) -> tuple[list[Term], list[Term]]:
    """Return the terms of phrases, and those of the words beside them.

    Raises:
        QuerySyntaxError: A phrase is too long.
    """
    required: list[Term] = []
    ranking: list[Term] = []
    for lexeme in lexemes:
        if lexeme[0] in PHRASES:
            required += [each[0] for each in operands(lexeme, tokenize)]
        elif lexeme[0] is Kind.PREFIX:
            ranking += [term for each in operands(lexeme, tokenize) for term in each]
    plain = " ".join(text for kind, text in lexemes if kind is Kind.WORD)
    is_all = not (required or ranking)
    ranking += telling_terms(plain, tokenize, is_all=is_all)
    return distinct(required), distinct(ranking)


def _phrase(text: str, tokenize: Tokenize, *, prefix: bool) -> list[Operand]:
    tokens = located(text, tokenize)
    if len(tokens) > MOST_STEMS:
        raise QuerySyntaxError(f"a phrase is longer than {MOST_STEMS} words")
    if not tokens:
        return []
    if prefix and not tokens[1:] and tokens[0][1] - tokens[0][0] >= PREFIX_CHARS:
        return [list(prefix_terms(text, tokens, tokenize))]
    return [[phrase(text, tokens, prefix=prefix and len(tokens) > 1)]]
