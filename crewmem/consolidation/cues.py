"""What tells a lasting statement from a passing one: cues of place, form and wording. Pure.

Words are in ``cues.toml``, weights in ``weights.json``, which ``training/fit.py`` makes from the
project's own text. The result is a probability, so one threshold serves every kind.
"""

from __future__ import annotations

import json
import math
import re
import tomllib
from functools import cache, lru_cache
from itertools import pairwise
from pathlib import Path
from typing import NamedTuple

from crewmem.consolidation.statements import Statement

KINDS = ("lesson", "decision", "correction", "preference", "rule", "action", "fact")
"""Section classes that name a fact kind, in the order in which they are tried."""

EXPLICIT = frozenset({"lesson", "decision", "correction", "preference", "rule"})
"""Section classes that name a kind so clearly that the wording counts less. Facts and actions
stand under many headings that also hold status."""

FACT_KINDS = {"rule": "preference", "action": "action_item"}
"""Fact kinds of section classes whose name is not one: a rule says how somebody wants work done."""

PASSIVE = ("is", "are", "be", "ist", "sind", "wird", "werden")
"""Before these words a participle is no past: ``is kept``."""

FIRST_WIDE = 0x2FFF
"""From here on are scripts that do not separate words by spaces."""


@cache
def _data() -> dict[str, dict[str, list[str]]]:
    tables = tomllib.loads(Path(__file__).with_name("cues.toml").read_text("utf-8"))
    return {
        table: {
            name: [each for each in re.split(r"\s*[;\n]\s*", text) if each]
            for name, text in classes.items()
        }
        for table, classes in tables.items()
    }


@cache
def _sections() -> dict[str, re.Pattern[str]]:
    return {name: _match_any(phrases) for name, phrases in _data()["sections"].items()}


def _match_any(phrases: list[str]) -> re.Pattern[str]:
    """Return a pattern of whole phrases; ``*`` at the end of a word matches any ending."""
    parts = sorted({re.escape(each).replace(r"\*", r"\w*") for each in phrases}, key=len)
    wide = [part for part in parts if ord(part[-1]) > FIRST_WIDE]
    narrow = [part for part in reversed(parts) if part not in wide]
    return re.compile("|".join([rf"(?<![\w-])(?:{'|'.join(narrow)})(?![\w-])", *wide]))


class Wording(NamedTuple):
    """Cues of wording.

    Attributes:
        by_phrase: Cues of each phrase of up to three words.
        unspaced: The same of phrases in scripts without spaces.
        first: The first words that are cues.
    """

    by_phrase: dict[str, tuple[str, ...]]
    unspaced: dict[str, tuple[str, ...]]
    first: dict[str, frozenset[str]]


@cache
def _wording() -> Wording:
    found = Wording({}, {}, {})
    for name, phrases in _data()["wording"].items():
        if name in ("did", "imperative", "anaphor"):
            found.first[f"starts:{name}"] = frozenset(phrases)
            continue
        for each in phrases:
            table = found.unspaced if ord(each[0]) > FIRST_WIDE else found.by_phrase
            table[each] = (*table.get(each, ()), f"says:{name}")
    return found


@lru_cache(maxsize=20_000)
def classify_section(name: str) -> str:
    """Return the class of a heading or label: a kind, rationale, problem, noise …; or "".

    >>> classify_section("💡 Lessons learned (week 3)"), classify_section("Nächste Schritte")
    ('lesson', 'action')
    """
    text = re.sub(r"\([^)]*\)|\[[^\]]*\]", " ", name.lower())
    text = " ".join(re.sub(r"[^\w'’ -]+|\b[\d:]+\b", " ", text).split())
    if not text or len(text) > 90:
        return ""
    best, best_rank = "", (2, 0)
    for kind, pattern in _sections().items():
        if (match := pattern.search(text)) and not _is_aside(kind, match, text):
            # The whole name first, then the longest phrase, then the order of the file.
            size = match.end() - match.start()
            rank = (0 if size == len(text) else 1, -size)
            if rank < best_rank:
                best, best_rank = kind, rank
    return best


@cache
def name_words() -> dict[str, frozenset[str]]:
    """Return words of headings: ``filler``, ``bare`` and ``preposition``."""
    return {name: frozenset(words) for name, words in _data()["names"].items()}


