"""Tokenize a text: one tokenizer for every store.

FTS5 indexes full text with `porter unicode61 remove_diacritics 2`. `search_text` prepares texts for
it, so that words are found in every script:

- Chinese, Japanese, Korean and Thai have no spaces between words (or attach endings), so their runs
  become overlapping pairs of characters;
- vowel signs of Indic scripts and Thai, at which unicode61 would split a word, become letters;
- letters such as ß, ł and ё, whose marks unicode61 keeps, become plain ones; Arabic words lose the
  article;
- the parts of `parseConfig` are added at the end of the text, and `cplusplus` for "C++". Other
  identifiers and paths need nothing: unicode61 splits them, and a query asks for consecutive parts.

`stems` uses the same FTS5 tokenizer, so that ranking and index agree.
"""

from __future__ import annotations

import re
from collections import Counter
from functools import cache, lru_cache
from operator import add
from pathlib import Path
from typing import TYPE_CHECKING, Any
from unicodedata import category, normalize

import apsw

from crewmem.text.word_lists import read_word_lists

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

UNSPACED = (
    "\u0e00-\u0eff\u1780-\u17ff\u1000-\u109f\u1100-\u11ff\u3040-\u30ff\u3130-\u318f\u31f0-\u31ff"
    "\u3400-\u4dbf\u4e00-\u9fff\ua960-\ua97f\uac00-\ud7ff\uf900-\ufaff\uff66-\uff9f"
    "\U00020000-\U0003ffff"
)
"""Scripts without spaces between words: Thai, Lao, Khmer, Burmese, Chinese, Japanese and Korean
(which attaches endings to words)."""

WIDE = (
    "\u1100-\u11ff\u2e80-\u9fff\ua960-\ua97f\uac00-\ud7ff\uf900-\ufaff\uff00-\uffef"
    "\U0001b000-\U0001b16f\U00020000-\U0003ffff"
)
"""Characters that models count as one token each."""

MARKED_FIRST, MARKED_LAST, PRIVATE = 0x0900, 0x10FF, 0xE000
"""Scripts whose vowels are combining marks (Indic, Thai, Burmese). The marks are moved to the
private use area, which unicode61 treats as letters."""

ANY_MARKED = f"[{chr(MARKED_FIRST)}-{chr(MARKED_LAST)}]"

UNSPACED_RUN = f"[{UNSPACED}{chr(PRIVATE)}-{chr(PRIVATE + MARKED_LAST - MARKED_FIRST)}]+"

DROPPED = "[\u00ad\u200b-\u200d\u2060\ufeff\u0640\u0670\u0591-\u05c7\u064b-\u065f]+"
"""Invisible characters, and vowel points that Arabic and Hebrew mostly omit."""

NEEDS_PREPARATION = (
    "[^\x00-\xac\xae-\u0590\u2010-\u2027\u2030-\u205f\u20a0-\u2bff\ufe0f\U0001f000-\U0001faff]"
)
"""Characters other than Latin, Greek, Cyrillic, punctuation, symbols and emoji. Most texts have
none and skip the expressions for them, which are slow to compile."""

PLAIN_LETTERS = {
    "ß": "ss", "æ": "ae", "œ": "oe", "ø": "o", "ł": "l", "đ": "d", "ð": "d", "ħ": "h", "ı": "i",
    "þ": "th", "ё": "е", "ά": "α", "έ": "ε", "ή": "η", "ί": "ι", "ό": "ο", "ύ": "υ", "ώ": "ω",
    "ϊ": "ι", "ϋ": "υ", "ΐ": "ι", "ΰ": "υ",
    "Æ": "AE", "Œ": "OE", "Ø": "O", "Ł": "L", "Đ": "D", "Ð": "D", "Ħ": "H", "Þ": "TH", "Ё": "Е",
    "Ά": "Α", "Έ": "Ε", "Ή": "Η", "Ί": "Ι", "Ό": "Ο", "Ύ": "Υ", "Ώ": "Ω", "Ϊ": "Ι", "Ϋ": "Υ",
}  # fmt: skip
"""Letters that unicode61 leaves as they are, although many keyboards lack them, or people omit the
mark: "Lodz" finds Łódź, and "елка" ёлка."""

