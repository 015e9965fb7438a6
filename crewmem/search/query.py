"""Parses typed queries into terms and an FTS5 expression. Every text is a valid query.

Plain words match texts with any of them; bm25 prefers more and rarer words. Quoted phrases,
`prefix*`, and AND, OR, NOT in capitals are parsed here. FTS5 gets only quoted words, never the
typed text. A text that cannot be parsed runs as plain words, and `misread` gives the reason.
"""

import re
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from functools import cache
from itertools import islice
from pathlib import Path
from typing import NamedTuple
from unicodedata import normalize

from crewmem.search.dates import NamedDate
from crewmem.text.inflection import are_forms, list_bases
from crewmem.text.tokens import (
    SIGNED_NAME,
    SPELLED_NAMES,
    UNSPACED,
    all_stop_words,
    common_stems,
    detect_language,
    is_plain,
    is_unspaced,
    query_text,
    stems,
    stems_of_search_text,
    stop_words,
)

MAX_TERMS = 64
"""Maximum terms for FTS5, whose time grows with them."""

MAX_CHARACTERS = 10_000
"""Maximum characters that are read; the rest of a pasted file does not improve a query."""

MAX_DEPTH = 16
"""Maximum nesting of parentheses."""

COMMON_TEXTS = 1_000
"""Number of texts from which common words are dropped; in smaller stores they cost nothing."""

MIN_PREFIX = 3
"""Minimum letters of a `prefix*`; two letters begin a word in half of all texts."""

WHOLE_WEIGHT = 0.05
"""Weight of a whole hyphenated word beside its parts: it only breaks ties. At 1 the same words
count twice, and nDCG@10 fell by .01 on two sets of three."""

PART_WEIGHT = 0.5
"""Weight of a part of an identifier beside the whole, so that exact matches come first."""

CORRECTED_WEIGHT = 0.7
"""Weight of a word that replaces an unknown one."""

MIN_CORRECTED = 5
"""Minimum letters of a word that is corrected: a short one is one edit from many words."""

MAX_CORRECTED_LENGTH = 40
"""Maximum letters of a word that is corrected: a longer one has too many neighbours."""

MAX_CORRECTED = 3
"""Maximum words of a query that are corrected."""

COMPOUNDING, MIN_PART = frozenset({"de", "nl", "sv"}), 3
"""Languages that write compounds as one word, and minimum letters of the first part of one."""

COMPOUND_WEIGHT = 0.8
"""Weight of a compound that begins with a word."""

MIN_FIRST_PART, MIN_SECOND_PART = 4, 4
"""Minimum letters of a word that begins a compound, and of the rest of it."""

OTHER_FORMS = Path(__file__).with_name("other_forms.txt")

OTHER_FORM_WEIGHT = 0.98
"""Weight of another form of a word, so that texts with the typed one come first."""

INFLECTED_WEIGHT = 0.9
"""Weight of an inflected form of a word in another language than English."""

MIN_RESPELLED = 4
"""Minimum letters of a word whose umlauts may be spelled otherwise."""

MAX_FORMS, MAX_COMPLETED = 20, 500
"""Maximum inflected forms of a word, and stems that are read to find them."""

UMLAUTS = str.maketrans({"ä": "ae", "ö": "oe", "ü": "ue"})
SPELLED_UMLAUT = r"(?<![aeq])([aou])e"
"""An umlaut as two letters, which it is in no "Quelle", "Steuer" or "Bauer"."""

OPERATORS = frozenset({"AND", "OR", "NOT"})
CURLY_QUOTES = {0x201C: '"', 0x201D: '"', 0x201E: '"'}
CLITICS = frozenset({"d", "ll", "m", "re", "s", "ve"})
PROSE_JOINERS = frozenset("-\u2010\u2011'\u2019")

WORD = rf"{SIGNED_NAME}|[^\W_](?:[\w]|[-\u2010\u2011./\\:@#~+=&'\u2019](?=\w))*"
"""A word, identifier, path, date or name: `src/app.py`, `don't`, `2026-04-14`, `C++`."""

PIECE = r'"([^"]*)"(\*?)|([()])|([^\s()"]+)'

