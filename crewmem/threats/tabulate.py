"""Taking the rules of words apart, once, for `table`.

A scan is of short texts mostly, and to take eight thousand words and two hundred phrases
apart takes longer than to read one. So it is done ahead: ``crewmem generate`` writes
`table`, and a test compares it with what is returned here.
"""

from __future__ import annotations

from base64 import b85decode
from zlib import decompress

from crewmem.records import NamedTuple
from crewmem.threats.concepts import CONCEPTS
from crewmem.threats.idioms import IDIOMS
from crewmem.threats.lexicon import COLON, END, FIRST, LONG, MARKS, QUOTE, SHORT_STEM
from crewmem.threats.manner import first_stranger, pair
from crewmem.threats.matching import GAP, MAYBE, NONE, ONE, START, Phrase
from crewmem.threats.parlance import PARLANCE
from crewmem.threats.patterns import PATTERNS
from crewmem.threats.phrases import PHRASES
from crewmem.threats.romanised import ROMANISED
from crewmem.threats.sayings import SAYINGS
from crewmem.threats.shape import BEGIN, core
from crewmem.threats.tongues import TONGUES
from crewmem.threats.vocabulary import VOCABULARY
from crewmem.threats.weights import BIAS, NEEDED, STRANGERS, WEIGHTS
from crewmem.threats.words import WORDS

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping

    from crewmem.threats.lexicon import Row
    from crewmem.threats.rule import Rule

    Need = tuple[str, str, int]
    """Its longest word, all of it, and the place of its rule."""

TABLES = (
    ("", (WORDS,)),
    ("~", (CONCEPTS, IDIOMS, TONGUES, ROMANISED, PARLANCE, SAYINGS)),
)
"""What stands before the names of classes, and where their words are; the first table
has all names."""

CORE = ("override", "orders", "earlier", "sensitive", "machine", "unbound", "watcher")
"""Classes of the words that are looked for although they are cut."""

HEAD = '''"""The words of rules by their classes, phrases taken apart, weights: made, not written.

By ``crewmem generate``, of the tables of words, the phrases and the weights; see
`tabulate`.
"""

from __future__ import annotations
'''


class Words(NamedTuple):
    """The words of all classes in Latin letters.

    Attributes:
        bits: The bit of each class, by its name; of concepts behind a tilde.
        whole: The classes of each word.
        stems: The classes of each beginning of words.
        rows: By their first word, words that mean something together: the others and
            the classes of all, the longest first.
    """

    bits: dict[str, int]
    whole: dict[str, int]
    stems: dict[str, int]
    rows: dict[str, list[Row]]


def classified() -> Words:
    """Return each word with its classes."""
    bits = {item: 1 << at for at, item in enumerate(_names(), FIRST)}
    found: dict[str, int] = {
        item[1:]: bit for item, bit in bits.items() if item[0] == "=" and item.isascii()
    }
    for prefix, tables in TABLES:
        for name in tables[0]:
            for word in " ".join(table.get(name, "") for table in tables).split():
                found[word] = found.get(word, 0) | bits[prefix + name]
    rows: dict[str, list[Row]] = {}
    for word in sorted(found, key=len, reverse=True):
        if "+" in word:
            first, *others = word.split("+")
            rows.setdefault(first, []).append((tuple(others), found[word]))
    stems = {word[:-1]: classes for word, classes in found.items() if word[-1] == "*"}
    if any(len(stem) < SHORT_STEM for stem in stems):
        raise ValueError("a word cannot begin with one letter")
    whole = {word: classes for word, classes in found.items() if _is_whole(word)}
    return Words(bits, whole, stems, rows)


def _is_whole(word: str) -> bool:
    return word[-1] != "*" and "+" not in word


def _names() -> Iterator[str]:
    """Yield the names of all classes: of single words first, of concepts last."""
    yield from _single_words()
    for prefix, (table, *_) in TABLES:
        yield from (prefix + name for name in table)


def _single_words() -> Iterator[str]:
    """Yield the words that phrases name themselves, each once."""
    parts = (part for rule in PHRASES for part in rule.pattern.split())
    items = (item for part in parts for item in part.strip("!?").split("|"))
    yield from dict.fromkeys(item for item in items if item[0] == "=")


def pieces() -> set[str]:
    """Return the beginnings of the long words that a phrase turns on."""
    return {
        word[:size]
        for name in CORE
        for word in WORDS[name].split()
        if len(word) > LONG and _is_whole(word)
        for size in range(2, len(word))
    }


