"""The grammar of operators: from what was typed to a tree. Pure.

NOT binds closest, then AND, then OR; operands side by side are joined by AND. NEAR
joins words and phrases only. The tree knows no index and holds no FTS5.
"""

from __future__ import annotations

from crewmem.records import NamedTuple
from crewmem.retrieval.lexemes import OPERANDS, Kind, QuerySyntaxError

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence
    from typing import TypeAlias

    from crewmem.retrieval.lexemes import Lexeme

    Node: TypeAlias = "Branch | Lexeme"

MOST_LEXEMES = 256
"""Far more than anybody types; with it nothing that is typed costs much time."""

MOST_DEPTH = 16
"""Deepest nesting of parentheses: those who read the tree do so by recursion."""

NEAR_DISTANCE = 10
"""Most words between the operands of NEAR, as in FTS5."""

MOST_DISTANCE = 10_000
"""More than a chunk has words; FTS5 would read any number into 32 bits."""


class Branch(NamedTuple):
    """An operator and its operands.

    Attributes:
        parts: Two or more; of NOT, the first is wanted and the others are not. Of
            NEAR one or more lexemes.
        distance: Of NEAR, the most words between its operands.
    """

    kind: Kind
    parts: tuple[Node, ...]
    distance: int = 0


def tree(lexemes: Sequence[Lexeme]) -> Node:
    """Return what *lexemes* mean.

    Raises:
        QuerySyntaxError: They mean nothing, or are too many.
    """
    if len(lexemes) > MOST_LEXEMES:
        raise QuerySyntaxError(f"it has more than {MOST_LEXEMES} words and operators")
    parser = _Parser(lexemes)
    found = parser.alternatives(0)
    if parser.peek() is Kind.CLOSE:
        raise QuerySyntaxError("a parenthesis is closed that was not opened")
    return found


class _Parser:
    """A place in the lexemes, which are read from left to right."""

    __slots__ = ("_at", "_lexemes")

    def __init__(self, lexemes: Sequence[Lexeme]) -> None:
        self._lexemes, self._at = lexemes, 0

    def peek(self, ahead: int = 0) -> Kind | None:
        """Return the kind of what comes next; None at the end."""
        at = self._at + ahead
        return self._lexemes[at][0] if at < len(self._lexemes) else None

    def alternatives(self, depth: int) -> Node:
        """Read operands that OR joins; *depth* parentheses are open."""
        parts = [self._conjunction(depth)]
        while self.peek() is Kind.OR:
            self._take()
            parts.append(self._conjunction(depth))
        return _joined(Kind.OR, parts)

    def _conjunction(self, depth: int) -> Node:
        parts = [self._difference(depth)]
        while self.peek() not in {None, Kind.OR, Kind.CLOSE}:
            if self.peek() is Kind.AND:
                self._take()
            parts.append(self._difference(depth))
        return _joined(Kind.AND, parts)

    def _difference(self, depth: int) -> Node:
        parts = [self._operand(depth)]
        while self.peek() is Kind.NOT:
            self._take()
            parts.append(self._operand(depth))
        return _joined(Kind.NOT, parts)

    def _operand(self, depth: int) -> Node:
        self._skip_commas()
        if self._is_near_group():
            return self._near_group()
        if self.peek() is Kind.OPEN:
            return self._group(depth + 1)
        parts, distance = [self._leaf()], ""
        while self.peek() is Kind.NEAR and not self._is_near_group():
            distance = self._take()[1]
            parts.append(self._leaf())
        self._skip_commas()
        return _near(parts, distance) if parts[1:] else parts[0]

    def _group(self, depth: int) -> Node:
        if depth > MOST_DEPTH:
            raise QuerySyntaxError(f"parentheses nest deeper than {MOST_DEPTH}")
        self._take()
        found = self.alternatives(depth)
        self._close()
        return found

    def _is_near_group(self) -> bool:
        return self.peek() is Kind.NEAR and self.peek(1) is Kind.OPEN

    def _near_group(self) -> Node:
        self._take()
        self._take()
        parts, distance = [self._leaf()], ""
        while self.peek() in {*OPERANDS, Kind.COMMA}:
            kind, text = self._take()
            if kind is not Kind.COMMA:
                parts.append((kind, text))
            elif self._is_number() and self.peek(1) is Kind.CLOSE:
                distance = self._take()[1]
        self._close()
        return _near(parts, distance)

    def _is_number(self) -> bool:
        is_word = self.peek() is Kind.WORD
        return is_word and self._lexemes[self._at][1].isdecimal()

    def _skip_commas(self) -> None:
        while self.peek() is Kind.COMMA:
            self._take()

    def _leaf(self) -> Lexeme:
        if self.peek() not in OPERANDS:
            raise QuerySyntaxError(self._lacking())
        return self._take()

    def _lacking(self) -> str:
        """Say what is wrong where an operand should stand."""
        before = self._lexemes[self._at - 1][0] if self._at else None
        if self._at < len(self._lexemes):
            return f"nothing stands before {self._lexemes[self._at][0]}"
        return f"nothing stands after {before}" if before else "it holds no words"

    def _close(self) -> None:
        if self.peek() is None:
            raise QuerySyntaxError("a parenthesis is not closed")
        if self.peek() is not Kind.CLOSE:
            raise QuerySyntaxError("NEAR joins words and phrases only")
        self._take()

    def _take(self) -> Lexeme:
        self._at += 1
        return self._lexemes[self._at - 1]


def _joined(kind: Kind, parts: list[Node]) -> Node:
    return Branch(kind, tuple(parts)) if parts[1:] else parts[0]


def _near(parts: Sequence[Lexeme], distance: str) -> Branch:
    """Join *parts* by NEAR, at *distance* if one was said."""
    far = NEAR_DISTANCE
    if distance:
        is_small = len(distance) < len(str(MOST_DISTANCE))
        far = int(distance) if is_small else MOST_DISTANCE
    return Branch(Kind.NEAR, tuple(parts), far)