@cache
def _weak() -> dict[str, re.Pattern[str]]:
    return {kind: _match_any(phrases) for kind, phrases in _data()["weak"].items()}


def _is_aside(kind: str, match: re.Match[str], text: str) -> bool:
    """Tell whether a word that may name *kind* is only one word of a longer name."""
    weak = _weak().get(kind)
    if weak is None or not weak.fullmatch(match[0]):
        return False
    words = text.split()
    if len(words) <= FEW_WORDS:
        return False
    following = text[match.end() :].split()
    return match.start() > 0 or not following or following[0] not in name_words()["preposition"]


FEW_WORDS = 2
"""A name of so many words is about each of them."""


def section_kind(statement: Statement) -> str:
    """Return the kind that a statement's surroundings name, the nearest first; or ""."""
    for name in (statement.label, statement.lead, *reversed(statement.headings[-2:])):
        kind = classify_section(name) if name else ""
        if kind in KINDS:
            return kind
        if kind in ("noise", "routine"):
            return ""
    return ""


FORM_PATTERNS = {
    "clock": r"\b(?:[01]?\d|2[0-3]):[0-5]\d\b",
    "date": r"\b\d{4}-\d\d-\d\d\b|\b\d{1,2}\.\d{1,2}\.(?:\d{2,4})?(?!\w)",
    "count": (
        r"(?i)\b[\d.,]+\+?k?\s?(?:%|lines?|files?|commits?|tests?|features?|issues?|bugs?|errors?"
        r"|messages?|tokens?|kb|mb|gb|ms|seconds?|sec|minutes?|mins?|hours?|zeilen|dateien|fehler"
        r"|stunden|minuten|sekunden|warnings?|users?|items?|tasks?|agents?)\b|\b\d+/\d+\b|\d%"
    ),
    "number": r"\d",
    "url": r"https?://|\b\w+\.(?:com|org|net|io|app|dev|de|example)\b|:\d{4}\b",
    "port": r"\bport\s+\d+",
    "code": r"`[^`]+`|\b\w+\(\)|\b[\w-]+/[\w./-]+|\b\w+_\w+\b",
    "path": r"^`?[\w./~-]+\.(?:md|py|js|ts|json|html|css|yml|yaml|sh|txt|cs|go|rs|razor)`?",
    "arrow": r"→|->|⇒|=>",
    "versus": r"\b(?:vs\.?|beats?|over|better than|instead of|statt|not just)\b",
    "caps": (
        r"\b(?!(?:API|URL|HTTP|HTTPS|JSON|HTML|CSS|SQL|UTC|PDF|CSV|SSH|DNS|CLI|TODO|TBD|COMPLETE"
        r"|DONE|LIVE)\b)[A-ZÄÖÜ]{4,}\b"
    ),
    "quote": r"[\"“„«][^\"”“»]{8,}[\"”“»]",
    "past_de": r"\b(?:wurden?|haben|hat|habe|konnten?|worden)\b.*(?:t|en)\b",
    "ing": r"^[A-Z]?[a-z]+ing\b",
    "ed": r"^(?:\W*)(?:[A-Z]?[a-z]+ly\s)?[A-Z]?[a-z]{2,}ed\b",
    "ed_inside": r"(?<!\bbe )(?<!\bis )(?<!\bare )\b[a-z]{3,}ed\b",
    "question": r"\?\s*$",
    "exclaim": r"!\s*$",
    "first_person": r"\b(?:I|we|We|ich|wir|Wir|Ich|je|nous|on a|yo)\b",
    "ticket": r"\b[A-Z]{2,5}-\d+\b|(?<!\w)#\d+\b|\bPR\b",
    "figures": r"\d\D+\d.*\d\D+\d",
    "sentences": r"[a-zà-ÿ0-9)]{2}[.!?] +\W?\w",
    "lower": r"^[a-zà-ÿ]",
    "plural_day": r"\b(?:Mon|Tues|Wednes|Thurs|Fri|Satur|Sun)days\b|\b\w+tags\b",
    "parenthesis": r"\([^)]{3,}\)",
}