ARABIC_LETTERS = str.maketrans("\u0623\u0625\u0622\u0649\u0629", "\u0627\u0627\u0627\u064a\u0647")
"""Letters that many people write as others: alef with hamza or madda, alef maqsura, teh marbuta."""

ARABIC_ARTICLE = r"\b(?:[\u0648\u0641\u0628\u0643]?\u0627\u0644|\u0644\u0644)(?=\w{3})"
"""The article, with a conjunction or preposition before it: written as one word with the noun."""

CASE_CHANGE = b"aA"
CAMEL_CASE = r"[A-Za-z][A-Za-z0-9]{3,60}\b"
MAX_CAMEL_CASE = 61
_CHARACTER_CLASSES = bytes(
    ord("A") if 65 <= code <= 90 else ord("a") if 48 <= code <= 57 or 97 <= code <= 122 else 32
    for code in range(256)
)
"""Class of each byte: A for a capital, a for a small letter or digit, a space for the others."""
CAMEL_PARTS = r"[A-Z]+(?![a-z])|[A-Z]?[a-z]+|[0-9]+"

SPELLED_NAMES = {"c++": "cplusplus", "c#": "csharp", "f#": "fsharp"}
"""Names that would be a single letter without their symbols."""

_SIGNED_NAMES = tuple(name for low in SPELLED_NAMES for name in (low, low.upper()))

SIGNED_NAME = r"\b(?:[cC]\+\+|[cCfF]#)(?![A-Za-z_#+])"

STOP_WORDS = Path(__file__).with_name("stop_words.txt")
"""Stop words of each language, with and without accents."""

COMMON_WORDS = Path(__file__).with_name("common_words.txt")
"""Frequent words of everyday language."""

LANGUAGE_SAMPLE = 4_000
"""Characters that `detect_language` reads."""


def search_text(text: str) -> str:
    r"""Prepare *text* for a full-text index (see the module).

    >>> search_text("東京都 parseConfig")
    ' 東京 京都 都  parseConfig\nparse Config'
    """
    return _prepare(text, _write_pairs_and_last)


def query_text(text: str) -> str:
    """Prepare *text* as a query: a run of Chinese becomes only its pairs.

    >>> query_text("東京都")
    ' 東京 京都 '
    """
    return _prepare(text, _write_pairs)


def stems(text: str) -> list[str]:
    """Return the stems of *text* in order, as in the full-text index."""
    return stems_of_search_text(search_text(text))


def stems_of_search_text(prepared: str) -> list[str]:
    """Return the stems of a text from `search_text` or `query_text`."""
    tokenize: Callable[..., list[str]] = _tokenizer("porter", "unicode61", "remove_diacritics", "2")
    data = prepared.encode("utf-8", "replace")
    return tokenize(
        data, apsw.FTS5_TOKENIZE_DOCUMENT, None, include_offsets=False, include_colocated=False
    )


def stems_of_list(listed: Iterable[str], *, plain: bool) -> frozenset[str]:
    """Return the stems of *listed* words, with *plain* only of those that a plain text may contain.

    Preparing words of all scripts takes as long as many a search.
    """
    return frozenset(stems(" ".join(word for word in listed if not plain or is_plain(word))))


def words(text: str) -> list[str]:
    """Return the words of *text* in lower case, without accents; pairs of characters for Chinese.

    >>> words("Größe von src/app.py: 東京都")
    ['grosse', 'von', 'src', 'app', 'py', '東京', '京都']
    """
    tokenize = _tokenizer("unicode61", "remove_diacritics", "2")
    data = query_text(text).encode("utf-8", "replace")
    found: list[str] = tokenize(
        data, apsw.FTS5_TOKENIZE_DOCUMENT, None, include_offsets=False, include_colocated=False
    )
    return found


@cache
def stop_words(language: str = "en") -> frozenset[str]:
    """Return the stop words of *language* and of English, with and without accents.

    English occurs in every store: in commands, and from people who mix languages.
    """
    found = set(read_word_lists(STOP_WORDS)["en"])
    found |= read_word_lists(STOP_WORDS).get(language, frozenset())
    return frozenset(found)