ASKS_FOR_DECISION = re.compile(
    r"\b(?=(decided?|decisions?|agreed?) (?:about|on|for|regarding|concerning)\b"
    r"|(entschieden|beschlossen|vereinbart)\s*\??$"
    r"|(decidimos|decidió|decidido|decisión) sobre\b"
    r"|(décidé|décision) (?:sur|pour|concernant|à propos)\b"
    r"|(deciso|decisione) (?:su|sul|sulla|per|riguardo)\b"
    r"|(besloten|beslissing) (?:over|voor)\b)",
    re.IGNORECASE,
)
"""A word that asks for a decision, and the words from which that is seen."""

ASKING_WEIGHT = 0.1
"""Weight of such a word. At 1, "what did we decide about telemetry" finds every text with "decide"
and not the decision that telemetry is off. At 0, a text that says "we decided" does not come
first."""

ENDINGS = (
    *("s", "es", "e", "n", "en", "er", "em", "ed", "ing", "ung", "ungen"),
    *("a", "o", "as", "os", "r", "ar", "an", "ado", "ada"),
)
"""Endings that are added to and removed from an unknown word."""

FRENCH_SUBJECT = r"(?i)(?<=\w)-(?:t-)?(?:je|tu|ils?|elles?|on|ce)$"
"""Subject behind its verb in a French question: peut-on, a-t-il, est-ce."""

MIN_NUMBERED = 3
"""Minimum letters of a numbered name, which is also called by them alone: `egret01`."""

NUMBERS = [*map(str, range(100)), *(f"0{number}" for number in range(10))]
"""Numbers of such names."""

UNSPACED_PART = f"([{UNSPACED}]+)"

FUNCTION_CHARACTERS = frozenset("的了吗呢吧啊么什怎哪谁是们这那你我他她它几就之")
"""Chinese characters that are words without a meaning of their own. A pair with one of them is
seldom a word, but the end of one and the beginning of the next."""

LETTERS = "abcdefghijklmnopqrstuvwxyz0123456789"


class QuerySyntaxError(ValueError):
    """Operators that cannot be parsed; the message is the reason."""


class Term(NamedTuple):
    """One phrase of an FTS5 expression.

    Attributes:
        text: As typed, for display.
        stems: Stems that the index must contain; several must be consecutive.
        phrase: The same in FTS5's syntax.
        word: Number of the typed word that it belongs to; a word may have several terms.
        prefix: Whether the last stem may be only the beginning of a stem.
        weight: How much a match counts, up to 1; 0 after NOT.
    """

    text: str
    stems: tuple[str, ...]
    phrase: str
    word: int
    prefix: bool = False
    weight: float = 1.0


class Query(NamedTuple):
    """A parsed query.

    Attributes:
        text: As typed.
        terms: Terms to count and rank.
        expression: Expression for MATCH; "" if there is no word to search for.
        has_operators: Whether *expression* is more than "any of the terms".
        misread: Why operators were not parsed; "" if they were.
        corrections: Typed words with the stems that replaced them.
    """

    text: str
    terms: tuple[Term, ...]
    expression: str
    has_operators: bool = False
    misread: str = ""
    corrections: tuple[tuple[str, str], ...] = ()

    @property
    def stems(self) -> set[str]:
        """The stems whose frequencies matter."""
        return {stem for term in self.terms for stem in term.stems}


def clean_query(text: str) -> str:
    r"""Return the part of a typed text that is searched for, with one character for a letter.

    Some keyboards and clipboards send a letter and its accent as two characters.

    >>> clean_query(" cafe\u0301 ")
    'café'
    """
    return normalize("NFC", text[:MAX_CHARACTERS].replace("\0", " ")).strip()


def parse_query(text: str) -> Query:
    """Parse *text*; it is plain words if it has no valid operators."""
    text = clean_query(text)
    misread = ""
    if any(sign in text for sign in ('"', "\u201c", "\u201d", "\u201e", "*", "AND", "OR", "NOT")):
        try:
            parsed = _Parser(text).parse()
        except QuerySyntaxError as error:
            misread = str(error)
        else:
            if parsed:
                return parsed
    return as_words(text)._replace(misread=misread)


def as_words(text: str) -> Query:
    """Return the query for any word of *text*; stop words are kept only if there are no others."""
    text = clean_query(text)
    terms = _weaken_asking_words(text, find_terms(text))
    return Query(text, terms, any_of(terms))


def _weaken_asking_words(text: str, terms: tuple[Term, ...]) -> tuple[Term, ...]:
    """Return *terms* with less weight for "decide" in "what did we decide about logs".

    A decision about logs seldom contains the word. Without other words it keeps its weight.
    """
    asking = {match[match.lastindex or 0] for match in ASKS_FOR_DECISION.finditer(text)}
    if asking.issuperset(term.text for term in terms):
        return terms
    return tuple(
        term._replace(weight=term.weight * ASKING_WEIGHT) if term.text in asking else term
        for term in terms
    )


