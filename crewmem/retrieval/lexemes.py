"""The pieces of a query that may hold operators. Pure.

Quoted phrases, `begin*`, AND, OR, NOT and NEAR in capitals, and parentheses beside
them. What is looked for keeps its text: no index is known here.
"""

from __future__ import annotations

from enum import StrEnum

from crewmem.retrieval.stopwords import STOP_WORDS

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

    Lexeme = tuple["Kind", str]
    """A kind, and the text of what is looked for or the distance of NEAR."""

PREFIX_CHARS = 3
"""Shortest prefix: in a real index two letters began a word of half of all chunks."""

IDEOGRAPHS = "\u2e80"
"""From here on one character is as rare as several letters."""

QUOTES = str.maketrans(dict.fromkeys("“”„", '"'))
"""Phrases that are copied from prose bring such quotes with them."""

PUNCTUATION = ".,;:!?…"
"""What may follow a word in a sentence."""


class Kind(StrEnum):
    """What a piece of a query is."""

    AND = "AND"
    OR = "OR"
    NOT = "NOT"
    NEAR = "NEAR"
    OPEN = "("
    CLOSE = ")"
    COMMA = ","
    WORD = "word"
    PREFIX = "prefix"
    PHRASE = "phrase"
    PHRASE_PREFIX = "phrase*"


OPERATORS = frozenset({Kind.AND, Kind.OR, Kind.NOT, Kind.NEAR})

PHRASES = frozenset({Kind.PHRASE, Kind.PHRASE_PREFIX})

OPERANDS = frozenset({Kind.WORD, Kind.PREFIX, *PHRASES})


PLAIN = frozenset({Kind.WORD, Kind.OPEN, Kind.CLOSE, Kind.COMMA})
"""What prose consists of as well."""


class QuerySyntaxError(ValueError):
    """What was typed holds operators, and cannot be read with them: the reason."""


def lexemes(text: str) -> list[Lexeme]:
    """Return the pieces of *text*, in order.

    Raises:
        QuerySyntaxError: A quote is not closed.
    """
    pieces = text.translate(QUOTES).split('"')
    if len(pieces) % 2 == 0:
        raise QuerySyntaxError("a quote is not closed")
    found = list(_words(pieces[0]))
    for quoted, outside in zip(pieces[1::2], pieces[2::2], strict=True):
        is_prefix = outside.startswith("*")
        found.append((Kind.PHRASE_PREFIX if is_prefix else Kind.PHRASE, quoted))
        found.extend(_words(outside[is_prefix:]))
    return _without_prose(found)


def _words(text: str) -> Iterator[Lexeme]:
    for typed in text.split():
        core = typed
        while core.startswith(("(", "NEAR(")):
            is_near = core[0] == "N"
            yield (Kind.NEAR if is_near else Kind.OPEN), ""
            core = core[4:] if is_near else core[1:]
        core, closed = _closed(core)
        word, comma, number = core.rpartition(",")
        if comma and (number.isdecimal() or not number):
            yield from _word(word)
            yield Kind.COMMA, ""
            core = number
        yield from _word(core)
        yield from [(Kind.CLOSE, "")] * closed


def _word(core: str) -> Iterator[Lexeme]:
    if core:
        yield _operator(core) or _operand(core)


def _closed(core: str) -> tuple[str, int]:
    """Take the parentheses off the end of *core* that it did not open itself."""
    trimmed = core.rstrip(PUNCTUATION)
    inner = trimmed.rstrip(")")
    if inner == trimmed:
        return core, 0
    own = max(inner.count("(") - inner.count(")"), 0)
    closed = max(len(trimmed) - len(inner) - own, 0)
    return trimmed[: len(trimmed) - closed], closed


def _operator(core: str) -> Lexeme | None:
    name, _, distance = core.partition("/")
    if name == Kind.NEAR and distance.isdecimal():
        return Kind.NEAR, distance
    return (Kind(core), "") if core in OPERATORS else None


def _operand(core: str) -> Lexeme:
    """Read *core* as a word or as the beginning of one.

    Stars also stand around words for emphasis, and in patterns for file names.
    """
    typed = core.rstrip(PUNCTUATION)
    begin = typed.removesuffix("*")
    last = begin[-1:]
    is_word = last.isalnum() or "\u0300" <= last <= "\u036f"
    is_long = len(begin) >= PREFIX_CHARS or begin > IDEOGRAPHS
    if begin != typed and is_word and is_long and not begin.startswith("*"):
        return Kind.PREFIX, begin
    return Kind.WORD, core


def _without_prose(found: list[Lexeme]) -> list[Lexeme]:
    """Return *found* with the NOT of "do NOT deploy" as a word, "AND NOT" as NOT."""
    kept: list[Lexeme] = []
    for kind, text in found:
        before, word = kept[-1] if kept else (None, "")
        if kind is Kind.NOT and before is Kind.AND:
            kept.pop()
        if kind is Kind.NOT and before is Kind.WORD and word.lower() in STOP_WORDS:
            kept.append((Kind.WORD, kind.value))
        else:
            kept.append((kind, text))
    return kept