@cache
def all_stop_words() -> frozenset[str]:
    """Return the stop words of all languages, for words whose language does not matter."""
    return frozenset().union(*read_word_lists(STOP_WORDS).values())


def is_plain(text: str) -> bool:
    """Return whether *text* has no characters that `NEEDS_PREPARATION` matches."""
    return text.isascii() or not re.search(NEEDS_PREPARATION, text)


def is_unspaced(text: str) -> bool:
    """Return whether *text* has letters of a script without spaces between words."""
    return not is_plain(text) and bool(re.search(f"[{UNSPACED}]", text))


def detect_language(text: str) -> str:
    """Return the ISO 639-1 code of the main language of *text*, or "?" if unclear.

    The script decides first, then stop words, common words and typical letters. A few words of
    prose are enough; code and names alone give "?".
    """
    return next(iter(list_likely_languages(text)), "?")


@lru_cache(maxsize=256)
def list_likely_languages(text: str) -> tuple[str, ...]:
    """Return the languages that fit *text* best; a few words may fit several equally well.

    >>> list_likely_languages("code du portail"), list_likely_languages("Odoo")
    (('de', 'fr', 'sv'), ())
    """
    sample = text[:LANGUAGE_SAMPLE]
    if not sample.isascii():
        script = _detect_script(sample)
        if script:
            return (script,)
    sample_words = re.findall(r"[^\W\d_]+", sample.lower())
    if not sample_words:
        return ()
    counts = Counter(sample_words)
    scores = {
        language: sum(counts[word] for word in listed.intersection(counts))
        for language, listed in _frequent_words().items()
    }
    for letters, language, weight in () if sample.isascii() else LETTERS:
        count = sum(sample.count(letter) for letter in letters)
        scores[language] += weight * min(count, 5)
    best = max(scores.values())
    if best < max(1, len(sample_words) / 20):
        return ()
    likely = (language for language, score in scores.items() if score == best)
    return tuple(sorted(likely, key=lambda language: language != "en"))


@cache
def _frequent_words() -> dict[str, frozenset[str]]:
    """Return the stop words and the common words of each language."""
    common = read_word_lists(COMMON_WORDS)
    return {
        language: listed.union(common.get(language, ()))
        for language, listed in read_word_lists(STOP_WORDS).items()
    }