def without_common(query: Query, frequencies: Mapping[str, int], total: int) -> Query:
    """Return *query* without words of more than half of *total* texts, and with at most MAX_TERMS.

    In a big store such words take most of the time and do not change the first ten hits.
    """
    if query.has_operators:
        return query
    terms = list(query.terms)
    if total >= COMMON_TEXTS:
        left = [term for term in terms if 2 * count_texts(term, frequencies) <= total]
        if any(count_texts(term, frequencies) for term in left):
            terms = left
    if len(terms) > MAX_TERMS:
        counts = [count_texts(term, frequencies) for term in terms]
        # The rarest first; words that no text contains come last.
        by_rarity = sorted(range(len(terms)), key=lambda at: (not counts[at], counts[at]))
        terms = [terms[at] for at in sorted(by_rarity[:MAX_TERMS])]
    return query._replace(terms=tuple(terms), expression=any_of(terms))


def without_unknown_endings(query: Query, frequencies: Mapping[str, int]) -> Query:
    """Return *query* without endings of a `prefix*` that no text contains: they weigh too much."""
    terms = [
        term
        for term in query.terms
        if term.prefix or not term.text.endswith("*") or count_texts(term, frequencies)
    ]
    return query._replace(terms=tuple(terms))


def without_boundaries(query: Query, frequencies: Mapping[str, int]) -> Query:
    """Return *query* without pairs of characters that are only the boundary of two words.

    No text contains such a pair, but some contain each of the overlapping pairs beside it: of
    "change files" in Chinese, 修改文件, 改文 is none of the words.
    """
    terms = query.terms
    boundaries = {
        term
        for before, term, after in zip(terms, terms[1:], terms[2:], strict=False)
        if len(term.text) == 2
        and is_unspaced(term.text)
        and not count_texts(term, frequencies)
        and before.text[-1] == term.text[0]
        and term.text[1] == after.text[0]
        and count_texts(before, frequencies)
        and count_texts(after, frequencies)
    }
    if query.has_operators or not boundaries:
        return query
    left = tuple(term for term in terms if term not in boundaries)
    return query._replace(terms=left, expression=any_of(left))


def count_texts(term: Term, frequencies: Mapping[str, int]) -> int:
    """Return how many texts contain *term*, or at most so many if it has several stems."""
    return min((frequencies.get(stem, 0) for stem in term.stems), default=0)


def add_other_forms(
    query: Query,
    frequencies: Mapping[str, int],
    look_up: Callable[[Sequence[str]], Mapping[str, int]],
    complete: Callable[[str, int], Iterable[str]],
    language: str = "en",
) -> tuple[Query, Mapping[str, int]]:
    """Add other forms of the words of a query that some text contains: *database* for *db*.

    In other languages than English these are also inflected forms: *школы* for *школах*. Of a word
    that no text contains these are also numbered names, *egret01* for *egret*, umlauts as two
    letters or as one, *Schlüssel* for *Schluessel*, and compounds that begin with it. The other
    arguments and the results are those of `correct_unknown`.

    Args:
        complete: Returns at most so many stems that begin so.
        language: Of the query.
    """
    if query.has_operators:
        return query, frequencies
    forms = []
    for term in query.terms:
        if len(term.stems) != 1 or term.weight != 1.0:
            continue
        forms += _list_inflected(term, language, complete)
        (stem,) = term.stems
        if language in COMPOUNDING and stem not in frequencies:
            forms += _list_compounds(term, complete)
        others = [(form, stems(form)) for form in _read_other_forms().get(stem, ())]
        is_name = len(stem) >= MIN_NUMBERED and term.text.isalpha() and is_plain(term.text)
        if is_name and stem not in frequencies:
            names = [f"{term.text.lower()}{number}" for number in NUMBERS]
            others += [
                (name, [its_stem])
                for name, its_stem in zip(names, stems(" ".join(names)), strict=True)
            ]
            others += [(form, [form]) for form in _list_respelled(term.text)]
        forms += [
            Term(term.text, tuple(its_stems), _quote(form), term.word, weight=OTHER_FORM_WEIGHT)
            for form, its_stems in others
        ]
    if not forms:
        return query, frequencies
    found = {**look_up([stem for form in forms for stem in form.stems]), **frequencies}
    terms = (*query.terms, *(form for form in forms if count_texts(form, found)))
    return query._replace(terms=terms, expression=any_of(terms)), found


