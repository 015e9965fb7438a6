"""What tells a lasting statement from a passing one: cues of form and wording. Pure.

Families of phrases are in ``families.toml``, word lists in ``cues.toml``, weights in
``weights.json``, which ``consolidation/training/fit.py`` makes from ``training/*.txt``, the
project's own text. There is a model
for what people say and one for what agents say. Names of things are never cues: what a project
is about does not decide what lasts.
"""

from __future__ import annotations

import json
import math
import re
import tomllib
from functools import cache, lru_cache
from itertools import pairwise
from pathlib import Path
from typing import Any, NamedTuple

from crewmem.sessions.statements import Place, Statement
from crewmem.sessions.turns import USER

SURE_CHANCE = 0.95
"""Probability of what a sure family of phrases says."""

QUESTION_CHANCE = 0.85
"""Least probability of a person's question: it rarely says how things should be. An agent's
never does."""

UNPHRASED_CHANCE = 0.75
"""Least probability of what a person says in no known phrase. An agent's is never kept: it mostly
describes code, which the next session reads again."""

NARRATED = ("must", "requires")
"""Families that say little alone: "the page uses the old font", "the label must be shorter"."""

ANSWER_CHANCE = 0.9
"""Least probability of what a person answers to an agent's question: it mostly settles the work at
hand, and says little without the question."""

KINDS_OF_HEADINGS = ("decision", "lesson", "preference", "action_item")

MOMENT = "moment"
"""Kind of the families of what is over with the session."""

UNFINISHED = ("?", "？", ":", "：")
"""Ends of what an agent only asks, or goes on to list."""

CLASSES = ("act", "report", "thing", "praise", "time", "stative", "vague")
"""Lists of words that are one cue together."""

OTHER = "…"
"""Stands for a word that is not a cue: a name, or what the project is about."""

TOKEN = re.compile(r"[a-zäöüß]+(?:'[a-z]+)?|\d+|[^\w\s]")

QUESTION = re.compile(
    r"(?i)^(?:(?:ok(?:ay)?|oh|hm+|so|and|but|also|wait|then|alright|well)[, .]*)*"
    r"(?:can|could|would|will|do(?! not\b)|does|did|is|are|was|what(?:'s)?|how|why|which|where"
    r"|who|when|should|shall|have|has|any|kannst|können|warum|wieso|wie|was|wo|welche\w*|pourquoi|comment"
    r"|peux|por qué|cómo|puedes)\b|[?？](?:[ )]*$| )"
)


DECIDES = re.compile(r"(?i)^(?:[a-zäöü]+,? ){0,3}(?:let's|let us|lass(?:t)? uns)\b")
"""How a person settles what is done."""


WISH = re.compile(
    r"(?i)\b(?:i|we|you|our|my|please|must|should|shall|needs?|ha(?:s|ve) to|wants?|prefer|don't"
    r"|do not|soll\w*|m(?:uss|üssen)|d(?:arf|ürfen)|bitte|wir|ich|nous|je)\b"
    r"|^(?:and |but |also,? )?(?:always|never|no|only|immer|nie|nur|kein\w*)\b"
    r"|^(?:[\w,]+ ){0,2}(?:use|keep)\b"
)
"""What makes a preference of a person's words; without it they describe something."""


class Family(NamedTuple):
    """Phrases that say one kind of thing; fields as in ``families.toml``."""

    name: str
    kind: str
    speaker: str
    pattern: re.Pattern[str]
    sure: bool
    examples: list[str]
    counter_examples: list[str]


class Judgement(NamedTuple):
    """What is thought of a statement.

    Attributes:
        chance: Probability that it should outlive its session.
        is_lasting: Whether that reaches the threshold of its speaker.
        kind: Fact kind.
    """

    chance: float
    is_lasting: bool
    kind: str


@cache
def load_families() -> tuple[Family, ...]:
    """Return the families of phrases, compiled."""
    data = tomllib.loads(Path(__file__).with_name("families.toml").read_text("utf-8"))
    return tuple(
        Family(
            name=each["name"],
            kind=each["kind"],
            speaker=each["speaker"],
            pattern=re.compile(each["pattern"], re.IGNORECASE),
            sure=each.get("sure", False),
            examples=each["examples"],
            counter_examples=each["counter_examples"],
        )
        for each in data["family"]
    )