def estimate_tokens(text: str) -> int:
    """Estimate a model's tokens: characters / 4 rounded up; a CJK character is one token.

    >>> estimate_tokens("five tokens, or so"), estimate_tokens("東京都")
    (5, 3)
    """
    if text.isascii():
        return -(-len(text) // 4)
    wide = len(re.findall(f"[{WIDE}]", text))
    return wide - (-(len(text) - wide) // 4)


LETTERS = (
    ("ßäöüÄÖÜ", "de", 1),
    ("ñ¿¡", "es", 2),
    ("áíóú", "es", 1),
    ("áíóú", "pt", 1),
    ("áíý", "cs", 1),
    ("ãõ", "pt", 2),
    ("èêçœ", "fr", 1),
    ("ąćęłńśźż", "pl", 2),
    ("řěůž", "cs", 2),
    ("äö", "sv", 1),
    ("å", "sv", 2),
    ("ğış", "tr", 2),
)
"""Letters typical of a language in Latin script, with their weight relative to a stop word."""

LATIN_LAST = "\u036f"
"""Last character of Latin script, including its accents."""

SCRIPTS = (
    ("\u3040-\u30ff", "ja"),
    ("\uac00-\ud7ff\u1100-\u11ff", "ko"),
    ("\u4e00-\u9fff\u3400-\u4dbf", "zh"),
    ("\u0e00-\u0e7f", "th"),
    ("\u0400-\u04ff", "ru"),
    ("\u0600-\u06ff", "ar"),
    ("\u0370-\u03ff", "el"),
    ("\u0590-\u05ff", "he"),
    ("\u0900-\u097f", "hi"),
)


def _detect_script(sample: str) -> str:
    """Return the language of the script of at least a third of the letters of *sample*."""
    if not any(character > LATIN_LAST and character.isalpha() for character in set(sample)):
        return ""
    letters = sum(character.isalpha() for character in sample) or 1
    for characters, language in SCRIPTS:
        # One ideograph counts as three letters; Japanese mixes kana with ideographs.
        share = 0.1 if language in {"ja", "ko", "zh"} else 1 / 3
        if len(re.findall(f"[{characters}]", sample)) > share * letters:
            if language == "ru" and re.search("[іїєґ]", sample.lower()):
                return "uk"
            return language
    return ""


def _prepare(text: str, write_run: Callable[[re.Match[str]], str]) -> str:
    """Prepare *text* for FTS5; *write_run* replaces a run of a script without spaces."""
    parts = [part for name in _find_camel_case(text) for part in _split_camel_case(name)]
    # Most "#" are those of headings and comments, and the pattern is slow.
    has_sign = "++" in text or "#" in text.lstrip("#")
    if has_sign and any(name in text for name in _SIGNED_NAMES):
        parts += [SPELLED_NAMES[name.lower()] for name in re.findall(SIGNED_NAME, text)]
    if not text.isascii():
        is_special = not is_plain(text)
        if is_special:
            text = re.sub(DROPPED, "", text)
        text = normalize("NFC", text)
        for letter, plain in PLAIN_LETTERS.items():
            text = text.replace(letter, plain)
        if is_special:
            text = re.sub(ARABIC_ARTICLE, "", text.translate(ARABIC_LETTERS))
            text = re.sub(ANY_MARKED, _move_mark, text)
            text = re.sub(UNSPACED_RUN, write_run, text)
    return f"{text}\n{' '.join(dict.fromkeys(parts))}" if parts else text


def _find_camel_case(text: str) -> list[str]:
    """Return names such as `parseConfig`; a search for the change of case finds them fast."""
    classes = text.encode("ascii", "replace").translate(_CHARACTER_CLASSES)  # a byte per character
    names: list[str] = []
    change, end = classes.find(CASE_CHANGE), 0
    if change < 0:
        return names
    match = re.compile(CAMEL_CASE).match
    while change >= 0:
        first = max(change - MAX_CAMEL_CASE, end)
        start = max(classes.rfind(b" ", first, change) + 1, first)
        name = match(text, start)
        if name and not (start and (text[start - 1].isalnum() or text[start - 1] == "_")):
            end = name.end()
            names.append(name[0])
        change = classes.find(CASE_CHANGE, max(change + 1, end))
    return names


@lru_cache(maxsize=4096)
def _split_camel_case(name: str) -> tuple[str, ...]:
    """Return the parts of a name: a text, and the texts of a store, repeat their names."""
    return tuple(part for part in re.findall(CAMEL_PARTS, name) if len(part) > 1)


def _write_pairs(run: re.Match[str]) -> str:
    """Return the overlapping pairs of a run of characters, as separate words."""
    text = run[0]
    if not text.isprintable() and not re.search(f"[{UNSPACED}]", text):
        return text  # moved vowel signs of a script that has spaces
    if len(text) == 1:
        return f" {text} "
    return f" {' '.join(map(add, text, text[1:]))} "


def _write_pairs_and_last(run: re.Match[str]) -> str:
    """Add the last character as a word, so that a query of a single character finds it.

    All other characters begin a pair.
    """
    text = run[0]
    pairs = _write_pairs(run)
    return f"{pairs}{text[-1]} " if len(text) > 1 and pairs != text else pairs


def _move_mark(character: re.Match[str]) -> str:
    """Map a combining mark to a private letter; leave other characters unchanged."""
    mark = character[0]
    return chr(ord(mark) - MARKED_FIRST + PRIVATE) if category(mark)[0] == "M" else mark


@cache
def _tokenizer(name: str, *args: str) -> Any:  # apsw types it per combination of flags
    """Return FTS5's own tokenizer."""
    return apsw.Connection(":memory:").fts5_tokenizer(name, list(args))


@cache
def common_stems() -> frozenset[str]:
    """Return the stems of frequent everyday words, which mean little in any store."""
    return frozenset(
        stem
        for listed in read_word_lists(COMMON_WORDS).values()
        for stem in stems(" ".join(listed))
    )
