"""Where each key and value stands in a TOML text.

Python's reader tells what a text says, not where. This one tells only where, of a
text that Python's has accepted, so it checks nothing.
"""

from __future__ import annotations

import re
import tomllib

from crewmem.records import NamedTuple

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

LEXEME = r"""(?x)
    (?P<string> "{3} (?: \\[\s\S] | [^\\] )*? "{3,5}
              | '{3} [\s\S]*? '{3,5}
              | " (?: \\. | [^"\\\n] )* "
              | ' [^'\n]* ' )
  | (?P<mark>   [][{},=.\n] )
  | (?P<skip>   \#[^\n]* | [ \t\r\ufeff]+ )
  | (?P<bare>   [^]["'#{},=.\s\ufeff]+ )
"""
"""A token. Three to five quotes end a string of three: up to two are its own."""


class Place(NamedTuple):
    """One key with its value, or the header of a table.

    Attributes:
        path: The keys that lead to it from the top.
        at: Where the key begins.
        start: Where the value begins; of a header, where it ends.
        end: Where the value ends.
        is_header: Whether this is the header of a table.
    """

    path: tuple[str, ...]
    at: int
    start: int
    end: int
    is_header: bool = False

    def line(self, text: str) -> int:
        """Return the line of *text*, which it is a place in, where it begins."""
        return text.count("\n", 0, self.at) + 1


def find(text: str, path: tuple[str, ...]) -> Place | None:
    """Return where *text* first sets *path*, or something below it."""
    below = (each for each in places(text) if each.path[: len(path)] == path)
    return next(below, None)


def places(text: str) -> Iterator[Place]:
    """Yield every key and header of *text*, in order, a table before what is in it."""
    reader = _Reader(text)
    table: tuple[str, ...] = ()
    while reader.token.kind != "end":
        if reader.token.text == "\n":
            reader.take()
        elif reader.token.text == "[":
            header = reader.header()
            table = header.path
            yield header
        else:
            yield from reader.pair(table)


class _Token(NamedTuple):
    kind: str
    text: str
    start: int
    end: int


class _Reader:
    """Reads the tokens of a text, one ahead.

    Attributes:
        token: The next one to take.
    """

    def __init__(self, text: str) -> None:
        self._tokens = _tokens(text)
        self.token = next(self._tokens)
        self._end = 0

    def take(self) -> _Token:
        """Return the next token, and go on to the one after it."""
        taken = self.token
        self.token = next(self._tokens, taken)
        self._end = taken.end
        return taken

    def header(self) -> Place:
        """Take ``[table]`` or ``[[table]]``."""
        at = self.token.start
        while self.token.text == "[":
            self.take()
        path = self._key()
        while self.token.text == "]":
            self.take()
        return Place(path, at, self._end, self._end, is_header=True)

    def pair(self, table: tuple[str, ...]) -> Iterator[Place]:
        """Take ``key = value``; yield it, then what is in an inline table."""
        at = self.token.start
        path = table + self._key()
        self.take()
        start = self.token.start
        inner = list(self._value(path))
        yield Place(path, at, start, self._end)
        yield from inner

    def _key(self) -> tuple[str, ...]:
        return tuple(_part(token) for token in self._words() if token.text != ".")

    def _value(self, path: tuple[str, ...]) -> Iterator[Place]:
        if self.token.text == "{":
            yield from self._inline(path)
        elif self.token.text == "[":
            self._array()
        else:
            self._words()

    def _words(self) -> list[_Token]:
        """Take a key, or a value that is no table or array: ``1.5`` is three words."""
        words = []
        while self.token.kind in ("bare", "string") or self.token.text == ".":
            words.append(self.take())
        return words

    def _inline(self, path: tuple[str, ...]) -> Iterator[Place]:
        self.take()
        while self.token.text not in ("}", ""):
            if self.token.kind == "mark":  # a comma; later TOML has line ends here too
                self.take()
            else:
                yield from self.pair(path)
        self.take()

    def _array(self) -> None:
        """Take an array; no keys lead to the tables in it."""
        depth = 1
        self.take()
        while depth and self.token.kind != "end":
            text = self.take().text
            depth += (text == "[") - (text == "]")


def _tokens(text: str) -> Iterator[_Token]:
    for match in re.finditer(LEXEME, text):
        if (kind := match.lastgroup) and kind != "skip":
            yield _Token(kind, match.group(), match.start(), match.end())
    yield _Token("end", "", len(text), len(text))


def _part(token: _Token) -> str:
    """Return the part of a key that *token* spells, which may be quoted."""
    (part,) = tomllib.loads(f"{token.text} = 0")
    return part
