"""Estimate whether a statement is lasting, from cues of its place, form and wording. Pure.

Notes and sessions have the same cues with different weights. There are three models: for notes, for
messages of people, and for messages of agents. ``lasting.toml`` has the words and phrases,
``lasting.json`` the weights, which ``consolidation/training/fit.py`` fits to the project's own
text.
"""

from __future__ import annotations

import json
import math
import re
import tomllib
import unicodedata
from functools import cache, lru_cache
from itertools import pairwise
from pathlib import Path
from typing import Any, NamedTuple

from crewmem.text.patterns import Patterns
from crewmem.text.statements import FIRST_WIDE, Statement
from crewmem.text.tokens import all_stop_words

KINDS = ("lesson", "decision", "correction", "preference", "rule", "action", "fact")
"""Section classes that name a fact kind, in the order in which they are tried."""

EXPLICIT = frozenset({"lesson", "decision", "correction", "preference", "rule"})
"""Section classes that name a kind so clearly that the wording counts less. Sections of facts and
actions often contain status, too."""

EPHEMERAL = ("noise", "routine")
"""Section classes of statements that do not last."""

FACT_KINDS = {"rule": "preference", "action": "action_item"}
"""Fact kinds of section classes with another name: a rule says how somebody wants work done."""

MOMENT = "moment"
"""Kind of the phrase families of statements that do not outlive the session."""

WORD = re.compile(r"[\w'’-]+")

CONTRACTION = re.compile(
    r"\b(?:(do|does|did|is|are|was|has|have|had|could|would|should|ca|wo)(nt)|(i)(m|ve)"
    r"|(you|they)(re|ve)|(that|what|there|here|who)(s))\b"
)
"""A contraction without its apostrophe, as people type it: ``doesnt``."""


class Family(NamedTuple):
    """Phrases of one kind; the fields are those of ``lasting.toml``.

    Attributes:
        pattern: For a text in lower case, unless it ignores case, which takes twice as long.
        ignores_case: Whether it does.
        foreign: Whether it is only for other languages than English and German.
    """

    name: str
    kind: str
    speaker: str
    pattern: re.Pattern[str]
    ignores_case: bool
    sure: bool
    foreign: bool
    examples: list[str]
    counter_examples: list[str]

    def matches(self, text: str, lowered: str) -> bool:
        """Return whether a text, which is also given in lower case, has a phrase of the family."""
        return self.pattern.search(text if self.ignores_case else lowered) is not None


@cache
def _data() -> dict[str, Any]:
    return tomllib.loads(Path(__file__).with_name("lasting.toml").read_text("utf-8"))


PATTERNS = Patterns(lambda: _data()["patterns"])
"""Patterns of wordings with rules of their own."""


UMLAUTS = str.maketrans({"ä": "ae", "ö": "oe", "ü": "ue", "ß": "ss"})
"""How Germans write these letters without them."""


@cache
def load_words(table: str) -> dict[str, list[str]]:
    """Return the phrases of each class in a table of ``lasting.toml``, also without accents.

    Where a phrase without accents is another one of the table, it is left out.
    """
    listed = {
        name: [each for each in re.split(r"\s*[;\n]\s*", text) if each]
        for name, text in _data()[table].items()
    }
    known = {each.lstrip("=") for phrases in listed.values() for each in phrases}
    return {
        name: phrases + [each for each in map(remove_accents, phrases) if each not in known]
        for name, phrases in listed.items()
    }


def remove_accents(text: str) -> str:
    """Return a text in lower case as it is typed on a keyboard without accents.

    >>> [remove_accents(text) for text in ("décidé", "nächste", "ещё", "が")]
    ['decide', 'naechste', 'ещё', 'が']
    """
    if text.isascii():
        return text
    letters = unicodedata.normalize("NFD", text.translate(UMLAUTS))
    plain = re.sub(r"(?<=[a-z])[\u0300-\u036f]+", "", letters)
    return unicodedata.normalize("NFC", plain)


@cache
def _false_friends() -> dict[str, re.Pattern[str]]:
    return {
        language: re.compile(rf"(?i)\b(?:{'|'.join(words.split('; '))})\b ?")
        for language, words in _data()["false_friends"].items()
    }


def remove_false_friends(text: str, language: str) -> str:
    """Return a text without the words of its language that mean something else in another.

    >>> remove_false_friends("prom nie czeka", "pl"), remove_false_friends("nie warten", "de")
    ('prom czeka', 'nie warten')
    """
    pattern = _false_friends().get(language)
    return pattern.sub("", text) if pattern else text


