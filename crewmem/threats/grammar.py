"""Reading text as classes of words, and finding phrases in that.

Each word becomes one character that stands for the set of its classes; a phrase
becomes an expression over these. So a text is searched for sixty phrases in ten
languages in the time of sixty searches for one letter.
"""

from __future__ import annotations

import re
from functools import cache

from crewmem.records import NamedTuple
from crewmem.threats.normalise import folded
from crewmem.threats.phrases import PHRASES
from crewmem.threats.words import WORDS

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

    from crewmem.threats.rule import Rule

OTHER, END, COLON, QUOTE, MARK = "w", ".", ":", '"', ","
"""Characters for a word of no class, a sentence's end, and marks."""

FIRST = 0xE000
"""The first character that stands for a set of classes, of those for private use."""

TOKEN = re.compile(
    r"[^\W_]+(?:['@$_.-][^\W_]+)*"  # a word, also don't and an.address
    r"|(\n(?:[ \t]{0,80}\n)+|\n(?=[ \t]{0,80}(?:[-*+#>|]|\d{1,3}[.)]))"  # paragraphs, items
    r"|[.!?]++(?=[\s\"')\]]|$)|[。！？…;；؟।]+)"
    r"|[:：]+|[\"“”„«»「」`]+|[.!?]+|[^\w\s:：\"“”„«»「」`.!?;。！？…；؟।]+|[^\w\s]"
)
"""What a text is made of; a line that goes on in the next one does not end."""

QUOTES = '"“”„«»「」`'

EMPHASIS = "*_~#|"
"""Marks that change how words look, and not what they say."""

STRUNG = re.compile(r"[^\W_](?:[._-][^\W_]{1,20}){3}")
"""Words with marks for spaces; shorter rows are names."""

WIDE = re.compile("[぀-ヿ㐀-鿿]+")
"""Writing without spaces between words."""

LEET = str.maketrans("013457@$", "oieastas")
"""Digits and signs that stand for letters inside words."""

LONGEST = 16
"""Letters of a word that are compared with beginnings of words."""

SHORT, LONG = 3, 5
"""A cut word has more letters than the second; its first piece, where that is a word
too, not more than the first."""


class Lexicon(NamedTuple):
    """Words as characters.

    Attributes:
        whole: The character of each word.
        stems: That of words by what they begin with.
        codes: The characters that stand for a class, by its name.
        wide: Finds words in writing without spaces.
        pieces: Beginnings of words, for those that are cut in two.
    """

    whole: dict[str, str]
    stems: dict[str, str]
    codes: dict[str, str]
    wide: re.Pattern[str]
    pieces: frozenset[str]


class Tokens(NamedTuple):
    """A text as words: their characters, and where each begins and ends."""

    codes: str
    starts: Sequence[int]
    ends: Sequence[int]


@cache
def lexicon() -> Lexicon:
    """Return the classes of all words."""
    classes: dict[str, set[str]] = {}
    for name, words in WORDS.items():
        for word in words.split():
            classes.setdefault(_key(word), set()).add(name)
    for item in _items():
        if item.startswith("="):
            classes.setdefault(_key(item[1:]), set()).add(item)
    stems = {word[:-1] for word in classes if word[-1] == "*"}
    for word, names in classes.items():  # a word has its stems' classes too
        for size in range(2, len(word)):
            if word[:size] in stems:
                names.update(classes[f"{word[:size]}*"])
    sets = sorted({tuple(sorted(own)) for own in classes.values()})
    character = {own: chr(FIRST + at) for at, own in enumerate(sets)}
    whole = {word: character[(*sorted(own),)] for word, own in classes.items()}
    codes: dict[str, str] = {}
    for kind, code in character.items():
        for name in kind:
            codes[name] = codes.get(name, "") + code
    wide = sorted((w.rstrip("*") for w in whole if WIDE.match(w)), key=len)
    return Lexicon(
        whole,
        {word[:-1]: code for word, code in whole.items() if word[-1] == "*"},
        codes,
        re.compile("|".join(reversed(wide))),
        _pieces(whole, codes),
    )


def _key(word: str) -> str:
    return folded(word.rstrip("*")) + "*" * word.endswith("*")


def _pieces(whole: dict[str, str], codes: dict[str, str]) -> frozenset[str]:
    """Return the beginnings of the long words that a phrase turns on."""
    core = codes["override"] + codes["orders"] + codes["earlier"]
    return frozenset(
        word[:size]
        for word, code in whole.items()
        if code in core and len(word) > LONG and word.isascii()
        for size in range(2, len(word))
    )


def _items() -> Iterator[str]:
    for rule in PHRASES:
        for part in rule.pattern.split():
            for item in part.split("|"):
                yield item.lstrip("!").rstrip("?")


@cache
def phrases() -> list[tuple[Rule, re.Pattern[str]]]:
    """Return each rule of words with its expression."""
    codes = lexicon().codes
    return [(rule, re.compile(_expression(rule.pattern, codes))) for rule in PHRASES]