def _list_respelled(word: str) -> list[str]:
    """Return stems of *word* with umlauts as two letters, or as one, and with other endings.

    >>> _list_respelled("Schlüssel")[0], _list_respelled("Steuer")
    ('schluessel', [])
    """
    lowered = word.lower()
    respelled = lowered.translate(UMLAUTS)
    if respelled == lowered:
        respelled = re.sub(SPELLED_UMLAUT, r"\1", lowered)
    if respelled == lowered or len(lowered) < MIN_RESPELLED:
        return []
    return [
        form
        for stem in stems(respelled)
        for form in (stem, *_other_endings(stem))
        if stems_of_search_text(form) == [form]
    ]


def _list_inflected(
    term: Term, language: str, complete: Callable[[str, int], Iterable[str]]
) -> list[Term]:
    """Return terms for the forms of a word of *language* that some text contains."""
    (stem,) = term.stems
    bases = list_bases(stem, language)
    if not bases or stem in common_stems():
        return []
    forms = (
        each
        for each in sorted(complete(bases[0], MAX_COMPLETED))
        if each != stem and are_forms(stem, each, language)
    )
    return [
        Term(term.text, (form,), f'"{word}"', term.word, weight=INFLECTED_WEIGHT)
        for form in islice(forms, MAX_FORMS)
        if (word := _find_word(form))
    ]


def _list_compounds(term: Term, complete: Callable[[str, int], Iterable[str]]) -> list[Term]:
    """Return terms for the compounds of texts that begin with a word: *Müllabfuhr* for *Müll*."""
    (stem,) = term.stems
    if len(stem) < MIN_FIRST_PART or stem in common_stems():
        return []
    compounds = (
        each
        for each in sorted(complete(stem, MAX_COMPLETED))
        if len(each) >= len(stem) + MIN_SECOND_PART
    )
    return [
        Term(term.text, (each,), f'"{word}"', term.word, weight=COMPOUND_WEIGHT)
        for each in islice(compounds, MAX_FORMS)
        if (word := _find_word(each))
    ]


def _find_word(stem: str) -> str:
    """Return a word that Porter's algorithm stems to *stem*, or "" if none is found."""
    words = (stem, f"{stem}e", f"{stem[:-1]}y", f"{stem}s", f"{stem}ing")
    return next((word for word in words if stems_of_search_text(word) == [stem]), "")


@cache
def _read_other_forms() -> dict[str, list[str]]:
    """Return the other forms of a word, by its stem."""
    found: dict[str, list[str]] = {}
    for line in OTHER_FORMS.read_text("utf-8").splitlines():
        if line.startswith("#"):
            continue
        forms = [form.replace("_", " ") for form in line.split()]
        stems_of = {form: stems(form) for form in forms}
        for stem, *others in stems_of.values():
            if not others:
                found[stem] = [form for form, its_stems in stems_of.items() if its_stems != [stem]]
    return found


def correct_unknown(
    query: Query,
    frequencies: Mapping[str, int],
    look_up: Callable[[Sequence[str]], Mapping[str, int]],
    kept: Collection[int] = (),
    language: str = "en",
) -> tuple[Query, Mapping[str, int]]:
    """Replace words that no text contains by known ones: another ending, or one edit away.

    Of a compound that no text contains, its known end takes the place: *Pfeifen* of
    *Ersatzpfeifen*. Everyday words are no typing errors of others.

    Args:
        query: A query of plain words; others are returned unchanged.
        frequencies: Frequencies of the stems of *query*.
        look_up: Returns the frequencies of further stems.
        kept: Numbers of terms that stay as they are: "enero", a month, is no "entero".
        language: Of the query.

    Returns:
        The query, and the frequencies including those of the replacements.
    """
    if query.has_operators:
        return query, frequencies
    known_words = {term.word for term in query.terms if count_texts(term, frequencies)}
    unknown = [
        term
        for at, term in enumerate(query.terms)
        if term.word not in known_words
        and at not in kept
        and len(term.stems) == 1
        and term.stems[0] not in common_stems()
        and not term.prefix
        and len(term.stems[0]) >= MIN_CORRECTED - 1
        and term.text.isalpha()
        and MIN_CORRECTED <= len(term.text) <= MAX_CORRECTED_LENGTH
    ]
    corrections: list[tuple[str, str]] = []
    replaced: dict[Term, Term] = {}
    found = dict(frequencies)
    for term in unknown[:MAX_CORRECTED]:
        stem, number = _find_known_stem(term.stems[0], look_up)
        weight = CORRECTED_WEIGHT
        if not stem and language in COMPOUNDING:
            stem, number = _find_known_end(term.stems[0], look_up)
            weight = PART_WEIGHT
        if stem:
            replaced[term] = term._replace(stems=(stem,), phrase=f'"{stem}"', weight=weight)
            corrections.append((term.text, stem))
            found[stem] = number
    if not replaced:
        return query, frequencies
    terms = tuple(replaced.get(term, term) for term in query.terms)
    query = query._replace(terms=terms, expression=any_of(terms), corrections=tuple(corrections))
    return query, found