@cache
def _data() -> dict[str, dict[str, str]]:
    return tomllib.loads(Path(__file__).with_name("cues.toml").read_text("utf-8"))


@cache
def _words() -> dict[str, frozenset[str]]:
    return {name: frozenset(text.split()) for name, text in _data()["words"].items()}


@cache
def _leads() -> dict[str, re.Pattern[str]]:
    return {name: re.compile(text, re.IGNORECASE) for name, text in _data()["leads"].items()}


FORMS = {
    "question": r"\?\s*$",
    "soft question": r"\?.*\w|, (?:or|right|oder)\?$",
    "exclaim": r"!\s*$",
    "caps": (
        r"\b(?!(?:API|URL|HTTP|HTTPS|JSON|HTML|CSS|SQL|UTC|PDF|CSV|SSH|DNS|CLI|TODO|TTY|UI|PR|CI|OK"
        r"|README|AGENTS)\b)[A-ZÄÖÜ]{3,}\b"
    ),
    "code": r"`[^`]+`|\b\w+\(\)|\b\w+_\w+\b|\b[a-z]+[A-Z]\w+|\b[A-Z][a-z]+[A-Z]\w+",
    "path": (
        r"\b[\w-]+/[\w./-]+|\b[\w-]+\.(?:md|py|js|tsx?|json|html|css|ya?ml|sh|txt|go|rs|toml)\b"
    ),
    "number": r"\b\d+\b",
    "count": (
        r"\b\d+ (?:files?|tests?|lines?|errors?|commits?|ms|seconds?|minutes?|usages?|places?"
        r"|passed|failed)\b|\d ?%|\b\d+/\d+\b"
    ),
    "clock": r"\b\d{1,2}:\d\d\b",
    "arrow": r"→|->|=>|⇒",
    "equals": r"\s=\s|≠|≥|≤|\s[<>]\s",
    "parenthesis": r"\([^)]{8,}\)",
    "colon": r":\s\w",
    "semicolon": r";\s",
    "comma": r",\s",
    "quote": r"[\"“][^\"”]{2,}[\"”]",
    "first ed": r"^[A-Za-z]{2,}ed\b",
    "first ing": r"^[A-Za-z]{2,}ing\b",
    "first s": (
        r"^(?!this\b|its\b|is\b|yes\b|does\b|was\b|has\b|as\b|unless\b|always\b|plus\b|us\b)"
        r"[A-Za-z]{3,}[^s\W]s\b"
    ),
    "no full stop": r"[^.!?:]$",
    "dash": r"\s[\u2014\u2013-]\s",
}


@cache
def _forms() -> list[tuple[str, re.Pattern[str]]]:
    return [(name, re.compile(pattern)) for name, pattern in FORMS.items()]


def find_cues(statement: Statement, role: str, place: Place | None = None) -> dict[str, float]:
    """Return the cues of a statement by name.

    Args:
        statement: What was said.
        role: Who said it.
        place: Where its turn stands; None where that is not known.
    """
    text = statement.text
    speaker = "user" if role == USER else "agent"
    tokens = _tokenize(text)
    words = [token for token in tokens if token[0].isalpha()]
    cues: dict[str, float] = {}
    size = len(words)
    for limit in (4, 7, 12, 20, 35):
        if size <= limit:
            cues[f"words<={limit}"] = 1.0
            break
    for token in words:
        if (name := _name_token(token)) != OTHER:
            cues[f"w {name}"] = 1.0
    if words and (name := _name_token(words[0])) != OTHER:
        cues[f"starts {name}"] = 1.0
    cues |= find_pairs(text)
    for name, pattern in _forms():
        if pattern.search(text):
            cues[f"has {name}"] = 1.0
    whole = statement.whole.replace("’", "'")
    for family in load_families():
        if family.speaker in ("both", speaker) and family.pattern.search(whole):
            cues[f"says {family.name}"] = 1.0
    if statement.reason:
        cues["says because"] = 1.0
    if statement.label:
        cues["has label"] = 1.0
    for name, pattern in _leads().items():
        if pattern.search(statement.lead) or pattern.search(statement.label):
            cues[f"under {name}"] = 1.0
    if place is not None:
        cues |= _find_place_cues(place, speaker)
        if place.is_first and not any(name.startswith("says ") for name in cues):
            cues["turn first without phrase"] = 1.0
    return cues


