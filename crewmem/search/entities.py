"""Names in a text: people, services, files, commands, tickets, projects. Without a model.

It finds runs of capitalised words, code spans, paths, identifiers, `@names`, tickets and
`[[wikilinks]]`. An entity is identified by its key, in lower case and normalised plural.
"""

from __future__ import annotations

import calendar
import re
from collections.abc import Collection
from functools import cache, lru_cache
from pathlib import Path
from typing import NamedTuple

from crewmem.search.names import entity_key
from crewmem.text.tokens import common_stems, stems, stems_of_list, stop_words
from crewmem.text.word_lists import read_word_lists

ENTITY_WORDS = Path(__file__).with_name("entity_words.txt")

MAX_TEXT = 50_000
"""Maximum characters of a text that are searched."""

MAX_NAME = 80
"""Longest name."""

KNOWN_WORDS = 20_000
"""Words of which it is remembered whether they are ordinary ones."""

FILE = (
    r"(?<![\w/.:])(?:~|\.{1,2})?/?(?:[\w.@+-]++/)+[\w.@+-]*\w"
    r"|(?<![\w/.])[\w-]++\.(?:py|js|ts|tsx|rs|go|java|c|h|cpp|rb|sh|sql|md|txt|toml|yml|yaml|json"
    r"|csv|lock|cfg|ini|env|html|css|pdf)\b"
)
IDENTIFIER = (
    r"\b[a-z]++(?:_[a-z0-9]+)+\b|\b[A-Z]{2,}+(?:_[A-Z0-9]+)+\b"
    r"|\b[a-z][a-z0-9]*+(?:[A-Z][a-z0-9]+)+\b"
)
CAPITALISED = r"[A-Z\u00c0-\u00de][\w\u00c0-\u024f'-]*"

PATTERNS = (
    ("link", r"\[\[([^\]|#\n]{1,80})(?:#[^\]|\n]*)?(?:\|[^\]\n]*)?\]\]"),
    ("code", r"`([^`\n]{2,80})`"),
    ("url", r"https?://[^\s<>\"')\]]{4,200}"),
    ("person", r"(?<![\w.])@([A-Za-z][\w-]{1,38}(?![\w.-]*[@/:]))"),
    ("ticket", r"(?<![\w&/#])(?:[A-Z][A-Z0-9]{1,9}-\d{1,6}|(?:PR |MR |GH-?)?#\d{1,6})\b(?!\.\w)"),
    ("file", FILE),
    ("identifier", IDENTIFIER),
    ("name", rf"\b{CAPITALISED}(?:[ ](?:(?:de|van|von|der|of|the|und)[ ])?{CAPITALISED}){{0,3}}"),
)
"""Kinds in order of precedence; a later kind does not overlap an earlier one."""

GERMAN_DATES = (
    "montag dienstag mittwoch donnerstag freitag samstag sonntag"
    " januar februar märz april mai juni juli august september oktober november dezember"
)
CALENDAR = (
    frozenset({"utc", "gmt", "cet", "cest", "est", "edt", "pst", "pdt"})
    | frozenset(GERMAN_DATES.split())
    | frozenset(
        f"{name}{ending}".casefold()
        for names in (
            calendar.day_name,
            calendar.day_abbr,
            calendar.month_name,
            calendar.month_abbr,
        )
        for name in names
        for ending in ("", "s")
        if name
    )
)
"""Days, months and time zones: capitalised in English, but not names."""

SHOUTED = 6
"""Minimum letters of a word in capitals that is emphasis (COMPLETE) and not an acronym."""

RATE = re.compile(r"\d[\d.,]*/\w+|\w/\w+|\w+/\w|[A-Z]+/[A-Z]+|(?:and|either|on|yes)/\w+")
"""Text with a slash that is not a path: ``5/mo``, ``MB/s``, ``w/o``, ``CI/CD``, ``and/or``."""

ALTERNATIVES = re.compile(r"[A-Z][A-Za-z]+(?:/[A-Z][A-Za-z]+)+")
"""Names separated by slashes, which are not a path: ``Angular/Ionic``."""

LABEL = re.compile(r"(?:^|\n|[(,;|·])[ \t]*(?:[-*+][ \t]+|\d+[.)][ \t]+)?[*_]*$")
"""Text before a label, as in ``Source: the journal`` or ``(by hand, Confidence: high)``."""

PLAIN_PATH = re.compile(r"([A-Za-z]+)(?:/[A-Za-z]+){1,2}")
"""Words separated by slashes: a path if the first is a usual folder, else a choice."""

HEAD = re.compile(
    r"^[ \t]*(?:[-*+][ \t]+|\d+[.)][ \t]+)?(\*\*|__)(?:[^\n]{1,80}?:\1|[^\n*]{1,80}\1[ \t]*$)",
    re.MULTILINE,
)
"""A bold line, or a bold label at its start: a title, whose words are capitalised."""

SENTENCE_START = (
    r"(?:^|[.!?:;|\n\u2013\u2014\u2022\u2026\u2190-\u21ff\u2600-\u27bf\ufe0f\U0001f300-\U0001faff]\s*"
    r"|[-*+#>\d.)\]]\s+|[\"'(]\s*)[*_\"'(]*$"
)