NEEDS = {
    "0123456789": (*("clock", "date", "count", "number", "port", "ticket", "figures"),),
    "`_/(": ("code", "path", "parenthesis"),
    '"“„«': ("quote",),
    ".:": ("url",),
    "→>⇒": ("arrow",),
    "?!": ("question", "exclaim"),
}
"""Patterns that are tried only when a text has one of the characters."""


@cache
def _forms() -> list[tuple[re.Pattern[str] | None, list[tuple[str, re.Pattern[str]]]]]:
    """Return groups of patterns, each with the pattern that a text needs for them."""
    compiled = {name: re.compile(pattern) for name, pattern in FORM_PATTERNS.items()}
    special = {name for names in NEEDS.values() for name in names}
    always = [(name, pattern) for name, pattern in compiled.items() if name not in special]
    groups = [
        (re.compile(f"[{re.escape(needed)}]"), [(name, compiled[name]) for name in names])
        for needed, names in NEEDS.items()
    ]
    return [(None, always), *groups]


WORD = re.compile(r"[\w'’-]+")

ROMANCE_PAST = re.compile(
    r"\bse (?:le |les |lo )?\w+(?:ó|aron|ieron)\b|^\W*\w{3,}(?:ó|ei|ou)\b|\bfoi \w+[ai]d[oa]\b"
    r"|\bfueron \w+[ai]d[oa]s\b"
)
"""Spanish and Portuguese verbs of what was done: ``se corrigió``, ``foi trocado``."""


def find_cues(statement: Statement) -> dict[str, float]:
    """Return the cues of a statement by name, each in [0, 1]."""
    cues: dict[str, float] = {}
    own = classify_section(statement.label) if statement.label else ""
    lead = classify_section(statement.lead) if statement.lead else ""
    near = classify_section(statement.headings[-1]) if statement.headings else ""
    outer = next(
        (kind for name in reversed(statement.headings[:-1]) if (kind := classify_section(name))), ""
    )
    if own:
        cues[f"label:{own}"] = 1.0
    elif statement.label:
        cues["label"] = 1.0
    if lead or near:
        cues[f"in:{lead or near}"] = 1.0
    if statement.lead and not lead:
        cues["lead"] = 1.0
    if lead and near:
        cues[f"outer:{near}"] = 0.6
    if outer:
        cues[f"outer:{outer}"] = 0.4 if lead or near else 1.0
    cues[f"form:{statement.form}"] = 1.0
    if statement.depth:
        cues["nested"] = 1.0
    if statement.box:
        cues[f"box:{statement.box}"] = 1.0
    elif statement.sign:
        cues["sign"] = 1.0
    if statement.stamped:
        cues["stamped"] = 1.0
    if statement.follows:
        cues["follows"] = 1.0

    text = statement.text
    lowered = text.lower()
    plain = WORD.findall(lowered)
    unspaced = 0 if text.isascii() else sum(ord(letter) > FIRST_WIDE for letter in text)
    size = len(lowered.split()) + unspaced // 2
    told = {own, lead, near} & EXPLICIT
    bounds = ((3, "1-2"), (5, "3-4"), (10, "5-9"), (25, "10-24"), (math.inf, "25+"))
    length = next(name for limit, name in bounds if size < limit)
    cues[f"words:{length}"] = 1.0
    if told:
        cues[f"told:{length}"] = 1.0  # a few words are enough below a heading that says what it is
    first_words = _wording().first
    start = plain[0] if plain else ""
    pairs = {*map(" ".join, pairwise(plain))}
    triples = map(" ".join, zip(plain, plain[1:], plain[2:], strict=False))
    by_phrase = _wording().by_phrase
    for phrase in {*plain, *pairs, *triples} & by_phrase.keys():
        for name in by_phrase[phrase]:
            if name != "says:past" or not any(f"{each} {phrase}" in pairs for each in PASSIVE):
                cues[name] = 1.0
    if unspaced:
        for phrase, names in _wording().unspaced.items():
            if phrase in text:
                cues.update(dict.fromkeys(names, 1.0))
    for name, verbs in first_words.items():
        if start in verbs:
            cues[name] = 1.0
    for needed, forms in _forms():
        if needed is None or needed.search(text):
            for name, form in forms:
                if form.search(text):
                    cues[f"has:{name}"] = 1.0
    if not text.isascii() and ROMANCE_PAST.search(lowered):
        cues["says:past"] = 1.0
    _combine(cues, size)
    telling = {own, lead, near} & set(KINDS)
    if "starts:did" in cues and telling:
        cues["did in a telling section" if told else "did in a list of facts or tasks"] = 1.0
    if not telling and not {own, lead, near, outer} & {"noise", "routine"}:
        cues["no section"] = 1.0
    if {own, lead, near} & {"noise", "routine"} and not telling:
        cues["noise section"] = 1.0
    return cues