def _expression(pattern: str, codes: dict[str, str]) -> str:
    parts = []
    for part in pattern.split():
        if part == "^":
            parts.append(f'(?<![^.:",{codes["lead"]}])')
        elif part[0] == "~":
            parts.append(f"[^.]{{0,{part[1:]}}}?")
        elif part[0] == "!":
            parts.append(f"(?!{_one_of(part[1:], codes)})")
        elif part[-1] == "?":
            parts.append(f"{_one_of(part[:-1], codes)}?")
        else:
            parts.append(_one_of(part, codes))
    return "".join(parts)


MARKS = {".": ".", ":": ":", '"': '"', ",": ",:"}


def _one_of(part: str, codes: dict[str, str]) -> str:
    found = "".join(MARKS.get(item) or codes.get(item, "") for item in part.split("|"))
    return f"[{''.join(sorted(set(found)))}]"


def tokens(text: str, spell: Callable[[str], str] | None = None) -> Tokens:
    """Read *text*, which is folded, as words; each is put through *spell* first."""
    words = [
        ("\n" if match[1] else match[0], match.start(), match.end())
        for match in TOKEN.finditer(text)
        if match[0][0] not in EMPHASIS
    ]
    if STRUNG.search(text):
        words = list(_unstrung(words))
    known: dict[str, str] = {}
    for word in {word for word, _, _ in words}:
        known[word] = _code(spell(word) if spell else word)
    codes = [known[word] for word, _, _ in words]
    if not text.isascii() and WIDE.search(text):
        return _widened(words, codes)
    _join_pieces(words, codes)
    return Tokens(
        "".join(codes),
        [start for (_, start, _), code in zip(words, codes, strict=True) if code],
        [end for (_, _, end), code in zip(words, codes, strict=True) if code],
    )


def _unstrung(
    words: list[tuple[str, int, int]],
) -> Iterator[tuple[str, int, int]]:
    """Yield *words*, those that are many with marks between them one by one."""
    for word, start, end in words:
        if end - start > LONG and STRUNG.search(word):
            for part in PART.finditer(word):
                yield part[0], start + part.start(), start + part.end()
        else:
            yield word, start, end


PART = re.compile(r"[^\W_]+")


def _code(word: str) -> str:
    """Return the character of a *word* or a mark."""
    first = word[0]
    if first.isalnum():
        return _known(word) or _disguised(word) or OTHER
    if word == "\n":
        return END
    if first in ":：":
        return COLON
    return QUOTE if first in QUOTES else MARK


def _known(word: str) -> str | None:
    """Return the character of a word as it is spelled, or by what it begins with."""
    words = lexicon()
    if code := words.whole.get(word):
        return code
    for size in range(min(len(word), LONGEST), 1, -1):
        if code := words.stems.get(word[:size]):
            return code
    return None


def _disguised(word: str) -> str | None:
    """Return the character of a word with digits or marks among its letters."""
    if word.isalpha():
        return None
    whole = lexicon().whole
    if code := whole.get(word.translate(LEET)):
        return code
    if "@" in word:
        return whole["https"]  # where something is sent to
    if word.isalnum():
        return None
    return whole.get(re.sub("[^a-z]", "", word)) or _known(PART.findall(word)[-1])


def _join_pieces(words: list[tuple[str, int, int]], codes: list[str]) -> None:
    """Give a word that was cut in two or three its character."""
    lexemes = lexicon()
    whole, pieces = lexemes.whole, lexemes.pieces
    for at in range(len(words) - 1):
        joined = words[at][0]
        if joined not in pieces or (codes[at] != OTHER and len(joined) > SHORT):
            continue
        for more in range(at + 1, min(at + 4, len(words))):
            joined += words[more][0].lstrip("-")
            if len(joined) > LONG and (code := whole.get(joined)):
                codes[at] = code
                codes[at + 1 : more + 1] = [""] * (more - at)
                break


def _widened(words: list[tuple[str, int, int]], codes: list[str]) -> Tokens:
    """Read what is written without spaces word by word."""
    lexemes = lexicon()
    out: list[str] = []
    starts: list[int] = []
    ends: list[int] = []
    for (word, start, end), code in zip(words, codes, strict=True):
        if not WIDE.search(word):
            pieces = [(start, end, code)]
        else:
            pieces = _split(word, start, lexemes)
        for begin, stop, each in pieces:
            out.append(each)
            starts.append(begin)
            ends.append(stop)
    return Tokens("".join(out), starts, ends)


def _split(word: str, start: int, lexemes: Lexicon) -> list[tuple[int, int, str]]:
    pieces = []
    done = 0
    for match in lexemes.wide.finditer(word):
        if match.start() > done:
            pieces.append((start + done, start + match.start(), OTHER))
        code = lexemes.whole.get(match[0]) or lexemes.stems.get(match[0], OTHER)
        pieces.append((start + match.start(), start + match.end(), code))
        done = match.end()
    if done < len(word):
        pieces.append((start + done, start + len(word), OTHER))
    return pieces