def _find_known_stem(
    stem: str, look_up: Callable[[Sequence[str]], Mapping[str, int]]
) -> tuple[str, int]:
    """Return the most frequent stem that resembles an unknown one, and its frequency, or ""."""
    for variants in (_other_endings(stem), _one_edit_away(stem)):
        counts = look_up(variants)
        best = max(
            (each for each in variants if counts.get(each)),
            key=lambda each: (counts[each], each),
            default="",
        )
        if best and stems_of_search_text(best) == [best]:
            return best, counts[best]
    return "", 0


def _find_known_end(
    stem: str, look_up: Callable[[Sequence[str]], Mapping[str, int]]
) -> tuple[str, int]:
    """Return the longest known stem that *stem* ends with, and its frequency, or ""."""
    ends = [stem[start:] for start in range(MIN_PART, len(stem) - MIN_CORRECTED + 1)]
    counts = look_up(ends) if ends else {}
    return next(
        (
            (each, counts[each])
            for each in ends
            if counts.get(each) and stems_of_search_text(each) == [each]
        ),
        ("", 0),
    )


def find_terms(text: str, *, keep_stop_words: bool = False) -> tuple[Term, ...]:
    """Return the terms of plain *text*; stop words are kept only if there are no others."""
    typed = [part for word in re.findall(WORD, text) for part in split_scripts(word)]
    if detect_language(text) == "fr":
        typed = [re.sub(FRENCH_SUBJECT, "", word) for word in typed]
    telling = [word for word in typed if keep_stop_words or not is_stop_word(word, text)]
    found: dict[tuple[str, ...], Term] = {}
    number = 0
    for word in telling or typed:
        terms = _terms_of_word(word, number)
        for term in terms:
            if term.stems not in found or found[term.stems].weight < term.weight:
                found[term.stems] = term
        number = 1 + max((term.word for term in terms), default=number)
    return tuple(found.values())


def split_scripts(word: str) -> list[str]:
    """Return the parts of *word* in scripts with and without spaces between words, in order.

    >>> split_scripts("B-014号泊位")
    ['B-014', '号泊位']
    """
    if not is_unspaced(word):
        return [word]
    return [part for part in re.split(UNSPACED_PART, word) if part]


def is_stop_word(word: str, text: str) -> bool:
    """Return whether *word* says nothing about a subject.

    A word in capitals among words in lower case is an acronym: IT, US.
    """
    if word in OPERATORS:
        return True
    if is_unspaced(word):
        return all(map(_is_function_pair, query_text(word).split()))
    if len(word) > 1 and word.isupper() and not text.isupper():
        return False
    lowered = word.lower().replace("\u2019", "'")
    if lowered.endswith("n't"):
        return True
    first, *others = re.split("['-]", lowered) if "'" in lowered else [lowered]
    parts = {first, *others} - (CLITICS - {first})  # what's, qu'est-ce
    return parts <= all_stop_words() and parts <= stop_words(detect_language(text))


def find_date_terms(dates: Iterable[NamedDate], terms: Sequence[Term]) -> frozenset[int]:
    """Return the numbers of those *terms* that name one of *dates*."""
    named = {stem for each in dates for stem in stems(each.phrase)}
    typed = {term.word for term in terms if named.issuperset(term.stems)}
    return frozenset(at for at, term in enumerate(terms) if term.word in typed)


def list_subjects(terms: Iterable[Term]) -> set[int]:
    """Return the numbers of the typed words that are no everyday ones."""
    return {
        term.word for term in terms if len(term.stems) > 1 or term.stems[0] not in common_stems()
    }