UNDECIDED = frozenset(
    f"{place}:{name}" for place in ("label", "in") for name in ("problem", "solution", "noise")
)
"""Where it is told what was wrong or done: "we use" and "switch to" decide nothing there."""


def guess_kind(cues: dict[str, float]) -> str:
    """Return the fact kind that the wording alone tells; "" for a plain fact."""
    if "says:settled" in cues and cues.keys().isdisjoint(UNDECIDED):
        return "decision"
    if {"rule", "starts:imperative"} <= cues.keys() or {
        "says:preferring",
        "says:person",
    } <= cues.keys():
        return "preference"
    return ""


def needs_context(text: str) -> bool:
    """Tell whether a sentence begins with a word that means the sentence before it."""
    match = WORD.search(text.lower())
    return match is not None and match[0] in _wording().first["starts:anaphor"]


class SubjectWords(NamedTuple):
    """Words that tell whether a line names what it is about.

    Attributes:
        verbs: Finite ones.
        participles: A line that begins with one tells what somebody did.
        imperatives: A line that begins with one needs no subject.
        generic: Nouns that any thing of their sort is called by, and pronouns.
    """

    verbs: frozenset[str]
    participles: frozenset[str]
    imperatives: frozenset[str]
    generic: frozenset[str]


@cache
def _subject_words() -> SubjectWords:
    words, wording = _data()["subjects"], _data()["wording"]
    return SubjectWords(
        frozenset([*words["verb"], *wording["stative"], *wording["past"]]),
        frozenset(wording["did"]),
        frozenset([*wording["imperative"], "avoid", "nie", "niemals", "immer"]),
        frozenset([*words["generic"], *words["pronoun"]]),
    )


ARTICLES = frozenset({"the", "a", "an", "der", "die", "das", "ein", "eine"})

QUESTIONS = ("what", "how", "why", "wie", "warum", "weshalb")
"""A heading that begins so is about what stands above it."""

PREDICATE = re.compile(r"\s[=≠>]\s|\b[a-z]{3,}s (?:the|an?|its|their|any|every|each)\b")
"""What says something of a noun, beside the verbs that are known."""

PAST_START = re.compile(r"[a-z]{3,}ed\b")


def lacks_subject(text: str) -> bool:
    """Tell whether a line does not name what it is about.

    Such a line begins with its verb or a word for anything, or is a noun with nothing said of it.

    >>> [lacks_subject(each) for each in ("Reads from the queue", "The service owns its state")]
    [True, True]
    >>> [lacks_subject(each) for each in ("Pumps need two seconds", "Ask before a deploy")]
    [False, False]
    """
    words = [each for each in WORD.findall(text.lower()) if each not in ARTICLES]
    if not words or any(ord(letter) > FIRST_WIDE for letter in text):
        return False
    if points_back(text):
        return True
    known = _subject_words()
    first = words[0]
    says_more = not known.verbs.isdisjoint(words[1:]) or PREDICATE.search(text) is not None
    if tells_deed(text):
        return not says_more
    if first in known.imperatives or words[-1] in known.imperatives:
        return False  # German tasks end with their verb
    return not says_more


def points_back(text: str) -> bool:
    """Tell whether a line begins with its verb, a pronoun or a word for anything of its sort.

    >>> points_back("Reads from the queue"), points_back("The day shift reads the gauge")
    (True, False)
    """
    words = [each for each in WORD.findall(text.lower()) if each not in ARTICLES]
    known = _subject_words()
    if not words or words[0] in known.imperatives:
        return False
    is_verb = words[0] in known.verbs and words[0].endswith(("s", "t"))
    return words[0] in known.generic or (is_verb and known.verbs.isdisjoint(words[1:2]))