def find_pairs(text: str) -> dict[str, float]:
    """Return the cues of neighbouring words and signs, its beginning and end among them.

    >>> sorted(find_pairs("The cause: rust"))
    ['pair : …', 'pair ^ the', 'pair the …', 'pair … $', 'pair … :']
    """
    names = ["^", *map(_name_token, _tokenize(text)), "$"]
    return {
        f"pair {name} {following}": 1.0
        for name, following in pairwise(names)
        if name != OTHER or following != OTHER
    }


def needs_context(text: str) -> bool:
    """Tell whether a statement begins with a word that means the sentence before it."""
    words = [token for token in _tokenize(text[:60]) if token[0].isalpha()]
    return bool(words) and words[0] in _words()["anaphor"]


def _tokenize(text: str) -> list[str]:
    """Return words, numbers and signs in lower case."""
    return TOKEN.findall(text.lower().replace("’", "'"))


@lru_cache(maxsize=20_000)
def _name_token(token: str) -> str:
    """Return a common word or sign itself, the class of another one, or `OTHER`."""
    if token[0].isdigit():
        return "#"
    lists = _words()
    if not token[0].isalpha() or token in lists["common"]:
        return token
    return next((group.upper() for group in CLASSES if token in lists[group]), OTHER)


def _find_place_cues(place: Place, speaker: str) -> dict[str, float]:
    cues = {
        "turn first": place.is_first,
        "turn answers": place.is_answer,
        "turn final": place.is_final,
        # Agents are brief in made-up sessions where they have nothing to say, in real ones always.
        "turn short": place.size <= 2 and speaker == "user",
    }
    return {name: 1.0 for name, holds in cues.items() if holds}


@cache
def load_weights() -> dict[str, Any]:
    """Return threshold, bias and weights for each speaker, as the training wrote them."""
    data: dict[str, Any] = json.loads(Path(__file__).with_name("weights.json").read_text("utf-8"))
    return data


def judge(statement: Statement, role: str, place: Place | None = None) -> Judgement:
    """Return how probably a statement should outlive its session, and its kind."""
    cues = find_cues(statement, role, place)
    model = load_weights()["user" if role == USER else "agent"]
    weights = model["weights"]
    total = model["bias"] + sum(weights.get(name, 0.0) * value for name, value in cues.items())
    chance = 1 / (1 + math.exp(-max(-30.0, min(30.0, total))))
    best: Family | None = None
    is_phrased = is_momentary = False
    for family in load_families():
        if f"says {family.name}" in cues:
            if family.kind == MOMENT:
                is_momentary = True
                continue
            is_phrased = is_phrased or family.name not in NARRATED
            if best is None or (family.sure and not best.sure):
                best = family
    if best is not None and best.sure:
        chance = max(chance, SURE_CHANCE)
        is_momentary = is_momentary and best.kind == "correction"  # mostly of the step at hand
    kind = best.kind if best is not None else "fact"
    if role == USER and kind in ("fact", "lesson") and DECIDES.search(statement.text):
        kind = "decision"
    # An agent says how things are, not what it likes; so does whoever pastes a review.
    is_wish = best is not None and (best.sure or WISH.search(statement.text.replace("’", "'")))
    if kind == "preference" and not (role == USER and is_wish):
        kind = "lesson" if "says because" in cues else "fact"
    headings = [name for name in KINDS_OF_HEADINGS if f"under {name}" in cues]
    if headings:
        kind = headings[-1]
    least = model["threshold"]
    if role == USER and QUESTION.search(statement.text):
        least = max(least, QUESTION_CHANCE)
    elif role != USER and statement.text.endswith(UNFINISHED):
        least = 1.0
    if not (headings or is_phrased):
        least = max(least, UNPHRASED_CHANCE) if role == USER else 1.0
    if role == USER and place is not None and place.is_answer:
        least = max(least, ANSWER_CHANCE)
    is_lasting = chance >= least and not is_momentary
    return Judgement(chance, is_lasting, kind)