def weigh_words(terms: Sequence[Term], weights: Sequence[float]) -> float:
    """Return the weight of the typed words, each with the weight of its best term."""
    by_word: dict[int, float] = {}
    for term, weight in zip(terms, weights, strict=True):
        by_word[term.word] = max(by_word.get(term.word, 0.0), weight)
    return sum(by_word.values())


def any_of(terms: Iterable[Term]) -> str:
    """Return the expression that matches any of *terms*."""
    return " OR ".join(dict.fromkeys(term.phrase for term in terms))


def _terms_of_word(word: str, number: int) -> list[Term]:
    """Return the terms for *word*: the whole word, then its parts."""
    if name := SPELLED_NAMES.get(word.lower()):
        return [Term(word, tuple(stems_of_search_text(name)), _quote(name), number)]
    lowered = word.replace("\u2019", "'")
    if lowered.partition("'")[2].lower() in CLITICS:
        word = lowered.partition("'")[0]
    prepared = query_text(word)
    first, _, camel_parts = prepared.partition("\n")
    tokens = stems_of_search_text(first)
    if not tokens:
        return []
    whole = Term(word, tuple(tokens), _quote(first), number)
    if len(tokens) == 1:
        found = [whole, *_other_stem(whole)]
        found += [
            Term(part, (stem,), f'"{part}"', number, weight=PART_WEIGHT)
            for part in camel_parts.split()
            for stem in stems_of_search_text(part)
        ]
        return found
    joiners = {character for character in word if not character.isalnum()}
    if not word.isascii() and not joiners:  # in a run of Chinese each pair is a word
        pairs = [*dict.fromkeys(first.split())]
        telling = [pair for pair in pairs if not _is_function_pair(pair)]
        return [
            Term(pair, (stem,), f'"{pair}"', number + at)
            for at, pair in enumerate(telling or pairs)
            for stem in stems_of_search_text(pair)
        ]
    is_prose = joiners <= PROSE_JOINERS
    if not any(character.isalpha() for character in word) or (tokens[-1] == "t" and is_prose):
        return [whole]  # 2026-04-14, 10.0.0.1, don't: parts mean nothing
    stop = all_stop_words() if "'" in lowered else stop_words("en")  # l'annexe, but non-linear
    parts = [part for part in re.findall(r"[^\W_]+", first) if part.lower() not in stop]
    found = [whole._replace(weight=WHOLE_WEIGHT if is_prose and parts else 1.0)]
    for part in parts:
        for stem in stems_of_search_text(part):
            weight = 1.0 if is_prose else PART_WEIGHT
            found.append(Term(part, (stem,), f'"{part}"', number, weight=weight))
    return found


def _is_function_pair(pair: str) -> bool:
    """Return whether a pair of a run of Chinese is a stop word or contains a function character."""
    return pair in all_stop_words() or not FUNCTION_CHARACTERS.isdisjoint(pair)


def _other_stem(term: Term) -> list[Term]:
    """Return the other stem if Porter's algorithm has two stems for forms of one verb.

    It stems `deploy` and its forms to *deploi*, but `deployment` to *deploy*.
    """
    stem = term.stems[0]
    if len(stem) < 3 or stem[-1] not in "iy" or stem[-2] not in "aeou":
        return []
    verb = f"{stem[:-1]}y"
    asked = f"{verb}ment" if stem.endswith("i") else verb
    (other,) = stems_of_search_text(asked)[:1] or [stem]
    if other == stem or other[:-1] != stem[:-1]:
        return []
    return [Term(term.text, (other,), f'"{asked}"', term.word)]


def _quote(prepared: str) -> str:
    return '"' + " ".join(prepared.replace('"', " ").split()) + '"'


def _other_endings(stem: str) -> list[str]:
    """Return *stem* with other endings, longest common part first."""
    found = [f"{stem}{ending}" for ending in ENDINGS]
    for ending in ENDINGS:
        if stem.endswith(ending) and len(stem) - len(ending) >= MIN_CORRECTED - 1:
            bare = stem.removesuffix(ending)
            found += [bare, *(f"{bare}{other}" for other in ENDINGS)]
    return list(dict.fromkeys(each for each in found if each != stem))


