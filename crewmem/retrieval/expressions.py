"""Writing FTS5 expressions, and keeping count of their phrases. Pure.

FTS5 numbers the phrases of an expression from left to right, and so do the terms
here. Every part stands in parentheses: FTS5's precedence is not ours.
"""

from __future__ import annotations

from crewmem.retrieval.lexemes import OPERATORS, PLAIN, Kind, QuerySyntaxError, lexemes
from crewmem.retrieval.operands import operands, required_and_ranking
from crewmem.retrieval.syntax import Branch, tree
from crewmem.retrieval.terms import all_of, any_of

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from crewmem.retrieval.lexemes import Lexeme
    from crewmem.retrieval.syntax import Node
    from crewmem.retrieval.terms import Term
    from crewmem.retrieval.words import Tokenize


def expression(text: str, tokenize: Tokenize) -> tuple[str, list[Term], str]:
    """Return what *text* means in FTS5's syntax, the terms in it, and what is wrong.

    The expression is "" when *text* is plain words, holds none, or cannot be read.
    """
    writer = Writer(tokenize)
    try:
        return writer.text(lexemes(text)), writer.terms, ""
    except QuerySyntaxError as error:
        return "", [], str(error)


class Writer:
    """An expression that is being written.

    Attributes:
        terms: The phrases written so far.
    """

    def __init__(self, tokenize: Tokenize) -> None:
        self.terms: list[Term] = []
        self._tokenize = tokenize
        self._counted: set[tuple[tuple[str, ...], bool]] = set()

    def text(self, typed: Sequence[Lexeme]) -> str:
        """Write *typed*, unless it is plain words.

        Raises:
            QuerySyntaxError: It cannot be read.
        """
        kinds = {kind for kind, _ in typed}
        if not kinds.isdisjoint(OPERATORS):
            return self.strict(tree(typed))
        return "" if kinds <= PLAIN else self.loose(typed)

    def strict(self, node: Node, *, counts: bool = True) -> str:
        """Write *node* as it was meant; "" if it holds no word.

        Unless *counts*, a match of it does not count, as none does after NOT.

        Raises:
            QuerySyntaxError: It says only what is not wanted; a phrase is too long.
        """
        if not isinstance(node, Branch):
            found = operands(node, self._tokenize)
            return all_of(
                [any_of(self._phrases(each, counts=counts)) for each in found]
            )
        if node.kind is Kind.NEAR:
            return self._near(node, counts=counts)
        if node.kind is Kind.NOT:
            return self._not(node, counts=counts)
        parts = [self.strict(part, counts=counts) for part in node.parts]
        return any_of(parts) if node.kind is Kind.OR else all_of(parts)

    def loose(self, lexemes: Sequence[Lexeme]) -> str:
        """Write *lexemes* so that phrases are required, and the rest only ranks.

        FTS5 has no optional operand, so the first phrase stands in it twice:
        `"p" AND ("p" OR "w")`.

        Raises:
            QuerySyntaxError: A phrase is too long.
        """
        required, ranking = required_and_ranking(lexemes, self._tokenize)
        phrases = self._phrases(required)
        more = [term for term in ranking if term.key not in self._counted]
        if more:
            phrases.append(any_of(self._phrases([*required[:1], *more])))
        return all_of(phrases)

    def _near(self, node: Branch, *, counts: bool) -> str:
        leaves = (part for part in node.parts if not isinstance(part, Branch))
        found = (operands(leaf, self._tokenize) for leaf in leaves)
        typed = [each[0] for several in found for each in several]
        phrases = self._phrases(typed, counts=counts)
        if not phrases[1:]:
            return any_of(phrases)
        return f"NEAR({' '.join(phrases)}, {node.distance})"

    def _not(self, node: Branch, *, counts: bool) -> str:
        wanted, *unwanted = node.parts
        left = self.strict(wanted, counts=counts)
        if not left:
            raise QuerySyntaxError(f"nothing stands before {Kind.NOT}")
        right = any_of([self.strict(part, counts=False) for part in unwanted])
        return f"({left} NOT {right})" if right else left

    def _phrases(self, terms: Iterable[Term], *, counts: bool = True) -> list[str]:
        """Return the phrases of *terms*, which are then written."""
        phrases = []
        for term in terms:
            is_counted = counts and term.key not in self._counted
            self.terms.append(term if is_counted else term._replace(weight=0.0))
            if is_counted:
                self._counted.add(term.key)
            phrases.append(term.phrase)
        return phrases