def weights() -> list[int]:
    """Return what each feature of a sentence weighs, by the numbers of `manner`."""
    count = len(CONCEPTS)
    weights = [0] * first_stranger(count)
    if WEIGHTS.keys() != CONCEPTS.keys():  # until the new ones are weighed
        return [*weights, *STRANGERS]
    for one, name in enumerate(CONCEPTS):
        weights[one], weights[count + one], *pairs = map(int, WEIGHTS[name].split())
        for other, weight in zip(range(one + 1, count), pairs, strict=True):
            weights[pair(one, other, count)] = weight
    return [*weights, *STRANGERS]


def needs() -> dict[str, tuple[Need, ...]]:
    """Return what expressions need, by the first letters of its longest word.

    Those of which this is too short are behind "".
    """
    found: dict[str, tuple[Need, ...]] = {}
    for at, rule in enumerate(PATTERNS):
        for need in rule.needs:
            word = core(need)
            begin = word[:BEGIN] if len(word) >= BEGIN else ""
            found[begin] = (*found.get(begin, ()), (word, need, at))
    return found


def phrase(rule: Rule, bits: Mapping[str, int]) -> Phrase:
    """Take *rule* apart."""
    steps = tuple(_step(part, {**MARKS, **bits}) for part in rule.pattern.split())
    needed = dict.fromkeys(value for kind, value in steps if kind == ONE)
    length = sum(value if kind == GAP else 1 for kind, value in steps)
    return Phrase(rule.name, rule.category, rule.severity, steps, tuple(needed), length)


def _step(part: str, bits: Mapping[str, int]) -> tuple[int, int]:
    if part == "^":
        return START, END | COLON | QUOTE | bits[","] | bits["lead"]
    if part[0] == "~":
        return GAP, int(part[1:])
    if part[0] == "!":
        return NONE, _mask(part[1:], bits)
    if part[-1] == "?":
        return MAYBE, _mask(part[:-1], bits)
    return ONE, _mask(part, bits)


def _mask(part: str, bits: Mapping[str, int]) -> int:
    """Return the classes that a *part* of a phrase names."""
    classes = 0
    for item in part.split("|"):
        classes |= bits[item]
    return classes


def told() -> bytes:
    """Return what words weigh, a byte each."""
    return decompress(b85decode("".join(VOCABULARY.split())))


# Spelled


def table() -> str:
    """Return the module `table`."""
    words = classified()
    parts = (
        _text("NAMES", "The classes, by their bits.", words.bits),
        *_grouped("WHOLE", "Words and their classes", words.whole),
        *_grouped("STEM", "Beginnings of words and their classes", words.stems),
        _value(
            "ROWS: dict[str, tuple[tuple[tuple[str, ...], int], ...]]",
            "By its first word, what words mean together.",
            {first: tuple(rows) for first, rows in sorted(words.rows.items())},
        ),
        _text("PIECES", "Beginnings of words that are cut in two.", sorted(pieces())),
        _value(
            "PHRASES: tuple[tuple[str, str, str, tuple[tuple[int, int], ...], "
            "tuple[int, ...], int], ...]",
            "Phrases, as `matching.Phrase`.",
            tuple(tuple(phrase(rule, words.bits)) for rule in PHRASES),
        ),
        _value(
            "NEEDS: dict[str, tuple[tuple[str, str, int], ...]]",
            "What expressions need, by the first letters of its longest word: this word, "
            "all of it, and the place of the rule.",
            dict(sorted(needs().items())),
        ),
        _value(
            "WEIGHTS: tuple[int, ...]",
            "What features of a sentence weigh, by their numbers.",
            tuple(weights()),
        ),
        _value("TOLD", "What words weigh, as `manner.slots` has them.", told()),
        _value("NEEDED", "What an order weighs at least.", NEEDED - BIAS),
    )
    return "\n".join((HEAD, *parts))


def _grouped(name: str, about: str, numbers: Mapping[str, int]) -> Iterator[str]:
    """Yield words and their *numbers*, each of these once."""
    groups: dict[int, list[str]] = {}
    for word in sorted(numbers):
        groups.setdefault(numbers[word], []).append(word)
    order = sorted(groups)
    words = [word for each in order for word in groups[each]]
    counts = tuple(len(groups[each]) for each in order)
    yield _text(f"{name}_WORDS", f"{about}, those of the same number together.", words)
    yield _value(f"{name}_NUMBERS: tuple[int, ...]", "Each once.", tuple(order))
    yield _value(f"{name}_COUNTS: tuple[int, ...]", "Words of each.", counts)


def _text(name: str, about: str, words: Iterable[str]) -> str:
    return _value(name, about, " ".join(words))


def _value(name: str, about: str, value: object) -> str:
    return f'{name} = {value!r}\n"""{about}"""\n'