def _one_edit_away(stem: str) -> list[str]:
    """Return all strings that differ from *stem* by one insertion, deletion, change or swap.

    The first letter stays: few people mistype it, and "power" is no "lower". Neither of the two is
    shorter than MIN_CORRECTED: "words" are no "world", and "plain" is no "plan".
    """
    found: dict[str, None] = {}
    for at in range(1, len(stem) + 1):
        before, after = stem[:at], stem[at:]
        if after:
            found[before + after[1:]] = None
            found.update((f"{before}{letter}{after[1:]}", None) for letter in LETTERS)
        if len(after) > 1:
            found[f"{before}{after[1]}{after[0]}{after[2:]}"] = None
        found.update((f"{before}{letter}{after}", None) for letter in LETTERS)
    found.pop(stem, None)
    return [each for each in found if min(len(each), len(stem)) >= MIN_CORRECTED]


class _Piece(NamedTuple):
    """A piece of a query with operators.

    Attributes:
        kind: AND, OR, NOT, a parenthesis, word, prefix, phrase, or ``phrase*`` whose last word is
            a prefix.
        text: Text of a word, prefix or phrase.
    """

    kind: str
    text: str = ""


def _split_pieces(text: str) -> list[_Piece]:
    """Split a query at its operators, parentheses, quotes and spaces.

    Raises:
        QuerySyntaxError: If a quote is not closed.
    """
    typed = text.translate(CURLY_QUOTES)
    if typed.count('"') % 2:
        raise QuerySyntaxError("a quote is not closed")
    pieces: list[_Piece] = []
    for match in re.finditer(PIECE, typed):
        phrase, star, parenthesis, word = match.groups()
        if parenthesis:
            pieces.append(_Piece(parenthesis))
        elif word is None:
            pieces.append(_Piece("phrase*" if star else "phrase", phrase))
        elif word in OPERATORS:
            # "do NOT deploy" is prose; "AND NOT" is NOT.
            before = pieces[-1] if pieces else _Piece("")
            if word == "NOT" and before.kind == "word" and is_stop_word(before.text, text):
                pieces.append(_Piece("word", "not"))
                continue
            if word == "NOT" and before.kind == "AND":
                pieces.pop()
            pieces.append(_Piece(word))
        else:
            bare = word.rstrip(".,;:!?\u2026")
            begin = bare.removesuffix("*")
            is_prefix = bare != begin and begin[-1:].isalnum() and not begin.startswith("*")
            is_long = len(begin) >= MIN_PREFIX or not begin.isascii()
            is_prefix = is_prefix and is_long
            pieces.append(_Piece("prefix", begin) if is_prefix else _Piece("word", word))
    return pieces


