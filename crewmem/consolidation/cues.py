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

from crewmem.consolidation.statements import Statement

KINDS = ("lesson", "decision", "correction", "preference", "rule", "action", "fact")
"""Section classes that name a fact kind, in the order in which they are tried."""

FACT_KINDS = {"rule": "preference", "action": "action_item"}
"""Fact kinds of section classes whose name is not one: a rule says how somebody wants work done."""

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
    found = {}
    for name, phrases in _data()["sections"].items():
        parts = sorted({re.escape(each).replace(r"\*", r"\w*") for each in phrases}, key=len)
        wide = [part for part in parts if ord(part[-1]) > FIRST_WIDE]
        narrow = [part for part in reversed(parts) if part not in wide]
        found[name] = re.compile("|".join([rf"(?<![\w-])(?:{'|'.join(narrow)})(?![\w-])", *wide]))
    return found


@cache
def _wording() -> tuple[dict[str, tuple[str, ...]], dict[str, frozenset[str]]]:
    """Return the cues of each phrase of up to three words, and the first words that are cues."""
    by_phrase: dict[str, tuple[str, ...]] = {}
    first: dict[str, frozenset[str]] = {}
    for name, phrases in _data()["wording"].items():
        if name in ("did", "imperative"):
            first[f"starts:{name}"] = frozenset(phrases)
        else:
            for each in phrases:
                by_phrase[each] = (*by_phrase.get(each, ()), f"says:{name}")
    return by_phrase, first


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
        if match := pattern.search(text):
            # The whole name first, then the longest phrase, then the order of the file.
            size = match.end() - match.start()
            rank = (0 if size == len(text) else 1, -size)
            if rank < best_rank:
                best, best_rank = kind, rank
    return best


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
    "hash": r"\b(?=[0-9a-f]*\d)(?=[0-9a-f]*[a-f])[0-9a-f]{7,40}\b",
    "count": (
        r"(?i)\b[\d.,]+\+?k?\s?(?:%|lines?|files?|commits?|tests?|features?|issues?|bugs?|errors?"
        r"|messages?|tokens?|kb|mb|gb|ms|seconds?|sec|minutes?|mins?|hours?|zeilen|dateien|fehler"
        r"|stunden|minuten|sekunden|warnings?|users?|items?|tasks?|agents?)\b|\b\d+/\d+\b|\d%"
    ),
    "number": r"\d",
    "url": r"https?://|\b\w+\.(?:com|org|net|io|app|dev|de|example)\b|:\d{4}\b",
    "port": r"\bport\s+\d+",
    "code": r"`[^`]+`|\b\w+\(\)|\b[\w-]+/[\w./-]+|\b\w+_\w+\b",
    "camel": r"\b[a-z]+[A-Z]\w+",
    "path": r"^`?[\w./~-]+\.(?:md|py|js|ts|json|html|css|yml|yaml|sh|txt|cs|go|rs|razor)`?",
    "arrow": r"→|->|⇒|=>",
    "equals": r"\s=\s|≠|≥|≤|\s[<>]\s",
    "versus": r"\b(?:vs\.?|beats?|over|better than|instead of|statt|not just)\b",
    "caps": (
        r"\b(?!(?:API|URL|HTTP|HTTPS|JSON|HTML|CSS|SQL|UTC|PDF|CSV|SSH|DNS|CLI|TODO|TBD|COMPLETE"
        r"|DONE|LIVE)\b)[A-ZÄÖÜ]{4,}\b"
    ),
    "quote": r"[\"“„«][^\"”“»]{8,}[\"”“»]",
    "past_de": r"\b(?:wurden?|haben|hat|habe|konnten?|worden)\b.*(?:t|en)\b",
    "ing": r"^[A-Z]?[a-z]+ing\b",
    "ed": r"^(?:\W*)(?:[A-Z]?[a-z]+ly\s)?[A-Z]?[a-z]{2,}ed\b",
    "version": r"\bv?\d+\.\d+\.\d+\b|\bv\d+\.\d+\b",
    "question": r"\?\s*$",
    "exclaim": r"!\s*$",
    "first_person": r"\b(?:I|we|We|ich|wir|Wir|Ich)\b",
    "parenthesis": r"\([^)]{3,}\)",
    "id": r"\b[A-Za-z0-9]{18,}\b|\b[0-9a-f]{8}-[0-9a-f]{4}",
}


NEEDS = {
    "0123456789": ("clock", "date", "hash", "count", "number", "version", "id", "port"),
    "`_/(": ("code", "path", "parenthesis"),
    '"“„«': ("quote",),
    ".:": ("url",),
    "→>=⇒≠≥≤<": ("arrow", "equals"),
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

    text = statement.text
    lowered = text.lower()
    words = lowered.split()
    size = len(words)
    cues[
        "words:1-2"
        if size < 3
        else "words:3-4"
        if size < 5
        else "words:5-9"
        if size < 10
        else "words:10-24"
        if size < 25
        else "words:25+"
    ] = 1.0
    start = words[0].strip("*_\"'“„(.,:;!") if words else ""
    plain = WORD.findall(lowered)
    pairs = map(" ".join, pairwise(plain))
    triples = map(" ".join, zip(plain, plain[1:], plain[2:], strict=False))
    runs = {*plain, *pairs, *triples}
    by_phrase, first_words = _wording()
    for phrase in runs & by_phrase.keys():
        for name in by_phrase[phrase]:
            cues[name] = 1.0
    for name, verbs in first_words.items():
        if start in verbs:
            cues[name] = 1.0
    for needed, forms in _forms():
        if needed is None or needed.search(text):
            for name, form in forms:
                if form.search(text):
                    cues[f"has:{name}"] = 1.0
    telling = {own, lead, near} & set(KINDS)
    if telling and "starts:did" in cues:
        cues["did in a telling section"] = 1.0
    if not telling and not {own, lead, near, outer} & {"noise", "routine"}:
        cues["no section"] = 1.0
    if {own, lead, near} & {"noise", "routine"} and not telling:
        cues["noise section"] = 1.0
    if "says:stative" in cues and "starts:did" not in cues and size >= 4:
        cues["sentence"] = 1.0
    if "has:past_de" in cues and "says:decided" in cues:
        cues["past decision"] = 1.0
    return cues


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