@cache
def load_families() -> tuple[Family, ...]:
    """Return the families of phrases, compiled."""
    return tuple(
        Family(
            name=each["name"],
            kind=each["kind"],
            speaker=each["speaker"],
            pattern=re.compile(each["pattern"]),
            ignores_case=each["pattern"].startswith("(?i)"),
            sure=each.get("sure", False),
            foreign=each.get("foreign", False),
            examples=each["examples"],
            counter_examples=each["counter_examples"],
        )
        for each in _data()["family"]
    )


def compile_phrases(phrases: list[str]) -> re.Pattern[str]:
    """Return a pattern of whole phrases; ``*`` at the end of a word matches any ending."""
    parts = sorted({re.escape(each).replace(r"\*", r"\w*") for each in phrases}, key=len)
    wide = [part for part in parts if ord(part[-1]) > FIRST_WIDE]
    narrow = [part for part in reversed(parts) if part not in wide]
    return re.compile("|".join([rf"(?<![\w-])(?:{'|'.join(narrow)})(?![\w-])", *wide]))


# Places


@cache
def _sections() -> dict[str, re.Pattern[str]]:
    return {name: _compile_section(phrases) for name, phrases in load_words("sections").items()}


def _compile_section(phrases: list[str]) -> re.Pattern[str]:
    """Return a pattern of phrases; those that begin with ``=`` match only a whole text."""
    inner = compile_phrases([each for each in phrases if each[0] != "="]).pattern
    whole = [re.escape(each[1:]) for each in phrases if each[0] == "="]
    return re.compile(rf"^(?:{'|'.join(whole)})$|{inner}" if whole else inner)


@lru_cache(maxsize=20_000)
def classify_section(name: str) -> str:
    """Return the class of a heading or label: a kind, rationale, problem, noise …; or "".

    >>> classify_section("💡 Lessons learned (week 3)"), classify_section("Nächste Schritte")
    ('lesson', 'action')
    """
    text = re.sub(r"\([^)]*\)|\[[^\]]*\]", " ", name.lower())
    text = re.sub(r"(?<=\w)\.(?=\w)", "_", text)  # "next.js" does not contain "next"
    text = " ".join(re.sub(r"[^\w'’ -]+|\b[\d:]+\b", " ", text).split())
    if not text or len(text) > 90:
        return ""
    best, best_length = "", 0
    for kind, pattern in _sections().items():
        for match in pattern.finditer(text):
            if _is_aside(match, text):
                continue
            if match[0] == text:
                return kind
            if len(match[0]) > best_length:  # of equal ones, the first in the file counts
                best, best_length = kind, len(match[0])
            break  # only the first phrase of a class counts
    return best


MIN_OTHER_WORDS = 2
"""Words beside the phrase of a class from which a heading or label is about something else."""


def _count_other_words(name: str) -> int:
    """Return how many words of a heading or label name neither its class nor a change."""
    ignored = all_stop_words().union(load_words("subjects")["made"])
    return sum(word not in ignored and word.isalpha() for word in list_topic_words(name))


@lru_cache(maxsize=20_000)
def classify_label(label: str) -> str:
    """Return the class of a statement's own label; see `classify_section`.

    A label of several other words names a subject, even if one of them is a word for status.

    >>> classify_label("Results"), classify_label("Gauge results privacy")
    ('noise', '')
    """
    kind = classify_section(label)
    is_subject = kind in EPHEMERAL and _count_other_words(label) >= MIN_OTHER_WORDS
    return "" if is_subject else kind


def announces_changes(heading: str) -> bool:
    """Return whether a heading or label line says that things were made or changed.

    >>> announces_changes("Sensors installed"), announces_changes("Built a new gauge page with")
    (True, True)
    >>> announces_changes("Sensors"), announces_changes("Agreed with the pilots")
    (False, False)
    """
    words = WORD.findall(heading.lower())
    past_verbs = load_words("subjects")["made"]
    return bool(words) and (words[0] in past_verbs or words[-1] in past_verbs)


def classify_place(heading: str) -> str:
    """Return the class of a heading or label line above a statement; see `classify_section`.

    A report of changes is no list of rules or wishes, though it may contain such a word.

    >>> classify_place("Safety"), classify_place("Git safety hooks installed")
    ('rule', '')
    """
    kind = classify_section(heading)
    is_report = (
        kind in ("rule", "preference")
        and announces_changes(heading)
        and _count_other_words(heading) >= MIN_OTHER_WORDS
    )
    return "" if is_report else kind