def tells_deed(text: str) -> bool:
    """Tell whether a line begins with what somebody did: ``Painted the gate``."""
    match = WORD.search(text.lower())
    if match is None:
        return False
    known = _subject_words()
    is_participle = match[0] in known.participles - known.imperatives - known.verbs
    return is_participle or PAST_START.match(match[0]) is not None


def reports_made(name: str) -> bool:
    """Tell whether a heading or lead only says that the things below it were made or changed.

    >>> reports_made("Sensors installed"), reports_made("Built a new gauge page with")
    (True, True)
    >>> reports_made("Sensors"), reports_made("Agreed with the pilots")
    (False, False)
    """
    words = WORD.findall(name.lower())
    made = _data()["subjects"]["made"]
    return bool(words) and (words[0] in made or words[-1] in made)


@cache
def _narration() -> re.Pattern[str]:
    return _match_any(_data()["narration"]["heading"])


def is_narration(name: str) -> bool:
    """Tell whether below a heading or label line it is told what happened, step by step.

    >>> is_narration("3. Root cause analysis"), is_narration("Hergang"), is_narration("Decisions")
    (True, True, False)
    """
    return _narration().search(name.lower()) is not None


def names_thing(name: str) -> bool:
    """Tell whether a heading names something: it asks nothing and reports no state.

    >>> names_thing("Mooring office"), names_thing("What was built"), names_thing("Quay complete")
    (True, False, False)
    """
    words = WORD.findall(name.lower())
    return bool(words) and not (
        words[0].startswith(QUESTIONS) or words[-1] in _data()["wording"]["statusword"]
    )


def rest_of_name(name: str) -> list[str]:
    """Return the words of a heading beside those that name its kind.

    >>> rest_of_name("Rules for moorings"), rest_of_name("Key decisions")
    (['for', 'moorings'], ['key'])
    """
    kind = classify_section(name)
    lowered = re.sub(r"\([^)]*\)|\[[^\]]*\]", " ", name.lower()).replace("-", " ")
    return WORD.findall(_sections()[kind].sub(" ", lowered) if kind else lowered)


def _combine(cues: dict[str, float], size: int) -> None:
    """Add what only several cues together tell: its tense, and whether it is a rule or a value."""
    past = not cues.keys().isdisjoint(("says:past", "has:ed", "has:ed_inside", "starts:did"))
    stative, normative = "says:stative" in cues, "says:marker" in cues
    generic = "says:generic" in cues or "says:conditional" in cues
    if past:
        cues["tense:past"] = 1.0
        if "has:first_person" in cues:
            cues["past of ours"] = 1.0
        if normative or generic:
            cues["past with a rule"] = 1.0
    elif stative:
        cues["tense:present"] = 1.0
        if size >= 4:
            cues["sentence"] = 1.0
        if generic:
            cues["present of all"] = 1.0
    elif not normative:
        cues["tense:none"] = 1.0
    if normative and not past:
        cues["rule"] = 1.0
    if "stamped" in cues and past:
        cues["diary"] = 1.0
    if "says:decided" in cues and not cues.keys().isdisjoint(("says:past", "has:past_de")):
        cues["past decision"] = 1.0
    is_labelled = any(name == "label" or name.startswith("label:") for name in cues)
    is_value = is_labelled and size <= 6 and "stamped" not in cues
    if is_value and not past and "says:statusword" not in cues:
        cues["value"] = 1.0
        if not cues.keys().isdisjoint(("has:url", "has:path", "has:code", "has:port")):
            cues["address"] = 1.0


@cache
def load_weights() -> tuple[float, dict[str, float]]:
    """Return the bias and the weight of each cue."""
    data = json.loads(Path(__file__).with_name("weights.json").read_text("utf-8"))
    return float(data["bias"]), data["weights"]


def score_cues(cues: dict[str, float]) -> float:
    """Return the probability that a statement with these cues is lasting."""
    bias, weights = load_weights()
    total = bias + sum(weights.get(name, 0.0) * value for name, value in cues.items())
    return 1 / (1 + math.exp(-max(-30.0, min(30.0, total))))