class _Parser:
    """Parses operators: NOT binds closest, then AND (or nothing between), then OR."""

    def __init__(self, text: str) -> None:
        self._text = text
        self._terms: list[Term] = []
        self._words = 0
        self._pieces = _split_pieces(text)
        self._position = 0

    def parse(self) -> Query | None:
        """Return the query, or None if it is plain words after all."""
        kinds = {piece.kind for piece in self._pieces}
        if kinds & OPERATORS:
            expression = self._alternatives(0)
            if self._position < len(self._pieces):
                raise QuerySyntaxError("a closing parenthesis has no opening one")
            if not expression:
                raise QuerySyntaxError("it contains no words")
        elif kinds & {"phrase", "phrase*", "prefix"}:
            expression = self._required_phrases()
        else:
            return None
        if len(self._terms) > MAX_TERMS:
            raise QuerySyntaxError(f"it has more than {MAX_TERMS} words")
        if not expression:
            return None
        return Query(self._text, tuple(self._terms), expression, has_operators=True)

    def _required_phrases(self) -> str:
        """Return the expression with phrases required; other words and prefixes only rank."""
        phrases = [piece for piece in self._pieces if piece.kind in ("phrase", "phrase*")]
        prefixes = [piece for piece in self._pieces if piece.kind == "prefix"]
        plain = " ".join(piece.text for piece in self._pieces if piece.kind == "word")
        required = [each for piece in phrases if (each := self._operand(piece, 1.0))]
        ranking = [self._operand(piece, 1.0) for piece in prefixes]
        for term in find_terms(plain) if plain else ():
            if not (required or ranking) or not is_stop_word(term.text, plain):
                self._terms.append(term._replace(word=self._words + term.word))
                ranking.append(term.phrase)
        ranking = [each for each in ranking if each]
        if required and ranking:
            # FTS5 has no optional operand, so the expression contains the first phrase twice.
            return " AND ".join([*required, f"({' OR '.join([required[0], *ranking])})"])
        return " AND ".join(required) or " OR ".join(ranking)

    def _alternatives(self, depth: int, weight: float = 1.0) -> str:
        parts = [self._conjunction(depth, weight)]
        while self._peek() == "OR":
            self._position += 1
            parts.append(self._conjunction(depth, weight))
        parts = [each for each in parts if each]
        return f"({' OR '.join(parts)})" if len(parts) > 1 else "".join(parts)

    def _conjunction(self, depth: int, weight: float) -> str:
        parts = [self._difference(depth, weight)]
        while self._peek() not in {"", "OR", ")"}:
            self._position += self._peek() == "AND"
            parts.append(self._difference(depth, weight))
        parts = [each for each in parts if each]
        return f"({' AND '.join(parts)})" if len(parts) > 1 else "".join(parts)

    def _difference(self, depth: int, weight: float) -> str:
        wanted = self._leaf(depth, weight)
        while self._peek() == "NOT":
            self._position += 1
            unwanted = self._leaf(depth, 0.0)
            if not wanted:
                raise QuerySyntaxError("no word precedes NOT")
            wanted = f"({wanted} NOT {unwanted})" if unwanted else wanted
        return wanted

    def _leaf(self, depth: int, weight: float) -> str:
        kind = self._peek()
        if kind in OPERATORS or kind in {"", ")"}:
            where = f"before {kind}" if kind else "at the end"
            raise QuerySyntaxError(f"a word is missing {where}")
        self._position += 1
        if kind == "(":
            if depth >= MAX_DEPTH:
                raise QuerySyntaxError(f"parentheses nest deeper than {MAX_DEPTH}")
            inner = self._alternatives(depth + 1, weight)
            if self._peek() != ")":
                raise QuerySyntaxError("a parenthesis is not closed")
            self._position += 1
            return inner
        return self._operand(self._pieces[self._position - 1], weight)

    def _operand(self, piece: _Piece, weight: float) -> str:
        """Add the terms of one operand and return its expression."""
        kind, text = piece
        if kind == "word":
            terms = [
                term._replace(word=self._words + term.word, weight=weight)
                for term in find_terms(text, keep_stop_words=True)
                if term.weight >= 1.0  # as typed, without its parts
            ]
        else:
            prepared = query_text(text).partition("\n")[0]
            stems = tuple(stems_of_search_text(prepared))
            is_prefix = kind in {"prefix", "phrase*"}
            star = "*" if is_prefix else ""
            terms = (
                [
                    Term(
                        f"{text}{star}",
                        stems,
                        f"{_quote(prepared)}{star}",
                        self._words,
                        prefix=is_prefix,
                        weight=weight,
                    )
                ]
                if stems
                else []
            )
            if is_prefix and len(stems) == 1:
                terms += self._completions(text, stems[0], weight)
        self._words = 1 + max((term.word for term in terms), default=self._words)
        self._terms += terms
        phrases = [term.phrase for term in terms]
        if kind == "word" and len({term.word for term in terms}) > 1:
            return f"({' AND '.join(phrases)})"
        return f"({' OR '.join(phrases)})" if len(phrases) > 1 else "".join(phrases)

    def _completions(self, begin: str, stem: str, weight: float) -> list[Term]:
        """Return stems of longer words that FTS5 would miss.

        The index contains stems. `deploy*` searches for *deploi* and misses *deploy* of
        "deployment"; `positi*` misses *posit* of "positive".
        """
        found: dict[str, Term] = {}
        for ending in ("ing", "ed", "e", "er", "ity", "ation", "ion", "ment", "ive", "al"):
            for known in range(len(ending)):
                if begin.lower().endswith(ending[:known]):
                    word = begin + ending[known:]
                    (other,) = stems_of_search_text(word)[:1] or [stem]
                    if not other.startswith(stem) and len(other) >= MIN_PREFIX:
                        # A word with the typed letters as its stem finds all that begin with them:
                        # FTS5 would stem "play" itself to *plai*, and miss "playwright".
                        is_begin = other == begin.lower()
                        phrase = f'"{word}"{"*" if is_begin else ""}'
                        found.setdefault(
                            other,
                            Term(f"{begin}*", (other,), phrase, self._words, is_begin, weight),
                        )
        if begin.lower() in found:
            found = {
                other: term
                for other, term in found.items()
                if term.prefix or not other.startswith(begin.lower())
            }
        return list(found.values())[:8]

    def _peek(self) -> str:
        return self._pieces[self._position].kind if self._position < len(self._pieces) else ""