@cache
def load_heading_words() -> dict[str, frozenset[str]]:
    """Return classes of words in headings, such as ``question`` and ``marker``."""
    return {name: frozenset(words) for name, words in load_words("names").items()}


def _is_aside(match: re.Match[str], text: str) -> bool:
    """Return whether a match in a script without spaces is minor: the last word counts there."""
    if ord(match[0][-1]) <= FIRST_WIDE or text.endswith(match[0]):
        return False
    return len(match[0]) * 2 < len(text.replace(" ", ""))


def list_topic_words(name: str) -> list[str]:
    """Return the words of a heading except those that name its kind.

    >>> list_topic_words("Rules for moorings"), list_topic_words("Key decisions")
    (['for', 'moorings'], ['key'])
    """
    kind = classify_section(name)
    lowered = re.sub(r"\([^)]*\)|\[[^\]]*\]", " ", name.lower()).replace("-", " ")
    return WORD.findall(_sections()[kind].sub(" ", lowered) if kind else lowered)


def section_kind(statement: Statement) -> str:
    """Return the kind that the nearest surroundings of a statement name; "" for none.

    Under the heading ``Decisions``, the label ``Database`` is only the subject of a decision.
    """
    around = ""
    for name in (statement.lead, *reversed(statement.headings[-2:])):
        around = classify_place(name) if name else ""
        if around in (*KINDS, *EPHEMERAL):
            break
    own = classify_label(statement.label) if statement.label else ""
    if own == "fact" and around in EXPLICIT:
        own = around
    kind = own if own in (*KINDS, *EPHEMERAL) else around
    return kind if kind in KINDS else ""


def normalize_apostrophes(text: str) -> str:
    """Return a text in lower case in which contractions have plain apostrophes.

    >>> normalize_apostrophes("It DOESNT sail, that’s all im told")
    "it doesn't sail, that's all i'm told"
    """
    lowered = text.lower().replace("’", "'")
    return CONTRACTION.sub(_add_apostrophe, lowered)


def _add_apostrophe(contraction: re.Match[str]) -> str:
    word, end = (part for part in contraction.groups() if part)
    return f"{word}n't" if end == "nt" else f"{word}'{end}"


# Cues

LENGTHS = ((3, "1-2"), (5, "3-4"), (8, "5-7"), (13, "8-12"), (20, "13-19"), (35, "20-34"))
"""Word counts below which a statement has the named length; a longer one is ``35+``."""


@cache
def _forms(table: str) -> list[tuple[str, re.Pattern[str]]]:
    return [(f"has:{name}", re.compile(pattern)) for name, pattern in _data()[table].items()]


class Wording(NamedTuple):
    """Classes of phrases.

    Attributes:
        by_phrase: Classes of each phrase.
        by_first_word: Phrases of several words, by their first word.
        unspaced: Classes of phrases in scripts without spaces.
        common: Words that are cues by themselves.
        passive: Words after which a participle is not past tense: ``is kept``.
    """

    by_phrase: dict[str, list[str]]
    by_first_word: dict[str, list[str]]
    unspaced: dict[str, list[str]]
    common: frozenset[str]
    passive: frozenset[str]


@cache
def _wording() -> Wording:
    common, passive = (frozenset(_data()["common"][name].split()) for name in ("words", "passive"))
    found = Wording({}, {}, {}, common, passive)
    for name, phrases in load_words("wording").items():
        for each in phrases:
            table = found.unspaced if ord(each[0]) > FIRST_WIDE else found.by_phrase
            table.setdefault(each, []).append(name)
            first, *others = each.split()
            if others:
                found.by_first_word.setdefault(first, []).append(each)
    return found