INNER_WORD = r"(?<=[a-z0-9,] )[A-Z\u00c0-\u00de]\w*"
"""A capitalised word after another word."""

GERMAN_NOUN = re.compile(
    r"(?:ung|heit|keit|schaft|tion|tät|nis|ismus|chen|ment|age|ling)(?:en|s|e)?$"
)
"""Ends of nouns."""

GERMAN_INFLECTED = re.compile(r"\w{3}(?:e|em|en|er|es)$")
"""Endings of German adjectives, which precede a noun, and of some verbs."""

HASH = re.compile(r"(?=.*\d)[0-9a-fA-F-]{7,}")
"""A commit or a UUID, which occurs once and means nothing to a reader."""


class Entity(NamedTuple):
    """A name that a text mentions.

    Attributes:
        kind: person, file, command, ticket, identifier, link, url or name.
        name: As first written.
        key: Identifies the entity.
    """

    kind: str
    name: str
    key: str


def find_entities(text: str, *, doubtful: dict[str, Entity] | None = None) -> list[Entity]:
    """Return the entities of *text*, each once, in order.

    A capitalised word at the start of a sentence is a name only if the text also writes it with a
    capital elsewhere.

    Args:
        doubtful: Receives capitalised words that only start a sentence, by key. They are names if
            another text uses them as such.
    """
    found: dict[str, Entity] = {}
    unsure = {} if doubtful is None else doubtful
    text = text[:MAX_TEXT]
    taken = text
    heads = [match.span() for match in HEAD.finditer(text)]
    is_german = _is_german(text)
    ordinary: set[str] = set()
    for kind, pattern in PATTERNS:
        for match in re.finditer(pattern, taken):
            name = (match[1] if match.re.groups and match[1] else match[0]).strip(" '.,:;")
            start, end = match.span()
            if kind == "name":
                if _is_label(taken, start, end):
                    continue
                is_noun = is_german and _is_german_noun(taken, start, name)
                if is_noun:
                    ordinary.add(name)
                is_title = any(first <= start < last for first, last in heads)
                if not (is_noun or is_title) and (trimmed := _trim_name(taken, start, name)):
                    _add(found, kind, trimmed)
                else:
                    _add(unsure, kind, _trim_name(taken, -1, name))
                continue
            is_path = kind == "file" and any(map(str.isalpha, name)) and not RATE.fullmatch(name)
            if is_path and ALTERNATIVES.fullmatch(name):
                continue  # each is a name
            if kind == "code":
                _add(found, _kind_of_code(name), name)
            elif is_path and _is_choice(name):
                _add(unsure, kind, name)
            elif is_path or kind != "file":
                _add(found, kind, name)
            taken = f"{taken[:start]}{' ' * (end - start)}{taken[end:]}"
    ordinary.update(word.capitalize() for word in re.findall(r"\b[^\W\d_A-Z]{3,}\b", taken))
    for key in [key for key, each in found.items() if each.kind == "name"]:
        if found[key].name in ordinary:  # the text also writes it like an ordinary noun
            unsure.setdefault(key, found.pop(key))
    return list(found.values())


def find_mentioned(text: str, declared: Collection[str]) -> list[tuple[Entity, bool]]:
    """Return the entities of a text and its *declared* names, each with whether it is sure.

    A name is unsure if it only starts a sentence or is in a heading; other texts may confirm it.
    """
    heads, body = split_heads(text)
    doubtful: dict[str, Entity] = {}
    found = find_entities(body, doubtful=doubtful)
    for each in find_entities(heads, doubtful=doubtful):
        if each.kind in ("name", "ticket"):  # README-2 is a file
            doubtful[each.key] = each
        else:
            found.append(each)
    found += [Entity("name", name, entity_key(name)) for name in declared]
    sure = {each.key for each in found}
    return [
        *((each, True) for each in found),
        *((each, False) for key, each in doubtful.items() if key not in sure),
    ]


def split_heads(text: str) -> tuple[str, str]:
    """Split a text into its title and headings, whose words are capitalised, and the rest."""
    first, _, rest = text.partition("\n")
    if not rest:
        return "", text
    lines = rest.split("\n")
    heads = [line for line in lines if line.startswith("#")]
    return "\n".join([first, *heads]), "\n".join(x for x in lines if not x.startswith("#"))


def _add(found: dict[str, Entity], kind: str, name: str) -> None:
    key = entity_key(name)
    if kind and len(name) <= MAX_NAME and any(character.isalnum() for character in key):
        found.setdefault(key, Entity(kind, name, key))


def _kind_of_code(code: str) -> str:
    """Return the kind of a code span; "" for an expression."""
    if sum(map(str.isalpha, code)) < 2 or code[0] in "-@" or code.endswith("-"):
        return ""
    if code.lower() in _list_words("code") or _is_plain(code) or HASH.fullmatch(code):
        return ""
    first = code.split()[0] if code.split() else ""
    if first in _list_words("programs") and len(code.split()) > 1:
        return "command"
    if re.fullmatch(r"[~.\w@+-]*(?:/[\w.@+-]*)+|[\w-]+\.\w{1,5}", code):
        return "file"
    if re.fullmatch(r"[\w.:@-]+", code):
        return "identifier" if re.search(r"[_.:]|[a-z][A-Z]", code) else "name"
    return ""