def find_cues(statement: Statement) -> dict[str, float]:
    """Return the cues of a statement by name, each in [0, 1]."""
    text = statement.text
    lowered = normalize_apostrophes(text)
    words = WORD.findall(lowered)
    unspaced = 0 if text.isascii() else sum(ord(letter) > FIRST_WIDE for letter in text)
    cues = _find_place_cues(statement)
    cues[f"words:{_name_length(len(lowered.split()) + unspaced // 2)}"] = 1.0
    for name in _find_phrase_classes(text, words, has_unspaced=unspaced > 0):
        cues[f"says:{name}"] = 1.0
    wording = _wording()
    for word in wording.common.intersection(words):
        cues[f"word:{word}"] = 1.0
    if words:
        for name in wording.by_phrase.get(words[0], ()):
            cues[f"starts:{name}"] = 1.0
        if words[0] in wording.common:
            cues[f"starts:{words[0]}"] = 1.0
    if unspaced:
        for phrase, names in wording.unspaced.items():
            if text.startswith(phrase):
                cues |= {f"starts:{name}": 1.0 for name in names}
    if PATTERNS["past_start"].match(lowered) or (
        not text.isascii() and PATTERNS["past_ending"].search(lowered)
    ):
        cues["says:past"] = 1.0
    # Most words are plain, and the patterns of the other words are slow.
    marked = " ".join(word for word in text.split() if not (word.isalpha() and word.islower()))
    for searched, table in ((text, "forms"), (marked, "word_forms")):
        for name, form in _forms(table):
            if form.search(searched):
                cues[name] = 1.0
    return cues


def _name_length(words: int) -> str:
    return next((name for limit, name in LENGTHS if words < limit), "35+")


def _find_phrase_classes(text: str, words: list[str], *, has_unspaced: bool) -> set[str]:
    """Return the classes of the phrases in a text."""
    wording = _wording()
    phrases = wording.by_phrase.keys() & set(words)
    if not wording.by_first_word.keys().isdisjoint(words):
        joined = f" {' '.join(words)} "
        for word in words:
            for phrase in wording.by_first_word.get(word, ()):
                if f" {phrase} " in joined:
                    phrases.add(phrase)
    after_passive = {word for before, word in pairwise(words) if before in wording.passive}
    classes = set()
    for phrase in phrases:
        for name in wording.by_phrase[phrase]:
            if name != "past" or phrase not in after_passive:
                classes.add(name)
    if has_unspaced:
        for phrase, names in wording.unspaced.items():
            if phrase in text:
                classes.update(names)
    return classes


def find_families(statement: Statement, *, is_foreign: bool) -> list[Family]:
    """Return the families of phrases that a statement matches.

    They are cues only for sessions: for notes they mean little, and take as long as all other
    cues together.
    """
    text = statement.full_text.replace("’", "'")
    lowered = normalize_apostrophes(text)
    return [
        family
        for family in load_families()
        if (is_foreign or not family.foreign) and family.matches(text, lowered)
    ]


def _find_place_cues(statement: Statement) -> dict[str, float]:
    cues: dict[str, float] = {f"form:{statement.form}": 1.0}
    own = classify_label(statement.label) if statement.label else ""
    lead = classify_place(statement.lead) if statement.lead else ""
    near = classify_place(statement.headings[-1]) if statement.headings else ""
    outer_classes = (classify_place(name) for name in reversed(statement.headings[:-1]))
    outer = next((each for each in outer_classes if each), "")
    if own:
        cues[f"label:{own}"] = 1.0
    elif statement.label:
        cues["label"] = 1.0
    if lead or near:
        cues[f"in:{lead or near}"] = 1.0
    if lead and near:
        cues[f"outer:{near}"] = 0.6
    if outer:
        cues[f"outer:{outer}"] = 0.4 if lead or near else 1.0
    if statement.box:
        cues[f"box:{statement.box}"] = 1.0
    sections = {own, lead, near}
    if sections & EXPLICIT:
        cues["explicit section"] = 1.0
    elif sections & set(KINDS):
        cues["listed"] = 1.0
    elif not sections.isdisjoint(EPHEMERAL):
        cues["noise section"] = 1.0
    elif outer not in EPHEMERAL:
        cues["no section"] = 1.0
    return cues


def needs_context(text: str) -> bool:
    """Return whether a sentence begins with a word that refers to the sentence before it."""
    match = WORD.search(text.lower().replace("’", "'"))
    return match is not None and "anaphor" in _wording().by_phrase.get(match[0], ())


@cache
def load_weights(model: str) -> tuple[float, dict[str, float]]:
    """Return the bias of a model, and the weight of each cue."""
    data = json.loads(Path(__file__).with_name("lasting.json").read_text("utf-8"))[model]
    return float(data["bias"]), data["weights"]


def estimate(cues: dict[str, float], model: str) -> float:
    """Return the probability that a statement with these cues is lasting.

    Args:
        model: ``notes``, or the speaker in a session: ``user`` or ``agent``.
    """
    bias, weights = load_weights(model)
    total = bias + sum(weights.get(name, 0.0) * value for name, value in cues.items())
    return 1 / (1 + math.exp(-max(-30.0, min(30.0, total))))