def _is_choice(path: str) -> bool:
    """Return whether words separated by slashes are a choice, not a path: ``issues/bugs``."""
    found = PLAIN_PATH.fullmatch(path)
    return found is not None and found[1].lower() not in _list_words("folders")


def _is_german(text: str) -> bool:
    words = re.findall(r"\w+", text.lower())
    german, english = _telling_words()
    return sum(word in german for word in words) > sum(word in english for word in words)


@cache
def _telling_words() -> tuple[frozenset[str], frozenset[str]]:
    """Return the stop words that are only German, and those that are only English."""
    german, english = stop_words("de"), stop_words("en")
    return german - english, english - german


def _is_german_noun(text: str, start: int, name: str) -> bool:
    """Return whether a capitalised word of a German text is probably an ordinary noun."""
    first, *rest = name.split()
    articles = _list_words("articles")
    if rest and (first.lower() in articles or GERMAN_INFLECTED.search(first)):
        return True  # Die Auswahl, Erreichte Ziele
    if any(map(str.islower, rest)):
        return True  # Buckets und Keys
    if rest or any(map(str.isupper, name[1:])) or any(map(str.isdigit, name)):
        return False
    before = re.findall(r"[\w-]+", text[max(0, start - 40) : start])[-1:]
    return bool(GERMAN_NOUN.search(name)) or any(
        word.lower() in articles or (word.islower() and GERMAN_INFLECTED.search(word))
        for word in before
    )


def _is_label(text: str, start: int, end: int) -> bool:
    """Return whether the words from *start* to *end* are the label of a line, before a colon."""
    return text[end : end + 1] == ":" and bool(LABEL.search(text[max(0, start - 12) : start]))


def _trim_name(text: str, start: int, name: str) -> str:
    """Return *name* without a word that only starts a sentence; "" if nothing remains.

    A *start* of -1 means that no word starts a sentence.
    """
    parts = name.split()
    if name.isupper() and max(map(len, parts)) >= SHOUTED:
        return ""  # DISABLE THIS CRON
    while parts and _is_plain(parts[-1]):
        parts = parts[:-1]
    begins = start >= 0 and bool(re.search(SENTENCE_START, text[max(0, start - 8) : start]))
    while parts and (_is_plain(parts[0]) or (begins and not _is_surely_name(text, parts))):
        parts = parts[1:]
        begins = False
        if parts and not parts[0][:1].isupper():
            parts = parts[1:]
    name = re.sub(r"['\u2019]s$", "", " ".join(parts))
    return name if len(name) > 1 and not all(map(_is_ordinary, name.split())) else ""


@lru_cache(KNOWN_WORDS)
def _is_plain(word: str) -> bool:
    lowered = re.sub(r"['\u2019](?:m|re|ve|ll|d|s|t)$", "", word.casefold())
    if lowered in CALENDAR:
        return True
    if word.isupper() and len(word) > 1:
        if lowered in _shouted_words():
            return True
        if len(word) < SHOUTED:
            return False  # an acronym
    if lowered in stop_words("en") or lowered in stop_words("de"):
        return True
    return any(stem in common_stems() for stem in stems(lowered)[:1])


@lru_cache(KNOWN_WORDS)
def _is_ordinary(word: str) -> bool:
    """Return whether a word, or the last part of a compound, is an ordinary noun."""
    last = word.casefold().rpartition("-")[2]
    return _is_plain(last) or any(stem in _ordinary_stems() for stem in [last, *stems(last)[:1]])


@cache
def _ordinary_stems() -> frozenset[str]:
    words = _load_words("ordinary_words.txt")
    return words | stems_of_list(words, plain=False)


@cache
def _shouted_words() -> frozenset[str]:
    return _load_words("shouted_words.txt")


@cache
def _opening_stems() -> frozenset[str]:
    return stems_of_list(_load_words("opening_words.txt"), plain=False)


def _list_words(name: str) -> frozenset[str]:
    return read_word_lists(ENTITY_WORDS)[name]


def _load_words(file: str) -> frozenset[str]:
    lines = Path(__file__).with_name(file).read_text("utf-8").splitlines()
    return frozenset(word for line in lines if line[:1] != "#" for word in line.split())


def _is_surely_name(text: str, parts: list[str]) -> bool:
    """Return whether a word at the start of a sentence is certainly a name."""
    first = parts[0]
    if any(stem in _opening_stems() for stem in stems(first.lower())[:1]):
        return False  # Ask Kontor
    if len(parts) > 1 and parts[1][:1].isupper():
        return True
    if any(character.isupper() for character in first[1:]) or any(map(str.isdigit, first)):
        return True
    return first.replace("'", "-").partition("-")[0] in _find_inner_words(text)


@lru_cache(1)
def _find_inner_words(text: str) -> frozenset[str]:
    """Return the capitalised words inside the sentences of *text*."""
    return frozenset(re.findall(INNER_WORD, text))
